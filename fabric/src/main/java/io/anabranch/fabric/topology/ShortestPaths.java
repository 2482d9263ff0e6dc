package io.anabranch.fabric.topology;

import io.anabranch.fabric.link.LinkConfig;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * The shortest ways between all switches of a small graph, by number of links: for each switch and
 * target the links by which they go on, how many ways there are, and how long they are.
 */
final class ShortestPaths {
  /** Ways are counted up to this. */
  static final int MANY = 1 << 20;

  private static final double GOLDEN = 0.6180339887498949;

  private final int n;
  private final int[] to;
  private final int[] distance;
  private final int[] start;
  private final int[] hops;
  private final int[] ways;
  private final int longest;

  /**
   * @param n switches
   * @param from switch of each link; −1 = a link that is not between switches
   * @param to where it ends
   */
  ShortestPaths(int n, int[] from, int[] to) {
    this.n = n;
    this.to = to.clone();
    int[][] in = new int[n][0];
    int[][] out = new int[n][0];
    for (int link = 0; link < from.length; link++) {
      if (from[link] >= 0) {
        out[from[link]] = with(out[from[link]], link);
        in[to[link]] = with(in[to[link]], link);
      }
    }
    distance = new int[n * n];
    Arrays.fill(distance, -1);
    for (int t = 0; t < n; t++) {
      distances(t, in, from);
    }
    longest = Arrays.stream(distance).max().orElse(0);
    start = new int[n * n + 1];
    int total = 0;
    int[] list = new int[1024];
    for (int s = 0; s < n; s++) {
      for (int t = 0; t < n; t++) {
        start[s * n + t] = total;
        for (int link : out[s]) {
          if (s != t && distance(to[link], t) >= 0 && distance(to[link], t) < distance(s, t)) {
            list = total == list.length ? Arrays.copyOf(list, 2 * total) : list;
            list[total++] = link;
          }
        }
      }
    }
    start[n * n] = total;
    hops = Arrays.copyOf(list, total);
    ways = new int[n * n];
    for (int t = 0; t < n; t++) {
      countWays(t);
    }
  }

  private static int[] with(int[] list, int link) {
    int[] longer = Arrays.copyOf(list, list.length + 1);
    longer[list.length] = link;
    return longer;
  }

  private void distances(int t, int[][] in, int[] from) {
    ArrayDeque<Integer> queue = new ArrayDeque<>();
    queue.add(t);
    distance[t * n + t] = 0;
    while (!queue.isEmpty()) {
      int at = queue.remove();
      for (int link : in[at]) {
        int s = from[link];
        if (distance[s * n + t] < 0) {
          distance[s * n + t] = distance[at * n + t] + 1;
          queue.add(s);
        }
      }
    }
  }

  /** Nearest switches first: their ways are part of the others'. */
  private void countWays(int t) {
    for (int d = 0; d <= longest; d++) {
      for (int s = 0; s < n; s++) {
        if (distance(s, t) == d) {
          long sum = d == 0 ? 1 : 0;
          for (int i = first(s, t); i < end(s, t); i++) {
            sum += ways(to[hops[i]], t);
          }
          ways[s * n + t] = (int) Math.min(MANY, sum);
        }
      }
    }
  }

  /** Links from a switch to another, or −1: there is no way. */
  int distance(int s, int t) {
    return distance[s * n + t];
  }

  /** Where the links by which a switch sends towards another begin in {@link #hops}. */
  int first(int s, int t) {
    return start[s * n + t];
  }

  /** Where they end. */
  int end(int s, int t) {
    return start[s * n + t + 1];
  }

  /** A link by which a switch sends towards another. */
  int hop(int index) {
    return hops[index];
  }

  /** All of them. */
  int[] hops() {
    return hops;
  }

  /** Ways from one switch to another, counted up to {@link #MANY}. */
  int ways(int s, int t) {
    return ways[s * n + t];
  }

  /**
   * A step that visits each of {@code ways} ways once and neighbours far apart, so that the first
   * few of them spread too.
   */
  static int stride(int ways) {
    int step = Math.max(1, (int) Math.round(ways * GOLDEN));
    while (gcd(step, ways) != 1) {
      step++;
    }
    return step;
  }

  private static int gcd(int a, int b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  /** The costliest of the shortest ways between all switches, each link's cost being given. */
  long[] longest(LinkConfig[] linkOf, long bits, long switchPs) {
    long[] cost = new long[n * n];
    for (int t = 0; t < n; t++) {
      for (int d = 1; d <= longest; d++) {
        for (int s = 0; s < n; s++) {
          if (distance(s, t) == d) {
            for (int i = first(s, t); i < end(s, t); i++) {
              LinkConfig link = linkOf[hops[i]];
              long all =
                  2 * (link.delayPs() + switchPs) + link.timePs(bits) + cost[to[hops[i]] * n + t];
              cost[s * n + t] = Math.max(cost[s * n + t], all);
            }
          }
        }
      }
    }
    return cost;
  }
}
