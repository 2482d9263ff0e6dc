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

  private final EvTable evs;
  private int capacity;
  private byte[] flags = new byte[0];
  private byte[] count = new byte[0];
  private short[] ev = new short[0];
  private short[] previousEv = new short[0];
  private long[] sentNs = new long[0];
  private long[] previousSentNs = new long[0];
  private long[] sendNumber = new long[0];
  private int[] sentNext = new int[0];
  private int[] sentPrevious = new int[0];
  private int[] evNext = new int[0];
  private int[] evPrevious = new int[0];
  private long[] acknowledged = new long[0];
  private long[] lost = new long[0];
  private int sentHead = NONE;
  private int sentTail = NONE;
  private int[] evHead = new int[0];
  private int[] evTail = new int[0];

  private long una;
  private long next;
  private int lostCount;
  private int inflightCount;

  Copies(EvTable evs) {
    this.evs = evs;
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

  /** Whether a packet's slot still holds it. */
  boolean held(long seq) {
    return seq >= 0 && seq < next && seq >= next - capacity;
  }

  boolean acknowledged(long seq) {
    return seq < una || (acknowledged[at(seq) >>> 6] >>> seq & 1) != 0;
  }

  boolean is(long seq, int flag) {
    return (flags[at(seq)] & flag) != 0;
  }

  void set(long seq, int flag) {
    flags[at(seq)] |= (byte) flag;
  }

  /** Copies sent of a packet, up to 127. */
  int count(long seq) {
    return count[at(seq)];
  }

  int ev(long seq) {
    return ev[at(seq)];
  }

  int previousEv(long seq) {
    return previousEv[at(seq)];
  }

  long sentNs(long seq) {
    return sentNs[at(seq)];
  }

  long previousSentNs(long seq) {
    return previousSentNs[at(seq)];
  }

  long sendNumber(long seq) {
    return sendNumber[at(seq)];
  }

  /** The lowest lost packet; there must be one. */
  long lowestLost() {
    for (long word = una >>> 6; ; word++) {
      long bits = lost[(int) word & lost.length - 1];
      if (word == una >>> 6) {
        bits &= -1L << una;
      }
      if (bits != 0) {
        return (word << 6) + Long.numberOfTrailingZeros(bits);
      }
    }
  }

  /** Acknowledged bits of 64 packets from {@code seq}, which may begin anywhere. */
  long acknowledgedBits(long seq) {
    int word = at(seq) >>> 6;
    int shift = (int) seq & 63;
    long low = acknowledged[word] >>> shift;
    return shift == 0 ? low : low | acknowledged[word + 1 & acknowledged.length - 1] << 64 - shift;
  }

  /** Records a copy of a packet: the next one, or one that is lost. */
  void sent(long seq, int evIndex, long number, long nowNs) {
    if (seq == next) {
      if (next - una >= capacity) {
        grow();
      }
      next++;
      int i = at(seq);
      flags[i] = 0;
      count[i] = 0;
      acknowledged[i >>> 6] &= ~(1L << seq);
      lost[i >>> 6] &= ~(1L << seq);
    }
    int i = at(seq);
    if ((flags[i] & LOST) != 0) {
      lost[i >>> 6] &= ~(1L << seq);
      lostCount--;
    }
    if (count[i] < Byte.MAX_VALUE) {
      count[i]++;
    }
    previousEv[i] = ev[i];
    previousSentNs[i] = sentNs[i];
    ev[i] = (short) evIndex;
    sentNs[i] = nowNs;
    sendNumber[i] = number;
    flags[i] = INFLIGHT | IN_SENT_LIST | IN_EV_LIST;
    inflightCount++;
    sentPrevious[i] = sentTail;
    sentNext[i] = NONE;
    if (sentTail == NONE) {
      sentHead = i;
    } else {
      sentNext[sentTail] = i;
    }
    sentTail = i;
    evPrevious[i] = evTail[evIndex];
    evNext[i] = NONE;
    if (evTail[evIndex] == NONE) {
      evHead[evIndex] = i;
    } else {
      evNext[evTail[evIndex]] = i;
    }
    evTail[evIndex] = i;
  }

  private void unlinkSent(int i) {
    if ((flags[i] & IN_SENT_LIST) == 0) {
      return;
    }
    flags[i] &= ~IN_SENT_LIST;
    int before = sentPrevious[i];
    int after = sentNext[i];
    if (before == NONE) {
      sentHead = after;
    } else {
      sentNext[before] = after;
    }
    if (after == NONE) {
      sentTail = before;
    } else {
      sentPrevious[after] = before;
    }
  }

  private void unlinkEv(int i) {
    if ((flags[i] & IN_EV_LIST) == 0) {
      return;
    }
    flags[i] &= ~IN_EV_LIST;
    int before = evPrevious[i];
    int after = evNext[i];
    int e = ev[i];
    if (before == NONE) {
      evHead[e] = after;
    } else {
      evNext[before] = after;
    }
    if (after == NONE) {
      evTail[e] = before;
    } else {
      evPrevious[after] = before;
    }
  }

  /** The oldest copy of all still in the send-order list, as a sequence number, or −1. */
  long oldestSent() {
    return sentHead == NONE ? -1 : seqOf(sentHead);
  }

  /** The oldest copy of an EV still in its list, as a sequence number, or −1. */
  long oldestOf(int evIndex) {
    return evHead.length == 0 || evHead[evIndex] == NONE ? -1 : seqOf(evHead[evIndex]);
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
    if ((flags[i] & INFLIGHT) != 0) {
      unlinkSent(i);
      unlinkEv(i);
      flags[i] &= ~(INFLIGHT | OVERDUE | OVERTAKEN | MISSING);
      inflightCount--;
    }
  }

  /** A packet is known to have arrived. */
  void acknowledge(long seq) {
    int i = at(seq);
    land(i);
    if ((flags[i] & LOST) != 0) {
      flags[i] &= ~LOST;
      lost[i >>> 6] &= ~(1L << seq);
      lostCount--;
    }
    acknowledged[i >>> 6] |= 1L << seq;
  }

  /** A copy in flight counts as lost. */
  void lose(long seq) {
    int i = at(seq);
    land(i);
    flags[i] |= LOST;
    lost[i >>> 6] |= 1L << seq;
    lostCount++;
  }

  /** Everything before {@code seq} is acknowledged. */
  void advance(long seq) {
    una = seq;
  }

  /** Forgets all packets. */
  void clear() {
    una = next;
    Arrays.fill(flags, (byte) 0);
    Arrays.fill(lost, 0);
    Arrays.fill(evHead, NONE);
    Arrays.fill(evTail, NONE);
    sentHead = NONE;
    sentTail = NONE;
    lostCount = 0;
    inflightCount = 0;
  }

  private void grow() {
    int old = capacity;
    int size = Math.max(FIRST_CAPACITY, old * 2);
    if (old == 0) {
      evHead = new int[evs.size()];
      evTail = new int[evs.size()];
      Arrays.fill(evHead, NONE);
      Arrays.fill(evTail, NONE);
    }
    byte[] newFlags = new byte[size];
    byte[] newCount = new byte[size];
    short[] newEv = new short[size];
    short[] newPreviousEv = new short[size];
    long[] newSentNs = new long[size];
    long[] newPreviousSentNs = new long[size];
    long[] newSendNumber = new long[size];
    int[] newSentNext = new int[size];
    int[] newSentPrevious = new int[size];
    int[] newEvNext = new int[size];
    int[] newEvPrevious = new int[size];
    long[] newAcknowledged = new long[size >>> 6];
    long[] newLost = new long[size >>> 6];
    for (long seq = una; seq < next; seq++) {
      int from = (int) seq & old - 1;
      int to = (int) seq & size - 1;
      newFlags[to] = flags[from];
      newCount[to] = count[from];
      newEv[to] = ev[from];
      newPreviousEv[to] = previousEv[from];
      newSentNs[to] = sentNs[from];
      newPreviousSentNs[to] = previousSentNs[from];
      newSendNumber[to] = sendNumber[from];
      newSentNext[to] = moved(sentNext[from], size);
      newSentPrevious[to] = moved(sentPrevious[from], size);
      newEvNext[to] = moved(evNext[from], size);
      newEvPrevious[to] = moved(evPrevious[from], size);
      long bit = 1L << seq;
      newAcknowledged[to >>> 6] |= (acknowledged[from >>> 6] & bit);
      newLost[to >>> 6] |= (lost[from >>> 6] & bit);
    }
    sentHead = moved(sentHead, size);
    sentTail = moved(sentTail, size);
    for (int e = 0; e < evHead.length; e++) {
      evHead[e] = moved(evHead[e], size);
      evTail[e] = moved(evTail[e], size);
    }
    flags = newFlags;
    count = newCount;
    ev = newEv;
    previousEv = newPreviousEv;
    sentNs = newSentNs;
    previousSentNs = newPreviousSentNs;
    sendNumber = newSendNumber;
    sentNext = newSentNext;
    sentPrevious = newSentPrevious;
    evNext = newEvNext;
    evPrevious = newEvPrevious;
    acknowledged = newAcknowledged;
    lost = newLost;
    capacity = size;
  }

  /** Where a slot's packet lies in rings of another size; links of landed copies mean nothing. */
  private int moved(int slot, int size) {
    return slot == NONE || capacity == 0 ? NONE : (int) seqOf(slot) & size - 1;
  }
}
