package io.anabranch.fabric.workload;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Every source sends once and every destination receives once. The order of destinations is a
 * Fisher–Yates shuffle from the top (i = N−1 … 1, exchange with next mod (i + 1)) drawn from
 * SplitMix64; then, for i ascending, a source that would send to itself exchanges destinations with
 * the one after it, the last with the first.
 *
 * @param sources sending hosts
 * @param destinations receiving hosts, as many, each once; often the same hosts
 * @param bytes of each flow
 * @param seed of the shuffle
 * @param startPs when all of them start
 */
public record Permutation(
    List<Integer> sources, List<Integer> destinations, long bytes, long seed, long startPs)
    implements Workload {
  /** Copies the hosts and checks them. */
  public Permutation {
    sources = Hosts.distinct("sources", sources, 2);
    destinations = Hosts.distinct("destinations", destinations, 2);
    if (sources.size() != destinations.size()) {
      throw new IllegalArgumentException(
          "destinations: " + destinations.size() + ", allowed " + sources.size());
    }
  }

  @Override
  public void addTo(Traffic traffic) {
    int n = sources.size();
    List<Integer> to = new ArrayList<>(destinations);
    SplitMix64 random = new SplitMix64(seed);
    for (int i = n - 1; i > 0; i--) {
      Collections.swap(to, i, random.next(i + 1));
    }
    for (int i = 0; i < n; i++) {
      if (to.get(i).equals(sources.get(i))) {
        Collections.swap(to, i, (i + 1) % n);
      }
    }
    for (int i = 0; i < n; i++) {
      traffic.add(sources.get(i), to.get(i), bytes, startPs);
    }
  }
}
