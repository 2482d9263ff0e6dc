package io.anabranch.fabric.peer.roce;

import java.util.Arrays;

/**
 * The reaction points of all queue pairs: each one's rate, by CNPs, time and bytes sent.
 *
 * <p>A CNP halves the rate by alpha and raises alpha; without one for K, alpha decays. Every T, and
 * every B bytes, the rate is raised: halfway back to the target in the first F steps of either
 * (fast recovery), then with a target raised by R_AI, or by R_HAI once both are beyond F. What time
 * does is caught up with when a rate is asked for: between two such moments nothing depends on it.
 */
final class Dcqcn {
  private final DcqcnConfig config;
  private final double lineRate;
  private final double minRate;
  private double[] rate = new double[16];
  private double[] target = new double[16];
  private double[] alpha = new double[16];
  private long[] alphaFromPs = new long[16];
  private long[] timerFromPs = new long[16];
  private long[] bytes = new long[16];
  private int[] timerSteps = new int[16];
  private int[] byteSteps = new int[16];
  private long[] cuts = new long[16];

  Dcqcn(DcqcnConfig config, long lineRateBitsPerSecond) {
    this.config = config;
    lineRate = lineRateBitsPerSecond;
    minRate = config.minRateBitsPerSecond();
  }

  /** N: between two CNPs of a flow. */
  long cnpIntervalPs() {
    return config.cnpIntervalPs();
  }

  /** A queue pair that sends at line rate until its first CNP. */
  void add(int qp) {
    if (qp >= rate.length) {
      int n = Math.max(qp + 1, 2 * rate.length);
      rate = Arrays.copyOf(rate, n);
      target = Arrays.copyOf(target, n);
      alpha = Arrays.copyOf(alpha, n);
      alphaFromPs = Arrays.copyOf(alphaFromPs, n);
      timerFromPs = Arrays.copyOf(timerFromPs, n);
      bytes = Arrays.copyOf(bytes, n);
      timerSteps = Arrays.copyOf(timerSteps, n);
      byteSteps = Arrays.copyOf(byteSteps, n);
      cuts = Arrays.copyOf(cuts, n);
    }
    rate[qp] = lineRate;
    target[qp] = lineRate;
    alpha[qp] = 1;
  }

  /** R_C: what it may send at, in bits a second, all of a packet's bytes counted. */
  double rate(int qp) {
    return rate[qp];
  }

  /** R_T: what its rate goes back to. */
  double target(int qp) {
    return target[qp];
  }

  /** The estimate of congestion. */
  double alpha(int qp) {
    return alpha[qp];
  }

  /** Whether nothing holds it back. */
  boolean atLineRate(int qp) {
    return rate[qp] >= lineRate;
  }

  /** When the timer raises its rate next, as far as {@link #advance} has come. */
  long nextStepPs(int qp) {
    return timerFromPs[qp] + config.rateTimerPs();
  }

  /** A CNP has come. */
  void cnp(int qp, long nowPs) {
    advance(qp, nowPs);
    target[qp] = rate[qp];
    rate[qp] = Math.max(minRate, rate[qp] * (1 - alpha[qp] / 2));
    alpha[qp] = (1 - config.g()) * alpha[qp] + config.g();
    alphaFromPs[qp] = nowPs;
    timerFromPs[qp] = nowPs;
    bytes[qp] = 0;
    timerSteps[qp] = 0;
    byteSteps[qp] = 0;
    cuts[qp]++;
  }

  /** Does what time has done until now. */
  void advance(int qp, long nowPs) {
    if (cuts[qp] == 0) {
      return;
    }
    long decays = (nowPs - alphaFromPs[qp]) / config.alphaTimerPs();
    if (decays > 0) {
      alpha[qp] *= StrictMath.pow(1 - config.g(), (double) decays);
      alphaFromPs[qp] += decays * config.alphaTimerPs();
    }
    while (nextStepPs(qp) <= nowPs) {
      if (isDone(qp)) {
        long steps = (nowPs - timerFromPs[qp]) / config.rateTimerPs();
        timerFromPs[qp] += steps * config.rateTimerPs();
        timerSteps[qp] += (int) Math.min(steps, Integer.MAX_VALUE - timerSteps[qp]);
        return;
      }
      timerFromPs[qp] += config.rateTimerPs();
      timerSteps[qp]++;
      increase(qp);
    }
  }

  /** Whether more steps change nothing. */
  private boolean isDone(int qp) {
    return rate[qp] >= lineRate && target[qp] >= lineRate;
  }

  /** Bytes were sent. */
  void sent(int qp, int count) {
    if (cuts[qp] == 0) {
      return;
    }
    bytes[qp] += count;
    while (bytes[qp] >= config.byteCounterBytes()) {
      bytes[qp] -= config.byteCounterBytes();
      byteSteps[qp]++;
      increase(qp);
    }
  }

  private void increase(int qp) {
    int most = Math.max(timerSteps[qp], byteSteps[qp]);
    int least = Math.min(timerSteps[qp], byteSteps[qp]);
    int f = config.fastRecoverySteps();
    if (least > f) {
      target[qp] += config.rateHaiBitsPerSecond();
    } else if (most > f) {
      target[qp] += config.rateAiBitsPerSecond();
    }
    target[qp] = Math.min(lineRate, target[qp]);
    rate[qp] = Math.min(lineRate, (target[qp] + rate[qp]) / 2);
    // Halves of a difference never end; less than a millionth is none.
    if (lineRate - rate[qp] < lineRate * 1e-6) {
      rate[qp] = lineRate;
    }
  }

  /** CNPs taken in. */
  long cuts(int qp) {
    return cuts[qp];
  }
}
