package io.anabranch.verbs;

import io.anabranch.engine.config.CcConfig;
import io.anabranch.engine.config.NsccConfig;

/**
 * How fast queue pairs may send towards a peer. Whatever it says, no more is in flight than the
 * receive buffer that the peer granted.
 *
 * @param algorithm which
 * @param windowBytes bytes that may be in flight towards a peer, all queue pairs together: 1 … 2^40
 * @param rateBitsPerSecond line rate of this side, all planes together, where NSCC steers the
 *     window below {@code windowBytes}: 1 Mb/s … 100 Tb/s
 */
public record CcProfile(Algorithm algorithm, long windowBytes, long rateBitsPerSecond) {
  /** What steers the window. */
  public enum Algorithm {
    /** Nothing: the window never changes. */
    NONE,
    /** NSCC, by delay alone, as sockets show no marks. */
    NSCC
  }

  /** The name of NSCC. */
  public static final String NSCC = "uet-1.0-nscc";

  /**
   * Line rate assumed where none is known: 10 Gb/s, what one thread moves through the sockets of
   * all planes at the very most.
   */
  public static final long DEFAULT_RATE_BITS_PER_SECOND = 10_000_000_000L;

  private static final long MAX_WINDOW_BYTES = CcConfig.MAX_WINDOW_BYTES;
  private static final long MIN_RATE = 1_000_000L;
  private static final long MAX_RATE = 100_000_000_000_000L;
  private static final CcProfile NONE = fixedWindow(MAX_WINDOW_BYTES);

  /** Checks ranges. */
  public CcProfile {
    MrcException.range("windowBytes", windowBytes, 1, MAX_WINDOW_BYTES);
    MrcException.range("rateBitsPerSecond", rateBitsPerSecond, MIN_RATE, MAX_RATE);
  }

  /** Congestion control is off: the peer's receive buffer alone is the limit. */
  public static CcProfile none() {
    return NONE;
  }

  /** A window that never changes. */
  public static CcProfile fixedWindow(long windowBytes) {
    return new CcProfile(Algorithm.NONE, windowBytes, DEFAULT_RATE_BITS_PER_SECOND);
  }

  /** NSCC at the default line rate. */
  public static CcProfile nscc() {
    return nscc(DEFAULT_RATE_BITS_PER_SECOND);
  }

  /** NSCC at a line rate. */
  public static CcProfile nscc(long rateBitsPerSecond) {
    return new CcProfile(Algorithm.NSCC, MAX_WINDOW_BYTES, rateBitsPerSecond);
  }

  /**
   * A profile by the algorithm's name.
   *
   * @param algorithm "none" or {@link #NSCC}
   * @throws MrcException ENOTSUP for every other name
   */
  public static CcProfile of(String algorithm) {
    return switch (algorithm) {
      case "none" -> NONE;
      case NSCC -> nscc();
      default ->
          throw new MrcException(
              MrcException.Code.ENOTSUP, "algorithm: " + algorithm + ", allowed none, " + NSCC);
    };
  }

  /** What the engine is told of a peer that granted so much. */
  CcConfig config(int mtuBytes, long grantedBytes) {
    long most = Math.min(windowBytes, grantedBytes);
    return switch (algorithm) {
      case NONE -> new CcConfig.FixedWindow(most);
      case NSCC -> NsccConfig.sockets(rateBitsPerSecond, mtuBytes, most);
    };
  }
}
