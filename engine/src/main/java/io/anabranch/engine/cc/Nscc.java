package io.anabranch.engine.cc;

import io.anabranch.engine.RttEstimate;
import io.anabranch.engine.config.NsccConfig;
import io.anabranch.engine.config.NsccConfig.Gains;

/**
 * NSCC, UET 1.0 section 3.6.13: a window steered by delay and ECN marks, and cut to what got
 * through (quick_adapt) when the network drops or trims. Names are the specification's.
 *
 * <p>Two cases more than UET has, for networks that do not mark and for senders that pause: where
 * nothing is marked, a delay at or above target counts as a mark; and quick_adapt only judges
 * intervals in which the window held something back, or for which enough was in flight or sent to
 * reach its gate, else it is the application that achieved little.
 */
public final class Nscc implements CongestionControl {
  private static final long NEVER_NS = Long.MIN_VALUE / 2;
  private static final double NS_PER_SECOND = 1e9;

  /** rcv_cwnd_pen is a fraction of 2^7. */
  private static final int PENALTY_BITS = 7;

  private final NsccConfig config;
  private final Gains gains;
  private final RttEstimate rtt;
  private final long toldRttNs;
  private final double minCwndBytes;

  // What follows from the base RTT; recomputed when the estimate has changed.
  private long estimateNs = -1;
  private long baseRttNs;
  private double maxWndBytes;
  private double gateBytes;
  private double targetNs;
  private double alphaPerNs;
  private double fiBytes;
  private double fiScale;
  private double etaBytes;
  private double qaThresholdNs;
  private double unmarkedNs;
  private double adjustPeriodNs;
  private final double adjustBytes;

  private double cwndBytes;
  private long inflightBytes;
  private long achievedBytes;
  private long receivedBytes;
  private long ignoredBytes;
  private long toIgnoreBytes;
  private double inc;
  private long fiCountBytes;
  private boolean fast;
  private boolean triggered;
  private long qaEndtimeNs = NEVER_NS;
  private long lastAdjustNs = NEVER_NS;
  private long lastDecNs = NEVER_NS;
  private double averageNs;

  private double sampleNs;
  private double batchMinNs = Double.POSITIVE_INFINITY;
  private int batched;

  // What was in flight when the interval began, and what was sent in it.
  private long offeredBytes;

  // Whether the window held something back in the interval.
  private boolean held;

  private boolean penalised;
  private double savedCwndBytes;

  /**
   * A controller whose window is max_wnd; where the told RTT is a guess, which may be a cold host's
   * many ms, that of the floor.
   *
   * @param toldRttNs the told base RTT
   * @param rtt the destination's RTT, fed by others
   */
  public Nscc(NsccConfig config, long toldRttNs, RttEstimate rtt) {
    this.config = config;
    this.gains = config.gains();
    this.toldRttNs = toldRttNs;
    this.rtt = rtt;
    minCwndBytes = config.mtuBytes();
    adjustBytes = (double) gains.adjustMtus() * config.mtuBytes();
    rebase();
    cwndBytes =
        config.toldRttBounds()
            ? maxWndBytes
            : Math.min(maxWndBytes, maxWndBytes(config.baseFloorNs()));
  }

  /** Derives everything from the base RTT anew. */
  private void rebase() {
    estimateNs = rtt.baseNs();
    long measuredNs = config.toldRttBounds() ? Math.min(toldRttNs, estimateNs) : estimateNs;
    baseRttNs = Math.max(1, Math.max(config.baseFloorNs(), measuredNs));
    maxWndBytes = maxWndBytes(baseRttNs);
    gateBytes = maxWndBytes / (1L << gains.qaGate());
    long networkNs = networkNs();
    targetNs = gains.targetRtts() * networkNs;
    // At one queue, equal windows would favour the nearer sender: gains follow the RTT at target.
    double nearer = (baseRttNs + targetNs) / (networkNs + targetNs);
    double a = nearer * bdpBytes(networkNs) / gains.referenceBdpBytes();
    double b = gains.referenceRttNs() == 0 ? 1 : targetNs / gains.referenceRttNs();
    alphaPerNs = gains.alpha() * a * b * config.mtuBytes() / targetNs;
    fiBytes = gains.fi() * a * config.mtuBytes();
    fiScale = gains.fiScale() * a;
    etaBytes = gains.eta() * a * config.mtuBytes();
    qaThresholdNs = gains.qaThresholdTargets() * targetNs;
    unmarkedNs = gains.unmarkedRtts() * baseRttNs;
    adjustPeriodNs = gains.adjustPeriodRtts() * networkNs;
  }

  private long networkNs() {
    if (!config.toldRttBounds()) {
      return baseRttNs;
    }
    return config.networkRttNs() > 0
        ? config.networkRttNs()
        : Math.max(config.baseFloorNs(), toldRttNs);
  }

  private double maxWndBytes(long rttNs) {
    double wanted = gains.maxWndBdps() * bdpBytes(rttNs);
    return Math.max(minCwndBytes, Math.min((double) config.maxWndBytes(), wanted));
  }

  private double bdpBytes(long rttNs) {
    return config.rateBitsPerSecond() / 8.0 * rttNs / NS_PER_SECOND;
  }

  @Override
  public boolean maySend(int bytes) {
    boolean may = inflightBytes == 0 || inflightBytes + bytes <= (long) cwndBytes;
    held |= !may;
    return may;
  }

  @Override
  public void onSend(int bytes) {
    inflightBytes += bytes;
    offeredBytes += bytes;
  }

  @Override
  public void onArrived(int bytes) {
    inflightBytes -= bytes;
  }

  @Override
  public void onSack(
      long newBytes, long rttNs, boolean marked, int penalty, boolean restore, long nowNs) {
    if (rtt.baseNs() != estimateNs) {
      rebase();
    }
    achievedBytes += newBytes;
    receivedBytes += newBytes;
    ignoredBytes += newBytes;
    double delayNs = delayNs(rttNs, marked);
    boolean ecn = marked || countsAsMark(delayNs);
    receiverPenalty(newBytes, penalty, restore);
    // The arrivals that this SACK told of are off already.
    if (!quickAdapt(ecn, delayNs, inflightBytes + newBytes, nowNs)) {
      adjust(newBytes, ecn, delayNs, nowNs);
    }
  }

  private boolean countsAsMark(double delayNs) {
    return !config.marking() && delayNs >= targetNs;
  }

  /** The delay that a SACK stands for: its own, its batch's, or the average if it tells none. */
  private double delayNs(long rttNs, boolean marked) {
    if (rttNs < 0) {
      return averageNs;
    }
    batchMinNs = Math.min(batchMinNs, (double) Math.max(0, rttNs - baseRttNs));
    if (++batched >= config.delayBatch()) {
      sampleNs = batchMinNs;
      average(sampleNs, marked || countsAsMark(sampleNs));
      batched = 0;
      batchMinNs = Double.POSITIVE_INFINITY;
    }
    return sampleNs;
  }

  private void average(double delayNs, boolean ecn) {
    double counts = delayNs > targetNs && !ecn ? unmarkedNs : delayNs;
    averageNs += gains.delayGain() * (counts - averageNs);
  }

  /** The four cases of mark and delay, and the increase when its time has come. */
  private void adjust(long newBytes, boolean ecn, double delayNs, long nowNs) {
    if (ecn) {
      endFastIncrease();
      if (delayNs >= targetNs) {
        multiplicativeDecrease(nowNs);
      }
    } else if (delayNs >= targetNs) {
      endFastIncrease();
      inc += fiBytes * newBytes;
    } else if (!fastIncrease(newBytes, delayNs)) {
      inc += alphaPerNs * newBytes * (targetNs - delayNs);
    }
    boolean period = nowNs - lastAdjustNs >= adjustPeriodNs;
    if (period || receivedBytes > adjustBytes) {
      cwndBytes += penalised ? 0 : inc / cwndBytes;
      if (period) {
        cwndBytes += penalised ? 0 : etaBytes;
        lastAdjustNs = nowNs;
      }
      inc = 0;
      receivedBytes = 0;
    }
    bound();
  }

  private boolean fastIncrease(long newBytes, double delayNs) {
    if (delayNs >= gains.fastDelayNs()) {
      endFastIncrease();
      return false;
    }
    fiCountBytes += newBytes;
    fast |= fiCountBytes > cwndBytes;
    if (fast && !penalised) {
      cwndBytes += newBytes * fiScale;
    }
    return fast;
  }

  private void endFastIncrease() {
    fast = false;
    fiCountBytes = 0;
  }

  /**
   * Once per base RTT. Without marks the delay is all there is, and shows a cut only after the RTT
   * that there is now: cutting more often would answer one queue many times.
   */
  private void multiplicativeDecrease(long nowNs) {
    long spacingNs = config.marking() ? baseRttNs : Math.max(baseRttNs, rtt.smoothedNs());
    if (averageNs > targetNs && nowNs - lastDecNs >= spacingNs) {
      double left = 1 - gains.gamma() * (averageNs - targetNs) / averageNs;
      cwndBytes = Math.max(cwndBytes * Math.max(left, gains.maxMdJump()), minCwndBytes);
      lastDecNs = nowNs;
    }
  }

  /**
   * Cuts the window to what got through in an interval, if that was little.
   *
   * @return whether it acted, or still waits for what was in flight when it last did
   */
  private boolean quickAdapt(boolean ecn, double delayNs, long inflightBefore, long nowNs) {
    boolean acted = ecn && ignoredBytes < toIgnoreBytes;
    if (!acted && nowNs >= qaEndtimeNs) {
      acted =
          qaEndtimeNs != NEVER_NS
              && (triggered || delayNs > qaThresholdNs)
              && achievedBytes < gateBytes
              && (held || offeredBytes >= gateBytes);
      if (acted) {
        cwndBytes = Math.max((double) achievedBytes, minCwndBytes);
        toIgnoreBytes = inflightBefore;
        ignoredBytes = 0;
        triggered = false;
        endFastIncrease();
        bound();
      }
      achievedBytes = 0;
      offeredBytes = inflightBytes;
      held = false;
      qaEndtimeNs = nowNs + baseRttNs + (long) targetNs;
    }
    if (acted) {
      inc = 0;
      receivedBytes = 0;
    }
    return acted;
  }

  @Override
  public void onNack(int bytes, boolean trimmed, long nowNs) {
    ignoredBytes += bytes;
    triggered = true;
    boolean acted = false;
    if (trimmed) {
      average((double) toldRttNs, true);
      acted = quickAdapt(true, 0, inflightBytes, nowNs);
    }
    if (!acted) {
      shrink(bytes);
    }
    inflightBytes -= bytes;
  }

  @Override
  public void onLoss(int bytes, long nowNs) {
    // No trigger for quick_adapt: a path that died is the likelier cause, and leaves the others
    // what they had.
    shrink(bytes);
    inflightBytes -= bytes;
  }

  private void shrink(int bytes) {
    cwndBytes -= bytes;
    endFastIncrease();
    bound();
  }

  private void receiverPenalty(long newBytes, int penalty, boolean restore) {
    if (penalty > 0) {
      if (!penalised) {
        penalised = true;
        savedCwndBytes = cwndBytes;
      }
      cwndBytes = Math.min(cwndBytes, (double) (inflightBytes + newBytes));
      cwndBytes -= penalty * newBytes >> PENALTY_BITS;
      bound();
    } else if (penalised) {
      penalised = false;
      if (restore) {
        cwndBytes = savedCwndBytes;
        bound();
      }
    }
  }

  private void bound() {
    cwndBytes = Math.max(minCwndBytes, Math.min(maxWndBytes, cwndBytes));
  }

  @Override
  public void onAbandon(long bytes) {
    inflightBytes -= bytes;
  }

  @Override
  public long cwndBytes() {
    return (long) cwndBytes;
  }

  @Override
  public long inflightBytes() {
    return inflightBytes;
  }

  /** base_rtt. */
  public long baseRttNs() {
    return baseRttNs;
  }

  /** max_wnd. */
  public long maxWndBytes() {
    return (long) maxWndBytes;
  }

  /** The average delay. */
  public double averageDelayNs() {
    return averageNs;
  }
}
