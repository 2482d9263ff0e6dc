package io.anabranch.tools.topo;

import io.anabranch.fabric.topology.Topology;
import java.util.ArrayDeque;
import java.util.Arrays;

/** How far each switch is from hosts: 0 = it has ports to hosts. */
final class Tiers {
  private final int[] tierOf;
  private final int count;

  Tiers(Topology wiring) {
    tierOf = new int[wiring.switches()];
    Arrays.fill(tierOf, -1);
    ArrayDeque<Integer> queue = new ArrayDeque<>();
    for (int node = 0; node < tierOf.length; node++) {
      // Ports towards hosts come first.
      if (wiring.toHost(wiring.kind(wiring.port(node, 0)))) {
        tierOf[node] = 0;
        queue.add(node);
      }
    }
    int most = 0;
    while (!queue.isEmpty()) {
      int node = queue.remove();
      most = tierOf[node];
      for (int port = 0; port < wiring.ports(node); port++) {
        int other = wiring.switchAt(wiring.port(node, port));
        if (other != Topology.HOST && tierOf[other] < 0) {
          tierOf[other] = tierOf[node] + 1;
          queue.add(other);
        }
      }
    }
    count = most + 1;
  }

  int of(int node) {
    return tierOf[node];
  }

  int count() {
    return count;
  }
}
