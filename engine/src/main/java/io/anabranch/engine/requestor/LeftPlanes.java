package io.anabranch.engine.requestor;

import io.anabranch.engine.timer.Timers;
import java.util.Arrays;

/**
 * Planes that were left: a copy sent before counts as lost some time after, since some of those in
 * flight still arrive.
 */
final class LeftPlanes {
  private final long[] leftNs;
  private final long[] lossNs;

  LeftPlanes(int planes) {
    leftNs = new long[planes];
    lossNs = new long[planes];
    Arrays.fill(lossNs, Timers.NEVER);
  }

  /** A plane was left at {@code atNs}; what is then in flight on it is lost at {@code lostAtNs}. */
  void leave(int plane, long atNs, long lostAtNs) {
    leftNs[plane] = atNs;
    lossNs[plane] = lostAtNs;
  }

  /** Whether a copy still in flight counts as lost. */
  boolean isLost(int plane, long sentNs, long nowNs) {
    return lossNs[plane] <= nowNs && sentNs <= leftNs[plane];
  }

  /** The losses of planes whose time had come were dealt with. */
  void done(long nowNs) {
    for (int p = 0; p < lossNs.length; p++) {
      if (lossNs[p] <= nowNs) {
        lossNs[p] = Timers.NEVER;
      }
    }
  }

  /** When the next losses are due, or {@link Timers#NEVER}. */
  long nextNs() {
    long next = Timers.NEVER;
    for (long at : lossNs) {
      next = Math.min(next, at);
    }
    return next;
  }
}
