package io.anabranch.fabric.pair;

import java.util.Arrays;

/** A binary heap of events, ordered by time and, at the same time, by when they were added. */
final class EventHeap {
  private long[] timeNs = new long[256];
  private long[] order = new long[256];
  private long[] what = new long[256];
  private int size;
  private long added;

  /** Adds an event; {@code kind} and {@code argument} are the caller's. */
  void push(long atNs, int kind, int argument) {
    if (size == timeNs.length) {
      timeNs = Arrays.copyOf(timeNs, size * 2);
      order = Arrays.copyOf(order, size * 2);
      what = Arrays.copyOf(what, size * 2);
    }
    int i = size++;
    long sequence = added++;
    // A new event is the youngest, so among equal times it stays below its parent.
    while (i > 0 && timeNs[i - 1 >> 1] > atNs) {
      move(i - 1 >> 1, i);
      i = i - 1 >> 1;
    }
    timeNs[i] = atNs;
    order[i] = sequence;
    what[i] = (long) kind << 32 | (argument & 0xffff_ffffL);
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Time of the first event; the heap must not be empty. */
  long firstNs() {
    return timeNs[0];
  }

  /** Removes the first event: {@code kind << 32 | argument}. */
  long pop() {
    long result = what[0];
    int last = --size;
    long t = timeNs[last];
    long o = order[last];
    int i = 0;
    while (2 * i + 1 < last) {
      int child = 2 * i + 1;
      if (child + 1 < last && before(child + 1, timeNs[child], order[child])) {
        child++;
      }
      if (!before(child, t, o)) {
        break;
      }
      move(child, i);
      i = child;
    }
    timeNs[i] = t;
    order[i] = o;
    what[i] = what[last];
    return result;
  }

  private boolean before(int i, long t, long o) {
    return timeNs[i] < t || timeNs[i] == t && order[i] < o;
  }

  private void move(int from, int to) {
    timeNs[to] = timeNs[from];
    order[to] = order[from];
    what[to] = what[from];
  }
}
