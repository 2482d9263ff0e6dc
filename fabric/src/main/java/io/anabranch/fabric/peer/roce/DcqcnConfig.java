package io.anabranch.fabric.peer.roce;

/**
 * DCQCN at the hosts, with the names of Zhu et al., "Congestion Control for Large-Scale RDMA
 * Deployments", SIGCOMM 2015. The congestion point is a switch port's marking.
 *
 * @param g weight of the newest feedback in alpha, 0 … 1
 * @param alphaTimerPs K: without a CNP for so long, alpha decays; 1 ns … 1 s
 * @param rateTimerPs T: the timer's period of rate increases; 1 ns … 1 s
 * @param byteCounterBytes B: the byte counter's period of rate increases; 1 … 2^40
 * @param fastRecoverySteps F: steps of either that only go back towards the target rate; 1 … 31
 * @param rateAiBitsPerSecond R_AI: a step of additive increase; up to 10 Tb/s
 * @param rateHaiBitsPerSecond R_HAI: a step of hyper increase; up to 10 Tb/s
 * @param minRateBitsPerSecond a rate is never cut below it; 1 kb/s … 10 Tb/s
 * @param cnpIntervalPs N: the notification point sends at most one CNP a flow in it; 0 … 1 s
 */
public record DcqcnConfig(
    double g,
    long alphaTimerPs,
    long rateTimerPs,
    long byteCounterBytes,
    int fastRecoverySteps,
    long rateAiBitsPerSecond,
    long rateHaiBitsPerSecond,
    long minRateBitsPerSecond,
    long cnpIntervalPs) {
  private static final long SECOND_PS = 1_000_000_000_000L;
  private static final long MOST_BITS_PER_SECOND = 10_000_000_000_000L;

  /** Checks ranges. */
  public DcqcnConfig {
    if (!(g > 0 && g <= 1)) {
      throw new IllegalArgumentException("g: " + g + ", allowed above 0 up to 1");
    }
    Ranges.check("alphaTimerPs", alphaTimerPs, 1000, SECOND_PS);
    Ranges.check("rateTimerPs", rateTimerPs, 1000, SECOND_PS);
    Ranges.check("byteCounterBytes", byteCounterBytes, 1, 1L << 40);
    Ranges.check("fastRecoverySteps", fastRecoverySteps, 1, 31);
    Ranges.check("rateAiBitsPerSecond", rateAiBitsPerSecond, 0, MOST_BITS_PER_SECOND);
    Ranges.check("rateHaiBitsPerSecond", rateHaiBitsPerSecond, 0, MOST_BITS_PER_SECOND);
    Ranges.check("minRateBitsPerSecond", minRateBitsPerSecond, 1000, MOST_BITS_PER_SECOND);
    Ranges.check("cnpIntervalPs", cnpIntervalPs, 0, SECOND_PS);
  }
}
