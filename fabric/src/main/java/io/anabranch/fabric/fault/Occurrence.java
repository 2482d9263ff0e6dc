package io.anabranch.fabric.fault;

import io.anabranch.fabric.fault.FaultCost.Goodput;
import io.anabranch.fabric.fault.Targets.Element;
import java.util.TreeMap;
import java.util.TreeSet;

/** One time that a fault hits something. */
final class Occurrence {
  /** A path that lost a packet to it. */
  static final class Hit {
    final long firstLossPs;
    final int plane;
    final int peer;
    long leftPs = -1;

    Hit(long firstLossPs, int plane, int peer) {
      this.firstLossPs = firstLossPs;
      this.plane = plane;
      this.peer = peer;
    }
  }

  final int rule;
  final Effect effect;
  final Element element;
  final long startPs;
  final Goodput before;
  final long bytesAtStart;
  final TreeSet<Long> queuePairs = new TreeSet<>();
  final TreeMap<Path, Hit> hits = new TreeMap<>();
  long endPs = -1;
  long bytesAtEnd;
  long packetsLost;
  long copiesResent;

  /** Whether the ports at its links, and routing elsewhere, know of it. */
  boolean noticed;

  boolean converged;

  Occurrence(
      int rule, Effect effect, Element element, long startPs, Goodput before, long bytesAtStart) {
    this.rule = rule;
    this.effect = effect;
    this.element = element;
    this.startPs = startPs;
    this.before = before;
    this.bytesAtStart = bytesAtStart;
  }

  boolean over() {
    return endPs >= 0;
  }

  FaultCost cost(long nowPs, long bytesNow) {
    long left = 0;
    long last = -1;
    long slowest = -1;
    for (Hit hit : hits.values()) {
      if (hit.leftPs >= 0) {
        left++;
        last = Math.max(last, hit.leftPs);
        slowest = Math.max(slowest, Math.max(0, hit.leftPs - hit.firstLossPs));
      }
    }
    Goodput during =
        new Goodput(
            (over() ? bytesAtEnd : bytesNow) - bytesAtStart, (over() ? endPs : nowPs) - startPs);
    return new FaultCost(
        rule,
        effect.kind(),
        element.name(),
        startPs,
        endPs,
        packetsLost,
        copiesResent,
        queuePairs.size(),
        hits.size(),
        left,
        last,
        slowest,
        before,
        during);
  }
}
