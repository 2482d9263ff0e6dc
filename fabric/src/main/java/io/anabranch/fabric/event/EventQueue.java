package io.anabranch.fabric.event;

import java.util.Arrays;

/**
 * Events in the order of (window, unit, time, target). A unit is a part of what is simulated that
 * can be run on its own for a while: what it does reaches another only after the lookahead at the
 * soonest, here the delay of a link. So time is cut into windows no longer than that, and in each
 * window the events of one unit are taken after another's: what a unit touches stays in the cache.
 * Within a unit events come by (time, target), and a target can have at most one event at an
 * instant, so the order is total and owes nothing to when an event was added; and since units do
 * not touch each other within a window, results do not depend on where windows begin. An event that
 * concerns all units ends a window, and comes after all others of its instant.
 *
 * <p>A calendar of {@link #WIDTH_PS} wide buckets, each a list of events: {@code time within the
 * bucket << 32 | target}, and two longs that go with it. Behind it a second calendar whose buckets
 * each hold one turn of the first, and behind that a list. A window is some buckets of one turn. No
 * event is an object.
 */
public final class EventQueue {
  /** Says to which part each event belongs. */
  public interface Units {
    /** How many there are. */
    int count();

    /** The unit of an event. */
    int of(int target);

    /** Events of targets from this on concern all units. */
    int firstForAll();

    /**
     * A unit's turn begins, in which it has some events already.
     *
     * @param with of the event at each place from {@code first} to before {@code end}, at twice
     *     that place, the two longs that go with it
     */
    default void begins(int unit, int[] targets, long[] with, int first, int end) {}

    /** The events of a unit before a time are done. It may add more from then on. */
    default void ended(int unit, long endPs) {}
  }

  /** All is one unit, so that events come strictly by time. */
  public static final Units ONE =
      new Units() {
        @Override
        public int count() {
          return 1;
        }

        @Override
        public int of(int target) {
          return 0;
        }

        @Override
        public int firstForAll() {
          return Integer.MAX_VALUE;
        }
      };

  private static final int WIDTH_BITS = 13;
  private static final int RING_BITS = 12;
  private static final int FAR_BITS = 12;
  private static final int RING = 1 << RING_BITS;
  private static final int FAR = 1 << FAR_BITS;
  private static final int TURN_BITS = WIDTH_BITS + RING_BITS;

  /** Width of a bucket: the shortest lookahead that is of use. */
  public static final long WIDTH_PS = 1L << WIDTH_BITS;

  private static final long WIDTH_MASK = WIDTH_PS - 1;

  /** The bits of a target that ties may be ordered by anew. */
  private static final int TIE_MASK = (1 << 28) - 1;

  private static final int FIRST_CAPACITY = 16;
  private static final int NONE = -1;

  private final long tieSeed;
  private final Units units;
  private final int windowBuckets;

  private final EventLists near = new EventLists(RING);
  private final long[] nearUsed = new long[RING >>> 6];
  private final EventLists far = new EventLists(FAR);
  private long[] beyondTimePs = new long[FIRST_CAPACITY];
  private long[] beyond = new long[EventLists.WORDS * FIRST_CAPACITY];
  private int beyondCount;
  private final int firstForAll;
  private final TimeHeap concernsAll = new TimeHeap();
  private boolean held;

  // The turn whose events are in the near calendar, and the last bucket of it that is done with
  // (−1 = none yet).
  private long turn;
  private int index = -1;

  // The window: its events, by unit; which units it has, and where the events of each end. Of an
  // event its target, what goes with it, and, sorted when its unit's turn comes, when it is due
  // (32) and its place in these (32).
  private long startPs;
  private long endPs;
  private long[] due = new long[FIRST_CAPACITY];
  private int[] targets = new int[FIRST_CAPACITY];
  private long[] withIt = new long[2 * FIRST_CAPACITY];
  private int[] unitOf = new int[FIRST_CAPACITY];
  private int[] touched = new int[FIRST_CAPACITY];
  private int touchedCount;
  private final int[] ends;
  private long[] cut = new long[EventLists.WORDS * FIRST_CAPACITY];

  // The unit whose turn it is, the next of its events, and a heap of those added since.
  private int place;
  private int unit = NONE;
  private int position;
  private int end;
  private long[] late = new long[FIRST_CAPACITY];
  private long[] withLate = new long[2 * FIRST_CAPACITY];
  private int lateCount;

  private long nowPs;
  private long a;
  private long b;
  private long passedPs;
  private long size;
  private long taken;

  /** An empty queue at time 0; events at one instant come by ascending target. */
  public EventQueue() {
    this(0);
  }

  /** An empty queue at time 0, of one unit; for {@code tieSeed} see the other. */
  public EventQueue(long tieSeed) {
    this(tieSeed, ONE, WIDTH_PS);
  }

  /**
   * An empty queue at time 0.
   *
   * @param tieSeed 0: events at one instant come by ascending target; else, for each instant anew,
   *     in an order drawn from it, within each 2^28 targets
   * @param units the parts that do not touch each other within the lookahead
   * @param lookaheadPs at least {@link #WIDTH_PS}: the least time from an event of one unit to one
   *     of another that it causes
   */
  public EventQueue(long tieSeed, Units units, long lookaheadPs) {
    if (lookaheadPs < WIDTH_PS) {
      throw new IllegalArgumentException(
          "lookaheadPs: " + lookaheadPs + ", allowed at least " + WIDTH_PS);
    }
    this.tieSeed = tieSeed;
    this.units = units;
    windowBuckets = (int) Math.min(RING, lookaheadPs >>> WIDTH_BITS);
    firstForAll = units.firstForAll();
    ends = new int[units.count()];
  }

  /**
   * What the targets of an instant are combined with, so that each instant has an order of its own;
   * the upper bits, which tell kinds of events apart, stay.
   */
  private int mask(long atPs) {
    return tieSeed == 0 ? 0 : (int) Streams.mix(tieSeed ^ atPs) & TIE_MASK;
  }

  /** The time of the event taken last. */
  public long nowPs() {
    return nowPs;
  }

  /** The first long that goes with the event taken last. */
  public long a() {
    return a;
  }

  /** The second one. */
  public long b() {
    return b;
  }

  /** Events that wait. */
  public long size() {
    return size;
  }

  /** Events taken so far. */
  public long taken() {
    return taken;
  }

  /**
   * A time before which there is no event of a unit: the start of the bucket, or of the turn, of
   * the first one; {@code Long.MAX_VALUE} when there is none. Only between windows.
   */
  public long firstPs() {
    if (size == concernsAll.size()) {
      return Long.MAX_VALUE;
    }
    int next = nextUsed(index);
    if (next >= 0) {
      return turn << TURN_BITS | (long) next << WIDTH_BITS;
    }
    for (long of = turn + 1; of < turn + FAR; of++) {
      if (far.count((int) of & FAR - 1) > 0) {
        return of << TURN_BITS;
      }
    }
    return firstBeyond() << TURN_BITS;
  }

  /** When the first event that concerns all units is due, or {@code Long.MAX_VALUE}. */
  public long firstForAllPs() {
    return concernsAll.firstPs();
  }

  /** Whether {@link #take} leaves out events that concern all units. */
  public void holdThoseForAll(boolean hold) {
    held = hold;
  }

  /** The end of the window that a time lies in, when nothing else cuts it short. */
  public long windowEndPs(long atPs) {
    int bucket = (int) (atPs >>> WIDTH_BITS) & RING - 1;
    long endBucket = Math.min(RING, (bucket / windowBuckets + 1) * windowBuckets);
    return (atPs >>> TURN_BITS << TURN_BITS) + (endBucket << WIDTH_BITS);
  }

  /**
   * Adds an event.
   *
   * @param atPs not before {@link #nowPs()}, nor before a time up to which {@link #take} found
   *     nothing
   * @param target 0 … 2^31 − 1; it must have no other event at that instant
   */
  public void add(long atPs, int target) {
    add(atPs, target, 0, 0);
  }

  /**
   * Adds an event that two longs go with; not one that concerns all units.
   *
   * @see #add(long, int)
   */
  public void add(long atPs, int target, long with, long other) {
    if (atPs < passedPs) {
      throw new IllegalArgumentException("atPs: " + atPs + ", allowed at least " + passedPs);
    }
    size++;
    if (atPs < endPs) {
      if (target >= firstForAll || units.of(target) != unit) {
        throw new IllegalArgumentException(
            "atPs: " + atPs + ", allowed for another unit at least " + endPs);
      }
      addLate(atPs - startPs << 32 | target ^ mask(atPs), with, other);
    } else if (target >= firstForAll) {
      concernsAll.add(atPs, target);
    } else if (atPs >>> TURN_BITS != turn) {
      addFar(atPs, target, with, other);
    } else {
      addNear(atPs, target, with, other);
    }
  }

  private void addNear(long atPs, int target, long with, long other) {
    int i = (int) (atPs >>> WIDTH_BITS) & RING - 1;
    near.add(i, (atPs & WIDTH_MASK) << 32 | target, with, other);
    nearUsed[i >>> 6] |= 1L << i;
  }

  private void addFar(long atPs, int target, long with, long other) {
    long of = atPs >>> TURN_BITS;
    if (of - turn < FAR) {
      far.add((int) of & FAR - 1, (atPs & (1L << TURN_BITS) - 1) << 32 | target, with, other);
      return;
    }
    if (beyondCount == beyondTimePs.length) {
      beyondTimePs = Arrays.copyOf(beyondTimePs, beyondCount * 2);
      beyond = Arrays.copyOf(beyond, EventLists.WORDS * beyondCount * 2);
    }
    setBeyond(beyondCount++, atPs, target, with, other);
  }

  private void setBeyond(int i, long atPs, long target, long with, long other) {
    beyondTimePs[i] = atPs;
    beyond[EventLists.WORDS * i] = target;
    beyond[EventLists.WORDS * i + 1] = with;
    beyond[EventLists.WORDS * i + 2] = other;
  }

  private void addLate(long key, long with, long other) {
    if (lateCount == late.length) {
      late = Arrays.copyOf(late, lateCount * 2);
      withLate = Arrays.copyOf(withLate, lateCount * 4);
    }
    int i = lateCount++;
    while (i > 0 && late[i - 1 >> 1] > key) {
      moveLate(i - 1 >> 1, i);
      i = i - 1 >> 1;
    }
    setLate(i, key, with, other);
  }

  private void setLate(int i, long key, long with, long other) {
    late[i] = key;
    withLate[2 * i] = with;
    withLate[2 * i + 1] = other;
  }

  private void moveLate(int from, int to) {
    setLate(to, late[from], withLate[2 * from], withLate[2 * from + 1]);
  }

  private int takeLate() {
    long first = late[0];
    a = withLate[0];
    b = withLate[1];
    int last = --lateCount;
    long key = late[last];
    int i = 0;
    while (2 * i + 1 < last) {
      int child = 2 * i + 1;
      if (child + 1 < last && late[child + 1] < late[child]) {
        child++;
      }
      if (late[child] >= key) {
        break;
      }
      moveLate(child, i);
      i = child;
    }
    moveLate(last, i);
    return taken(first >>> 32, (int) first);
  }

  private boolean lateIsNext() {
    if (position == end) {
      return true;
    }
    long next = due[position];
    long dueAt = next >>> 32;
    long lateAt = late[0] >>> 32;
    return lateAt < dueAt || lateAt == dueAt && (int) late[0] < targets[(int) next];
  }

  /**
   * Takes the next event before a time.
   *
   * @param untilPs not before that of the last call
   * @return its target, or −1 when there is none before {@code untilPs}
   */
  public int take(long untilPs) {
    while (true) {
      if (lateCount > 0 && lateIsNext()) {
        return takeLate();
      }
      if (position < end) {
        return takeDue();
      }
      if (unit != NONE) {
        int ended = unit;
        unit = NONE;
        units.ended(ended, endPs);
      }
      if (place < touchedCount) {
        nextUnit();
      } else if (!nextWindow(untilPs)) {
        return concernsAll.firstPs() < untilPs && !held ? takeForAll() : none(untilPs);
      }
    }
  }

  private int takeDue() {
    long next = due[position++];
    int i = (int) next;
    a = withIt[2 * i];
    b = withIt[2 * i + 1];
    return taken(next >>> 32, targets[i]);
  }

  private int taken(long offsetPs, int target) {
    nowPs = startPs + offsetPs;
    passedPs = nowPs;
    size--;
    taken++;
    return target ^ mask(nowPs);
  }

  private int takeForAll() {
    nowPs = concernsAll.firstPs();
    passedPs = nowPs;
    size--;
    taken++;
    return concernsAll.take();
  }

  private int none(long untilPs) {
    passedPs = Math.max(passedPs, untilPs);
    return -1;
  }

  private void nextUnit() {
    unit = touched[place++];
    position = end;
    end = ends[unit];
    ends[unit] = 0;
    passedPs = startPs;
    units.begins(unit, targets, withIt, position, end);
    Arrays.sort(due, position, end);
    long before = -1L;
    for (int i = position; i < end; i++) {
      long offset = due[i] >>> 32;
      boolean tie = offset == before;
      before = offset;
      // Few are due at the same instant.
      for (int j = i; tie && j > position && isTieInWrongOrder(j); j--) {
        long swap = due[j];
        due[j] = due[j - 1];
        due[j - 1] = swap;
      }
    }
  }

  private boolean isTieInWrongOrder(int i) {
    long before = due[i - 1];
    long after = due[i];
    return before >>> 32 == after >>> 32 && targets[(int) before] > targets[(int) after];
  }

  /** Opens the next window that has events before a time; it ends there at the latest. */
  private boolean nextWindow(long untilPs) {
    unit = NONE;
    endPs = 0;
    long limitPs = Math.min(untilPs - 1, concernsAll.firstPs()) + 1;
    int next = nextUsed(index);
    while (next < 0) {
      if (size == concernsAll.size() || !nextTurn(limitPs)) {
        return false;
      }
      next = nextUsed(-1);
    }
    long firstPs = turn << TURN_BITS | (long) next << WIDTH_BITS;
    if (firstPs >= limitPs) {
      return false;
    }
    long lastPs = Math.min(limitPs, windowEndPs(firstPs));
    int last = next + (int) (lastPs - 1 - firstPs >>> WIDTH_BITS);
    if (count(next, last, firstPs, lastPs) == 0) {
      return false;
    }
    startPs = firstPs;
    endPs = lastPs;
    collect(next, last);
    // A bucket that the window's end cuts comes again.
    index = (lastPs & WIDTH_MASK) == 0 ? last : last - 1;
    place = 0;
    position = 0;
    end = 0;
    return true;
  }

  /** Finds which units a window touches and, in {@link #ends}, by how many events each. */
  private int count(int first, int last, long firstPs, long lastPs) {
    int count = 0;
    touchedCount = 0;
    long[] slab = near.slab();
    long within = lastPs - firstPs;
    for (int bucket = first; bucket <= last; bucket++) {
      int n = near.count(bucket);
      if (unitOf.length < count + n) {
        unitOf = Arrays.copyOf(unitOf, 2 * (count + n));
      }
      long bucketAt = (long) (bucket - first) << WIDTH_BITS;
      for (int at = near.first(bucket); n > 0; n--, at = near.after(at)) {
        long key = slab[at];
        if (bucketAt + (key >>> 32) < within) {
          int of = units.of((int) key);
          if (ends[of]++ == 0) {
            touch(of);
          }
          unitOf[count++] = of;
        }
      }
    }
    if (due.length < count) {
      due = new long[2 * count];
      targets = new int[2 * count];
      withIt = new long[4 * count];
    }
    return count;
  }

  /**
   * Takes the events of the window out of its buckets, those of each unit together; {@link #ends}
   * goes from how many to where they end.
   */
  private void collect(int first, int last) {
    int from = 0;
    for (int i = 0; i < touchedCount; i++) {
      int n = ends[touched[i]];
      ends[touched[i]] = from;
      from += n;
    }
    long[] slab = near.slab();
    long within = endPs - startPs;
    int place = 0;
    int kept = 0;
    for (int bucket = first; bucket <= last; bucket++) {
      long bucketAt = (long) (bucket - first) << WIDTH_BITS;
      for (int n = near.count(bucket), at = near.first(bucket); n > 0; n--, at = near.after(at)) {
        long key = slab[at];
        long offset = bucketAt + (key >>> 32);
        if (offset >= within) {
          keep(kept++, offset, key, slab[at + 1], slab[at + 2]);
          continue;
        }
        int i = ends[unitOf[place++]]++;
        due[i] = offset << 32 | i;
        targets[i] = (int) key ^ mask(startPs + offset);
        withIt[2 * i] = slab[at + 1];
        withIt[2 * i + 1] = slab[at + 2];
      }
      near.clear(bucket);
      nearUsed[bucket >>> 6] &= ~(1L << bucket);
    }
    for (int i = 0; i < kept; i++) {
      int at = EventLists.WORDS * i;
      addNear(startPs + (cut[at] >>> 32), (int) cut[at], cut[at + 1], cut[at + 2]);
    }
  }

  /** Of the last bucket, what lies behind the window's end. */
  private void keep(int i, long offset, long key, long with, long other) {
    int at = EventLists.WORDS * i;
    if (at == cut.length) {
      cut = Arrays.copyOf(cut, 2 * at);
    }
    cut[at] = offset << 32 | key & 0xffff_ffffL;
    cut[at + 1] = with;
    cut[at + 2] = other;
  }

  private void touch(int of) {
    if (touchedCount == touched.length) {
      touched = Arrays.copyOf(touched, 2 * touchedCount);
    }
    touched[touchedCount++] = of;
  }

  /** The next bucket of this turn after {@code i} that holds something, or −1. */
  private int nextUsed(int i) {
    int from = i + 1;
    if (from >= RING) {
      return -1;
    }
    int w = from >>> 6;
    long bits = nearUsed[w] & -1L << from;
    while (bits == 0) {
      if (++w == nearUsed.length) {
        return -1;
      }
      bits = nearUsed[w];
    }
    return (w << 6) + Long.numberOfTrailingZeros(bits);
  }

  /** Moves on to the next turn with events that begins before a time, and deals them out. */
  private boolean nextTurn(long untilPs) {
    long last = turn + FAR;
    long next = turn + 1;
    while (next < last && far.count((int) next & FAR - 1) == 0) {
      next++;
    }
    if (next == last) {
      next = firstBeyond();
    }
    if (next << TURN_BITS >= untilPs) {
      return false;
    }
    turn = next;
    index = -1;
    dealBeyond();
    int i = (int) next & FAR - 1;
    long[] slab = far.slab();
    for (int n = far.count(i), at = far.first(i); n > 0; n--, at = far.after(at)) {
      long atPs = next << TURN_BITS | slab[at] >>> 32;
      addNear(atPs, (int) slab[at], slab[at + 1], slab[at + 2]);
    }
    far.clear(i);
    return true;
  }

  private long firstBeyond() {
    long first = Long.MAX_VALUE;
    for (int i = 0; i < beyondCount; i++) {
      first = Math.min(first, beyondTimePs[i] >>> TURN_BITS);
    }
    return first;
  }

  /** Deals out what has come within reach of the second calendar. */
  private void dealBeyond() {
    int kept = 0;
    int n = beyondCount;
    for (int i = 0; i < n; i++) {
      long atPs = beyondTimePs[i];
      long target = beyond[EventLists.WORDS * i];
      long with = beyond[EventLists.WORDS * i + 1];
      long other = beyond[EventLists.WORDS * i + 2];
      if ((atPs >>> TURN_BITS) - turn < FAR) {
        addFar(atPs, (int) target, with, other);
      } else {
        setBeyond(kept++, atPs, target, with, other);
      }
    }
    beyondCount = kept;
  }
}
