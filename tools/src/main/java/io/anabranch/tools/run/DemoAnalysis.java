package io.anabranch.tools.run;

import io.anabranch.wire.mrc.Psn;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** Works out from what was logged how long things took. Times are of one clock, in nanoseconds. */
final class DemoAnalysis {
  /** Share of an equal share that a plane must carry to count as recovered. */
  private static final double RECOVERED_SHARE = 0.8;

  private static final int WINDOW_PER_PLANE = 32;

  private final ArrivalLog arrivals;
  private final ArrivalLog swallowed;
  private final int startPsn;
  private final int planes;
  private final int mtuBytes;

  /**
   * An analysis.
   *
   * @param arrivals first arrivals of data packets at the receiver
   * @param swallowed data packets sent into a dead plane
   */
  DemoAnalysis(ArrivalLog arrivals, ArrivalLog swallowed, int startPsn, int planes, int mtuBytes) {
    this.arrivals = arrivals;
    this.swallowed = swallowed;
    this.startPsn = startPsn;
    this.planes = planes;
    this.mtuBytes = mtuBytes;
  }

  private int index(int psn) {
    return Psn.ahead(psn, startPsn) & Psn.MASK;
  }

  /** The longest time in which the prefix of packets that have all arrived did not grow. */
  long longestStallNs(long fromNs) {
    BitSet arrived = new BitSet();
    int next = 0;
    long lastNs = arrivals.size() == 0 ? 0 : arrivals.atNs(0);
    long longest = 0;
    for (int i = 0; i < arrivals.size(); i++) {
      arrived.set(index(arrivals.psn(i)));
      int prefix = arrived.nextClearBit(next);
      if (prefix > next) {
        next = prefix;
        if (arrivals.atNs(i) >= fromNs) {
          longest = Math.max(longest, arrivals.atNs(i) - Math.max(lastNs, fromNs));
        }
        lastNs = arrivals.atNs(i);
      }
    }
    return longest;
  }

  /** From a cut until all that it swallowed has arrived and nothing more is sent into it. */
  @Nullable Long failoverNs(long cutNs) {
    int packets = 1 + maxIndex();
    long[] arrivedNs = new long[packets];
    Arrays.fill(arrivedNs, Long.MAX_VALUE);
    for (int i = 0; i < arrivals.size(); i++) {
      arrivedNs[index(arrivals.psn(i))] = arrivals.atNs(i);
    }
    long end = cutNs;
    for (int i = 0; i < swallowed.size(); i++) {
      if (swallowed.atNs(i) < cutNs) {
        continue;
      }
      long at = arrivedNs[index(swallowed.psn(i))];
      if (at == Long.MAX_VALUE) {
        return null;
      }
      end = Math.max(end, Math.max(swallowed.atNs(i), at));
    }
    return end - cutNs;
  }

  private int maxIndex() {
    int max = 0;
    for (int i = 0; i < arrivals.size(); i++) {
      max = Math.max(max, index(arrivals.psn(i)));
    }
    for (int i = 0; i < swallowed.size(); i++) {
      max = Math.max(max, index(swallowed.psn(i)));
    }
    return max;
  }

  /** From a plane's return until it carried 80 % of an equal share of a window of arrivals. */
  @Nullable Long recoveryNs(int plane, long returnNs) {
    int window = WINDOW_PER_PLANE * planes;
    int mine = 0;
    int first = -1;
    for (int i = 0; i < arrivals.size(); i++) {
      if (arrivals.atNs(i) < returnNs) {
        continue;
      }
      if (first < 0) {
        first = i;
      }
      mine += arrivals.plane(i) == plane ? 1 : 0;
      if (i - first >= window) {
        mine -= arrivals.plane(i - window) == plane ? 1 : 0;
      }
      if (i - first >= window - 1 && mine >= RECOVERED_SHARE * window / planes) {
        return arrivals.atNs(i) - returnNs;
      }
    }
    return null;
  }

  /** Payload bits per microsecond between two times. */
  double goodputMbps(long fromNs, long toNs) {
    long packets = 0;
    for (int i = 0; i < arrivals.size(); i++) {
      packets += arrivals.atNs(i) >= fromNs && arrivals.atNs(i) < toNs ? 1 : 0;
    }
    return toNs > fromNs ? packets * (double) mtuBytes * 8e3 / (toNs - fromNs) : 0;
  }

  long firstNs() {
    return arrivals.size() == 0 ? 0 : arrivals.atNs(0);
  }

  long lastNs() {
    return arrivals.size() == 0 ? 0 : arrivals.atNs(arrivals.size() - 1);
  }
}
