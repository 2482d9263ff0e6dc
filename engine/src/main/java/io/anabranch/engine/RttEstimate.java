package io.anabranch.engine;

/**
 * One destination's round-trip time: a windowed minimum (the base RTT) and a smoothed mean. It
 * starts at a told value, since acknowledgement and probes need one before any sample.
 *
 * <p>The minimum is kept over two half windows, so that it forgets a path that no longer exists
 * within one window; the smoothing is RFC 6298's.
 */
public final class RttEstimate {
  private final long floorNs;
  private final long windowNs;
  private long baseNs;
  private long smoothedNs;
  private long varianceNs;
  private long currentMinNs = Long.MAX_VALUE;
  private long previousMinNs = Long.MAX_VALUE;
  private long halfEndNs = Long.MIN_VALUE;
  private boolean sampled;

  /**
   * @param initialNs RTT assumed before the first sample
   * @param floorNs base RTT never goes below
   * @param windowNs time after which a minimum is forgotten
   */
  public RttEstimate(long initialNs, long floorNs, long windowNs) {
    if (initialNs <= 0 || floorNs < 0 || windowNs <= 0) {
      throw new IllegalArgumentException(
          "initialNs, floorNs, windowNs: " + initialNs + ", " + floorNs + ", " + windowNs);
    }
    this.floorNs = floorNs;
    this.windowNs = windowNs;
    this.baseNs = Math.max(initialNs, floorNs);
    this.smoothedNs = baseNs;
    this.varianceNs = baseNs / 2;
  }

  /** Takes in one unambiguous measurement; values below 1 count as 1. */
  public void sample(long rttNs, long nowNs) {
    long rtt = Math.max(1, rttNs);
    if (nowNs >= halfEndNs) {
      previousMinNs = nowNs - halfEndNs >= windowNs / 2 ? Long.MAX_VALUE : currentMinNs;
      currentMinNs = Long.MAX_VALUE;
      halfEndNs = nowNs + windowNs / 2;
    }
    currentMinNs = Math.min(currentMinNs, rtt);
    baseNs = Math.max(floorNs, Math.min(currentMinNs, previousMinNs));
    if (sampled) {
      varianceNs += (Math.abs(rtt - smoothedNs) - varianceNs) / 4;
      smoothedNs += (rtt - smoothedNs) / 8;
    } else {
      smoothedNs = rtt;
      varianceNs = rtt / 2;
      sampled = true;
    }
  }

  /** The least RTT of the window, at least the floor. */
  public long baseNs() {
    return baseNs;
  }

  /** The smoothed RTT. */
  public long smoothedNs() {
    return smoothedNs;
  }

  /** The smoothed mean deviation. */
  public long varianceNs() {
    return varianceNs;
  }

  /** Whether any sample was taken. */
  public boolean sampled() {
    return sampled;
  }
}
