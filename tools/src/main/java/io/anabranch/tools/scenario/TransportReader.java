package io.anabranch.tools.scenario;

import io.anabranch.engine.config.CcConfig;
import io.anabranch.engine.config.NsccConfig;
import io.anabranch.engine.config.RequestorAttributes;
import io.anabranch.engine.config.ResponderAttributes;
import io.anabranch.fabric.host.Routing;
import io.anabranch.fabric.host.TransportConfig;
import io.anabranch.fabric.link.Overflow;
import io.anabranch.fabric.link.QueueConfig;
import java.util.List;

/** Reads {@code transport}. The MTU and the base RTT are read first: queues depend on them. */
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

  /** Beyond the time that full queues take, as in uet-htsim. */
  private static final long TIMEOUT_SLACK_PS = 15_000_000;

  private static final int TIMEOUT_QUEUES = 6;

  private static final long MAX_WINDOW_BYTES = 1L << 40;

  /** What spraying does with marks. */
  enum Spraying {
    REACTIVE,
    OBLIVIOUS
  }

  private final Fields fields;

  TransportReader(Fields fields) {
    this.fields = fields;
  }

  /** Path MTU. */
  int readMtu() {
    return (int) fields.quantity("mtu", Quantity.SIZE, MTU_BYTES, 256, 8192);
  }

  /** Configured base RTT in whole nanoseconds; the computed one is rounded up. */
  long readBaseRttNs(long computedPs) {
    long computed = Math.max(1, Math.ceilDiv(computedPs, 1000)) * 1000;
    long ps = fields.quantity("base_rtt", Quantity.TIME, computed, 1000, 10_000_000_000_000L);
    if (ps % 1000 != 0) {
      fields.refuse("base_rtt", "whole nanoseconds");
    }
    return Math.max(1, ps / 1000);
  }

  /**
   * Reads the rest.
   *
   * @param hostRate all planes together
   * @param ports what the switches' kinds of port do
   */
  TransportConfig read(
      int planes,
      int spines,
      int mtuBytes,
      long baseRttNs,
      long hostRate,
      List<QueueConfig> ports) {
    Routing routing = fields.choice("routing", Routing.ECMP, Routing.class);
    int mostEvs =
        Math.max(1, Math.min(MAX_EVS / planes, routing == Routing.SRV6 ? spines : MAX_EVS));
    int evs =
        fields.count(
            "evs_per_plane",
            Math.min(mostEvs, routing == Routing.SRV6 ? spines : ECMP_EVS),
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
        message);
  }

  /** Unless told, four BDPs of packets, so that the window alone holds a sender back. */
  private int mpr(int mtuBytes, long baseRttNs, long hostRate) {
    int unit = ResponderAttributes.MPR_UNIT;
    int min = 8 * unit;
    int max = 255 * unit;
    long bdp = Figures.bytesIn(baseRttNs * 1000, hostRate);
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
    NsccConfig nscc = new NsccConfig(hostRate, mtuBytes, trims, marks);
    if (fields.isGroup("cc")) {
      Fields group = fields.group("cc");
      boolean fixed = group.has("fixed");
      if (fixed == group.has("nscc")) {
        fields.refuse("cc", allowed);
        return nscc;
      }
      CcConfig chosen = nscc;
      if (fixed) {
        long most = MAX_WINDOW_BYTES;
        chosen = new CcConfig.FixedWindow(group.quantity("fixed", Quantity.SIZE, most, 1, most));
      } else {
        // Parameters of NSCC that a scenario may change are read here.
        Fields parameters = group.group("nscc");
        parameters.end();
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
}
