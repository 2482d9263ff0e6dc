package io.anabranch.tools.run;

import io.anabranch.engine.trace.TraceEvent;
import io.anabranch.engine.trace.TraceSink;
import io.anabranch.fabric.HostTraces;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** Counts data packets by host, queue pair and EV, and keeps the states of EVs. */
final class EvCounts implements HostTraces {
  /** States as results name them; their order is the engine's. */
  private static final String[] STATES = {"good", "skip", "assumed_bad", "denied"};

  /** One EV of a queue pair. */
  static final class Use {
    final int host;
    final int qp;
    final int ev;
    int plane;
    long packets;
    long packetsBefore;
    int state;
    boolean changed;

    Use(int host, int qp, int ev, int plane) {
      this.host = host;
      this.qp = qp;
      this.ev = ev;
      this.plane = plane;
    }

    String stateName() {
      return state < STATES.length
          ? STATES[state]
          : Integer.toString(state).toLowerCase(Locale.ROOT);
    }
  }

  private final IntPredicate watched;
  private final int evsPerPlane;
  private final TreeMap<Long, Integer> indexOf = new TreeMap<>();
  private final Map<Integer, Map<Long, Use>> byHost = new TreeMap<>();

  /**
   * @param watched hosts that count
   * @param evsPerPlane EVs of the common profile on each plane
   */
  EvCounts(IntPredicate watched, int evsPerPlane) {
    this.watched = watched;
    this.evsPerPlane = evsPerPlane;
  }

  /** Entry {@code index} of the common profile has this value. */
  void name(int index, int ev) {
    indexOf.put(key(index / evsPerPlane, ev), index);
  }

  @Override
  public @Nullable TraceSink of(int host) {
    if (!watched.test(host)) {
      return null;
    }
    Map<Long, Use> uses = byHost.computeIfAbsent(host, _ -> new TreeMap<>());
    return (event, nowNs, qp, a, b, c) -> {
      if (event == TraceEvent.SENT) {
        use(uses, host, qp, (int) b, (int) (c >> 1)).packets++;
      } else if (event == TraceEvent.EV_STATE) {
        Use use = use(uses, host, qp, (int) a, -1);
        use.state = (int) c;
        use.changed = true;
      }
    };
  }

  private static long key(int high, int low) {
    return (long) high << 32 | low & 0xffff_ffffL;
  }

  /** An EV value names its plane almost surely; where two planes share one, both are one use. */
  private static Use use(Map<Long, Use> uses, int host, int qp, int ev, int plane) {
    Use use = uses.computeIfAbsent(key(qp, ev), _ -> new Use(host, qp, ev, plane));
    if (use.plane < 0) {
      use.plane = plane;
    }
    return use;
  }

  /** The place of a use's EV among those of its plane, or −1. */
  int place(Use use) {
    Integer index = indexOf.get(key(planeOf(use), use.ev));
    return index == null ? -1 : index % evsPerPlane;
  }

  /** The plane of a use's EV, counted from 0. */
  int planeOf(Use use) {
    for (int plane = 0; use.plane < 0 && plane < 32; plane++) {
      if (indexOf.containsKey(key(plane, use.ev))) {
        use.plane = plane;
      }
    }
    return Math.max(0, use.plane);
  }

  /** Uses by host; those of a host by queue pair and EV value. */
  Map<Integer, Map<Long, Use>> byHost() {
    return byHost;
  }
}
