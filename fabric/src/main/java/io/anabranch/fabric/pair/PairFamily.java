package io.anabranch.fabric.pair;

import io.anabranch.engine.config.NsccConfig;
import io.anabranch.fabric.event.Streams;
import io.anabranch.fabric.pair.PairScenario.Fault;
import io.anabranch.fabric.pair.PairScenario.Knobs;
import io.anabranch.fabric.pair.PairScenario.Poison;
import java.util.List;
import java.util.SplittableRandom;

/** Kinds of trouble. A seed stands for one of them and for every detail of it. */
public enum PairFamily {
  /** Nothing is lost, late or doubled. */
  CLEAN,
  /** Independent loss, up to 30 %. */
  LOSS,
  /** Loss in bursts. */
  BURST,
  /** Some EVs lose. */
  EV_LOSS,
  /** One plane loses. */
  PLANE_LOSS,
  /** Only what comes back is lost. */
  CONTROL_LOSS,
  /** Frames late by up to thousands of packets. */
  REORDER,
  /** Frames doubled. */
  DUPLICATE,
  /** Bits flipped. */
  CORRUPT,
  /** Payload cut off. */
  TRIM,
  /** CE marks. */
  MARK,
  /** Planes that stand still for a while. */
  SPIKE,
  /** A side that stands still, up to hundreds of milliseconds. */
  STALL,
  /** A host that takes in frames in slow turns with a small receive buffer. */
  OVERRUN,
  /** Planes cut and returned without a word. */
  CUT,
  /** Ports that go down and say so. */
  PORT,
  /** Counters that start close to their end. */
  WRAP,
  /** Capabilities at their edges. */
  CAPABILITY,
  /** A request that the responder must refuse. */
  POISON,
  /** A peer that dies. */
  DEATH,
  /** A network, or a peer, that lies. */
  LIES,
  /** A bit of everything. */
  MIX;

  /** Bytes that all queue pairs of a side write, about: each needs memory. */
  private static final long MOST_BYTES = 12 << 20;

  /**
   * Everything is complete so long after the last planned trouble. Most runs take a few
   * milliseconds; the longest retry budgets (DEATH, LIES) and spikes of 33 ms on every plane take
   * more than a second.
   */
  private static final long PATIENCE_NS = 5_000_000_000L;

  private static final PairFamily[] ALL = values();

  /** The family of a seed: its remainder by the number of families. */
  public static PairFamily of(long seed) {
    return ALL[(int) Math.floorMod(seed, (long) ALL.length)];
  }

  /** The {@code n}-th seed of this family. */
  public long seed(long n) {
    return n * ALL.length + List.of(ALL).indexOf(this);
  }

  PairScenario scenario(long seed) {
    SplittableRandom random = Streams.of(seed, "family");
    Knobs k = PairScenario.knobs(seed);
    k.family = this;
    base(k, random);
    long horizonNs = 200_000 + random.nextLong(2_000_000);
    switch (this) {
      case CLEAN -> k.fixedAskOrder = random.nextBoolean();
      case LOSS -> {
        k.toB.loss = random.nextDouble(0.001, 0.3);
        k.toA.loss = random.nextBoolean() ? random.nextDouble(0, 0.3) : 0;
      }
      case BURST -> {
        for (int side = 0; side < 2; side++) {
          ChannelModel.Knobs c = k.channelFrom(side);
          c.burstEnter = random.nextDouble(0.0005, 0.02);
          c.burstExit = random.nextDouble(0.02, 0.5);
          c.burstLoss = random.nextDouble(0.5, 1);
        }
        k.healNs = 5 * horizonNs;
      }
      case EV_LOSS -> {
        k.evsPerPlane = 16 + random.nextInt(48);
        k.toB.badEvShare = random.nextDouble(0.02, 0.4);
        k.toB.badEvLoss = random.nextBoolean() ? 1 : random.nextDouble(0.1, 1);
        if (random.nextBoolean()) {
          k.toA.badEvShare = random.nextDouble(0.02, 0.4);
        }
        k.healNs = 10 * horizonNs;
      }
      case PLANE_LOSS -> {
        k.planes = 2 + random.nextInt(7);
        k.toB.lossyPlane = random.nextInt(k.planes);
        k.toB.lossyPlaneLoss = random.nextDouble(0.05, 1);
        if (random.nextBoolean()) {
          k.toA.lossyPlane = random.nextInt(k.planes);
          k.toA.lossyPlaneLoss = random.nextDouble(0.05, 1);
        }
        k.healNs = 10 * horizonNs;
      }
      case CONTROL_LOSS -> {
        k.toA.controlLoss = random.nextDouble(0.05, 0.8);
        k.toB.controlLoss = random.nextDouble(0.05, 0.8);
      }
      case REORDER -> {
        k.windowBytes = (long) k.mtuBytes << random.nextInt(6, 11);
        for (int side = 0; side < 2; side++) {
          k.channelFrom(side).reorder = random.nextDouble(0.01, 1);
          k.channelFrom(side).reorderNs = 1L << random.nextInt(10, 22);
        }
      }
      case DUPLICATE -> {
        k.toB.duplicate = random.nextDouble(0.05, 1);
        k.toA.duplicate = random.nextDouble(0.05, 1);
        k.toB.duplicateNs = 1L << random.nextInt(8, 24);
        k.toA.duplicateNs = 1L << random.nextInt(8, 24);
        k.toB.loss = random.nextBoolean() ? 0.05 : 0;
      }
      case CORRUPT -> {
        k.toB.corrupt = random.nextDouble(0.01, 0.3);
        k.toA.corrupt = random.nextDouble(0.01, 0.3);
      }
      case TRIM -> {
        k.toB.trim = random.nextDouble(0.01, 0.5);
        k.toA.trim = random.nextDouble(0, 0.5);
        k.toB.trimLastHop = random.nextDouble();
        k.toB.trimShort = random.nextDouble();
        k.toB.loss = random.nextBoolean() ? 0.02 : 0;
      }
      case MARK -> {
        k.toB.mark = random.nextDouble(0.01, 1);
        k.toB.markEvShare = random.nextBoolean() ? 1 : random.nextDouble(0.1, 1);
        k.toA.mark = random.nextDouble();
        k.toB.loss = random.nextBoolean() ? 0.02 : 0;
      }
      case SPIKE -> {
        for (int side = 0; side < 2; side++) {
          k.channelFrom(side).spike = random.nextDouble(0.0005, 0.01);
          k.channelFrom(side).spikeNs = 1L << random.nextInt(14, 25);
        }
      }
      case STALL -> {
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
          k.fault(
              random.nextLong(horizonNs),
              Fault.Kind.STALL,
              random.nextInt(2),
              0,
              1L << random.nextInt(14, 29));
        }
        if (random.nextBoolean()) {
          k.receiveBufferBytes = Math.max(16 << 10, k.windowBytes >> random.nextInt(0, 4));
          k.overflowNack = random.nextBoolean();
        }
      }
      case OVERRUN -> {
        k.turnNs = random.nextLong(5_000, 200_000);
        k.receiveBufferBytes = Math.max(16 << 10, k.windowBytes >> random.nextInt(1, 4));
        k.overflowNack = random.nextBoolean();
      }
      case CUT -> {
        k.planes = 2 + random.nextInt(7);
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
          k.fault(
              random.nextLong(horizonNs),
              random.nextBoolean() ? Fault.Kind.PLANE_CUT : Fault.Kind.PLANE_ONE_WAY,
              random.nextInt(2),
              random.nextInt(k.planes),
              random.nextLong(20_000, 10 * horizonNs));
        }
      }
      case PORT -> {
        k.planes = 2 + random.nextInt(7);
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
          k.fault(
              random.nextLong(horizonNs),
              Fault.Kind.PORT_DOWN,
              random.nextInt(2),
              random.nextInt(k.planes),
              random.nextLong(1_000, 3 * horizonNs));
        }
        k.toB.loss = random.nextBoolean() ? 0.01 : 0;
      }
      case WRAP -> {
        k.startPsn = (1 << 24) - 1 - random.nextInt(400);
        k.startMsn = (1 << 16) - 1 - random.nextInt(8);
        k.messages += 8;
        k.immediatePercent = 60;
        lightTrouble(k, random);
      }
      case CAPABILITY -> capabilities(k, random);
      case POISON -> {
        Poison[] all = Poison.values();
        k.poison = all[1 + random.nextInt(all.length - 1)];
        k.messages = Math.max(2, k.messages);
        k.poisonAt = random.nextInt(k.messages);
        if (random.nextBoolean()) {
          lightTrouble(k, random);
        }
      }
      case DEATH -> {
        k.timeout = 5 + random.nextInt(4);
        k.linearRetries = random.nextInt(5);
        k.exponentialRetries = random.nextInt(6);
        k.bothWays = random.nextInt(4) == 0;
        k.messages += 8;
        k.fault(random.nextLong(horizonNs / 4), Fault.Kind.DIE, 1, 0, Long.MAX_VALUE);
      }
      case LIES -> {
        k.fault(0, Fault.Kind.LIES, 0, 0, 2 * horizonNs);
        k.fault(0, Fault.Kind.LIES, 1, 0, 2 * horizonNs);
        if (random.nextBoolean()) {
          // The one that is lied to must give up some day: it holds a part of the window.
          k.qps = Math.max(2, k.qps);
          k.timeout = 8;
          k.exponentialRetries = 10;
          k.fault(0, Fault.Kind.POISONED_LIES, random.nextInt(2), 0, 2 * horizonNs);
        }
        if (random.nextBoolean()) {
          lightTrouble(k, random);
        }
      }
      case MIX -> {
        mixChannel(k.toB, random);
        mixChannel(k.toA, random);
        if (random.nextInt(3) == 0) {
          k.toB.lossyPlane = random.nextInt(k.planes);
        }
        for (int i = random.nextInt(4); i > 0; i--) {
          Fault.Kind[] kinds = {
            Fault.Kind.PLANE_CUT,
            Fault.Kind.PLANE_ONE_WAY,
            Fault.Kind.PORT_DOWN,
            Fault.Kind.STALL,
            Fault.Kind.SILENCE,
            Fault.Kind.DENY
          };
          k.fault(
              random.nextLong(horizonNs),
              kinds[random.nextInt(kinds.length)],
              random.nextInt(2),
              random.nextInt(k.planes),
              random.nextLong(10_000, 3 * horizonNs));
        }
        k.evSkewNs = random.nextBoolean() ? 0 : random.nextLong(20_000);
        k.planeSkewNs = random.nextBoolean() ? 0 : random.nextLong(20_000);
        k.healNs = 6 * horizonNs;
      }
    }
    if (underNscc()) {
      congestionControl(k, Streams.of(seed, "congestion control"));
    }
    k.limitNs = quietFromNs(k) + PATIENCE_NS;
    return k.build();
  }

  /** Whether some seeds of this family have a window that NSCC steers, by what it listens to. */
  private boolean underNscc() {
    return switch (this) {
      case LOSS, TRIM, MARK, SPIKE, STALL, OVERRUN, CUT, MIX -> true;
      default -> false;
    };
  }

  /** One seed in three runs on NSCC. A stream of its own leaves the others as they are. */
  private static void congestionControl(Knobs k, SplittableRandom random) {
    if (random.nextInt(3) != 0) {
      return;
    }
    long rate = 8L * k.planes * k.rateBytesPerSecond;
    k.nscc =
        NsccConfig.of(rate, k.mtuBytes, random.nextBoolean(), random.nextBoolean())
            .withRtt(random.nextLong(20_000), random.nextBoolean(), 1 + random.nextInt(4));
  }

  /** When the last planned trouble is over; 0 where chance alone troubles, and never heals. */
  private static long quietFromNs(Knobs k) {
    long lastNs = k.healNs == Long.MAX_VALUE ? 0 : k.healNs;
    for (Fault fault : k.faults) {
      lastNs = Math.max(lastNs, fault.endNs() == Long.MAX_VALUE ? fault.atNs() : fault.endNs());
    }
    return lastNs;
  }

  private static void base(Knobs k, SplittableRandom random) {
    k.planes = 1 + random.nextInt(8);
    k.evsPerPlane = 4 + random.nextInt(29);
    k.evMinActive = 1 + random.nextInt(Math.max(1, k.planes));
    k.evActive = Math.max(k.evMinActive, k.planes * (2 + random.nextInt(k.evsPerPlane - 2)));
    k.qps = random.nextInt(3) == 0 ? 1 + random.nextInt(8) : 1 + random.nextInt(2);
    k.mtuBytes = 256 << random.nextInt(6);
    k.mprPackets = 128 * (8 + (random.nextBoolean() ? 0 : random.nextInt(32)));
    k.dynamicMpr = random.nextBoolean();
    k.timestamps = random.nextInt(4) != 0;
    k.windowBytes = (long) k.mtuBytes << random.nextInt(3, 9);
    k.timeout = 7 + random.nextInt(6);
    k.linearRetries = random.nextInt(8);
    k.exponentialRetries = 25;
    k.startPsn = random.nextInt(1 << 24);
    k.bothWays = random.nextInt(3) == 0;
    k.messages = 1 + random.nextInt(random.nextInt(4) == 0 ? 60 : 12);
    int packets = (random.nextInt(6) == 0 ? 6000 : 1200) / k.qps / (k.bothWays ? 2 : 1);
    long bytes = Math.min(MOST_BYTES / k.qps, 2L * packets * k.mtuBytes);
    k.maxBytes = Math.max(1, bytes / k.messages);
    k.minBytes = random.nextInt(4) == 0 ? k.maxBytes : random.nextInt(2);
    k.immediatePercent = random.nextInt(3) * 40;
    k.unsignaledPercent = random.nextInt(3) == 0 ? 50 : 0;
    k.postGapNs = random.nextInt(3) == 0 ? random.nextLong(30_000) : 0;
    k.sendQueueDepth = random.nextInt(4) == 0 ? 1 + random.nextInt(4) : 128;
    k.sackBytes = 1024 << random.nextInt(7);
    k.rateBytesPerSecond = 125_000_000L << random.nextInt(0, 8);
    k.delayNs = 1_000 + random.nextLong(10_000);
    long wireNs = k.mtuBytes * 1_000_000_000L / k.rateBytesPerSecond;
    k.initialRttNs = 2 * k.delayNs + 2 * wireNs + random.nextLong(5_000);
    k.planeSkewNs = random.nextBoolean() ? 0 : random.nextLong(k.delayNs / 4);
    k.turnNs = random.nextInt(4) == 0 ? random.nextLong(1, 5_000) : 0;
    k.fixedAskOrder = random.nextInt(4) == 0;
  }

  private static void capabilities(Knobs k, SplittableRandom random) {
    k.mprPackets = random.nextBoolean() ? 1024 : 255 * 128;
    k.mtuBytes = random.nextBoolean() ? 256 : 8192;
    k.windowBytes =
        switch (random.nextInt(3)) {
          case 0 -> 1;
          case 1 -> k.mtuBytes + 200L;
          default -> (long) k.mtuBytes << 11;
        };
    k.messages = 1 + random.nextInt(40);
    k.maxBytes = (random.nextInt(3) == 0 ? 3000L : 400L) * k.mtuBytes / k.messages / k.qps;
    k.minBytes = 0;
    k.maxWimm = random.nextBoolean() ? 32 : 1 + random.nextInt(31);
    k.immediatePercent = random.nextInt(5) * 25;
    k.evsPerPlane = random.nextBoolean() ? 1 : 2 + random.nextInt(500);
    k.evMinActive = 1;
    k.evActive = 1 + random.nextInt(k.planes * k.evsPerPlane);
    k.timestamps = random.nextBoolean();
    if (random.nextBoolean()) {
      k.dynamicMpr = true;
      k.mprPackets = 128 * (9 + random.nextInt(64));
      k.windowBytes = (long) k.mtuBytes << 11;
      k.fault(
          random.nextLong(200_000),
          Fault.Kind.MPR_SHRINK,
          random.nextInt(2),
          0,
          random.nextLong(10_000, 2_000_000));
    }
    lightTrouble(k, random);
  }

  private static void lightTrouble(Knobs k, SplittableRandom random) {
    for (int side = 0; side < 2; side++) {
      ChannelModel.Knobs c = k.channelFrom(side);
      switch (random.nextInt(5)) {
        case 0 -> c.loss = random.nextDouble(0.001, 0.05);
        case 1 -> {
          c.reorder = random.nextDouble(0.01, 0.3);
          c.reorderNs = 100_000;
        }
        case 2 -> c.duplicate = 0.2;
        case 3 -> c.trim = 0.05;
        default -> {}
      }
    }
  }

  private static void mixChannel(ChannelModel.Knobs c, SplittableRandom random) {
    if (random.nextBoolean()) {
      c.loss = random.nextDouble(0.2);
    }
    if (random.nextInt(3) == 0) {
      c.burstEnter = random.nextDouble(0.01);
      c.burstExit = random.nextDouble(0.02, 0.5);
    }
    if (random.nextInt(3) == 0) {
      c.badEvShare = random.nextDouble(0.4);
      c.badEvLoss = random.nextDouble();
    }
    if (random.nextBoolean()) {
      c.controlLoss = random.nextDouble(0.3);
    }
    if (random.nextBoolean()) {
      c.reorder = random.nextDouble(0.3);
      c.reorderNs = 1L << random.nextInt(10, 20);
    }
    if (random.nextBoolean()) {
      c.duplicate = random.nextDouble(0.3);
    }
    if (random.nextInt(3) == 0) {
      c.corrupt = random.nextDouble(0.05);
    }
    if (random.nextBoolean()) {
      c.trim = random.nextDouble(0.1);
      c.trimLastHop = random.nextDouble();
      c.trimShort = random.nextDouble();
    }
    if (random.nextBoolean()) {
      c.mark = random.nextDouble(0.5);
    }
    if (random.nextInt(4) == 0) {
      c.spike = 0.002;
      c.spikeNs = 200_000;
    }
  }
}
