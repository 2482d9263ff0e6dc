package io.anabranch.engine.responder;

import java.util.Arrays;

/**
 * Which packets beyond the filled prefix have arrived: bitmaps by sequence number (64-bit, counted
 * from the queue pair's first PSN), in rings of 64-packet words that grow with use up to the
 * window. A bit is cleared when the prefix passes it, never on arrival.
 */
final class Arrivals {
  private long[] received = new long[1];
  private long[] ends = new long[1];
  private long[] acks = new long[1];
  private long[] immediates = new long[1];
  private boolean[] dirty = new boolean[1];
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

  boolean has(long seq) {
    if (seq < nextSeq) {
      return true;
    }
    long word = seq >>> 6;
    return word - (nextSeq >>> 6) < received.length
        && (received[(int) word & received.length - 1] >>> seq & 1) != 0;
  }

  /** Records an arrival at or beyond {@link #nextSeq}. */
  void add(long seq, boolean end, boolean ack, boolean immediate) {
    long word = seq >>> 6;
    while (word - (nextSeq >>> 6) >= received.length) {
      grow();
    }
    int i = (int) word & received.length - 1;
    long bit = 1L << seq;
    received[i] |= bit;
    if (end) {
      ends[i] |= bit;
    }
    if (ack) {
      acks[i] |= bit;
    }
    if (immediate) {
      immediates[i] |= bit;
    }
    if (!dirty[i]) {
      dirty[i] = true;
      dirtyWords++;
    }
    highestWord = Math.max(highestWord, word);
    beyond++;
  }

  private void grow() {
    int size = received.length;
    received = regrown(received);
    ends = regrown(ends);
    acks = regrown(acks);
    immediates = regrown(immediates);
    boolean[] old = dirty;
    dirty = new boolean[size * 2];
    long first = nextSeq >>> 6;
    for (long w = first; w < first + size; w++) {
      dirty[(int) w & size * 2 - 1] = old[(int) w & size - 1];
    }
  }

  private long[] regrown(long[] old) {
    int size = old.length;
    long[] ring = new long[size * 2];
    long first = nextSeq >>> 6;
    for (long w = first; w < first + size; w++) {
      ring[(int) w & size * 2 - 1] = old[(int) w & size - 1];
    }
    return ring;
  }

  /** Packets in a row that have arrived from {@link #nextSeq} on, within its word. */
  int run() {
    long word = received[(int) (nextSeq >>> 6) & received.length - 1] >>> nextSeq;
    return Long.numberOfTrailingZeros(~word);
  }

  /** The bits of {@code ring} under the next {@code run} packets, shifted to bit 0. */
  private long under(long[] ring, int run) {
    long bits = ring[(int) (nextSeq >>> 6) & ring.length - 1] >>> nextSeq;
    return run == 64 ? bits : bits & (1L << run) - 1;
  }

  long endsUnder(int run) {
    return under(ends, run);
  }

  long acksUnder(int run) {
    return under(acks, run);
  }

  long immediatesUnder(int run) {
    return under(immediates, run);
  }

  /** Moves the prefix over {@code run} packets of its word and clears their bits. */
  void pass(int run) {
    int i = (int) (nextSeq >>> 6) & received.length - 1;
    long clear = ~((run == 64 ? -1L : (1L << run) - 1) << nextSeq);
    received[i] &= clear;
    ends[i] &= clear;
    acks[i] &= clear;
    immediates[i] &= clear;
    nextSeq += run;
    beyond -= run;
    if ((nextSeq & 63) == 0) {
      clean(i);
    }
  }

  private void clean(int i) {
    if (dirty[i]) {
      dirty[i] = false;
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
        if (dirty[(int) w & dirty.length - 1]) {
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
    if (word - first >= received.length) {
      return 0;
    }
    int i = (int) word & received.length - 1;
    clean(i);
    long prefix = word == first ? (1L << nextSeq) - 1 : 0;
    return received[i] | prefix;
  }

  /** Forgets everything beyond the prefix. */
  void clear() {
    Arrays.fill(received, 0);
    Arrays.fill(dirty, false);
    dirtyWords = 0;
    beyond = 0;
  }
}
