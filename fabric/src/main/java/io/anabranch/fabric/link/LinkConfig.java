package io.anabranch.fabric.link;

import io.anabranch.engine.config.Check;

/**
 * A link, both directions alike.
 *
 * @param rateBitsPerSecond 1 Mb/s … 10 Tb/s
 * @param delayPs propagation, 0 … 1 s
 */
public record LinkConfig(long rateBitsPerSecond, long delayPs) {
  /** Checks ranges. */
  public LinkConfig {
    Check.range("rateBitsPerSecond", rateBitsPerSecond, 1_000_000L, 10_000_000_000_000L);
    Check.range("delayPs", delayPs, 0, 1_000_000_000_000L);
  }

  /** Time that a number of bits takes on the link, rounded up. */
  public long timePs(long bits) {
    return (bits * 1_000_000_000_000L + rateBitsPerSecond - 1) / rateBitsPerSecond;
  }
}
