package io.anabranch.engine.config;

/**
 * NSCC (UET 1.0 section 3.6.13), one controller a destination. The configured base RTT is the
 * peer's {@code initialRttNs}.
 *
 * @param rateBitsPerSecond line rate of the sending NIC, all its planes together: with the base RTT
 *     it gives the bandwidth-delay product
 * @param mtuBytes path MTU
 * @param trimming whether the network trims
 * @param marking whether the network marks ECN; without it delay alone takes the ECN branch
 */
public record NsccConfig(long rateBitsPerSecond, int mtuBytes, boolean trimming, boolean marking)
    implements CcConfig {
  /** Checks ranges. */
  public NsccConfig {
    Check.range("rateBitsPerSecond", rateBitsPerSecond, 1_000_000L, 100_000_000_000_000L);
    Check.range("mtuBytes", mtuBytes, 256, 8192);
  }
}
