package io.anabranch.tools.transfer;

/** When the next bytes may go, so that a rate is kept on average and bursts are short. */
final class Pace {
  private static final long MAX_DEBT_NS = 20_000_000;

  private final long bps;
  private long dueNs;

  /** {@code bps}: bits per second; 0 = as fast as it goes. */
  Pace(long bps, long nowNs) {
    this.bps = bps;
    dueNs = nowNs;
  }

  /** How long the next bytes must still wait. */
  long waitNs(long nowNs) {
    return bps == 0 ? 0 : Math.max(0, dueNs - nowNs);
  }

  /** Bytes are sent now. */
  void sent(long bytes, long nowNs) {
    if (bps != 0) {
      // What was not used in time may be caught up with, but only for a moment.
      dueNs = Math.max(dueNs, nowNs - MAX_DEBT_NS) + (long) (bytes * 8e9 / bps);
    }
  }

  /** Bytes that go at once: about 10 ms worth. */
  static int blockBytes(long bps, int most) {
    long wanted = bps == 0 ? most : bps / 8 / 100;
    return Math.clamp(wanted, Math.min(4096, most), most);
  }
}
