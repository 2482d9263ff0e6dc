package io.anabranch.tools.scenario;

import io.anabranch.fabric.link.EcnRamp;
import io.anabranch.fabric.link.Overflow;
import io.anabranch.fabric.link.QueueConfig;
import io.anabranch.fabric.link.SharedBuffer;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/** Reads {@code queues}: what a kind of port does not say is as in {@code all}, or the default. */
final class QueueReader {
  private static final long MAX_BYTES = 1L << 30;
  private static final long MAX_SHARED = 1L << 36;
  private static final double TRIM_ARRIVING = 0.5;

  /**
   * What depends on the transport.
   *
   * @param trims whether its packets can be cut down to their headers
   * @param marks whether all kinds of port mark; null = some do and some do not
   * @param ramp when they do; null = from a fifth to four fifths of the queue
   */
  record Defaults(boolean trims, @Nullable Boolean marks, @Nullable EcnRamp ramp) {
    static final Defaults MRC = new Defaults(true, null, null);
    static final Defaults WITHOUT_MARKS = new Defaults(false, false, null);

    static Defaults of(EcnRamp ramp) {
      return new Defaults(false, true, ramp);
    }

    /** The ramp for a queue: it ends where the queue does, if it would go on beyond that. */
    private @Nullable EcnRamp rampIn(long dataBytes) {
      if (ramp == null) {
        return null;
      }
      double times = Math.min(1, (double) dataBytes / Math.max(1, ramp.highBytes()));
      return new EcnRamp(
          (long) (ramp.lowBytes() * times), (long) (ramp.highBytes() * times), ramp.most());
    }
  }

  private final Defaults defaults;
  private final Fields queues;
  private final Fields all;
  private final long defaultPackets;
  private final int packetBytes;
  private final int controlBytes;
  private final SequencedMap<String, Object> filled = new LinkedHashMap<>();

  /**
   * @param defaultPackets data queue unless told, in packets
   * @param packetBytes a data packet
   * @param controlBytes the largest packet of the control class
   */
  QueueReader(
      Fields queues, long defaultPackets, int packetBytes, int controlBytes, Defaults defaults) {
    this.defaults = defaults;
    this.queues = queues;
    all = queues.group("all");
    this.defaultPackets = defaultPackets;
    this.packetBytes = packetBytes;
    this.controlBytes = controlBytes;
  }

  /** One kind of port's queues. */
  QueueConfig read(String kind, boolean marksByDefault) {
    Fields own = queues.group(kind);
    long data =
        from(own, "data")
            .quantity(
                "data",
                Quantity.SIZE,
                Math.min(MAX_BYTES, defaultPackets * packetBytes),
                packetBytes,
                MAX_BYTES);
    long control =
        from(own, "control")
            .quantity(
                "control", Quantity.SIZE, Math.min(MAX_BYTES, 2 * data), controlBytes, MAX_BYTES);
    Fields overflowing = from(own, "overflow");
    Overflow overflow =
        overflowing.choice(
            "overflow", defaults.trims() ? Overflow.TRIM : Overflow.DROP, Overflow.class);
    if (overflow == Overflow.TRIM && !defaults.trims()) {
      overflowing.refuse("overflow", "drop: no switch can trim packets of this transport");
    }
    double trimArriving = from(own, "trim_arriving").ratio("trim_arriving", TRIM_ARRIVING);
    Fields marking = from(own, "ecn");
    boolean marks = defaults.marks() == null ? marksByDefault : defaults.marks();
    EcnRamp ecn = ecn(marking, data, marks);
    own.end();
    SequencedMap<String, Object> as = new LinkedHashMap<>();
    as.put("data", Quantity.SIZE.format(data));
    as.put("control", Quantity.SIZE.format(control));
    as.put("overflow", Fields.name(overflow));
    as.put("trim_arriving", Fields.plain(trimArriving));
    if (ecn == null) {
      as.put("ecn", "off");
    } else {
      SequencedMap<String, Object> ramp = new LinkedHashMap<>();
      ramp.put("low", Quantity.SIZE.format(ecn.lowBytes()));
      ramp.put("high", Quantity.SIZE.format(ecn.highBytes()));
      ramp.put("max", Fields.plain(ecn.most()));
      as.put("ecn", ramp);
    }
    filled.put(kind, as);
    return new QueueConfig(data, control, ecn, overflow, trimArriving);
  }

  private Fields from(Fields own, String key) {
    boolean inAll = all.has(key); // both are asked, so that both know the key
    return own.has(key) || !inAll ? own : all;
  }

  private @Nullable EcnRamp ecn(Fields fields, long dataBytes, boolean byDefault) {
    long packets = Math.max(1, dataBytes / packetBytes);
    long low = Math.min(MAX_BYTES, (packets / 5 + 1) * packetBytes);
    long high = Math.min(MAX_BYTES, (4 * packets / 5 + 1) * packetBytes);
    double most = 1;
    EcnRamp own = defaults.rampIn(dataBytes);
    if (own != null) {
      low = own.lowBytes();
      high = own.highBytes();
      most = own.most();
    }
    boolean on = byDefault;
    if (fields.isGroup("ecn")) {
      Fields ramp = fields.group("ecn");
      low = ramp.quantity("low", Quantity.SIZE, low, 0, MAX_BYTES);
      high = ramp.quantity("high", Quantity.SIZE, Math.max(low, high), low, MAX_BYTES);
      most = ramp.ratio("max", most);
      ramp.end();
      on = true;
    } else if (fields.has("ecn")) {
      switch (String.valueOf(fields.single("ecn"))) {
        case "on" -> on = true;
        case "off" -> on = false;
        default -> fields.refuse("ecn", "on, off, or {low: SIZE, high: SIZE, max: 100%}");
      }
    }
    return on ? new EcnRamp(low, Math.max(low, high), most) : null;
  }

  /** The buffer that the ports of a switch share, or null. */
  @Nullable SharedBuffer readShared() {
    if (!queues.has("shared")) {
      return null;
    }
    Fields shared = queues.group("shared");
    shared.need("size", Quantity.SIZE.format(packetBytes) + "…" + Quantity.SIZE.format(MAX_SHARED));
    long size = shared.quantity("size", Quantity.SIZE, MAX_SHARED, packetBytes, MAX_SHARED);
    double alpha = shared.decimal("alpha", 1, 0.001, 1000);
    shared.end();
    filled.put("shared", shared.filled());
    return new SharedBuffer(size, alpha);
  }

  /** No more kinds are read. */
  void end() {
    all.end();
    queues.end();
  }

  /** Every kind that was read, with nothing left out. */
  SequencedMap<String, Object> filled() {
    return filled;
  }
}
