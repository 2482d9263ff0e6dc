package io.anabranch.fabric.event;

import java.util.Arrays;

/**
 * Events in the order of (time, target): a target is a number that can have at most one event at an
 * instant, so the order is total and owes nothing to when an event was added.
 *
 * <p>A calendar of {@link #WIDTH_PS} wide buckets, each an array of longs that is sorted when its
 * turn comes: {@code time within the bucket << 32 | target}. Behind it a second calendar whose
 * buckets each hold one turn of the first, and behind that a list. No event is an object.
 */
public final class EventQueue {
  private static final int WIDTH_BITS = 13;
  private static final int RING_BITS = 12;
  private static final int FAR_BITS = 12;
  private static final int RING = 1 << RING_BITS;
  private static final int FAR = 1 << FAR_BITS;
  private static final int TURN_BITS = WIDTH_BITS + RING_BITS;

  /** Width of a bucket. */
  public static final long WIDTH_PS = 1L << WIDTH_BITS;

  private static final long WIDTH_MASK = WIDTH_PS - 1;

  /** The bits of a target that ties may be ordered by anew. */
  private static final int TIE_MASK = (1 << 28) - 1;

  private static final int FIRST_CAPACITY = 16;
  private static final long[] NOTHING = new long[0];

  private final long tieSeed;

  private final KeyLists near = new KeyLists(RING);
  private final long[] nearUsed = new long[RING >>> 6];
  private final KeyLists far = new KeyLists(FAR);
  private long[] beyondTimePs = new long[FIRST_CAPACITY];
  private int[] beyondTarget = new int[FIRST_CAPACITY];
  private int beyondCount;

  // The turn whose events are in the near calendar, the bucket of it that is being drained (−1 =
  // none yet), and a heap of what was added to that bucket since it was sorted.
  private long turn;
  private int index = -1;
  private long basePs;
  private long[] current = NOTHING;
  private long[] dealt = NOTHING;
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

  /**
   * An empty queue at time 0.
   *
   * @param tieSeed 0: events at one instant come by ascending target; else, for each instant anew,
   *     in an order drawn from it, within each 2^28 targets
   */
  public EventQueue(long tieSeed) {
    this.tieSeed = tieSeed;
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
    if (atPs >>> TURN_BITS != turn) {
      addFar(atPs, target);
      return;
    }
    long key = (atPs & WIDTH_MASK) << 32 | target ^ mask(atPs);
    int i = (int) (atPs >>> WIDTH_BITS) & RING - 1;
    if (i == index) {
      addLate(key);
    } else {
      addNear(i, key);
    }
  }

  private void addNear(int i, long key) {
    near.add(i, key);
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
   * @return its target, or −1 when there is none before {@code untilPs}
   */
  public int take(long untilPs) {
    while (true) {
      boolean fromLate = lateCount > 0 && (position == end || late[0] < current[position]);
      if (!fromLate && position == end) {
        if (!nextBucket(untilPs)) {
          passedPs = Math.max(passedPs, untilPs);
          return -1;
        }
        continue;
      }
      long key = fromLate ? late[0] : current[position];
      long atPs = basePs + (key >>> 32);
      if (atPs >= untilPs) {
        passedPs = Math.max(passedPs, untilPs);
        return -1;
      }
      if (fromLate) {
        takeLate();
      } else {
        position++;
      }
      nowPs = atPs;
      passedPs = atPs;
      size--;
      taken++;
      return (int) key ^ mask(atPs);
    }
  }

  /** Moves on to the next bucket with events that begins before a time. */
  private boolean nextBucket(long untilPs) {
    if (size == 0) {
      return false;
    }
    int next = nextUsed(index);
    while (next < 0) {
      if (!nextTurn(untilPs)) {
        return false;
      }
      next = nextUsed(-1);
    }
    long startPs = turn << TURN_BITS | (long) next << WIDTH_BITS;
    if (startPs >= untilPs) {
      return false;
    }
    index = next;
    basePs = startPs;
    end = near.count(next);
    current = roomFor(current, end);
    near.drain(next, current);
    position = 0;
    nearUsed[next >>> 6] &= ~(1L << next);
    Arrays.sort(current, 0, end);
    return true;
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
    position = 0;
    end = 0;
    dealBeyond();
    int i = (int) next & FAR - 1;
    int count = far.count(i);
    dealt = roomFor(dealt, count);
    far.drain(i, dealt);
    for (int n = 0; n < count; n++) {
      long offset = dealt[n] >>> 32;
      int target = (int) dealt[n];
      long key = (offset & WIDTH_MASK) << 32 | target ^ mask(next << TURN_BITS | offset);
      addNear((int) (offset >>> WIDTH_BITS), key);
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
