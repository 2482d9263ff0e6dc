package io.anabranch.tools.scenario;

import io.anabranch.fabric.peer.roce.DcqcnConfig;
import io.anabranch.fabric.peer.roce.Recovery;
import io.anabranch.fabric.peer.roce.RoceConfig;
import org.jspecify.annotations.Nullable;

/**
 * Reads the settings of a RoCEv2 transport. docs/transports.md says where each default comes from.
 */
final class RoceReader {
  private static final int MTU_BYTES = 4096;
  private static final int ACK_EVERY = 4;
  private static final int TIMEOUT = 14;
  private static final int RETRIES = 7;
  private static final long STRIPE_BYTES = 64 << 10;
  private static final int RTO_LOW_PACKETS = 3;
  private static final long RTO_LOW_PS = 100_000_000;
  private static final long MOST_PS = 1_000_000_000_000_000L;
  private static final long SECOND_PS = 1_000_000_000_000L;
  private static final long MOST_RATE = 10_000_000_000_000L;

  /** How switches choose a path. */
  enum Paths {
    ECMP,
    ADAPTIVE
  }

  /** What is sent again after a loss. */
  enum Resends {
    GO_BACK_N,
    SELECTIVE_REPEAT
  }

  /** Congestion control. */
  enum Control {
    DCQCN,
    NONE
  }

  private final Fields fields;
  private @Nullable DcqcnPreset preset;
  private @Nullable DcqcnConfig dcqcn;

  RoceReader(Fields fields) {
    this.fields = fields;
  }

  /** Path MTU. */
  int readMtu() {
    int mtu = (int) fields.quantity("mtu", Quantity.SIZE, MTU_BYTES, 256, 4096);
    if (Integer.bitCount(mtu) != 1) {
      fields.refuse("mtu", "256B, 512B, 1024B, 2048B, 4096B");
      return MTU_BYTES;
    }
    return mtu;
  }

  /** Reads congestion control; what queues do unless told depends on it. */
  QueueReader.Defaults readQueueDefaults(long hostRate) {
    readControl(hostRate);
    return preset == null
        ? QueueReader.Defaults.WITHOUT_MARKS
        : QueueReader.Defaults.of(preset.ramp(hostRate));
  }

  private void readControl(long hostRate) {
    DcqcnPreset suits = DcqcnPreset.of(hostRate);
    if (fields.isGroup("cc")) {
      Fields cc = fields.group("cc");
      cc.need("dcqcn", "{preset: 40g, …}; or cc: dcqcn, none");
      Fields own = cc.group("dcqcn");
      DcqcnPreset named = own.choice("preset", suits, DcqcnPreset.class);
      preset = named;
      dcqcn = dcqcn(own, named.config());
      own.end();
      cc.end();
      return;
    }
    if (fields.choice("cc", Control.DCQCN, Control.class) == Control.DCQCN) {
      preset = suits;
      dcqcn = suits.config();
    }
  }

  private static DcqcnConfig dcqcn(Fields own, DcqcnConfig d) {
    return new DcqcnConfig(
        own.decimal("g", d.g(), 0.000001, 1),
        own.quantity("alpha_timer", Quantity.TIME, d.alphaTimerPs(), 1000, SECOND_PS),
        own.quantity("rate_timer", Quantity.TIME, d.rateTimerPs(), 1000, SECOND_PS),
        own.quantity("byte_counter", Quantity.SIZE, d.byteCounterBytes(), 1, 1L << 40),
        own.count("fast_recovery", d.fastRecoverySteps(), 1, 31),
        own.quantity("rate_ai", Quantity.RATE, d.rateAiBitsPerSecond(), 0, MOST_RATE),
        own.quantity("rate_hai", Quantity.RATE, d.rateHaiBitsPerSecond(), 0, MOST_RATE),
        own.quantity("min_rate", Quantity.RATE, d.minRateBitsPerSecond(), 1000, MOST_RATE),
        own.quantity("cnp_interval", Quantity.TIME, d.cnpIntervalPs(), 0, SECOND_PS));
  }

  /**
   * Reads the rest.
   *
   * @param bdpPackets what the longest path holds at a host's rate, in packets
   * @param fullQueuesPs base RTT and the time that one full queue takes
   */
  RoceConfig read(int mtuBytes, int bdpPackets, long fullQueuesPs) {
    int qps = fields.count("qps_per_pair", 1, 1, 1024);
    long message =
        fields.quantity("message", Quantity.SIZE, qps == 1 ? 0 : STRIPE_BYTES, 0, 1L << 31);
    if (message % mtuBytes != 0) {
      fields.refuse("message", "multiples of the MTU, " + mtuBytes + "B; 0B = one message a flow");
      message = 0;
    }
    boolean immediate =
        fields.choice("immediate", TransportReader.Switch.OFF, TransportReader.Switch.class)
            == TransportReader.Switch.ON;
    int most = RoceConfig.MAX_CAP_PACKETS;
    int ackEvery = fields.count("ack_every", ACK_EVERY, 1, most);
    int timeout = timeout();
    int retries = fields.count("retry_count", RETRIES, 0, 7);
    Recovery recovery = recovery(bdpPackets, fullQueuesPs);
    boolean adaptive = fields.choice("routing", Paths.ECMP, Paths.class) == Paths.ADAPTIVE;
    int reorder = fields.count("reorder", adaptive ? Math.min(most, bdpPackets) : 0, 0, most);
    return new RoceConfig(
        mtuBytes, qps, message, immediate, ackEvery, timeout, retries, recovery, reorder, adaptive,
        dcqcn);
  }

  /** The exponent whose timeout is the shortest that is not shorter than what was asked for. */
  private int timeout() {
    if ("off".equals(fields.single("ack_timeout"))) {
      fields.filled().put("ack_timeout", "off");
      return 0;
    }
    long asked =
        fields.quantity(
            "ack_timeout",
            Quantity.TIME,
            RoceConfig.timeoutPs(TIMEOUT),
            1,
            RoceConfig.timeoutPs(31));
    int exponent = 1;
    while (RoceConfig.timeoutPs(exponent) < asked) {
      exponent++;
    }
    fields.filled().put("ack_timeout", Quantity.TIME.format(RoceConfig.timeoutPs(exponent)));
    return exponent;
  }

  private Recovery recovery(int bdpPackets, long fullQueuesPs) {
    long high = Math.max(RTO_LOW_PS, fullQueuesPs);
    if (fields.isGroup("recovery")) {
      Fields group = fields.group("recovery");
      group.need("selective_repeat", "{…}; or recovery: go-back-n, selective-repeat");
      Fields own = group.group("selective_repeat");
      int most = RoceConfig.MAX_CAP_PACKETS;
      int cap = own.count("cap", bdpPackets, 1, most);
      long low = own.quantity("rto_low", Quantity.TIME, RTO_LOW_PS, 1000, MOST_PS);
      Recovery read =
          new Recovery.SelectiveRepeat(
              cap,
              low,
              own.quantity("rto_high", Quantity.TIME, Math.max(low, high), low, MOST_PS),
              own.count("rto_low_packets", RTO_LOW_PACKETS, 0, most));
      own.end();
      group.end();
      return read;
    }
    return switch (fields.choice("recovery", Resends.GO_BACK_N, Resends.class)) {
      case GO_BACK_N -> new Recovery.GoBackN();
      case SELECTIVE_REPEAT ->
          new Recovery.SelectiveRepeat(bdpPackets, RTO_LOW_PS, high, RTO_LOW_PACKETS);
    };
  }
}
