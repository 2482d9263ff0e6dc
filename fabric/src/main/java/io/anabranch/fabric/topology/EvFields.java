package io.anabranch.fabric.topology;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The fields of a structured EV in a graph: one for each place on a way, the first switch's lowest.
 * Each is wide enough for the most links among which a switch at that place chooses, over all pairs
 * of hosts. A switch knows its place by how far the hop limit has come down; of a packet it is kept
 * above the EV's bits.
 *
 * <p>In a Clos these are the fields of its tiers: on the way down there is nothing to choose.
 */
final class EvFields {
  private static final int PASSED_SHIFT = 16;
  private static final int PASSED = 1 << PASSED_SHIFT;

  private final int[] choices;
  private final int[] shift;

  EvFields(Graph graph) {
    choices = new int[Math.max(1, graph.diameter() - 1)];
    Arrays.fill(choices, 1);
    for (int plane = 0; plane < graph.planes(); plane++) {
      BitSet attached = new BitSet();
      for (int host = 0; host < graph.hosts(); host++) {
        attached.set(graph.attached(host, plane));
      }
      for (int t = attached.nextSetBit(0); t >= 0; t = attached.nextSetBit(t + 1)) {
        towards(graph, attached, t);
      }
    }
    shift = new int[choices.length + 1];
    for (int k = 0; k < choices.length; k++) {
      shift[k + 1] = shift[k] + 32 - Integer.numberOfLeadingZeros(choices[k] - 1);
    }
  }

  /** Goes from all switches with hosts towards one of them, a place at a time. */
  private void towards(Graph graph, BitSet sources, int t) {
    ShortestPaths paths = graph.shortest();
    BitSet here = sources;
    for (int place = 0; place < choices.length; place++) {
      BitSet next = new BitSet();
      for (int s = here.nextSetBit(0); s >= 0; s = here.nextSetBit(s + 1)) {
        choices[place] = Math.max(choices[place], paths.end(s, t) - paths.first(s, t));
        for (int i = paths.first(s, t); i < paths.end(s, t); i++) {
          next.set(graph.switchAt(paths.hop(i)));
        }
      }
      here = next;
    }
  }

  /** Bits of all fields. */
  int bits() {
    return shift[choices.length];
  }

  /** How many values they have together, those that no field needs left out. */
  long values() {
    double all = 1;
    for (int n : choices) {
      all *= n;
    }
    return (long) Math.min(all, Integer.MAX_VALUE);
  }

  /** The EV of a number: its digits, the first switch's changing fastest. */
  int ev(int number) {
    int ev = 0;
    int left = number;
    for (int k = 0; k < choices.length; k++) {
      ev |= left % choices[k] << shift[k];
      left /= choices[k];
    }
    return ev;
  }

  /** What the field says that is read at a packet's next switch. */
  int of(int hash) {
    int place = hash >>> PASSED_SHIFT;
    return place < choices.length
        ? hash >>> shift[place] & (1 << shift[place + 1] - shift[place]) - 1
        : 0;
  }

  /** After one more switch. */
  static int passed(int hash) {
    return hash + PASSED;
  }
}
