package io.anabranch.fabric.peer.roce;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The sending halves of all queue pairs: what is posted, sent and acknowledged, what is to be sent
 * next, and the retries. Packets have sequence numbers from 0, of which the PSN is the lower 24
 * bits, from a first one drawn for the queue pair.
 */
final class Requestors {
  /** More would make a PSN ambiguous. */
  private static final long MOST_UNDER_WAY = 1 << 23;

  /** Of a queue pair that has failed. */
  private static final long FAILED = Long.MIN_VALUE;

  private final RoceConfig config;
  private final Recovery.@Nullable SelectiveRepeat selective;
  private final @Nullable Window acked;
  private final long mostUnderWay;
  private final long timeoutPs;

  private long[] una = new long[16];
  private long[] next = new long[16];
  private long[] end = new long[16];
  private long[] highest = new long[16];
  private int[] retries = new int[16];
  private long[] deadlinePs = new long[16];

  // Of selective repeat: until when it recovers (0 = it does not), what is looked at next, and one
  // beyond the latest packet that arrived out of order.
  private long[] recoverTo = new long[0];
  private long[] resend = new long[0];
  private long[] arrivedTo = new long[0];

  Requestors(RoceConfig config) {
    this.config = config;
    selective = config.recovery() instanceof Recovery.SelectiveRepeat own ? own : null;
    acked = selective == null ? null : new Window(selective.capPackets());
    mostUnderWay = selective == null ? MOST_UNDER_WAY : selective.capPackets();
    timeoutPs = config.timeout() == 0 ? Long.MAX_VALUE : RoceConfig.timeoutPs(config.timeout());
  }

  void add(int qp) {
    if (qp >= una.length) {
      int n = Math.max(qp + 1, 2 * una.length);
      una = Arrays.copyOf(una, n);
      next = Arrays.copyOf(next, n);
      end = Arrays.copyOf(end, n);
      highest = Arrays.copyOf(highest, n);
      retries = Arrays.copyOf(retries, n);
      deadlinePs = Arrays.copyOf(deadlinePs, n);
    }
    if (selective != null && recoverTo.length < una.length) {
      recoverTo = Arrays.copyOf(recoverTo, una.length);
      resend = Arrays.copyOf(resend, una.length);
      arrivedTo = Arrays.copyOf(arrivedTo, una.length);
    }
    deadlinePs[qp] = Long.MAX_VALUE;
  }

  /** The oldest packet that is not acknowledged. */
  long una(int qp) {
    return una[qp];
  }

  /** The packet behind those that were posted. */
  long end(int qp) {
    return end[qp];
  }

  /** Packets under way: sent and not acknowledged cumulatively. */
  long underWay(int qp) {
    return failed(qp) ? 0 : next[qp] - una[qp];
  }

  /** How many may be. */
  long mostUnderWay() {
    return mostUnderWay;
  }

  boolean failed(int qp) {
    return end[qp] == FAILED;
  }

  void fail(int qp) {
    end[qp] = FAILED;
    deadlinePs[qp] = Long.MAX_VALUE;
  }

  /** More packets were posted. */
  void post(int qp, long packets) {
    end[qp] += packets;
  }

  /** When it times out; {@link Long#MAX_VALUE}: never, as it looks now. */
  long deadlinePs(int qp) {
    return deadlinePs[qp];
  }

  /** Whether it has something to send. */
  boolean hasNext(int qp) {
    if (failed(qp)) {
      return false;
    }
    return lost(qp) >= 0 || next[qp] < end[qp] && next[qp] - una[qp] < mostUnderWay;
  }

  /** A packet to be sent again while it recovers, or −1. */
  private long lost(int qp) {
    if (acked == null || recoverTo[qp] == 0) {
      return -1;
    }
    long to = Math.max(una[qp] + 1, arrivedTo[qp]);
    long sequence = Math.max(una[qp], resend[qp]);
    while (sequence < to && acked.has(qp, sequence)) {
      sequence++;
    }
    resend[qp] = sequence;
    return sequence < to ? sequence : -1;
  }

  /** Takes the next packet to be sent; {@link #hasNext} must hold. */
  long take(int qp, long nowPs) {
    long lost = lost(qp);
    long sequence = lost;
    if (lost >= 0) {
      resend[qp] = lost + 1;
    } else {
      sequence = next[qp]++;
    }
    if (deadlinePs[qp] == Long.MAX_VALUE) {
      restart(qp, nowPs);
    }
    return sequence;
  }

  /** Whether a packet was sent before; from now on it was. */
  boolean isCopy(int qp, long sequence) {
    if (sequence < highest[qp]) {
      return true;
    }
    highest[qp] = sequence + 1;
    return false;
  }

  private void restart(int qp, long nowPs) {
    long after = timeoutPs;
    if (selective != null) {
      boolean few = next[qp] - una[qp] <= selective.rtoLowPackets();
      after = few ? selective.rtoLowPs() : selective.rtoHighPs();
    }
    deadlinePs[qp] = after == Long.MAX_VALUE ? after : nowPs + after;
  }

  /** All before a packet is acknowledged; whether that is news. */
  boolean acknowledged(int qp, long before, long nowPs) {
    if (failed(qp) || before <= una[qp] || before > highest[qp]) {
      return false;
    }
    for (long sequence = una[qp]; acked != null && sequence < before; sequence++) {
      acked.clear(qp, sequence);
    }
    una[qp] = before;
    next[qp] = Math.max(next[qp], before);
    retries[qp] = 0;
    if (selective != null && recoverTo[qp] != 0 && before >= recoverTo[qp]) {
      recoverTo[qp] = 0;
    }
    if (next[qp] == una[qp]) {
      deadlinePs[qp] = Long.MAX_VALUE;
    } else {
      restart(qp, nowPs);
    }
    return true;
  }

  /**
   * The responder misses a packet.
   *
   * @param arrived the one that came instead; only with selective repeat
   * @return whether a retry is left
   */
  boolean missing(int qp, long sequence, long arrived, long nowPs) {
    if (failed(qp) || sequence < una[qp] || sequence >= highest[qp]) {
      return true;
    }
    if (acked == null) {
      if (!retry(qp)) {
        return false;
      }
      next[qp] = sequence;
      restart(qp, nowPs);
      return true;
    }
    if (arrived > una[qp] && arrived < highest[qp]) {
      acked.set(qp, arrived);
      arrivedTo[qp] = Math.max(arrivedTo[qp], arrived + 1);
    }
    if (recoverTo[qp] == 0) {
      recoverTo[qp] = next[qp];
      resend[qp] = una[qp];
    }
    return true;
  }

  /**
   * Its time is over.
   *
   * @return whether a retry is left
   */
  boolean timedOut(int qp, long nowPs) {
    if (!retry(qp)) {
      return false;
    }
    if (acked == null) {
      next[qp] = una[qp];
    } else {
      recoverTo[qp] = next[qp];
      resend[qp] = una[qp];
    }
    restart(qp, nowPs);
    return true;
  }

  private boolean retry(int qp) {
    if (retries[qp] >= config.retryCount()) {
      return false;
    }
    retries[qp]++;
    return true;
  }
}
