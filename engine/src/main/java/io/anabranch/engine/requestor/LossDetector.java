package io.anabranch.engine.requestor;

import io.anabranch.engine.config.EngineConfig;
import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.trace.TraceEvent.LossCause;
import java.util.Arrays;

/**
 * Decides from acknowledgements which copies arrived and which are lost (mrc-protocol, Requestor,
 * copies (b), (c) and (d)). One SACK is taken in by {@link #arrived} for each packet it shows,
 * {@link #overtake}, {@link #cover} for what it shows absent, and {@link #sweep}, in that order: a
 * packet that the same SACK shows as arrived can then never count as lost.
 */
final class LossDetector {
  /** What happens to a copy, told to the requestor. */
  interface Outcome {
    /**
     * A packet is known to have arrived.
     *
     * @param seq its number if a copy was in flight, else −1 − its number
     * @param evIndex the EV of the copy that arrived, or −1 when that is not known
     * @param sentNs when that copy was sent
     */
    void landed(long seq, int evIndex, long sentNs);

    /** A copy in flight counts as lost. */
    void lost(long seq, int evIndex, long sentNs, LossCause cause);
  }

  /** Which copy of a packet an acknowledgement speaks of. */
  enum Which {
    UNKNOWN,
    LATEST,
    PREVIOUS
  }

  private static final int REORDER_DECAY_RTTS = 16;

  private static final long[] NOTHING = new long[0];

  private final Copies copies;
  private final SpareArrays spares;
  private final Outcome outcome;
  private final EvTable evs;
  private final long floorNs;
  private final boolean timestamps;

  // Made at the first arrival: an idle queue pair stays small.
  private long[] arrivedNumber = NOTHING;
  private short[] touched = new short[0];
  private boolean[] isTouched = new boolean[0];
  private int touchedCount;
  private long sendNumber;
  private long latestNumber = -1;
  private long coverEndSeq = Long.MAX_VALUE;
  private long latestSentNs = Long.MIN_VALUE;
  private boolean latestWasProbe;
  private int widening;
  private long widenedNs;
  private long spurious;

  LossDetector(
      Copies copies, SpareArrays spares, EvTable evs, EngineConfig config, Outcome outcome) {
    this.copies = copies;
    this.spares = spares;
    this.outcome = outcome;
    this.evs = evs;
    this.floorNs = config.reorderFloorNs();
    this.timestamps = config.timestamps();
  }

  /** The number of the next copy or probe: one count for both, in send order. */
  long nextNumber() {
    return sendNumber++;
  }

  /** Gives memory back when nothing is in flight: numbers that are still to come are higher. */
  void release() {
    if (copies.una() == copies.next()) {
      spares.give(arrivedNumber);
      arrivedNumber = NOTHING;
    }
  }

  /** Copies counted as lost that turned out to have arrived. */
  long spurious() {
    return spurious;
  }

  /** Tells copies apart by the EV and the 16-bit stamp that the answer reflects. */
  Which which(long seq, int entropy, int timestamp) {
    boolean stamped = timestamps && timestamp != 0;
    boolean latest =
        sameEv(entropy, copies.ev(seq)) && (!stamped || timestamp == stamp(copies.sentNs(seq)));
    if (copies.count(seq) == 1) {
      return latest ? Which.LATEST : Which.UNKNOWN;
    }
    boolean previous =
        sameEv(entropy, copies.previousEv(seq))
            && (!stamped || timestamp == stamp(copies.previousSentNs(seq)));
    if (latest == previous) {
      return Which.UNKNOWN;
    }
    return latest ? Which.LATEST : Which.PREVIOUS;
  }

  /** IPv4 and plain sockets hide an EV's upper half; it is then echoed as zero. */
  private boolean sameEv(int entropy, int evIndex) {
    int ev = evs.ev(evIndex);
    return entropy == ev || entropy == (ev & 0xffff);
  }

  /** A time as the wire has it: 16 bits of 128 ns. */
  static int stamp(long atNs) {
    return (int) (atNs >>> 7) & 0xffff;
  }

  /** A packet is known to have arrived; nothing happens if it was known before. */
  void arrived(long seq, Which which, long nowNs) {
    if (copies.acknowledged(seq)) {
      return;
    }
    boolean wasLost = copies.is(seq, Copies.LOST);
    boolean inflight = copies.is(seq, Copies.INFLIGHT);
    boolean only = copies.count(seq) == 1;
    if (wasLost || which == Which.PREVIOUS) {
      widen(nowNs);
    }
    int evIndex = -1;
    long sentNs = copies.sentNs(seq);
    if (which == Which.PREVIOUS) {
      evIndex = copies.previousEv(seq);
      sentNs = copies.previousSentNs(seq);
      latestSentNs = Math.max(latestSentNs, sentNs);
    } else if (which == Which.LATEST || only) {
      evIndex = copies.ev(seq);
      evidence(evIndex, copies.sendNumber(seq), sentNs, false, only ? seq : Long.MAX_VALUE);
    }
    copies.acknowledge(seq);
    if (inflight || evIndex >= 0) {
      outcome.landed(inflight ? seq : -1 - seq, evIndex, sentNs);
    }
  }

  /** A probe on an EV was answered. */
  void probeArrived(int evIndex, long number, long sentNs) {
    evidence(evIndex, number, sentNs, true, Long.MAX_VALUE);
  }

  private void evidence(int evIndex, long number, long sentNs, boolean probe, long endSeq) {
    if (number > latestNumber) {
      latestNumber = number;
      coverEndSeq = endSeq;
      latestWasProbe = probe;
    }
    latestSentNs = Math.max(latestSentNs, sentNs);
    if (arrivedNumber.length == 0) {
      arrivedNumber = spares.take(evs.size());
      Arrays.fill(arrivedNumber, -1);
    }
    if (touched.length == 0) {
      touched = new short[evs.size()];
      isTouched = new boolean[evs.size()];
    }
    if (number > arrivedNumber[evIndex]) {
      arrivedNumber[evIndex] = number;
      if (!isTouched[evIndex]) {
        isTouched[evIndex] = true;
        touched[touchedCount++] = (short) evIndex;
      }
    }
  }

  /**
   * A bitmap that is not older than what is known showed a packet absent. It counts as missing only
   * if something sent after its latest copy has arrived: else it may just be under way.
   */
  void cover(long seq) {
    if (copies.mayBeMissing(seq) && copies.sendNumber(seq) < latestNumber) {
      copies.set(seq, Copies.MISSING);
      if (copies.is(seq, Copies.OVERTAKEN)) {
        outcome.lost(seq, copies.ev(seq), copies.sentNs(seq), cause(LossCause.LATER_ON_EV));
      } else if (copies.is(seq, Copies.OVERDUE)) {
        outcome.lost(seq, copies.ev(seq), copies.sentNs(seq), cause(LossCause.REORDER));
      }
    }
  }

  /**
   * From this packet on {@link #cover} changes nothing: where the latest arrival is of a packet's
   * first copy, every copy of a later packet was sent after it.
   */
  long coverEndSeq() {
    return coverEndSeq;
  }

  private LossCause cause(LossCause otherwise) {
    return latestWasProbe ? LossCause.PROBE : otherwise;
  }

  /**
   * Marks what was overtaken on its own EV (b). That alone is no loss: its arrival may be reported
   * by another SACK that is still under way, so a bitmap must show it absent from now on.
   */
  void overtake() {
    for (int i = 0; i < touchedCount; i++) {
      int evIndex = touched[i];
      isTouched[evIndex] = false;
      long seq = copies.oldestOf(evIndex);
      while (seq >= 0 && copies.sendNumber(seq) < arrivedNumber[evIndex]) {
        copies.leaveEvList(seq);
        copies.set(seq, Copies.OVERTAKEN);
        seq = copies.oldestOf(evIndex);
      }
    }
    touchedCount = 0;
  }

  /**
   * Marks what is overdue by the reorder window (c). What a bitmap has shown absent is lost: had it
   * arrived since, that would have been reported by now.
   */
  void sweep(long baseRttNs, long nowNs) {
    if (latestSentNs == Long.MIN_VALUE) {
      return;
    }
    long reorderNs = reorderNs(baseRttNs, nowNs);
    long seq = copies.oldestSent();
    while (seq >= 0
        && copies.sentNs(seq) + reorderNs <= latestSentNs
        && copies.sendNumber(seq) < latestNumber) {
      copies.leaveSentList(seq);
      if (copies.is(seq, Copies.MISSING)) {
        outcome.lost(seq, copies.ev(seq), copies.sentNs(seq), cause(LossCause.REORDER));
      } else {
        copies.set(seq, Copies.OVERDUE);
      }
      seq = copies.oldestSent();
    }
  }

  /**
   * The reorder window (RFC 8985's idea): 1.25 base RTTs, at least the device's floor, half as much
   * again for each loss that was none, up to four times; that decays.
   */
  private long reorderNs(long baseRttNs, long nowNs) {
    long window = Math.max(floorNs, baseRttNs + baseRttNs / 4);
    if (widening > 0 && nowNs - widenedNs > REORDER_DECAY_RTTS * window) {
      widening--;
      widenedNs = nowNs;
    }
    for (int i = 0; i < widening; i++) {
      window += window / 2;
    }
    return window;
  }

  private void widen(long nowNs) {
    spurious++;
    // 1.5^3 is below 4 and 1.5^4 above.
    widening = Math.min(3, widening + 1);
    widenedNs = nowNs;
  }
}
