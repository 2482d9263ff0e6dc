package io.anabranch.fabric.workload;

import java.util.List;

/**
 * Every host sends to every other: host i to i + 1, i + 2, … in turn, round the list. A bounded
 * number of each source's flows is under way: its flow k starts when its flow k − outstanding is
 * acknowledged.
 *
 * @param hosts who takes part
 * @param bytes of each flow
 * @param outstanding flows of one source at a time, at least 1
 * @param startPs when the first ones start
 */
public record AllToAll(List<Integer> hosts, long bytes, int outstanding, long startPs)
    implements Workload {
  /** Copies the hosts and checks ranges. */
  public AllToAll {
    hosts = Hosts.distinct("hosts", hosts, 2);
    if (outstanding < 1) {
      throw new IllegalArgumentException("outstanding: " + outstanding + ", allowed at least 1");
    }
  }

  @Override
  public void addTo(Traffic traffic) {
    int n = hosts.size();
    int[] trigger = new int[n - 1];
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < n - 1; k++) {
        int from = hosts.get(i);
        int to = hosts.get((i + k + 1) % n);
        int flow =
            k < outstanding
                ? traffic.add(from, to, bytes, startPs)
                : traffic.addWaiting(from, to, bytes, trigger[k - outstanding]);
        if (k + outstanding < n - 1) {
          trigger[k] = traffic.addTrigger(Traffic.TriggerKind.ONESHOT, 1);
          traffic.fires(flow, trigger[k]);
        }
      }
    }
  }
}
