package io.anabranch.engine.config;

/** Which congestion controller guards a destination. */
public sealed interface CcConfig permits CcConfig.FixedWindow, CcConfig.Unlimited, NsccConfig {
  /**
   * A window that never changes.
   *
   * @param windowBytes bytes that may be in flight, all queue pairs together, 1 … 2^40
   */
  record FixedWindow(long windowBytes) implements CcConfig {
    /** Checks the range. */
    public FixedWindow {
      Check.range("windowBytes", windowBytes, 1, 1L << 40);
    }
  }

  /** No window: only MPR and the ports hold a sender back. */
  record Unlimited() implements CcConfig {}
}
