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
 * <p>A calendar of {@link #WIDTH_PS} wide buckets, each a list of longs: {@code time within the
 * bucket << 32 | target}. Behind it a second calendar whose buckets each hold one turn of the
 * first, and behind that a list. A window is some buckets of one turn. No event is an object.
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

  private final KeyLists near = new KeyLists(RING);
  private final long[] nearUsed = new long[RING >>> 6];
  private final KeyLists far = new KeyLists(FAR);
  private long[] beyondTimePs = new long[FIRST_CAPACITY];
  private int[] beyondTarget = new int[FIRST_CAPACITY];
  private int beyondCount;
  private final int firstForAll;
  private final TimeHeap concernsAll = new TimeHeap();

  // The turn whose events are in the near calendar, and the last bucket of it that is done with
  // (−1 = none yet).
  private long turn;
  private int index = -1;
  private long[] dealt = new long[FIRST_CAPACITY];

  // The window: its events, by unit; which units it has, and where the events of each end.
  private long startPs;
  private long endPs;
  private long[] unsorted = new long[FIRST_CAPACITY];
  private int[] unitOf = new int[FIRST_CAPACITY];
  private long[] window = new long[FIRST_CAPACITY];
  private int[] touched = new int[FIRST_CAPACITY];
  private int touchedCount;
  private final int[] ends;

  // The unit whose turn it is, the next of its events, and a heap of those added since.
  private int place;
  private int unit = NONE;
  private int position;
  private int end;
  private long[] late = new long[FIRST_CAPACITY];
  private int lateCount;

  private long nowPs;
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

  /** Events that wait. */
  public long size() {
    return size;
  }

  /** Events taken so far. */
  public long taken() {
    return taken;
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
    if (atPs < passedPs) {
      throw new IllegalArgumentException("atPs: " + atPs + ", allowed at least " + passedPs);
    }
    size++;
    if (atPs < endPs) {
      if (target >= firstForAll || units.of(target) != unit) {
        throw new IllegalArgumentException(
            "atPs: " + atPs + ", allowed for another unit at least " + endPs);
      }
      addLate(atPs - startPs << 32 | target ^ mask(atPs));
    } else if (target >= firstForAll) {
      concernsAll.add(atPs, target);
    } else if (atPs >>> TURN_BITS != turn) {
      addFar(atPs, target);
    } else {
      addNear(atPs, target);
    }
  }

  private void addNear(long atPs, int target) {
    int i = (int) (atPs >>> WIDTH_BITS) & RING - 1;
    near.add(i, (atPs & WIDTH_MASK) << 32 | target);
    nearUsed[i >>> 6] |= 1L << i;
  }

  private void addFar(long atPs, int target) {
    long of = atPs >>> TURN_BITS;
    if (of - turn >= FAR) {
      if (beyondCount == beyondTarget.length) {
        beyondTimePs = Arrays.copyOf(beyondTimePs, beyondCount * 2);
        beyondTarget = Arrays.copyOf(beyondTarget, beyondCount * 2);
      }
      beyondTimePs[beyondCount] = atPs;
      beyondTarget[beyondCount++] = target;
      return;
    }
    far.add((int) of & FAR - 1, (atPs & (1L << TURN_BITS) - 1) << 32 | target);
  }

  private void addLate(long key) {
    if (lateCount == late.length) {
      late = Arrays.copyOf(late, lateCount * 2);
    }
    int i = lateCount++;
    while (i > 0 && late[i - 1 >> 1] > key) {
      late[i] = late[i - 1 >> 1];
      i = i - 1 >> 1;
    }
    late[i] = key;
  }

  private long takeLate() {
    long first = late[0];
    long key = late[--lateCount];
    int i = 0;
    while (2 * i + 1 < lateCount) {
      int child = 2 * i + 1;
      if (child + 1 < lateCount && late[child + 1] < late[child]) {
        child++;
      }
      if (late[child] >= key) {
        break;
      }
      late[i] = late[child];
      i = child;
    }
    late[i] = key;
    return first;
  }

  /**
   * Takes the next event before a time.
   *
   * @param untilPs not before that of the last call
   * @return its target, or −1 when there is none before {@code untilPs}
   */
  public int take(long untilPs) {
    while (true) {
      if (lateCount > 0 && (position == end || late[0] < window[position])) {
        return taken(takeLate());
      }
      if (position < end) {
        return taken(window[position++]);
      }
      if (unit != NONE) {
        int ended = unit;
        unit = NONE;
        units.ended(ended, endPs);
      }
      if (place < touchedCount) {
        nextUnit();
      } else if (!nextWindow(untilPs)) {
        return concernsAll.firstPs() < untilPs ? takeForAll() : none(untilPs);
      }
    }
  }

  private int taken(long key) {
    nowPs = startPs + (key >>> 32);
    passedPs = nowPs;
    size--;
    taken++;
    return (int) key ^ mask(nowPs);
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
    Arrays.sort(window, position, end);
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
    int count = collect(next, firstPs, lastPs);
    if (count == 0) {
      return false;
    }
    startPs = firstPs;
    endPs = lastPs;
    sortByUnit(count);
    place = 0;
    position = 0;
    end = 0;
    return true;
  }

  /** Takes all events of a window out of its buckets. */
  private int collect(int first, long firstPs, long lastPs) {
    int count = 0;
    touchedCount = 0;
    long bucketPs = firstPs;
    int last = first + (int) (lastPs - 1 - firstPs >>> WIDTH_BITS);
    for (int b = first; b <= last; b++, bucketPs += WIDTH_PS) {
      int n = near.count(b);
      if (n == 0) {
        continue;
      }
      dealt = roomFor(dealt, n);
      near.drain(b, dealt);
      nearUsed[b >>> 6] &= ~(1L << b);
      if (unsorted.length < count + n) {
        unsorted = Arrays.copyOf(unsorted, 2 * (count + n));
      }
      if (unitOf.length < count + n) {
        unitOf = Arrays.copyOf(unitOf, 2 * (count + n));
      }
      for (int i = 0; i < n; i++) {
        long atPs = bucketPs + (dealt[i] >>> 32);
        int target = (int) dealt[i];
        if (atPs >= lastPs) {
          addNear(atPs, target);
          continue;
        }
        int of = units.of(target);
        if (ends[of]++ == 0) {
          touch(of);
        }
        unitOf[count] = of;
        unsorted[count++] = atPs - firstPs << 32 | target ^ mask(atPs);
      }
    }
    // A bucket that the window's end cuts comes again.
    index = (lastPs & WIDTH_MASK) == 0 ? last : last - 1;
    return count;
  }

  private void touch(int of) {
    if (touchedCount == touched.length) {
      touched = Arrays.copyOf(touched, 2 * touchedCount);
    }
    touched[touchedCount++] = of;
  }

  /** Puts the events of each unit together; {@link #ends} goes from how many to where they end. */
  private void sortByUnit(int count) {
    if (touchedCount == 1) {
      long[] swap = window;
      window = unsorted;
      unsorted = swap;
      return;
    }
    window = roomFor(window, count);
    int at = 0;
    for (int i = 0; i < touchedCount; i++) {
      int n = ends[touched[i]];
      ends[touched[i]] = at;
      at += n;
    }
    for (int i = 0; i < count; i++) {
      window[ends[unitOf[i]]++] = unsorted[i];
    }
  }

  private static long[] roomFor(long[] array, int n) {
    return n <= array.length ? array : new long[Math.max(n, array.length * 2)];
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
    int count = far.count(i);
    dealt = roomFor(dealt, count);
    far.drain(i, dealt);
    for (int n = 0; n < count; n++) {
      long offset = dealt[n] >>> 32;
      int target = (int) dealt[n];
      addNear(next << TURN_BITS | offset, target);
    }
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
      if ((beyondTimePs[i] >>> TURN_BITS) - turn < FAR) {
        long at = beyondTimePs[i];
        far.add(
            (int) (at >>> TURN_BITS) & FAR - 1,
            (at & (1L << TURN_BITS) - 1) << 32 | beyondTarget[i]);
      } else {
        beyondTimePs[kept] = beyondTimePs[i];
        beyondTarget[kept++] = beyondTarget[i];
      }
    }
    beyondCount = kept;
  }
}
