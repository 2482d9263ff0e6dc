package io.anabranch.fabric.fault;

import io.anabranch.engine.config.Check;

/** What is wrong with the elements that a fault hits. */
public sealed interface Effect {
  /** Instead of a time: it never happens. */
  long NEVER = Long.MAX_VALUE;

  /** Its name in scenarios and results. */
  String kind();

  /**
   * Links carry nothing. What is on them is lost, and so is what waits at their ports once those
   * have noticed.
   *
   * @param detectPs until the port that feeds a link notices, and again once the link is back; or
   *     {@link #NEVER}
   * @param convergePs from there until routing elsewhere has noticed, where routes are computed
   *     (ECMP); or {@link #NEVER}
   */
  record Down(long detectPs, long convergePs) implements Effect {
    /** Checks ranges. */
    public Down {
      if (detectPs != NEVER) {
        Check.range("detectPs", detectPs, 0, Fault.MAX_PS);
      }
      if (convergePs != NEVER) {
        Check.range("convergePs", convergePs, 0, Fault.MAX_PS);
      }
    }

    @Override
    public String kind() {
      return "down";
    }
  }

  /** Switches drop what comes in, while their links stay up and nobody notices. */
  record Silent() implements Effect {
    @Override
    public String kind() {
      return "silent";
    }
  }

  /**
   * Links are slower.
   *
   * @param rateBitsPerSecond 1 Mb/s … 10 Tb/s
   */
  record Slow(long rateBitsPerSecond) implements Effect {
    /** Checks the range. */
    public Slow {
      Check.range("rateBitsPerSecond", rateBitsPerSecond, 1_000_000L, 10_000_000_000_000L);
    }

    @Override
    public String kind() {
      return "slow";
    }
  }

  /**
   * Links are longer.
   *
   * @param byPs more propagation, 1 ps … 1 s
   */
  record Delay(long byPs) implements Effect {
    /** Checks the range. */
    public Delay {
      Check.range("byPs", byPs, 1, 1_000_000_000_000L);
    }

    @Override
    public String kind() {
      return "delay";
    }
  }

  /**
   * Links lose packets, each on its own.
   *
   * @param probability 0 … 1
   * @param minBytes smaller packets pass
   */
  record Lossy(double probability, int minBytes) implements Effect {
    /** Checks ranges. */
    public Lossy {
      Effect.chance("probability", probability);
      Check.range("minBytes", minBytes, 0, 65535);
    }

    @Override
    public String kind() {
      return "lossy";
    }
  }

  /**
   * Links lose packets in bursts (Gilbert and Elliott): each link is in a good or a bad state,
   * which may change before each packet.
   *
   * @param enter chance to go from good to bad
   * @param leave chance to go from bad to good
   * @param badLoss chance of a loss in the bad state
   * @param goodLoss in the good state
   */
  record Burst(double enter, double leave, double badLoss, double goodLoss) implements Effect {
    /** Checks ranges. */
    public Burst {
      Effect.chance("enter", enter);
      Effect.chance("leave", leave);
      Effect.chance("badLoss", badLoss);
      Effect.chance("goodLoss", goodLoss);
    }

    @Override
    public String kind() {
      return "burst";
    }
  }

  /**
   * Links flip bits. A damaged packet is dropped by the next receiver that takes it in whole: its
   * frame check finds it, or the ICRC.
   *
   * @param bitErrorRate 0 … 1
   */
  record Corrupting(double bitErrorRate) implements Effect {
    /** Checks the range. */
    public Corrupting {
      Effect.chance("bitErrorRate", bitErrorRate);
    }

    @Override
    public String kind() {
      return "corrupting";
    }
  }

  /** The far ends of two cables are swapped, both directions. */
  record Miswired() implements Effect {
    @Override
    public String kind() {
      return "miswired";
    }
  }

  /**
   * Data packets and probes of one EV are lost.
   *
   * @param host the sender, or −1 for every host
   * @param plane counted from 0
   * @param evIndex the EV's place among those of its plane, counted from 0
   * @param probability 0 … 1
   */
  record LossyEv(int host, int plane, int evIndex, double probability) implements Effect {
    /** Checks ranges. */
    public LossyEv {
      Effect.chance("probability", probability);
    }

    @Override
    public String kind() {
      return "lossy-ev";
    }
  }

  private static void chance(String name, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException(name + ": " + value + ", allowed 0…1");
    }
  }
}
