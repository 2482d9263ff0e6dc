package io.anabranch.fabric.workload;

/**
 * Rings whose members pass data on, as ring collectives do: every member starts a chain of flows,
 * and step t of the chain that member c started goes from member c + t to c + t + 1 once step t − 1
 * is acknowledged. A ring all-reduce among N members is 2 (N − 1) steps of an N-th of the data.
 *
 * @param rings how many, at least 1
 * @param members of each, at least 2
 * @param steps of each chain, at least 1
 * @param bytes of each step
 * @param placement where the members are
 * @param startPs when the chains start
 */
public record Rings(
    int rings, int members, int steps, long bytes, Placement placement, long startPs)
    implements Workload {
  /** Checks ranges. */
  public Rings {
    check(rings, members, steps);
  }

  static void check(int rings, int members, int steps) {
    if (rings < 1) {
      throw new IllegalArgumentException("rings: " + rings + ", allowed at least 1");
    }
    if (members < 2) {
      throw new IllegalArgumentException("members: " + members + ", allowed at least 2");
    }
    if (steps < 1) {
      throw new IllegalArgumentException("steps: " + steps + ", allowed at least 1");
    }
  }

  /** Where a ring's members are. */
  public sealed interface Placement {
    /** The host of member {@code member} of ring {@code ring}, both counted from 0. */
    int host(int ring, int member);

    /**
     * One ring after the other: ring r has hosts r · members … .
     *
     * @param members of a ring
     */
    record Packed(int members) implements Placement {
      @Override
      public int host(int ring, int member) {
        return ring * members + member;
      }
    }

    /**
     * Neighbours in a ring are on different leaves: member a is on leaf a mod leaves, and there the
     * rings take hosts in turn.
     *
     * @param rings how many rings take turns
     * @param leaves leaf switches
     * @param hostsPerLeaf hosts of each
     */
    record AcrossLeaves(int rings, int leaves, int hostsPerLeaf) implements Placement {
      @Override
      public int host(int ring, int member) {
        return hostsPerLeaf * (member % leaves) + rings * (member / leaves) + ring;
      }
    }
  }

  @Override
  public void addTo(Traffic traffic) {
    for (int r = 0; r < rings; r++) {
      for (int c = 0; c < members; c++) {
        int before = Traffic.NONE;
        for (int t = 0; t < steps; t++) {
          int from = placement.host(r, (c + t) % members);
          int to = placement.host(r, (c + t + 1) % members);
          int flow =
              t == 0
                  ? traffic.add(from, to, bytes, startPs)
                  : traffic.addWaiting(from, to, bytes, before);
          if (t + 1 < steps) {
            before = traffic.addTrigger(Traffic.TriggerKind.ONESHOT, 1);
            traffic.fires(flow, before);
          }
        }
      }
    }
  }
}
