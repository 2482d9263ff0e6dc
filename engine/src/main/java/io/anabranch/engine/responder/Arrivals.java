package io.anabranch.engine.responder;

/**
 * Which packets beyond the filled prefix have arrived: bitmaps by sequence number (64-bit, counted
 * from the queue pair's first PSN), in rings of 64-packet words that grow with use up to the
 * window. A bit is cleared when the prefix passes it, never on arrival.
 */
final class Arrivals {
  // A word's record: which of its 64 packets arrived, and which of those end a message, asked for
  // an answer, carry an immediate; and whether arrivals in it wait to be reported.
  private static final int RECEIVED = 0;
  private static final int ENDS = 1;
  private static final int ACKS = 2;
  private static final int IMMEDIATES = 3;
  private static final int DIRTY = 4;
  private static final int WORDS = 5;

  private long[] records = new long[WORDS];
  private int capacity = 1;
  private int dirtyWords;
  private long nextSeq;
  private long highestWord;
  private int beyond;

  /** First sequence number not in the filled prefix: cack + 1. */
  long nextSeq() {
    return nextSeq;
  }

  /** Packets that arrived beyond the prefix. */
  int beyond() {
    return beyond;
  }

  private int at(long word) {
    return ((int) word & capacity - 1) * WORDS;
  }

  boolean has(long seq) {
    if (seq < nextSeq) {
      return true;
    }
    long word = seq >>> 6;
    return word - (nextSeq >>> 6) < capacity && (records[at(word) + RECEIVED] >>> seq & 1) != 0;
  }

  /** Records an arrival at or beyond {@link #nextSeq}. */
  void add(long seq, boolean end, boolean ack, boolean immediate) {
    long word = seq >>> 6;
    while (word - (nextSeq >>> 6) >= capacity) {
      grow();
    }
    int r = at(word);
    long bit = 1L << seq;
    records[r + RECEIVED] |= bit;
    if (end) {
      records[r + ENDS] |= bit;
    }
    if (ack) {
      records[r + ACKS] |= bit;
    }
    if (immediate) {
      records[r + IMMEDIATES] |= bit;
    }
    if (records[r + DIRTY] == 0) {
      records[r + DIRTY] = 1;
      dirtyWords++;
    }
    highestWord = Math.max(highestWord, word);
    beyond++;
  }

  private void grow() {
    int size = capacity * 2;
    long[] larger = new long[size * WORDS];
    long first = nextSeq >>> 6;
    for (long w = first; w < first + capacity; w++) {
      System.arraycopy(records, at(w), larger, ((int) w & size - 1) * WORDS, WORDS);
    }
    records = larger;
    capacity = size;
  }

  /** Packets in a row that have arrived from {@link #nextSeq} on, within its word. */
  int run() {
    long word = records[at(nextSeq >>> 6) + RECEIVED] >>> nextSeq;
    return Long.numberOfTrailingZeros(~word);
  }

  /** The bits of one kind under the next {@code run} packets, shifted to bit 0. */
  private long under(int kind, int run) {
    long bits = records[at(nextSeq >>> 6) + kind] >>> nextSeq;
    return run == 64 ? bits : bits & (1L << run) - 1;
  }

  long endsUnder(int run) {
    return under(ENDS, run);
  }

  long acksUnder(int run) {
    return under(ACKS, run);
  }

  long immediatesUnder(int run) {
    return under(IMMEDIATES, run);
  }

  /** Moves the prefix over {@code run} packets of its word and clears their bits. */
  void pass(int run) {
    int r = at(nextSeq >>> 6);
    long clear = ~((run == 64 ? -1L : (1L << run) - 1) << nextSeq);
    records[r + RECEIVED] &= clear;
    records[r + ENDS] &= clear;
    records[r + ACKS] &= clear;
    records[r + IMMEDIATES] &= clear;
    nextSeq += run;
    beyond -= run;
    if ((nextSeq & 63) == 0) {
      clean(r);
    }
  }

  private void clean(int r) {
    if (records[r + DIRTY] != 0) {
      records[r + DIRTY] = 0;
      dirtyWords--;
    }
  }

  /** Whether arrivals wait to be reported in some word. */
  boolean anyDirty() {
    return dirtyWords > 0;
  }

  /** The word that a report triggered by {@code seq} carries: its own, or the oldest hole's. */
  long wordFor(long seq) {
    return Math.max(seq >>> 6, nextSeq >>> 6);
  }

  /** The first word with unreported arrivals, or −1. */
  long firstDirty() {
    if (dirtyWords > 0) {
      for (long w = nextSeq >>> 6; w <= highestWord; w++) {
        if (records[at(w) + DIRTY] != 0) {
          return w;
        }
      }
    }
    return -1;
  }

  /** A word's bitmap, the prefix counted as arrived; it is then no longer dirty. */
  long report(long word) {
    long first = nextSeq >>> 6;
    if (word < first) {
      return -1L;
    }
    if (word - first >= capacity) {
      return 0;
    }
    int r = at(word);
    clean(r);
    long prefix = word == first ? (1L << nextSeq) - 1 : 0;
    return records[r + RECEIVED] | prefix;
  }

  /** Forgets everything beyond the prefix. */
  void clear() {
    for (int r = 0; r < records.length; r += WORDS) {
      records[r + RECEIVED] = 0;
      records[r + DIRTY] = 0;
    }
    dirtyWords = 0;
    beyond = 0;
  }
}
