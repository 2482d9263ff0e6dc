package io.anabranch.fabric;

/** A random loss of packets. */
public sealed interface Loss {
  /** The chance that a packet is lost, 0 … 1. */
  double probability();

  /**
   * Every packet on a link, one direction.
   *
   * @param link its name, as the topology gives it; {@code *} = every link
   */
  record OnLink(String link, double probability) implements Loss {
    /** Checks the range. */
    public OnLink {
      check(probability);
    }
  }

  /**
   * Data packets that use one EV.
   *
   * @param host the sender, or −1 for every host
   * @param plane counted from 0
   * @param evIndex the EV's place among those of its plane, counted from 0
   */
  record OnEv(int host, int plane, int evIndex, double probability) implements Loss {
    /** Checks the range. */
    public OnEv {
      check(probability);
    }
  }

  private static void check(double probability) {
    if (!(probability >= 0 && probability <= 1)) {
      throw new IllegalArgumentException("probability: " + probability + ", allowed 0…1");
    }
  }
}
