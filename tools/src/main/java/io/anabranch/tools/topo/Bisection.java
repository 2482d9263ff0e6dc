package io.anabranch.tools.topo;

import io.anabranch.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The bisection of any network: the least that one half of its hosts can send to the other at once,
 * by the capacity of links alone (a maximum flow), whichever ways routing takes. With an odd number
 * one half has a host more.
 *
 * <p>Which halves are the worst is hard to find (it is NP-hard in general). Hosts with the same
 * links are alike, so that only how many of each kind are in a half matters; where these are few
 * enough, all are tried, and the answer is exact. Else only halves of hosts next to each other in
 * number, counted round, and the answer is an upper bound.
 */
final class Bisection {
  /** All halves were tried. */
  static final String ALL = "all-halves";

  /** Halves of neighbours were tried. */
  static final String IN_ORDER = "halves-in-order";

  /** Splits times joined pairs of nodes that are looked at, some seconds at most. */
  private static final double MOST_WORK = 1 << 22;

  /** Places at which a half of neighbours may begin. */
  private static final int STARTS = 64;

  private final int hosts;
  private final int half;
  private final int[] kindOf;
  private final int[] countOf;
  private final MaxFlow flow;
  private final List<int[]> edgesOf;
  private final List<long[]> ratesOf;
  private final long[] up;
  private final long[] down;
  private long least = Long.MAX_VALUE;

  Bisection(Topology wiring) {
    hosts = wiring.hosts();
    half = hosts / 2;
    kindOf = new int[hosts];
    edgesOf = new ArrayList<>();
    ratesOf = new ArrayList<>();
    List<Integer> counts = new ArrayList<>();
    SortedMap<String, Integer> kinds = new TreeMap<>();
    for (int host = 0; host < hosts; host++) {
      SortedMap<Integer, Long> rates = new TreeMap<>();
      for (int plane = 0; plane < wiring.planes(); plane++) {
        int link = wiring.hostLink(host, plane);
        rates.merge(wiring.switchAt(link), rate(wiring, link), Long::sum);
      }
      int kind = kinds.computeIfAbsent(rates.toString(), k -> kinds.size());
      if (kind == counts.size()) {
        counts.add(0);
        edgesOf.add(rates.keySet().stream().mapToInt(i -> i).toArray());
        ratesOf.add(rates.values().stream().mapToLong(i -> i).toArray());
      }
      kindOf[host] = kind;
      counts.set(kind, counts.get(kind) + 1);
    }
    countOf = counts.stream().mapToInt(i -> i).toArray();
    int switches = wiring.switches();
    flow = new MaxFlow(switches + 2, switches, switches + 1);
    up = new long[switches];
    down = new long[switches];
    join(wiring);
  }

  private static long rate(Topology wiring, int link) {
    return wiring.linkOf(wiring.kind(link)).rateBitsPerSecond();
  }

  /** Parallel cables between two switches are one. */
  private void join(Topology wiring) {
    for (int node = 0; node < up.length; node++) {
      SortedMap<Integer, Long> rates = new TreeMap<>();
      for (int port = 0; port < wiring.ports(node); port++) {
        int link = wiring.port(node, port);
        if (wiring.switchAt(link) > node) {
          rates.merge(wiring.switchAt(link), rate(wiring, link), Long::sum);
        }
      }
      int from = node;
      rates.forEach((to, rate) -> flow.join(from, to, rate));
    }
  }

  /** How many ways there are to choose a half, by how many of each kind it has. */
  private double splits() {
    double[] ways = new double[half + 1];
    ways[0] = 1;
    for (int count : countOf) {
      double[] more = new double[half + 1];
      for (int chosen = 0; chosen <= half; chosen++) {
        for (int own = 0; own <= Math.min(count, chosen); own++) {
          more[chosen] += ways[chosen - own];
        }
      }
      ways = more;
    }
    return ways[half];
  }

  /** Whether all halves are tried. */
  boolean isExact() {
    return splits() * (flow.joined() + up.length) <= MOST_WORK;
  }

  /** Bits per second, one direction. */
  long bitsPerSecond() {
    int[] chosen = new int[countOf.length];
    if (isExact()) {
      choose(0, half, chosen);
      return least;
    }
    int step = Math.ceilDiv(hosts, STARTS);
    for (int start = 0; start < hosts; start += step) {
      Arrays.fill(chosen, 0);
      for (int i = 0; i < half; i++) {
        chosen[kindOf[(start + i) % hosts]]++;
      }
      judge(chosen);
    }
    return least;
  }

  private void choose(int kind, int left, int[] chosen) {
    if (kind == countOf.length) {
      if (left == 0) {
        judge(chosen);
      }
      return;
    }
    for (int own = 0; own <= Math.min(left, countOf[kind]); own++) {
      chosen[kind] = own;
      choose(kind + 1, left - own, chosen);
    }
  }

  /** What the chosen hosts can send to the others. */
  private void judge(int[] chosen) {
    Arrays.fill(up, 0);
    Arrays.fill(down, 0);
    for (int kind = 0; kind < chosen.length; kind++) {
      int[] at = edgesOf.get(kind);
      for (int i = 0; i < at.length; i++) {
        up[at[i]] += chosen[kind] * ratesOf.get(kind)[i];
        down[at[i]] += (countOf[kind] - chosen[kind]) * ratesOf.get(kind)[i];
      }
    }
    least = Math.min(least, flow.most(up, down));
  }
}
