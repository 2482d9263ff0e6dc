package io.anabranch.engine.requestor;

import io.anabranch.engine.config.EvTable;
import java.util.Arrays;

/**
 * What is known of each packet in the window and of its latest copy: rings by sequence number that
 * grow with use. Copies in flight stand in two lists, in send order: one of all and one per EV.
 *
 * <p>A packet is in flight, lost (to be sent again) or acknowledged. Of a copy in flight it may be
 * known that one sent after it has arrived: on the same EV ({@link #OVERTAKEN}), or by more than
 * the reorder window ({@link #OVERDUE}); and that a bitmap made after some later arrival showed it
 * absent ({@link #MISSING}). A packet that no bitmap has covered is unknown, not missing.
 */
final class Copies {
  static final int INFLIGHT = 1;
  static final int LOST = 2;
  static final int OVERDUE = 4;
  static final int MISSING = 8;
  static final int OVERTAKEN = 16;
  private static final int IN_SENT_LIST = 32;
  private static final int IN_EV_LIST = 64;
  private static final int NONE = -1;
  private static final int FIRST_CAPACITY = 64;

  // One packet's record: all that a send or an arrival looks at lies together.
  private static final int SENT_NS = 0;
  private static final int PREVIOUS_SENT_NS = 1;
  private static final int SEND_NUMBER = 2;
  private static final int SENT_LINKS = 3;
  private static final int EV_LINKS = 4;
  private static final int MISC = 5;
  private static final int WORDS = 6;

  // In MISC: flags (8 bits), count (8), EV (16), previous EV (16).
  private static final int COUNT_SHIFT = 8;
  private static final int EV_SHIFT = 16;
  private static final int PREVIOUS_EV_SHIFT = 32;

  private static final long[] NOTHING = new long[0];

  private final EvTable evs;
  private final SpareArrays spares;
  private int capacity;
  private long[] records = NOTHING;

  // By 64 packets: acknowledged, lost.
  private long[] bits = NOTHING;
  private int sentHead = NONE;
  private int sentTail = NONE;

  // By EV: head, tail.
  private long[] evEnds = NOTHING;

  private long una;
  private long next;
  private int lostCount;
  private int inflightCount;

  Copies(EvTable evs, SpareArrays spares) {
    this.evs = evs;
    this.spares = spares;
  }

  /** Gives memory back when all that was sent is acknowledged; what is known of it is forgotten. */
  void release() {
    if (una == next) {
      spares.give(records);
      spares.give(bits);
      spares.give(evEnds);
      records = NOTHING;
      evEnds = NOTHING;
      bits = NOTHING;
      capacity = 0;
    }
  }

  /** The oldest packet not acknowledged cumulatively. */
  long una() {
    return una;
  }

  /** The next packet never sent. */
  long next() {
    return next;
  }

  int lostCount() {
    return lostCount;
  }

  int inflightCount() {
    return inflightCount;
  }

  private int at(long seq) {
    return (int) seq & capacity - 1;
  }

  private int misc(long seq) {
    return at(seq) * WORDS + MISC;
  }

  private int ackedWord(long seq) {
    return at(seq) >>> 6 << 1;
  }

  private int lostWord(long seq) {
    return ackedWord(seq) + 1;
  }

  private static long links(int next, int previous) {
    return (long) next << 32 | previous & 0xffff_ffffL;
  }

  private static int next(long links) {
    return (int) (links >> 32);
  }

  private static int previous(long links) {
    return (int) links;
  }

  /** Whether a packet's slot still holds it. */
  boolean held(long seq) {
    return seq >= 0 && seq < next && seq >= next - capacity;
  }

  boolean acknowledged(long seq) {
    return seq < una || (bits[ackedWord(seq)] >>> seq & 1) != 0;
  }

  boolean is(long seq, int flag) {
    return (records[misc(seq)] & flag) != 0;
  }

  /** Whether a copy is in flight, unless it is missing already and no more is known of it. */
  boolean mayBeMissing(long seq) {
    int flags = (int) records[misc(seq)] & (INFLIGHT | MISSING | OVERTAKEN | OVERDUE);
    return (flags & INFLIGHT) != 0 && flags != (INFLIGHT | MISSING);
  }

  void set(long seq, int flag) {
    records[misc(seq)] |= flag;
  }

  /** Copies sent of a packet, up to 127. */
  int count(long seq) {
    return (int) (records[misc(seq)] >>> COUNT_SHIFT) & 0xff;
  }

  int ev(long seq) {
    return (int) (records[misc(seq)] >>> EV_SHIFT) & 0xffff;
  }

  int previousEv(long seq) {
    return (int) (records[misc(seq)] >>> PREVIOUS_EV_SHIFT) & 0xffff;
  }

  long sentNs(long seq) {
    return records[at(seq) * WORDS + SENT_NS];
  }

  long previousSentNs(long seq) {
    return records[at(seq) * WORDS + PREVIOUS_SENT_NS];
  }

  long sendNumber(long seq) {
    return records[at(seq) * WORDS + SEND_NUMBER];
  }

  /** The lowest lost packet; there must be one. */
  long lowestLost() {
    for (long word = una >>> 6; ; word++) {
      long lost = bits[lostWord(word << 6)];
      if (word == una >>> 6) {
        lost &= -1L << una;
      }
      if (lost != 0) {
        return (word << 6) + Long.numberOfTrailingZeros(lost);
      }
    }
  }

  /** Acknowledged bits of 64 packets from {@code seq}, which may begin anywhere. */
  long acknowledgedBits(long seq) {
    int shift = (int) seq & 63;
    long low = bits[ackedWord(seq)] >>> shift;
    return shift == 0 ? low : low | bits[ackedWord(seq + 63)] << 64 - shift;
  }

  /** Records a copy of a packet: the next one, or one that is lost. */
  void sent(long seq, int evIndex, long number, long nowNs) {
    long was;
    if (seq == next) {
      if (next - una >= capacity) {
        grow();
      }
      next++;
      was = 0;
      bits[ackedWord(seq)] &= ~(1L << seq);
      bits[lostWord(seq)] &= ~(1L << seq);
    } else {
      was = records[misc(seq)];
      if ((was & LOST) != 0) {
        bits[lostWord(seq)] &= ~(1L << seq);
        lostCount--;
      }
    }
    int i = at(seq);
    int r = i * WORDS;
    long count = Math.min(Byte.MAX_VALUE, (was >>> COUNT_SHIFT & 0xff) + 1);
    long previousEv = was >>> EV_SHIFT & 0xffff;
    records[r + PREVIOUS_SENT_NS] = records[r + SENT_NS];
    records[r + SENT_NS] = nowNs;
    records[r + SEND_NUMBER] = number;
    records[r + MISC] =
        previousEv << PREVIOUS_EV_SHIFT
            | (long) evIndex << EV_SHIFT
            | count << COUNT_SHIFT
            | INFLIGHT
            | IN_SENT_LIST
            | IN_EV_LIST;
    inflightCount++;
    records[r + SENT_LINKS] = links(NONE, sentTail);
    if (sentTail == NONE) {
      sentHead = i;
    } else {
      linkNext(sentTail, SENT_LINKS, i);
    }
    sentTail = i;
    long ends = evEnds[evIndex];
    int tail = previous(ends);
    records[r + EV_LINKS] = links(NONE, tail);
    if (tail == NONE) {
      evEnds[evIndex] = links(i, i);
    } else {
      linkNext(tail, EV_LINKS, i);
      evEnds[evIndex] = links(next(ends), i);
    }
  }

  private void linkNext(int slot, int list, int to) {
    int w = slot * WORDS + list;
    records[w] = links(to, previous(records[w]));
  }

  private void linkPrevious(int slot, int list, int to) {
    int w = slot * WORDS + list;
    records[w] = links(next(records[w]), to);
  }

  private void unlinkSent(int i) {
    int r = i * WORDS;
    if ((records[r + MISC] & IN_SENT_LIST) == 0) {
      return;
    }
    records[r + MISC] &= ~(long) IN_SENT_LIST;
    int before = previous(records[r + SENT_LINKS]);
    int after = next(records[r + SENT_LINKS]);
    if (before == NONE) {
      sentHead = after;
    } else {
      linkNext(before, SENT_LINKS, after);
    }
    if (after == NONE) {
      sentTail = before;
    } else {
      linkPrevious(after, SENT_LINKS, before);
    }
  }

  private void unlinkEv(int i) {
    int r = i * WORDS;
    if ((records[r + MISC] & IN_EV_LIST) == 0) {
      return;
    }
    records[r + MISC] &= ~(long) IN_EV_LIST;
    int before = previous(records[r + EV_LINKS]);
    int after = next(records[r + EV_LINKS]);
    int e = (int) (records[r + MISC] >>> EV_SHIFT) & 0xffff;
    long ends = evEnds[e];
    if (before == NONE) {
      ends = links(after, previous(ends));
    } else {
      linkNext(before, EV_LINKS, after);
    }
    if (after == NONE) {
      ends = links(next(ends), before);
    } else {
      linkPrevious(after, EV_LINKS, before);
    }
    evEnds[e] = ends;
  }

  /** The oldest copy of all still in the send-order list, as a sequence number, or −1. */
  long oldestSent() {
    return sentHead == NONE ? -1 : seqOf(sentHead);
  }

  /** The oldest copy of an EV still in its list, as a sequence number, or −1. */
  long oldestOf(int evIndex) {
    int head = evEnds.length == 0 ? NONE : next(evEnds[evIndex]);
    return head == NONE ? -1 : seqOf(head);
  }

  private long seqOf(int i) {
    return una + (i - una & capacity - 1);
  }

  void leaveSentList(long seq) {
    unlinkSent(at(seq));
  }

  void leaveEvList(long seq) {
    unlinkEv(at(seq));
  }

  private void land(int i) {
    int misc = i * WORDS + MISC;
    if ((records[misc] & INFLIGHT) != 0) {
      unlinkSent(i);
      unlinkEv(i);
      records[misc] &= ~(long) (INFLIGHT | OVERDUE | OVERTAKEN | MISSING);
      inflightCount--;
    }
  }

  /** A packet is known to have arrived. */
  void acknowledge(long seq) {
    int misc = misc(seq);
    land(at(seq));
    if ((records[misc] & LOST) != 0) {
      records[misc] &= ~(long) LOST;
      bits[lostWord(seq)] &= ~(1L << seq);
      lostCount--;
    }
    bits[ackedWord(seq)] |= 1L << seq;
  }

  /** A copy in flight counts as lost. */
  void lose(long seq) {
    land(at(seq));
    records[misc(seq)] |= LOST;
    bits[lostWord(seq)] |= 1L << seq;
    lostCount++;
  }

  /** Everything before {@code seq} is acknowledged. */
  void advance(long seq) {
    una = seq;
  }

  /** Forgets all packets. */
  void clear() {
    una = next;
    for (int misc = MISC; misc < records.length; misc += WORDS) {
      records[misc] = 0;
    }
    for (int word = 1; word < bits.length; word += 2) {
      bits[word] = 0;
    }
    Arrays.fill(evEnds, links(NONE, NONE));
    sentHead = NONE;
    sentTail = NONE;
    lostCount = 0;
    inflightCount = 0;
  }

  private void grow() {
    int old = capacity;
    int size = Math.max(FIRST_CAPACITY, old * 2);
    if (old == 0) {
      evEnds = spares.take(evs.size());
      Arrays.fill(evEnds, links(NONE, NONE));
    }
    long[] newRecords = spares.take(size * WORDS);
    long[] newBits = spares.take(size >>> 6 << 1);
    Arrays.fill(newBits, 0);
    for (long seq = una; seq < next; seq++) {
      int from = ((int) seq & old - 1) * WORDS;
      int to = ((int) seq & size - 1) * WORDS;
      System.arraycopy(records, from, newRecords, to, WORDS);
      newRecords[to + SENT_LINKS] = moved(records[from + SENT_LINKS], size);
      newRecords[to + EV_LINKS] = moved(records[from + EV_LINKS], size);
      long bit = 1L << seq;
      int word = ((int) seq & size - 1) >>> 6 << 1;
      newBits[word] |= bits[ackedWord(seq)] & bit;
      newBits[word + 1] |= bits[lostWord(seq)] & bit;
    }
    sentHead = moved(sentHead, size);
    sentTail = moved(sentTail, size);
    for (int e = 0; e < evEnds.length; e++) {
      evEnds[e] = moved(evEnds[e], size);
    }
    spares.give(records);
    spares.give(bits);
    records = newRecords;
    bits = newBits;
    capacity = size;
  }

  private long moved(long links, int size) {
    return links(moved(next(links), size), moved(previous(links), size));
  }

  /** Where a slot's packet lies in rings of another size; links of landed copies mean nothing. */
  private int moved(int slot, int size) {
    return slot == NONE || capacity == 0 ? NONE : (int) seqOf(slot) & size - 1;
  }
}
