package io.anabranch.engine.config;

/** Which congestion controller guards a destination. */
public sealed interface CcConfig permits CcConfig.FixedWindow, CcConfig.Unlimited, NsccConfig {
  /** The largest window that there is, in bytes. */
  long MAX_WINDOW_BYTES = 1L << 40;

  /**
   * A window that never changes.
   *
   * @param windowBytes bytes that may be in flight, all queue pairs together, 1 … 2^40
   */
  record FixedWindow(long windowBytes) implements CcConfig {
    /** Checks the range. */
    public FixedWindow {
      Check.range("windowBytes", windowBytes, 1, MAX_WINDOW_BYTES);
    }
  }

  /** No window: only MPR and the ports hold a sender back. */
  record Unlimited() implements CcConfig {}
}
