package io.anabranch.tools.scenario;

import io.anabranch.engine.config.CcConfig;
import io.anabranch.engine.config.NsccConfig;
import io.anabranch.engine.config.NsccConfig.Gains;
import io.anabranch.engine.config.RequestorAttributes;
import io.anabranch.engine.config.ResponderAttributes;
import io.anabranch.fabric.host.TransportConfig;
import io.anabranch.fabric.link.Overflow;
import io.anabranch.fabric.link.QueueConfig;
import io.anabranch.fabric.topology.Routing;
import java.util.List;

/**
 * Reads {@code transport}. MTU, routing and base RTT are read first: sizes and queues depend on
 * them.
 */
final class TransportReader {
  private static final int MTU_BYTES = 4096;
  private static final int SACK_BYTES = 16 << 10;
  private static final int ECMP_EVS = 64;
  private static final int MAX_EVS = 4096;

  /** Linear retries, then doubling ones: 7 and 7 end a dead connection within some 250 timeouts. */
  private static final int RETRIES = 7;

  /** The step of ACK timeouts is 1.024 µs · 2^t. */
  private static final long TIMEOUT_STEP_PS = 1_024_000;

  private static final int MAX_TIMEOUT = 24;
  private static final int PS_PER_NS = 1000;
  private static final long MAX_RTT_NS = 10_000_000_000L;

  /** Beyond the time that full queues take, as in uet-htsim. */
  private static final long TIMEOUT_SLACK_PS = 15_000_000;

  private static final int TIMEOUT_QUEUES = 6;

  /** What spraying does with marks. */
  enum Spraying {
    REACTIVE,
    OBLIVIOUS
  }

  /** On or off. */
  enum Switch {
    ON,
    OFF
  }

  private final Fields fields;

  TransportReader(Fields fields) {
    this.fields = fields;
  }

  /** Path MTU. */
  int readMtu() {
    return (int) fields.quantity("mtu", Quantity.SIZE, MTU_BYTES, 256, 8192);
  }

  /** How EVs become paths. */
  Routing readRouting() {
    return fields.choice("routing", Routing.ECMP, Routing.class);
  }

  /** Configured base RTT in whole nanoseconds; the computed one is rounded up. */
  long readBaseRttNs(long computedPs) {
    return Math.max(1, nanoseconds(fields, "base_rtt", 1, Math.ceilDiv(computedPs, PS_PER_NS)));
  }

  /**
   * Reads the rest.
   *
   * @param paths that EVs of a plane can name, where they do
   * @param hostRate all planes together
   * @param ports what the switches' kinds of port do
   */
  TransportConfig read(
      Routing routing,
      int planes,
      long paths,
      int mtuBytes,
      long baseRttNs,
      long hostRate,
      List<QueueConfig> ports) {
    int mostEvs =
        Math.max(1, (int) Math.min(MAX_EVS / planes, routing.namesPaths() ? paths : MAX_EVS));
    int evs =
        fields.count(
            "evs_per_plane",
            routing.namesPaths() ? mostEvs : Math.min(mostEvs, ECMP_EVS),
            1,
            mostEvs);
    int active = fields.count("active_evs_per_plane", evs, 1, Math.max(1, evs));
    Spraying spraying = fields.choice("spraying", Spraying.REACTIVE, Spraying.class);
    int mpr = mpr(mtuBytes, baseRttNs, hostRate);
    long planeRate = hostRate / planes;
    int timeout = timeout(ports, planeRate);
    int linear = fields.count("linear_retries", RETRIES, 0, 7);
    int exponential = retries();
    int sackBytes = (int) fields.quantity("sack_every", Quantity.SIZE, SACK_BYTES, 1024, 1 << 20);
    boolean trims = ports.stream().allMatch(port -> port.overflow() == Overflow.TRIM);
    boolean marks = ports.stream().anyMatch(port -> port.ecn() != null);
    CcConfig cc = cc(hostRate, mtuBytes, trims, marks);
    int qps = fields.count("qps_per_pair", 1, 1, 1024);
    long message = fields.quantity("message", Quantity.SIZE, 0, 0, 0xffff_ffffL);
    if (message % mtuBytes != 0) {
      fields.refuse("message", "multiples of the MTU, " + mtuBytes + "B; 0B = one message a flow");
    }
    boolean probes = fields.choice("reverse_probes", Switch.ON, Switch.class) == Switch.ON;
    return new TransportConfig(
        routing,
        evs,
        active,
        spraying == Spraying.REACTIVE,
        mtuBytes,
        mpr,
        timeout,
        linear,
        exponential,
        sackBytes,
        cc,
        baseRttNs,
        qps,
        message,
        probes);
  }

  /** Unless told, four BDPs of packets, so that the window alone holds a sender back. */
  private int mpr(int mtuBytes, long baseRttNs, long hostRate) {
    int unit = ResponderAttributes.MPR_UNIT;
    int min = 8 * unit;
    int max = 255 * unit;
    long bdp = Figures.bytesIn(baseRttNs * PS_PER_NS, hostRate);
    long wanted = Math.ceilDiv(Math.ceilDiv(4 * bdp, mtuBytes), unit) * unit;
    long mpr = fields.integer("max_psn_range", Math.min(max, Math.max(min, wanted)), min, max);
    if (mpr % unit != 0) {
      fields.refuse("max_psn_range", "multiples of " + unit + ", " + min + "…" + max);
    }
    return (int) (mpr - mpr % unit);
  }

  /** The exponent whose timeout is the shortest that is not shorter than what was asked for. */
  private int timeout(List<QueueConfig> ports, long planeRate) {
    long queue = 0;
    for (QueueConfig port : ports) {
      queue = Math.max(queue, port.dataBytes());
    }
    long most = TIMEOUT_STEP_PS << MAX_TIMEOUT;
    long wanted =
        Math.min(most, TIMEOUT_SLACK_PS + TIMEOUT_QUEUES * Figures.wirePs(queue, planeRate));
    if ("off".equals(fields.single("ack_timeout"))) {
      fields.filled().put("ack_timeout", "off");
      return 0;
    }
    long asked = fields.quantity("ack_timeout", Quantity.TIME, wanted, 1, most);
    int exponent = 1;
    while (TIMEOUT_STEP_PS << exponent < asked) {
      exponent++;
    }
    fields.filled().put("ack_timeout", Quantity.TIME.format(TIMEOUT_STEP_PS << exponent));
    return exponent;
  }

  private int retries() {
    if ("forever".equals(fields.single("exponential_retries"))) {
      fields.filled().put("exponential_retries", "forever");
      return RequestorAttributes.FOR_EVER;
    }
    return fields.count("exponential_retries", RETRIES, 0, RequestorAttributes.FOR_EVER - 1);
  }

  private CcConfig cc(long hostRate, int mtuBytes, boolean trims, boolean marks) {
    String allowed = "nscc, unlimited, {nscc: {}}, or {fixed: SIZE}";
    NsccConfig nscc = NsccConfig.of(hostRate, mtuBytes, trims, marks);
    if (fields.isGroup("cc")) {
      Fields group = fields.group("cc");
      boolean fixed = group.has("fixed");
      if (fixed == group.has("nscc")) {
        fields.refuse("cc", allowed);
        return nscc;
      }
      CcConfig chosen = nscc;
      if (fixed) {
        long most = CcConfig.MAX_WINDOW_BYTES;
        chosen = new CcConfig.FixedWindow(group.quantity("fixed", Quantity.SIZE, most, 1, most));
      } else {
        chosen = nscc(group.group("nscc"), nscc);
      }
      group.end();
      return chosen;
    }
    String name = fields.has("cc") ? String.valueOf(fields.single("cc")) : "nscc";
    fields.filled().put("cc", name);
    return switch (name) {
      case "nscc" -> nscc;
      case "unlimited" -> new CcConfig.Unlimited();
      default -> {
        fields.refuse("cc", allowed);
        yield nscc;
      }
    };
  }

  private static NsccConfig nscc(Fields fields, NsccConfig defaults) {
    Gains d = defaults.gains();
    long maxWnd = CcConfig.MAX_WINDOW_BYTES;
    long window = fields.quantity("max_wnd", Quantity.SIZE, defaults.maxWndBytes(), 1, maxWnd);
    Gains gains =
        new Gains(
            fields.decimal("max_wnd_bdps", d.maxWndBdps(), 0.1, 100),
            fields.decimal("target_rtts", d.targetRtts(), 0.01, 100),
            fields.quantity("reference_bdp", Quantity.SIZE, d.referenceBdpBytes(), 1, maxWnd),
            nanoseconds(fields, "reference_rtt", 0, d.referenceRttNs()),
            fields.decimal("alpha", d.alpha(), 0, 1000),
            fields.decimal("fi", d.fi(), 0, 1000),
            fields.decimal("fi_scale", d.fiScale(), 0, 1000),
            fields.decimal("eta", d.eta(), 0, 1000),
            nanoseconds(fields, "fast_delay", 0, d.fastDelayNs()),
            fields.decimal("gamma", d.gamma(), 0, 1),
            fields.decimal("max_md_jump", d.maxMdJump(), 0.01, 1),
            fields.decimal("adjust_period_rtts", d.adjustPeriodRtts(), 0.01, 1000),
            fields.count("adjust_mtus", d.adjustMtus(), 0, 1 << 20),
            fields.count("qa_gate", d.qaGate(), 0, 30),
            fields.decimal("qa_threshold_targets", d.qaThresholdTargets(), 0, Gains.NEVER),
            fields.decimal("delay_gain", d.delayGain(), 0, 1),
            fields.decimal("unmarked_rtts", d.unmarkedRtts(), 0, 100));
    fields.end();
    return defaults.withMaxWndBytes(window).withGains(gains);
  }

  private static long nanoseconds(Fields fields, String key, long minNs, long fallbackNs) {
    long ps =
        fields.quantity(
            key, Quantity.TIME, fallbackNs * PS_PER_NS, minNs * PS_PER_NS, MAX_RTT_NS * PS_PER_NS);
    if (ps % PS_PER_NS != 0) {
      fields.refuse(key, "whole nanoseconds");
    }
    return ps / PS_PER_NS;
  }
}
