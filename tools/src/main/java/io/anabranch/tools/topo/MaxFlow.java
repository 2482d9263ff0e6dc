package io.anabranch.tools.topo;

import java.util.Arrays;

/**
 * The maximum flow from a source to a sink over nodes that are joined in both directions, by
 * shortest augmenting paths in layers (Dinic's algorithm).
 */
final class MaxFlow {
  private final int source;
  private final int sink;
  private final int[] head;
  private final int[] level;
  private final int[] turn;
  private final int[] queue;
  private int[] next = new int[64];
  private int[] to = new int[64];
  private long[] capacity = new long[64];
  private long[] left = new long[0];
  private int edges;

  /**
   * Nodes that nothing joins yet but source and sink with each of the others, whose numbers come
   * first.
   */
  MaxFlow(int nodes, int source, int sink) {
    this.source = source;
    this.sink = sink;
    head = new int[nodes];
    level = new int[nodes];
    turn = new int[nodes];
    queue = new int[nodes];
    Arrays.fill(head, -1);
    for (int node = 0; node < nodes - 2; node++) {
      add(source, node, 0);
      add(node, sink, 0);
    }
  }

  /** Pairs of nodes that are joined. */
  int joined() {
    return edges / 2;
  }

  /** Joins two nodes, each way with a capacity. */
  void join(int a, int b, long capacityEachWay) {
    add(a, b, capacityEachWay);
    capacity[edges - 1] = capacityEachWay;
  }

  /** Edge 2 i leads there, edge 2 i + 1 back. */
  private void add(int from, int there, long most) {
    if (edges + 2 > to.length) {
      next = Arrays.copyOf(next, 2 * to.length);
      capacity = Arrays.copyOf(capacity, 2 * to.length);
      to = Arrays.copyOf(to, 2 * to.length);
    }
    put(from, there, most);
    put(there, from, 0);
  }

  private void put(int from, int there, long most) {
    to[edges] = there;
    capacity[edges] = most;
    next[edges] = head[from];
    head[from] = edges++;
  }

  /**
   * The most that flows.
   *
   * @param up by node, the capacity from the source
   * @param down by node, the capacity to the sink
   */
  long most(long[] up, long[] down) {
    left = Arrays.copyOf(capacity, edges);
    for (int node = 0; node < up.length; node++) {
      left[4 * node] = up[node];
      left[4 * node + 2] = down[node];
    }
    long sum = 0;
    while (layered()) {
      System.arraycopy(head, 0, turn, 0, head.length);
      sum += push(source, Long.MAX_VALUE);
    }
    return sum;
  }

  /** Numbers nodes by their distance from the source; whether the sink can be reached. */
  private boolean layered() {
    Arrays.fill(level, -1);
    level[source] = 0;
    int end = 0;
    queue[end++] = source;
    for (int begin = 0; begin < end; begin++) {
      for (int e = head[queue[begin]]; e >= 0; e = next[e]) {
        if (left[e] > 0 && level[to[e]] < 0) {
          level[to[e]] = level[queue[begin]] + 1;
          queue[end++] = to[e];
        }
      }
    }
    return level[sink] >= 0;
  }

  /**
   * Sends as much as it can from a node on, a layer at a time; what is used up is not tried again.
   */
  private long push(int node, long most) {
    if (node == sink) {
      return most;
    }
    long sent = 0;
    for (; turn[node] >= 0; turn[node] = next[turn[node]]) {
      int e = turn[node];
      if (left[e] > 0 && level[to[e]] == level[node] + 1) {
        long more = push(to[e], Math.min(most - sent, left[e]));
        left[e] -= more;
        left[e ^ 1] += more;
        sent += more;
        if (sent == most) {
          break;
        }
      }
    }
    return sent;
  }
}
