package io.anabranch.fabric.pair;

import io.anabranch.engine.config.CcConfig;
import io.anabranch.engine.config.Check;
import io.anabranch.engine.config.NsccConfig;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that a run of two engines depends on. Side 0 is A, side 1 is B; ports and planes count
 * from 0.
 *
 * @param seed seeds every stream of chance
 * @param family what kind of trouble this is
 * @param shape capabilities and sizes, agreed by both sides
 * @param work what is written
 * @param link rates, delays and host behaviour
 * @param toB the channel from A to B
 * @param toA the channel from B to A
 * @param faults what happens at a given time
 * @param healNs chance impairments end here; {@link Long#MAX_VALUE}: never
 * @param limitNs everything must be complete by then
 */
public record PairScenario(
    long seed,
    PairFamily family,
    Shape shape,
    Work work,
    Link link,
    ChannelModel toB,
    ChannelModel toA,
    List<Fault> faults,
    long healNs,
    long limitNs) {
  /** Checks what spans several parts. */
  public PairScenario {
    faults = List.copyOf(faults);
    Check.range("healNs", healNs, 0, Long.MAX_VALUE);
    Check.range("limitNs", limitNs, 1, 3_600_000_000_000L);
    for (Fault fault : faults) {
      Check.range("fault.port", fault.port, 0, shape.planes - 1L);
    }
  }

  /** The scenario that a seed stands for. */
  public static PairScenario fromSeed(long seed) {
    return PairFamily.of(seed).scenario(seed);
  }

  /** A scenario to be changed knob by knob, with a clean channel and one QP on four planes. */
  public static Knobs knobs(long seed) {
    return new Knobs(seed);
  }

  /** The channel out of a side. */
  public ChannelModel channelFrom(int side) {
    return side == 0 ? toB : toA;
  }

  /** Whether some fault of this kind is planned. */
  public boolean has(Fault.Kind kind) {
    return faults.stream().anyMatch(f -> f.kind == kind);
  }

  /**
   * Whether nothing disturbs the run: no loss, and even times, so that no reorder window can end
   * too early.
   */
  public boolean undisturbed() {
    return faults.isEmpty()
        && toA.faithful()
        && toB.faithful()
        && link.receiveBufferBytes == Long.MAX_VALUE
        && evenTimes();
  }

  /** Whether paths, packet lengths and turns make little difference in time against the RTT. */
  boolean evenTimes() {
    return link.evSkewNs == 0
        && link.planeSkewNs <= link.delayNs / 4
        && link.turnNs <= link.delayNs / 4
        && wireNs() <= link.delayNs / 4;
  }

  /** How long a full packet takes on the wire, about. */
  private long wireNs() {
    return (shape.mtuBytes + 150L) * 1_000_000_000L / link.rateBytesPerSecond;
  }

  /**
   * Capabilities and sizes.
   *
   * @param planes ports of each side, 1 … 8
   * @param evsPerPlane EVs in the peer's table, a plane
   * @param evActive EVs wanted in rotation, all planes together
   * @param evMinActive see {@code QpConfig}
   * @param qps queue pairs, 1 … 8
   * @param mtuBytes path MTU
   * @param mprPackets window granted by both sides
   * @param dynamicMpr whether SACKs carry it
   * @param timestamps whether writes carry a TSETH
   * @param cc congestion control of each side
   * @param maxWimm WRITEs with Immediate in flight
   * @param timeout local ACK timeout 1.024 µs · 2^timeout
   * @param linearRetries expiries at that timeout
   * @param exponentialRetries expiries that double it
   * @param startPsn first PSN of every QP
   * @param startMsn first MSN and RQMSN of every QP
   * @param initialRttNs RTT told at set-up
   * @param sackBytes sack_gen_threshold
   */
  public record Shape(
      int planes,
      int evsPerPlane,
      int evActive,
      int evMinActive,
      int qps,
      int mtuBytes,
      int mprPackets,
      boolean dynamicMpr,
      boolean timestamps,
      CcConfig cc,
      int maxWimm,
      int timeout,
      int linearRetries,
      int exponentialRetries,
      int startPsn,
      int startMsn,
      long initialRttNs,
      int sackBytes) {
    /** Checks what the engine's own configuration does not. */
    public Shape {
      Check.range("planes", planes, 1, 8);
      Check.range("evsPerPlane", evsPerPlane, 1, 512);
      Check.range("qps", qps, 1, 8);
      Check.range("mtuBytes", mtuBytes, 256, 8192);
    }

    /** What the congestion window of each side never exceeds, all QPs together. */
    public long windowBytes() {
      return switch (cc) {
        case CcConfig.FixedWindow fixed -> fixed.windowBytes();
        case CcConfig.Unlimited unlimited -> CcConfig.MAX_WINDOW_BYTES;
        case NsccConfig nscc -> Math.max(mtuBytes, nscc.maxWndBytes());
      };
    }

    /** Local ACK timeout in ns; 0 when off. */
    public long timeoutNs() {
      return timeout == 0 ? 0 : 1024L << timeout;
    }
  }

  /** How one message of queue pair 0 is made to fail. */
  public enum Poison {
    NONE,
    /** It names a key that nobody registered. */
    KEY,
    /** It ends beyond the region. */
    BOUNDS,
    /** It lies in a region without remote write. */
    RIGHTS,
    /** It lies in a region of another protection domain. */
    DOMAIN,
    /** No receive is posted for its immediate. */
    NO_RECEIVE
  }

  /**
   * What is written.
   *
   * @param bothWays whether B writes as well
   * @param messages messages per QP and direction
   * @param minBytes shortest message
   * @param maxBytes longest message
   * @param immediatePercent share with immediate
   * @param unsignaledPercent share that reports no success
   * @param postGapNs pause between posts; 0 = as fast as the queue takes them
   * @param sendQueueDepth work requests outstanding
   * @param virtual whether memory has no bytes, so that much can be written; writes are checked
   *     only by place and number
   * @param poison how a message of A's QP 0 fails, if it shall
   * @param poisonAt which message that is
   */
  public record Work(
      boolean bothWays,
      int messages,
      long minBytes,
      long maxBytes,
      int immediatePercent,
      int unsignaledPercent,
      long postGapNs,
      int sendQueueDepth,
      boolean virtual,
      Poison poison,
      int poisonAt) {
    /** Checks ranges. */
    public Work {
      Check.range("messages", messages, 0, 4096);
      Check.range("minBytes", minBytes, 0, 1 << 26);
      Check.range("maxBytes", maxBytes, Math.max(1, minBytes), 1 << 26);
      Check.range("immediatePercent", immediatePercent, 0, 100);
      Check.range("unsignaledPercent", unsignaledPercent, 0, 100);
      Check.range("postGapNs", postGapNs, 0, 1_000_000_000L);
      if (poison != Poison.NONE) {
        Check.range("poisonAt", poisonAt, 0, messages - 1L);
      }
    }
  }

  /**
   * Rates, delays and host behaviour, the same for both sides.
   *
   * @param rateBytesPerSecond of each port
   * @param delayNs one way, without skew
   * @param planeSkewNs greatest difference between planes
   * @param evSkewNs greatest difference between the EVs of a plane
   * @param turnNs a host takes in what arrived once per turn; 0 = at once
   * @param receiveBufferBytes what may wait to be taken in; {@link Long#MAX_VALUE}: no limit
   * @param overflowNack what overflows is refused with NO_PKT_BUFFER, else silently
   * @param fixedAskOrder whether idle ports are always asked in the same order, else at random
   */
  public record Link(
      long rateBytesPerSecond,
      long delayNs,
      long planeSkewNs,
      long evSkewNs,
      long turnNs,
      long receiveBufferBytes,
      boolean overflowNack,
      boolean fixedAskOrder) {
    /** Checks ranges. */
    public Link {
      Check.range("rateBytesPerSecond", rateBytesPerSecond, 1_000_000, 200_000_000_000L);
      Check.range("delayNs", delayNs, 1, 1_000_000_000L);
      Check.range("planeSkewNs", planeSkewNs, 0, 1_000_000_000L);
      Check.range("evSkewNs", evSkewNs, 0, 1_000_000_000L);
      Check.range("turnNs", turnNs, 0, 1_000_000_000L);
      Check.range("receiveBufferBytes", receiveBufferBytes, 16 << 10, Long.MAX_VALUE);
    }
  }

  /**
   * Something that happens at a given time.
   *
   * @param atNs when
   * @param kind what
   * @param side whose, where it matters
   * @param port which plane, where it matters
   * @param durationNs how long; for ever is {@link Long#MAX_VALUE}
   */
  public record Fault(long atNs, Kind kind, int side, int port, long durationNs) {
    /** Checks ranges. */
    public Fault {
      Check.range("atNs", atNs, 0, 3_600_000_000_000L);
      Check.range("side", side, 0, 1);
      Check.range("durationNs", durationNs, 0, Long.MAX_VALUE);
    }

    /** When it ends. */
    public long endNs() {
      return durationNs > Long.MAX_VALUE - atNs ? Long.MAX_VALUE : atNs + durationNs;
    }

    /** Kinds of faults. */
    public enum Kind {
      /** The plane swallows frames both ways; nobody is told. */
      PLANE_CUT,
      /** The plane swallows frames out of {@code side}; nobody is told. */
      PLANE_ONE_WAY,
      /** The side's port loses its link: it is told, and the plane swallows frames both ways. */
      PORT_DOWN,
      /** The side does nothing at all; frames wait in its receive buffer. */
      STALL,
      /** The side never does anything again. */
      DIE,
      /** The side grants only 8 units of MPR. */
      MPR_SHRINK,
      /** The side's controller denies half the EVs of a plane. */
      DENY,
      /** All frames out of {@code side} vanish. */
      SILENCE,
      /** Forged frames arrive at {@code side}; none breaks a queue pair. */
      LIES,
      /** Forged frames arrive at {@code side} as if from QP 0's own peer, so that it may fail. */
      POISONED_LIES
    }
  }

  /** The fields of a {@link PairScenario}, to be set one by one. */
  public static final class Knobs {
    public final long seed;
    public PairFamily family = PairFamily.CLEAN;
    public int planes = 4;
    public int evsPerPlane = 16;
    public int evActive = 32;
    public int evMinActive = 4;
    public int qps = 1;
    public int mtuBytes = 1024;
    public int mprPackets = 1024;
    public boolean dynamicMpr;
    public boolean timestamps = true;
    public long windowBytes = 128 << 10;

    /** Steers the window up to {@link #windowBytes}; null: the window is that. */
    public @Nullable NsccConfig nscc;

    public int maxWimm = 64;
    public int timeout = 8;
    public int linearRetries = 3;
    public int exponentialRetries = 25;
    public int startPsn;
    public int startMsn;
    public long initialRttNs = 12_000;
    public int sackBytes = 16 << 10;
    public boolean bothWays;
    public int messages = 16;
    public long minBytes = 1;
    public long maxBytes = 64 << 10;
    public int immediatePercent = 25;
    public int unsignaledPercent;
    public long postGapNs;
    public int sendQueueDepth = 64;
    public boolean virtual;
    public Poison poison = Poison.NONE;
    public int poisonAt;
    public long rateBytesPerSecond = 1_250_000_000L;
    public long delayNs = 5_000;
    public long planeSkewNs;
    public long evSkewNs;
    public long turnNs;
    public long receiveBufferBytes = Long.MAX_VALUE;
    public boolean overflowNack;
    public boolean fixedAskOrder;
    public final ChannelModel.Knobs toB = new ChannelModel.Knobs();
    public final ChannelModel.Knobs toA = new ChannelModel.Knobs();
    public final List<Fault> faults = new ArrayList<>();
    public long healNs = Long.MAX_VALUE;
    public long limitNs = 60_000_000_000L;

    private Knobs(long seed) {
      this.seed = seed;
    }

    /** The channel out of a side. */
    public ChannelModel.Knobs channelFrom(int side) {
      return side == 0 ? toB : toA;
    }

    /** Plans a fault. */
    public Knobs fault(long atNs, Fault.Kind kind, int side, int port, long durationNs) {
      faults.add(new Fault(atNs, kind, side, port, durationNs));
      return this;
    }

    /** The scenario with these values. */
    public PairScenario build() {
      return new PairScenario(
          seed,
          family,
          new Shape(
              planes,
              evsPerPlane,
              evActive,
              evMinActive,
              qps,
              mtuBytes,
              mprPackets,
              dynamicMpr,
              timestamps,
              nscc == null
                  ? new CcConfig.FixedWindow(windowBytes)
                  : nscc.withMaxWndBytes(windowBytes).withMtuBytes(mtuBytes),
              maxWimm,
              timeout,
              linearRetries,
              exponentialRetries,
              startPsn,
              startMsn,
              initialRttNs,
              sackBytes),
          new Work(
              bothWays,
              messages,
              minBytes,
              maxBytes,
              immediatePercent,
              unsignaledPercent,
              postGapNs,
              sendQueueDepth,
              virtual,
              poison,
              poisonAt),
          new Link(
              rateBytesPerSecond,
              delayNs,
              planeSkewNs,
              evSkewNs,
              turnNs,
              receiveBufferBytes,
              overflowNack,
              fixedAskOrder),
          toB.build(),
          toA.build(),
          faults,
          healNs,
          limitNs);
    }
  }
}
