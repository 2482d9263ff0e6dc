package io.anabranch.fabric.link;

import java.util.Arrays;

/**
 * First in, first out lists of pairs of longs, all in one slab. A list is a long, {@code position
 * of its head << 32 | position of its tail}, or {@link #EMPTY}. It grows by chunks of {@value
 * #CHUNK} longs, seven pairs and the neighbours, and a chunk that falls empty is the next to be
 * used, so that what is in use stays small and in the cache.
 */
final class Fifos {
  /** A list without anything. */
  static final long EMPTY = -1L;

  private static final int CHUNK = 16;
  private static final int WITHIN = CHUNK - 1;
  private static final int NEXT = 14;
  private static final int BEFORE = 15;
  private static final int NONE = -1;
  private static final long LOW = 0xffff_ffffL;

  private long[] slab = new long[CHUNK * 64];
  private int used;
  private int free = NONE;

  private int take() {
    int chunk = free;
    if (chunk != NONE) {
      free = (int) slab[chunk + NEXT];
      return chunk;
    }
    if (used == slab.length) {
      if (used > Integer.MAX_VALUE / 2) {
        throw new IllegalStateException("more than " + used / 2 + " packets wait");
      }
      slab = Arrays.copyOf(slab, 2 * used);
    }
    chunk = used;
    used += CHUNK;
    return chunk;
  }

  private void release(int chunk) {
    slab[chunk + NEXT] = free;
    free = chunk;
  }

  private static int chunkOf(int position) {
    return position & ~WITHIN;
  }

  /** Appends a pair; returns the list. */
  long add(long list, long a, long b) {
    int tail;
    if (list == EMPTY) {
      tail = take();
      list = (long) tail << 32;
    } else {
      tail = (int) list + 2;
      if ((tail & WITHIN) == NEXT) {
        int chunk = take();
        slab[tail] = chunk;
        slab[chunk + BEFORE] = chunkOf(tail);
        tail = chunk;
      }
    }
    slab[tail] = a;
    slab[tail + 1] = b;
    return list & ~LOW | tail;
  }

  /** The first long of the pair at the head. */
  long first(long list) {
    return slab[(int) (list >>> 32)];
  }

  /** The second long of the pair at the head. */
  long firstOther(long list) {
    return slab[(int) (list >>> 32) + 1];
  }

  /** The first long of the pair at the tail. */
  long last(long list) {
    return slab[(int) list];
  }

  /** The second long of the pair at the tail. */
  long lastOther(long list) {
    return slab[(int) list + 1];
  }

  /** Takes out the pair at the head; returns the list. */
  long removeFirst(long list) {
    int head = (int) (list >>> 32);
    if (head == (int) list) {
      release(chunkOf(head));
      return EMPTY;
    }
    return (long) after(head, true) << 32 | list & LOW;
  }

  /** Takes out the pair at the tail; returns the list. */
  long removeLast(long list) {
    int tail = (int) list;
    if (tail == (int) (list >>> 32)) {
      release(chunkOf(tail));
      return EMPTY;
    }
    int before = tail - 2;
    if ((tail & WITHIN) == 0) {
      before = (int) slab[tail + BEFORE] + NEXT - 2;
      release(tail);
    }
    return list & ~LOW | before;
  }

  /** The position behind one that is not the tail. */
  private int after(int position, boolean leave) {
    int next = position + 2;
    if ((next & WITHIN) != NEXT) {
      return next;
    }
    int chunk = (int) slab[next];
    if (leave) {
      release(chunkOf(position));
    }
    return chunk;
  }

  /** The position of a list's head, to walk it; {@link #NONE} when it is empty. */
  static int head(long list) {
    return (int) (list >> 32);
  }

  /** The first long at a position. */
  long at(int position) {
    return slab[position];
  }

  /** The position after one in a list, or −1. */
  int next(long list, int position) {
    return position == (int) list ? NONE : after(position, false);
  }
}
