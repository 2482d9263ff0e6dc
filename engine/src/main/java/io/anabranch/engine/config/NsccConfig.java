package io.anabranch.engine.config;

/**
 * NSCC (UET 1.0 section 3.6.13), one controller a destination. The peer's {@code initialRttNs} is
 * the told base RTT.
 *
 * @param rateBitsPerSecond line rate of the sending NIC, all its planes together, 1 Mb/s … 100
 *     Tb/s: with the base RTT it gives the bandwidth-delay product (BDP)
 * @param mtuBytes path MTU, 256 … 8192
 * @param trimming whether the network trims
 * @param marking whether the network marks ECN; without it delay alone takes the ECN branch, since
 *     otherwise nothing but loss would ever shrink the window
 * @param maxWndBytes what max_wnd never exceeds, however large the BDP, 1 … 2^40: the receive
 *     buffer that the peer granted, where that is the last hop's queue
 * @param baseFloorNs base_rtt never goes below, 0 … 10 s: what the hosts' scheduling adds of its
 *     own, so that it does not look like a queue; 0 where times are exact
 * @param toldRttBounds whether the told RTT is an upper bound of base_rtt and fixes what is derived
 *     from the network's RTT (target, alpha, fi, eta, adjust_period), as in uet-htsim; false = all
 *     of it follows what is measured
 * @param delayBatch RTT samples whose minimum counts as one, 1 … 64: above 1 where single samples
 *     are the host scheduler's
 * @param networkRttNs with {@code toldRttBounds} the RTT that fixes them for all destinations
 *     alike, where the told one is the pair's own, so that flows which share a queue have one
 *     target, and grow in proportion to their RTT at that target: at equal rates; 0 = the told one
 * @param gains the algorithm's factors
 */
public record NsccConfig(
    long rateBitsPerSecond,
    int mtuBytes,
    boolean trimming,
    boolean marking,
    long maxWndBytes,
    long baseFloorNs,
    boolean toldRttBounds,
    int delayBatch,
    long networkRttNs,
    Gains gains)
    implements CcConfig {
  private static final long MAX_RTT_NS = 10_000_000_000L;
  private static final long SOCKET_FLOOR_NS = 1_000_000;
  private static final int SOCKET_BATCH = 4;

  /** Checks ranges. */
  public NsccConfig {
    Check.range("rateBitsPerSecond", rateBitsPerSecond, 1_000_000L, 100_000_000_000_000L);
    Check.range("mtuBytes", mtuBytes, 256, 8192);
    Check.range("maxWndBytes", maxWndBytes, 1, MAX_WINDOW_BYTES);
    Check.range("baseFloorNs", baseFloorNs, 0, MAX_RTT_NS);
    Check.range("delayBatch", delayBatch, 1, 64);
    Check.range("networkRttNs", networkRttNs, 0, MAX_RTT_NS);
  }

  /** Defaults for a network whose base RTT is known: exact times, no limit but the BDP. */
  public static NsccConfig of(
      long rateBitsPerSecond, int mtuBytes, boolean trimming, boolean marking) {
    return new NsccConfig(
        rateBitsPerSecond,
        mtuBytes,
        trimming,
        marking,
        MAX_WINDOW_BYTES,
        0,
        true,
        1,
        0,
        Gains.of(trimming));
  }

  /**
   * Defaults for plain sockets, which mark and trim nothing and whose times are the host
   * scheduler's: base RTTs below 1 ms count as that (so BDP and target are what is needed to bridge
   * a thread's turn, not the wire's few µs), the least of 4 samples counts as one, increases are
   * the same share of the BDP at any RTT, and only NACKs trigger quick_adapt, since a pause of the
   * host looks like any delay.
   *
   * @param maxWndBytes the receive buffer that the peer granted
   */
  public static NsccConfig sockets(long rateBitsPerSecond, int mtuBytes, long maxWndBytes) {
    return new NsccConfig(
        rateBitsPerSecond,
        mtuBytes,
        false,
        false,
        maxWndBytes,
        SOCKET_FLOOR_NS,
        false,
        SOCKET_BATCH,
        0,
        Gains.sockets());
  }

  /** The same with another {@link #maxWndBytes}. */
  public NsccConfig withMaxWndBytes(long value) {
    return new NsccConfig(
        rateBitsPerSecond,
        mtuBytes,
        trimming,
        marking,
        value,
        baseFloorNs,
        toldRttBounds,
        delayBatch,
        networkRttNs,
        gains);
  }

  /** The same with another {@link #mtuBytes}. */
  public NsccConfig withMtuBytes(int value) {
    return new NsccConfig(
        rateBitsPerSecond,
        value,
        trimming,
        marking,
        maxWndBytes,
        baseFloorNs,
        toldRttBounds,
        delayBatch,
        networkRttNs,
        gains);
  }

  /** The same with other {@link #baseFloorNs}, {@link #toldRttBounds} and {@link #delayBatch}. */
  public NsccConfig withRtt(long floorNs, boolean bounds, int batch) {
    return new NsccConfig(
        rateBitsPerSecond,
        mtuBytes,
        trimming,
        marking,
        maxWndBytes,
        floorNs,
        bounds,
        batch,
        networkRttNs,
        gains);
  }

  /** The same with another {@link #networkRttNs}. */
  public NsccConfig withNetworkRttNs(long value) {
    return new NsccConfig(
        rateBitsPerSecond,
        mtuBytes,
        trimming,
        marking,
        maxWndBytes,
        baseFloorNs,
        toldRttBounds,
        delayBatch,
        value,
        gains);
  }

  /** The same with other {@link #gains}. */
  public NsccConfig withGains(Gains value) {
    return new NsccConfig(
        rateBitsPerSecond,
        mtuBytes,
        trimming,
        marking,
        maxWndBytes,
        baseFloorNs,
        toldRttBounds,
        delayBatch,
        networkRttNs,
        value);
  }

  /**
   * The factors of NSCC, with a = BDP / {@code referenceBdpBytes} and b = target / {@code
   * referenceRttNs}. Defaults are UET 1.0's, section 3.6.13.
   *
   * @param maxWndBdps max_wnd in BDPs; 1.5
   * @param targetRtts target_qdelay in base RTTs; 0.75 where the network trims, else 1.0
   * @param referenceBdpBytes BDP of the network that the gains are given for: 100 Gb/s · 12 µs
   * @param referenceRttNs its RTT, 12 µs; 0 = the target itself, so that b = 1 and an increase is
   *     the same share of the BDP at any RTT
   * @param alpha proportional increase, MTUs · a · b per RTT at no delay; 4
   * @param fi fair increase, MTUs · a per RTT; 5
   * @param fiScale fast increase, bytes · a per byte acknowledged; 0.25
   * @param eta added once an adjust_period, MTUs · a; 0.15
   * @param fastDelayNs fast increase takes place below this delay; 1 µs
   * @param gamma multiplicative decrease: share of the average delay's excess; 0.8
   * @param maxMdJump what is left of the window at least; 0.5
   * @param adjustPeriodRtts adjust_period in base RTTs; 1
   * @param adjustMtus adjust_bytes in MTUs; 8
   * @param qaGate quick_adapt acts when less than max_wnd / 2^qaGate was achieved; 3
   * @param qaThresholdTargets delay that triggers quick_adapt, in targets; 4, and out of reach
   *     where trims tell more than delay
   * @param delayGain weight of a new sample in the average delay; 0.0125 (uet-htsim)
   * @param unmarkedRtts base RTTs that a sample above target counts as if it is not marked; 0.25
   *     (uet-htsim)
   */
  public record Gains(
      double maxWndBdps,
      double targetRtts,
      long referenceBdpBytes,
      long referenceRttNs,
      double alpha,
      double fi,
      double fiScale,
      double eta,
      long fastDelayNs,
      double gamma,
      double maxMdJump,
      double adjustPeriodRtts,
      int adjustMtus,
      int qaGate,
      double qaThresholdTargets,
      double delayGain,
      double unmarkedRtts) {
    /** A {@link #qaThresholdTargets} that no delay reaches. */
    public static final double NEVER = 1e9;

    /** BDP of 100 Gb/s and 12 µs. */
    public static final long REFERENCE_BDP_BYTES = 150_000;

    /** RTT of the network that UET gives its gains for. */
    public static final long REFERENCE_RTT_NS = 12_000;

    /** Checks ranges. */
    public Gains {
      Check.range("maxWndBdps", maxWndBdps, 0.1, 100);
      Check.range("targetRtts", targetRtts, 0.01, 100);
      Check.range("referenceBdpBytes", referenceBdpBytes, 1, MAX_WINDOW_BYTES);
      Check.range("referenceRttNs", referenceRttNs, 0, MAX_RTT_NS);
      Check.range("alpha", alpha, 0, 1000);
      Check.range("fi", fi, 0, 1000);
      Check.range("fiScale", fiScale, 0, 1000);
      Check.range("eta", eta, 0, 1000);
      Check.range("fastDelayNs", fastDelayNs, 0, MAX_RTT_NS);
      Check.range("gamma", gamma, 0, 1);
      Check.range("maxMdJump", maxMdJump, 0.01, 1);
      Check.range("adjustPeriodRtts", adjustPeriodRtts, 0.01, 1000);
      Check.range("adjustMtus", adjustMtus, 0, 1 << 20);
      Check.range("qaGate", qaGate, 0, 30);
      Check.range("qaThresholdTargets", qaThresholdTargets, 0, NEVER);
      Check.range("delayGain", delayGain, 0, 1);
      Check.range("unmarkedRtts", unmarkedRtts, 0, 100);
    }

    /** The defaults. */
    public static Gains of(boolean trimming) {
      return of(trimming ? 0.75 : 1.0, REFERENCE_RTT_NS, trimming ? NEVER : 4);
    }

    /** Defaults for plain sockets: b = 1, and no delay triggers quick_adapt. */
    public static Gains sockets() {
      return of(1.0, 0, NEVER);
    }

    private static Gains of(double targetRtts, long referenceRttNs, double qaThresholdTargets) {
      return new Gains(
          1.5,
          targetRtts,
          REFERENCE_BDP_BYTES,
          referenceRttNs,
          4,
          5,
          0.25,
          0.15,
          1_000,
          0.8,
          0.5,
          1,
          8,
          3,
          qaThresholdTargets,
          0.0125,
          0.25);
    }
  }
}
