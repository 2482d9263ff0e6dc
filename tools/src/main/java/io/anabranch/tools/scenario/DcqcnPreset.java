package io.anabranch.tools.scenario;

import io.anabranch.fabric.link.EcnRamp;
import io.anabranch.fabric.peer.roce.DcqcnConfig;

/**
 * Named sets of DCQCN's parameters. {@link #PAPER_40G}: the paper's. The others are the public
 * configuration of the simulator that was published with HPCC (Li et al., SIGCOMM 2019), in which
 * rates and thresholds follow the rate of the link. docs/transports.md has them side by side.
 */
enum DcqcnPreset {
  /** Zhu et al., SIGCOMM 2015. */
  PAPER_40G(40_000_000_000L),
  /** HPCC's configuration at 100 Gb/s. */
  HPCC_100G(100_000_000_000L),
  /** HPCC's configuration at 400 Gb/s. */
  HPCC_400G(400_000_000_000L);

  private final long rate;

  DcqcnPreset(long rateBitsPerSecond) {
    rate = rateBitsPerSecond;
  }

  DcqcnConfig config() {
    if (this == PAPER_40G) {
      return new DcqcnConfig(
          1.0 / 256,
          55_000_000,
          55_000_000,
          10_000_000,
          5,
          40_000_000,
          400_000_000,
          10_000_000,
          50_000_000);
    }
    return new DcqcnConfig(
        1.0 / 256,
        1_000_000,
        300_000_000,
        10_000_000,
        1,
        rate / 5000,
        rate / 500,
        1_000_000_000,
        4_000_000);
  }

  /** Kmin, Kmax and Pmax at a rate: thresholds are as much time as at the preset's own. */
  EcnRamp ramp(long rateBitsPerSecond) {
    boolean paper = this == PAPER_40G;
    double gbps = rateBitsPerSecond / 1e9;
    return new EcnRamp(
        Math.min(1L << 30, Math.round((paper ? 5_000 / 40.0 : 4_000) * gbps)),
        Math.min(1L << 30, Math.round((paper ? 200_000 / 40.0 : 16_000) * gbps)),
        paper ? 0.01 : 0.2);
  }

  /** The one that suits links of a rate. */
  static DcqcnPreset of(long rateBitsPerSecond) {
    if (rateBitsPerSecond < 2 * PAPER_40G.rate) {
      return PAPER_40G;
    }
    return rateBitsPerSecond < 2 * HPCC_100G.rate ? HPCC_100G : HPCC_400G;
  }
}
