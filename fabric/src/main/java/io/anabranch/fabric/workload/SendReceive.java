package io.anabranch.fabric.workload;

import io.anabranch.fabric.workload.Traffic.TriggerKind;

/**
 * Rings in which everyone sends to the next and receives from the one before, step by step, as the
 * stages of a pipeline do: a member's step t + 1 starts when both its own flow of step t and the
 * one that is sent to it are acknowledged.
 *
 * @param rings how many, at least 1
 * @param members of each, at least 2
 * @param steps of each member, at least 1
 * @param bytes of each flow
 * @param placement where the members are
 * @param startPs when the first step starts
 */
public record SendReceive(
    int rings, int members, int steps, long bytes, Rings.Placement placement, long startPs)
    implements Workload {
  /** Checks ranges. */
  public SendReceive {
    Rings.check(rings, members, steps);
  }

  @Override
  public void addTo(Traffic traffic) {
    for (int r = 0; r < rings; r++) {
      int[] now = new int[members];
      for (int t = 0; t < steps; t++) {
        int[] next = new int[members];
        for (int m = 0; m < members && t + 1 < steps; m++) {
          next[m] = traffic.addTrigger(TriggerKind.BARRIER, 2);
        }
        for (int m = 0; m < members; m++) {
          int from = placement.host(r, m);
          int to = placement.host(r, (m + 1) % members);
          int flow =
              t == 0
                  ? traffic.add(from, to, bytes, startPs)
                  : traffic.addWaiting(from, to, bytes, now[m]);
          if (t + 1 < steps) {
            traffic.fires(flow, next[m]);
            traffic.fires(flow, next[(m + 1) % members]);
          }
        }
        now = next;
      }
    }
  }
}
