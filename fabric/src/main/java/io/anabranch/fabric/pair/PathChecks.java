package io.anabranch.fabric.pair;

import io.anabranch.engine.QpSnapshot;
import io.anabranch.engine.config.EvTable;
import io.anabranch.wire.mrc.Frame;
import java.util.Arrays;

/** Watches the choice of paths: EVs, their states, planes and their shares. */
final class PathChecks {
  /** Codes of {@code TraceEvent.EV_STATE}, in the order of the specification. */
  static final int GOOD = 0;

  static final int SKIP = 1;
  static final int ASSUMED_BAD = 2;
  static final int DENIED = 3;

  /**
   * By how many data packets two planes may differ while both stay usable: a constant, and a share
   * of what each carried. Ports pace themselves, so that a plane whose port sent more control
   * frames or came free later falls behind for a moment.
   */
  private static final long SHARE_PACKETS = 24;

  private static final long SHARE_DIVISOR = 12;

  private final PairChecker checker;
  private final int planes;
  private final long[][] sorted = new long[2][];
  private final byte[][][] states;
  private final boolean[][] portUp;
  private final boolean[][] aside;
  private final int[] reportedMask = {-1, -1};
  private final int[] reportedId = {-1, -1};
  private final QpSnapshot[][] latest;

  /**
   * @param tables the EVs that each side uses
   */
  PathChecks(PairChecker checker, EvTable[] tables) {
    this.checker = checker;
    this.planes = checker.scenario().shape().planes();
    int qps = checker.scenario().shape().qps();
    this.portUp = new boolean[2][planes];
    this.aside = new boolean[2][planes];
    this.states = new byte[2][qps][];
    this.latest = new QpSnapshot[2][qps];
    for (int side = 0; side < 2; side++) {
      EvTable table = tables[side];
      sorted[side] = new long[table.size()];
      for (int i = 0; i < table.size(); i++) {
        sorted[side][i] = key(table.ev(i), table.port(i));
      }
      Arrays.sort(sorted[side]);
      Arrays.fill(portUp[side], true);
      for (int q = 0; q < qps; q++) {
        states[side][q] = new byte[table.size()];
      }
    }
  }

  private static long key(int ev, int port) {
    return (ev & 0xffff_ffffL) << 8 | port;
  }

  private int entry(int side, int ev, int port) {
    return Arrays.binarySearch(sorted[side], key(ev, port));
  }

  void portState(int side, int port, boolean up) {
    portUp[side][port] = up;
  }

  /** The engine told that an EV changed its state. */
  void evState(int side, int index, int ev, int state) {
    for (int port = 0; port < planes; port++) {
      int i = entry(side, ev, port);
      if (i >= 0) {
        states[side][index][i] = (byte) state;
      }
    }
  }

  /** The engine told that it left a plane or came back to it. */
  void plane(int side, int port, boolean back) {
    aside[side][port] = !back;
  }

  /** A true port status update reaches a side. */
  void portStatus(int side, int requestId, int mask) {
    boolean newer = reportedId[side] < 0 || (short) (requestId - reportedId[side]) > 0;
    if (newer) {
      reportedId[side] = requestId;
      reportedMask[side] = mask;
    }
  }

  void envelope(int side, Frame f, int port) {
    if (entry(side, f.ev(), port) < 0) {
      throw fail(Invariant.EV_TABLE, side, f, "no EV of plane " + (port + 1));
    }
  }

  void dataSent(Flow flow, Frame f, int port) {
    int side = flow.side;
    if (!portUp[side][port]) {
      throw fail(Invariant.PLANE_STATE, side, f, "port " + (port + 1) + " is down");
    }
    if (aside[side][port]) {
      throw fail(Invariant.PLANE_STATE, side, f, "plane " + (port + 1) + " is set aside");
    }
    int common = 0;
    for (int i = 0; i < planes; i++) {
      common |= portUp[side][i] ? reportedMask[side] & 1 << i : 0;
    }
    if (common != 0 && (common & 1 << port) == 0) {
      throw fail(Invariant.PLANE_STATE, side, f, "the peer's port " + (port + 1) + " is down");
    }
    int entry = entry(side, f.ev(), port);
    int state = entry < 0 ? GOOD : states[side][flow.index][entry];
    if (state >= ASSUMED_BAD) {
      throw fail(
          Invariant.EV_STATE, side, f, state == DENIED ? "its EV is DENIED" : "its EV is bad");
    }
  }

  /** Checks an EV in SKIP; after a new snapshot. */
  void skip(Flow flow, Frame f) {
    int port = flow.copyPort[flow.copies - 1];
    int entry = entry(flow.side, f.ev(), port);
    if (entry >= 0 && states[flow.side][flow.index][entry] == SKIP) {
      QpSnapshot snapshot = latest[flow.side][flow.index];
      if (snapshot != null
          && snapshot.planes().get(port).skip() < snapshot.planes().get(port).active()) {
        throw fail(Invariant.EV_STATE, flow.side, f, "its EV is in SKIP, though not all are");
      }
    }
  }

  /** EVs in rotation on planes that may carry data, by the last snapshot. */
  int activeEvs(Flow flow) {
    QpSnapshot snapshot = latest[flow.side][flow.index];
    if (snapshot == null) {
      return sorted[flow.side].length;
    }
    int all = 0;
    for (QpSnapshot.Plane plane : snapshot.planes()) {
      all += plane.usable() ? plane.active() : 0;
    }
    return all;
  }

  void learn(int side, int index, QpSnapshot snapshot) {
    latest[side][index] = snapshot;
  }

  /** Counts a data packet for its plane and compares the planes that stayed usable. */
  void share(Flow flow, QpSnapshot snapshot, Frame f) {
    int mask = 0;
    for (int i = 0; i < planes; i++) {
      QpSnapshot.Plane plane = snapshot.planes().get(i);
      boolean reported = (reportedMask[flow.side] >>> i & 1) != 0;
      boolean usable = plane.usable() && plane.active() > 0 && portUp[flow.side][i];
      mask |= usable && reported ? 1 << i : 0;
    }
    if (mask != flow.usableMask) {
      flow.usableMask = mask;
      Arrays.fill(flow.sentSinceChange, 0);
      flow.evadedSinceChange = 0;
    }
    int port = flow.copyPort[flow.copies - 1];
    flow.sentSinceChange[port]++;
    if (evades(flow)) {
      flow.evadedSinceChange++;
    }
    long least = Long.MAX_VALUE;
    long most = 0;
    for (int i = 0; i < planes; i++) {
      if ((mask >>> i & 1) != 0) {
        least = Math.min(least, flow.sentSinceChange[i]);
        most = Math.max(most, flow.sentSinceChange[i]);
      }
    }
    long allowed = SHARE_PACKETS + most / SHARE_DIVISOR + flow.evadedSinceChange;
    if (most - least > allowed && least != Long.MAX_VALUE) {
      long[] shares = Arrays.copyOf(flow.sentSinceChange, planes);
      throw fail(
          Invariant.PLANE_SHARE,
          flow.side,
          f,
          flow.name() + " since planes changed: " + Arrays.toString(shares));
    }
  }

  /**
   * Whether the latest packet had to go round a plane: it is a copy that may not go where the one
   * before it went, and that was the plane's only EV. Copies go oldest first, before new data, so a
   * run of them leaves the plane behind until new data evens it out.
   */
  private boolean evades(Flow flow) {
    int before = flow.copyBefore[flow.copies - 1];
    if (before == Flow.NONE || flow.copyPort[before] == flow.copyPort[flow.copies - 1]) {
      return false;
    }
    int port = flow.copyPort[before];
    int last = entry(flow.side, flow.copyEv[before], port);
    for (int i = 0; i < sorted[flow.side].length; i++) {
      boolean good = states[flow.side][flow.index][i] < ASSUMED_BAD;
      if (i != last && good && (sorted[flow.side][i] & 0xff) == port) {
        return false;
      }
    }
    return true;
  }

  private InvariantBreach fail(Invariant invariant, int side, Frame f, String text) {
    StringBuilder out = new StringBuilder(side == 0 ? "A: " : "B: ");
    FrameText.append(out, f);
    return checker.breach(invariant, out.append(": ").append(text).toString());
  }
}
