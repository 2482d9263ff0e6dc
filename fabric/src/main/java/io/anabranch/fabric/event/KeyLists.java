package io.anabranch.fabric.event;

import java.util.Arrays;

/**
 * A fixed number of lists of longs that are filled at the end and emptied whole. They share chunks:
 * one that was emptied is the next to be filled, so what is in use stays small and in the cache,
 * however many lists have been long at some time.
 */
final class KeyLists {
  private static final int CHUNK_BITS = 5;
  private static final int CHUNK = 1 << CHUNK_BITS;
  private static final int NONE = -1;

  private final int[] first;
  private final int[] last;
  private final int[] count;
  private long[] keys = new long[CHUNK * 16];
  private int[] next = new int[16];
  private int free = NONE;
  private int used;

  /** Empty lists. */
  KeyLists(int lists) {
    first = new int[lists];
    last = new int[lists];
    count = new int[lists];
  }

  /** Keys in a list. */
  int count(int list) {
    return count[list];
  }

  void add(int list, long key) {
    int n = count[list]++;
    int within = n & CHUNK - 1;
    if (within == 0) {
      int chunk = take();
      if (n == 0) {
        first[list] = chunk;
      } else {
        next[last[list]] = chunk;
      }
      last[list] = chunk;
    }
    keys[(last[list] << CHUNK_BITS) + within] = key;
  }

  private int take() {
    int chunk = free;
    if (chunk != NONE) {
      free = next[chunk];
      return chunk;
    }
    if (used == next.length) {
      if (used > Integer.MAX_VALUE >>> CHUNK_BITS + 1) {
        throw new IllegalStateException("more than " + ((long) used << CHUNK_BITS) + " events");
      }
      keys = Arrays.copyOf(keys, keys.length * 2);
      next = Arrays.copyOf(next, used * 2);
    }
    return used++;
  }

  /** Empties a list into an array that is long enough. */
  void drain(int list, long[] to) {
    int left = count[list];
    int chunk = first[list];
    for (int at = 0; left > 0; at += CHUNK) {
      int n = Math.min(CHUNK, left);
      System.arraycopy(keys, chunk << CHUNK_BITS, to, at, n);
      left -= n;
      int then = next[chunk];
      next[chunk] = free;
      free = chunk;
      chunk = then;
    }
    count[list] = 0;
  }
}
