package io.anabranch.fabric.event;

import java.util.Arrays;

/**
 * A fixed number of lists of events that are filled at the end and emptied whole. An event is
 * {@value #WORDS} longs of a slab. The lists share chunks of it: one that was emptied is the next
 * to be filled, so what is in use stays small and in the cache, however many lists have been long
 * at some time. To walk a list:
 *
 * <pre>
 * for (int i = lists.count(list), at = lists.first(list); i &gt; 0; i--, at = lists.after(at))
 * </pre>
 */
final class EventLists {
  static final int WORDS = 3;
  private static final int CHUNK = 64;
  private static final int LINK = CHUNK - 1; // 21 events, then the next chunk
  private static final int NONE = -1;

  private final int[] first;
  private final int[] end;
  private final int[] count;
  private long[] slab = new long[CHUNK * 16];
  private int free = NONE;
  private int used;

  /** Empty lists. */
  EventLists(int lists) {
    first = new int[lists];
    end = new int[lists];
    count = new int[lists];
    Arrays.fill(end, LINK);
  }

  /** Events in a list. */
  int count(int list) {
    return count[list];
  }

  void add(int list, long key, long a, long b) {
    int at = end[list];
    if ((at & LINK) == LINK) {
      int chunk = take();
      if (count[list] == 0) {
        first[list] = chunk;
      } else {
        slab[at] = chunk;
      }
      at = chunk;
    }
    slab[at] = key;
    slab[at + 1] = a;
    slab[at + 2] = b;
    end[list] = at + WORDS;
    count[list]++;
  }

  private int take() {
    int chunk = free;
    if (chunk != NONE) {
      free = (int) slab[chunk + LINK];
      return chunk;
    }
    if (used == slab.length) {
      if (used > Integer.MAX_VALUE / 2) {
        throw new IllegalStateException("more than " + used / WORDS + " events");
      }
      slab = Arrays.copyOf(slab, used * 2);
    }
    chunk = used;
    used += CHUNK;
    return chunk;
  }

  /** Where events are; adding one may replace it. */
  long[] slab() {
    return slab;
  }

  /** Where the first event of a list is, if it has one. */
  int first(int list) {
    return first[list];
  }

  /** Where the event behind another is, if there is one. */
  int after(int at) {
    int next = at + WORDS;
    return (next & LINK) == LINK ? (int) slab[next] : next;
  }

  /** Empties a list. */
  void clear(int list) {
    if (count[list] > 0) {
      int last = (end[list] - WORDS & -CHUNK) + LINK;
      slab[last] = free;
      free = first[list];
      count[list] = 0;
      end[list] = LINK;
    }
  }
}
