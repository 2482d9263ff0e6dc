package io.anabranch.fabric.event;

import java.util.Arrays;

/** A heap of few events, by time and then by target. */
final class TimeHeap {
  private static final int FIRST_CAPACITY = 16;

  private long[] atPs = new long[FIRST_CAPACITY];
  private int[] targets = new int[FIRST_CAPACITY];
  private int count;

  int size() {
    return count;
  }

  /** When the first is due, or {@code Long.MAX_VALUE}. */
  long firstPs() {
    return count == 0 ? Long.MAX_VALUE : atPs[0];
  }

  void add(long at, int target) {
    if (count == targets.length) {
      atPs = Arrays.copyOf(atPs, 2 * count);
      targets = Arrays.copyOf(targets, 2 * count);
    }
    int i = count++;
    while (i > 0 && isAfter(i - 1 >> 1, at, target)) {
      set(i, atPs[i - 1 >> 1], targets[i - 1 >> 1]);
      i = i - 1 >> 1;
    }
    set(i, at, target);
  }

  /** Takes the first; there must be one. */
  int take() {
    int first = targets[0];
    count--;
    long at = atPs[count];
    int target = targets[count];
    int i = 0;
    while (2 * i + 1 < count) {
      int child = 2 * i + 1;
      if (child + 1 < count && isAfter(child, atPs[child + 1], targets[child + 1])) {
        child++;
      }
      if (isAfter(child, at, target)) {
        break;
      }
      set(i, atPs[child], targets[child]);
      i = child;
    }
    set(i, at, target);
    return first;
  }

  private void set(int i, long at, int target) {
    atPs[i] = at;
    targets[i] = target;
  }

  /** Whether the event at {@code i} is due after another. */
  private boolean isAfter(int i, long at, int target) {
    return atPs[i] > at || atPs[i] == at && targets[i] > target;
  }
}
