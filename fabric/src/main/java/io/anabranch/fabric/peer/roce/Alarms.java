package io.anabranch.fabric.peer.roce;

import java.util.Arrays;

/** Times with a number each, the earliest first; a binary heap. */
final class Alarms {
  private static final long NEVER = Long.MAX_VALUE;

  private long[] atPs = new long[8];
  private int[] ids = new int[8];
  private int count;

  /** The earliest time. */
  long firstPs() {
    return count == 0 ? NEVER : atPs[0];
  }

  void add(long timePs, int id) {
    if (count == ids.length) {
      atPs = Arrays.copyOf(atPs, 2 * count);
      ids = Arrays.copyOf(ids, 2 * count);
    }
    int i = count++;
    while (i > 0 && after(i - 1 >> 1, timePs, id)) {
      set(i, atPs[i - 1 >> 1], ids[i - 1 >> 1]);
      i = i - 1 >> 1;
    }
    set(i, timePs, id);
  }

  /** Takes out the earliest; its number. */
  int take() {
    final int first = ids[0];
    int last = --count;
    long timePs = atPs[last];
    int id = ids[last];
    int i = 0;
    while (2 * i + 1 < last) {
      int child = 2 * i + 1;
      if (child + 1 < last && after(child, atPs[child + 1], ids[child + 1])) {
        child++;
      }
      if (after(child, timePs, id)) {
        break;
      }
      set(i, atPs[child], ids[child]);
      i = child;
    }
    set(i, timePs, id);
    return first;
  }

  /** Whether what is at a place comes after a time and number; equal times by number. */
  private boolean after(int i, long timePs, int id) {
    return atPs[i] > timePs || atPs[i] == timePs && ids[i] > id;
  }

  private void set(int i, long timePs, int id) {
    atPs[i] = timePs;
    ids[i] = id;
  }
}
