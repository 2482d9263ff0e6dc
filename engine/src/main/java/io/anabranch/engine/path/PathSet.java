package io.anabranch.engine.path;

import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.trace.TraceEvent;
import io.anabranch.engine.trace.TraceSink;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One queue pair's view of the EVs towards its peer: a state of two bits each, the active set per
 * plane and its rotation, demotion, and the tests that bring an EV back. The EV table is shared.
 *
 * <p>A plane's rotation is a shuffle drawn as it is used, so each pass has an order of its own.
 */
public final class PathSet {
  private static final int MAX_LEVEL = 4;
  private static final long LEVEL_DECAY_NS = 60_000_000_000L;
  private static final int MAX_VERDICTS = 8;
  private static final int CERTAIN_LOSSES = 8;
  private static final int MAX_STRETCH_RTTS = 8;
  private static final int VERDICT_RTTS = 4;
  private static final int MAX_SUCCESS_LEVEL = 2;

  /** One plane's EVs in rotation, and what became of its copies lately. */
  private static final class Rotation {
    final short[] active;
    int count;
    int turn;
    int skipped;
    int arrivedInWindow;
    int lostInWindow;
    int lostInCall;

    Rotation(int target) {
      active = new short[target];
    }
  }

  private final EvTable table;
  private final Planes planes;
  private final @Nullable TraceSink trace;
  private final int qp;
  private final int minActive;
  private final int probeSuccesses;
  private final boolean reactive;
  private final long[] states;
  private final long[] inRotation;
  private final Rotation[] rotations;
  private long random;
  private int skipSequence;

  // Made at the first SKIP or demotion: most queue pairs never need them.
  private int @Nullable [] skipOrder;
  private long @Nullable [] skipUntilNs;
  private byte @Nullable [] level;
  private long @Nullable [] demotedNs;

  private final EvTests tests = new EvTests();

  // The receiver's losses look like many paths' at once: see judge().
  private long windowEndNs = Long.MIN_VALUE;
  private short[] demotedInWindow = new short[8];
  private int demotedInWindowCount;
  private boolean receiverAtFault;
  private int verdicts;
  private byte @Nullable [] lossRun;
  private short[] lossEv = new short[0];
  private long[] lossSentNs = new long[0];
  private int lossCount;
  private long verdictFromNs = Long.MIN_VALUE;
  private long verdictToNs = Long.MIN_VALUE;
  private long judgedToNs = Long.MIN_VALUE;
  private long demotions;

  /**
   * All EVs GOOD; the active set is the first of each plane up to its share.
   *
   * @param wantedActive EVs in rotation, all planes together
   * @param reactive whether marks and trims make an EV be skipped
   * @param seed of the rotation's order
   */
  public PathSet(
      EvTable table,
      Planes planes,
      int minActive,
      int wantedActive,
      int probeSuccesses,
      boolean reactive,
      long seed,
      int qp,
      @Nullable TraceSink trace) {
    this.table = table;
    this.planes = planes;
    this.minActive = minActive;
    this.probeSuccesses = probeSuccesses;
    this.reactive = reactive;
    this.random = seed;
    this.qp = qp;
    this.trace = trace;
    int ports = planes.count();
    states = new long[table.size() + 31 >>> 5];
    inRotation = new long[table.size() + 63 >>> 6];
    rotations = new Rotation[ports];
    int[] have = new int[ports];
    for (int i = 0; i < table.size(); i++) {
      have[table.port(i)]++;
    }
    for (int p = 0; p < ports; p++) {
      rotations[p] = new Rotation(Math.min(have[p], Math.max(1, wantedActive / ports)));
      refill(p);
    }
  }

  /** State of entry {@code index} of the table. */
  public int state(int index) {
    return (int) (states[index >>> 5] >>> ((index & 31) << 1)) & 3;
  }

  private void setState(int index, int state, long nowNs) {
    int old = state(index);
    if (old == state) {
      return;
    }
    int shift = (index & 31) << 1;
    states[index >>> 5] = states[index >>> 5] & ~(3L << shift) | (long) state << shift;
    if (isActive(index)) {
      int plane = table.port(index);
      rotations[plane].skipped += (state == EvState.SKIP ? 1 : 0) - (old == EvState.SKIP ? 1 : 0);
    }
    if (trace != null) {
      trace.event(TraceEvent.EV_STATE, nowNs, qp, table.ev(index), old, state);
    }
  }

  private boolean isActive(int index) {
    return (inRotation[index >>> 6] >>> index & 1) != 0;
  }

  /** Whether a plane has an EV in rotation. */
  public boolean hasActive(int plane) {
    return rotations[plane].count > 0;
  }

  /** Whether a plane has a GOOD EV besides {@code avoid}, in rotation or not. */
  public boolean hasOther(int plane, int avoid) {
    Rotation rotation = rotations[plane];
    return rotation.count > 1
        || rotation.count == 1 && rotation.active[0] != avoid
        || backup(plane) >= 0;
  }

  /** EVs in rotation on a plane. */
  public int activeCount(int plane) {
    return rotations[plane].count;
  }

  /** EVs demoted so far, less those that were given back because the receiver was at fault. */
  public long demotions() {
    return demotions;
  }

  /** Entries of a plane in a given state. */
  public int count(int plane, int state) {
    int n = 0;
    for (int i = 0; i < table.size(); i++) {
      if (table.port(i) == plane && state(i) == state) {
        n++;
      }
    }
    return n;
  }

  /**
   * The next EV of a plane's rotation. An EV in SKIP is passed over once and is GOOD again; when
   * all are in SKIP, the one skipped longest is used.
   *
   * @param avoid an entry not to be used, or −1
   * @return the entry's index, or −1 when the plane has none but {@code avoid}
   */
  public int next(int plane, int avoid, long nowNs) {
    Rotation rotation = rotations[plane];
    int n = rotation.count;
    if (n > 0 && rotation.skipped == n) {
      return leastSkipped(plane, avoid, nowNs);
    }
    short[] set = rotation.active;
    for (int tries = 2 * n; tries > 0; tries--) {
      int at = rotation.turn >= n ? 0 : rotation.turn;
      int other = at + (int) ((nextRandom() >>> 33) * (n - at) >>> 31);
      short index = set[other];
      set[other] = set[at];
      set[at] = index;
      rotation.turn = at + 1;
      if (state(index) == EvState.SKIP) {
        if (skippedLongEnough(index, nowNs)) {
          setState(index, EvState.GOOD, nowNs);
        }
      } else if (index != avoid) {
        return index;
      }
    }
    // All but the one to be avoided are in SKIP.
    return n > 0 ? leastSkipped(plane, avoid, nowNs) : -1;
  }

  /** The EV skipped longest is GOOD again; a plane's only EV is exchanged instead. */
  private int leastSkipped(int plane, int avoid, long nowNs) {
    int longest = skippedLongest(plane, avoid);
    if (longest < 0) {
      return exchange(plane, avoid, nowNs);
    }
    setState(longest, EvState.GOOD, nowNs);
    return longest;
  }

  /** Takes a GOOD backup into rotation in place of a plane's only EV; −1 without one. */
  private int exchange(int plane, int only, long nowNs) {
    Rotation rotation = rotations[plane];
    int backup = backup(plane);
    if (backup >= 0) {
      if (state(only) == EvState.SKIP) {
        setState(only, EvState.GOOD, nowNs);
      }
      withdraw(only);
      rotation.active[rotation.count++] = (short) backup;
      inRotation[backup >>> 6] |= 1L << backup;
    }
    return backup;
  }

  private int skippedLongest(int plane, int avoid) {
    Rotation rotation = rotations[plane];
    int[] order = skipOrder;
    int best = -1;
    for (int i = 0; i < rotation.count; i++) {
      int index = rotation.active[i];
      if (index != avoid && order != null && (best < 0 || order[index] - order[best] < 0)) {
        best = index;
      }
    }
    return best;
  }

  private long nextRandom() {
    random += 0x9E3779B97F4A7C15L;
    long z = random;
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }

  /**
   * The path was marked or trimmed: GOOD → SKIP, for a pass of the rotation and at least one RTT:
   * what is still under way on it tells of the same congestion, and in a rotation of few EVs a pass
   * is over long before that is in. A further mark or trim begins the time anew. Oblivious spraying
   * does not listen.
   */
  public void skip(int index, long nowNs, long rttNs) {
    int state = state(index);
    if (!reactive || state != EvState.GOOD && state != EvState.SKIP) {
      return;
    }
    if (skipOrder == null || skipUntilNs == null) {
      skipOrder = new int[table.size()];
      skipUntilNs = new long[table.size()];
    }
    skipUntilNs[index] = nowNs + rttNs;
    if (state == EvState.GOOD) {
      skipOrder[index] = ++skipSequence;
      setState(index, EvState.SKIP, nowNs);
    }
  }

  private boolean skippedLongEnough(int index, long nowNs) {
    return skipUntilNs == null || skipUntilNs[index] <= nowNs;
  }

  /** A copy on an EV is known to have arrived. */
  public void arrived(int index, long nowNs, long rttNs) {
    window(nowNs, rttNs);
    rotations[table.port(index)].arrivedInWindow++;
    if (lossRun != null) {
      lossRun[index] = 0;
    }
  }

  /**
   * A copy on an EV counts as lost, and the path may be why. {@link #conclude} follows once all
   * that one call shows is in.
   */
  public void lost(int index, long sentNs, long nowNs, long rttNs) {
    window(nowNs, rttNs);
    rotations[table.port(index)].lostInWindow++;
    if (lossRun == null) {
      lossRun = new byte[table.size()];
    }
    if (lossRun[index] < CERTAIN_LOSSES) {
      lossRun[index]++;
    }
    if (lossCount == lossEv.length) {
      lossEv = Arrays.copyOf(lossEv, Math.max(8, lossCount * 2));
      lossSentNs = Arrays.copyOf(lossSentNs, lossEv.length);
    }
    lossEv[lossCount] = (short) index;
    lossSentNs[lossCount++] = sentNs;
  }

  /** The receiver had no room for a copy: losses of that time are its own. */
  public void receiverFull(long sentNs, long rttNs) {
    extendVerdict(sentNs, sentNs, rttNs);
  }

  private void extendVerdict(long fromNs, long toNs, long rttNs) {
    boolean joins = verdictToNs != Long.MIN_VALUE && fromNs <= verdictToNs + VERDICT_RTTS * rttNs;
    verdictFromNs = joins ? Math.min(verdictFromNs, fromNs) : fromNs;
    verdictToNs = joins ? Math.max(verdictToNs, toNs) : toNs;
    judgedToNs = verdictToNs;
  }

  /**
   * Demotes the EVs of the losses since the last call, unless they are the receiver's: losses that
   * {@link #judge} or {@link #spread} says are, and those of copies sent within four RTTs of them.
   *
   * @param paths takes the losses that are the paths', each with its EV and when it was sent
   */
  public void conclude(long nowNs, long rttNs, LossSink paths) {
    if (lossCount == 0) {
      return;
    }
    if (judge() || spread()) {
      long fromNs = Long.MAX_VALUE;
      long toNs = Long.MIN_VALUE;
      for (int i = 0; i < lossCount; i++) {
        fromNs = Math.min(fromNs, lossSentNs[i]);
        toNs = Math.max(toNs, lossSentNs[i]);
      }
      extendVerdict(fromNs, toNs, rttNs);
      if (!receiverAtFault) {
        receiverAtFault = true;
        verdicts++;
      }
      for (int i = 0; i < demotedInWindowCount; i++) {
        giveBack(demotedInWindow[i], nowNs);
      }
      demotedInWindowCount = 0;
    }
    int n = lossCount;
    lossCount = 0;
    for (int i = 0; i < n; i++) {
      int index = lossEv[i];
      boolean certain =
          verdicts > MAX_VERDICTS && lossRun != null && lossRun[index] >= CERTAIN_LOSSES;
      if (!isReceivers(lossSentNs[i], rttNs) || certain) {
        demote(index, nowNs, rttNs);
        paths.lost(index, lossSentNs[i]);
      }
    }
  }

  private boolean isReceivers(long sentNs, long rttNs) {
    if (verdictToNs == Long.MIN_VALUE
        || sentNs < verdictFromNs - VERDICT_RTTS * rttNs
        || sentNs > verdictToNs + VERDICT_RTTS * rttNs) {
      return false;
    }
    // Stragglers stretch the time of a verdict, but not for ever.
    if (sentNs - judgedToNs < MAX_STRETCH_RTTS * rttNs) {
      verdictToNs = Math.max(verdictToNs, sentNs);
    }
    return true;
  }

  /** Takes losses that are the paths' own. */
  @FunctionalInterface
  public interface LossSink {
    /** A copy was lost on an EV. */
    void lost(int evIndex, long sentNs);
  }

  /** Starts a new window of one RTT when the last has ended. */
  private void window(long nowNs, long rttNs) {
    if (nowNs < windowEndNs) {
      return;
    }
    windowEndNs = nowNs + rttNs;
    if (!receiverAtFault) {
      verdicts = 0;
    }
    receiverAtFault = false;
    demotedInWindowCount = 0;
    for (Rotation r : rotations) {
      r.arrivedInWindow = 0;
      r.lostInWindow = 0;
    }
  }

  /**
   * Whether the losses of this window are the receiver's: two planes or more lost an eighth or more
   * of what was resolved on them, at least two copies each on average and four in all, and no plane
   * in use went unharmed. A path's fault stays within its plane; a full receive buffer takes from
   * all alike.
   */
  private boolean judge() {
    int hit = 0;
    int lostInAll = 0;
    for (int p = 0; p < rotations.length; p++) {
      int lost = rotations[p].lostInWindow;
      int resolved = lost + rotations[p].arrivedInWindow;
      if (lost > 0 && lost * 8 >= resolved) {
        hit++;
        lostInAll += lost;
      } else if (resolved >= 8) {
        return false;
      }
    }
    return hit >= 2 && lostInAll >= Math.max(4, 2 * hit);
  }

  /**
   * Whether the losses of one call are spread over all planes in use: four or more, some on each,
   * on none more than twice its share or seven in ten. So a burst's beginning is known before an
   * eighth of a round trip's packets are lost.
   */
  private boolean spread() {
    int planesInUse = 0;
    int most = 0;
    for (Rotation r : rotations) {
      r.lostInCall = 0;
    }
    for (int i = 0; i < lossCount; i++) {
      rotations[table.port(lossEv[i])].lostInCall++;
    }
    for (int p = 0; p < rotations.length; p++) {
      if (rotations[p].lostInWindow + rotations[p].arrivedInWindow > 0) {
        planesInUse++;
        if (rotations[p].lostInCall == 0) {
          return false;
        }
        most = Math.max(most, rotations[p].lostInCall);
      }
    }
    return planesInUse >= 2
        && lossCount >= 4
        && most * planesInUse <= 2 * lossCount
        && most * 10 <= 7 * lossCount;
  }

  private void giveBack(int index, long nowNs) {
    if (state(index) == EvState.ASSUMED_BAD) {
      tests.remove(index);
      setState(index, EvState.GOOD, nowNs);
      demotions--;
      refill(table.port(index));
    }
  }

  /**
   * GOOD or SKIP → ASSUMED_BAD, replaced by a backup of the same plane. At {@code ev_min_active}
   * the EV demoted longest ago is retried in its place; without one it stays.
   */
  public void demote(int index, long nowNs, long rttNs) {
    int state = state(index);
    if (state == EvState.ASSUMED_BAD || state == EvState.DENIED) {
      return;
    }
    int plane = table.port(index);
    if (isActive(index)
        && planes.usable(plane)
        && backup(plane) < 0
        && activeInAll() <= minActive
        && !retryOldest(nowNs)) {
      return;
    }
    setState(index, EvState.ASSUMED_BAD, nowNs);
    demotions++;
    raiseLevel(index, nowNs);
    if (demotedInWindowCount == demotedInWindow.length) {
      demotedInWindow = Arrays.copyOf(demotedInWindow, demotedInWindowCount * 2);
    }
    demotedInWindow[demotedInWindowCount++] = (short) index;
    withdraw(index);
    tests.add(index, nowNs, nowNs + spacingNs(index, rttNs));
    refill(plane);
  }

  /** The EV demoted longest ago on a usable plane is GOOD again, untested; false without one. */
  private boolean retryOldest(long nowNs) {
    int oldest = tests.oldest(table, planes);
    if (oldest < 0) {
      return false;
    }
    tests.remove(oldest);
    setState(oldest, EvState.GOOD, nowNs);
    refill(table.port(oldest));
    return true;
  }

  /** A plane is no longer usable: the others must have {@code ev_min_active} EVs in rotation. */
  public void planeLeft(long nowNs) {
    while (activeInAll() < minActive && retryOldest(nowNs)) {
      // Each turn brings one back, until there are enough or none is left.
    }
  }

  private int activeInAll() {
    int n = 0;
    for (int p = 0; p < rotations.length; p++) {
      if (planes.usable(p)) {
        n += rotations[p].count;
      }
    }
    return n;
  }

  private int backup(int plane) {
    for (int i = 0; i < table.size(); i++) {
      if (table.port(i) == plane && !isActive(i) && state(i) == EvState.GOOD) {
        return i;
      }
    }
    return -1;
  }

  private void withdraw(int index) {
    if (!isActive(index)) {
      return;
    }
    int plane = table.port(index);
    Rotation rotation = rotations[plane];
    short[] set = rotation.active;
    int n = rotation.count;
    for (int i = 0; i < n; i++) {
      if (set[i] == index) {
        // The part of the set before turn was used in this rotation and must stay there.
        if (i < rotation.turn) {
          rotation.turn--;
          set[i] = set[rotation.turn];
          set[rotation.turn] = set[n - 1];
        } else {
          set[i] = set[n - 1];
        }
        break;
      }
    }
    rotation.count = n - 1;
    inRotation[index >>> 6] &= ~(1L << index);
  }

  /** Promotes GOOD backups of a plane up to its target. */
  private void refill(int plane) {
    Rotation rotation = rotations[plane];
    for (int i = 0; i < table.size() && rotation.count < rotation.active.length; i++) {
      if (table.port(i) == plane && !isActive(i) && state(i) == EvState.GOOD) {
        rotation.active[rotation.count++] = (short) i;
        inRotation[i >>> 6] |= 1L << i;
      }
    }
  }

  private void raiseLevel(int index, long nowNs) {
    if (level == null || demotedNs == null) {
      level = new byte[table.size()];
      demotedNs = new long[table.size()];
      Arrays.fill(demotedNs, Long.MIN_VALUE);
    }
    int now = decayed(index, nowNs);
    boolean first = demotedNs[index] == Long.MIN_VALUE;
    level[index] = (byte) (first ? 0 : Math.min(MAX_LEVEL, now + 1));
    demotedNs[index] = nowNs;
  }

  private int decayed(int index, long nowNs) {
    if (level == null || demotedNs == null || demotedNs[index] == Long.MIN_VALUE) {
      return 0;
    }
    long minutes = (nowNs - demotedNs[index]) / LEVEL_DECAY_NS;
    return (int) Math.max(0, level[index] - minutes);
  }

  private long spacingNs(int index, long rttNs) {
    return rttNs << (level == null ? 0 : level[index]);
  }

  /** When {@link #dueTest} will have something to say, or {@code Long.MAX_VALUE}. */
  public long nextTestNs() {
    return tests.nextNs(table, planes);
  }

  /**
   * An EV whose test is due: a probe shall be sent on it, told with {@link #testSent}. A test whose
   * probe went unanswered counts as failed and begins anew.
   *
   * @return the entry's index, or −1
   */
  public int dueTest(long nowNs) {
    return tests.due(table, planes, nowNs);
  }

  /**
   * A probe was sent to test an EV.
   *
   * @param spacingNs time between probes of one EV before doubling
   * @param patienceNs time after which it counts as unanswered
   */
  public void testSent(int index, int probeId, long nowNs, long spacingNs, long patienceNs) {
    tests.sent(index, probeId, nowNs, nowNs + spacingNs(index, spacingNs), nowNs + patienceNs);
  }

  /** A probe was answered; it may have been a test's, and the EV's last one. */
  public void probeAnswered(int index, int probeId, long nowNs) {
    int successes = tests.answered(index, probeId);
    if (successes
        >= probeSuccesses << (level == null ? 0 : Math.min(MAX_SUCCESS_LEVEL, level[index]))) {
      tests.remove(index);
      setState(index, EvState.GOOD, nowNs);
      refill(table.port(index));
    }
  }

  /** Deadlines of tests move on by a time in which nothing could be heard. */
  public void extend(long byNs) {
    tests.extend(byNs);
  }

  /** A plane is usable again: all its EVs but the denied come back with it. */
  public void planeBack(int plane, long nowNs) {
    for (int i = 0; i < table.size(); i++) {
      if (table.port(i) == plane && state(i) == EvState.ASSUMED_BAD) {
        tests.remove(i);
        setState(i, EvState.GOOD, nowNs);
      }
    }
    refill(plane);
  }

  /** The controller's word: any → DENIED. */
  public void deny(int index, long nowNs) {
    tests.remove(index);
    setState(index, EvState.DENIED, nowNs);
    withdraw(index);
    refill(table.port(index));
  }

  /** The controller's word: DENIED → GOOD. */
  public void lift(int index, long nowNs) {
    if (state(index) == EvState.DENIED) {
      setState(index, EvState.GOOD, nowNs);
      refill(table.port(index));
    }
  }
}
