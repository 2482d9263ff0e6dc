package io.anabranch.verbs;

/**
 * How fast queue pairs may send towards a peer. Whatever it says, no more is in flight than the
 * receive buffer that the peer granted.
 *
 * @param windowBytes bytes that may be in flight towards a peer, all queue pairs together: 1 … 2^40
 */
public record CcProfile(long windowBytes) {
  /** The name of NSCC, which is not supported. */
  public static final String NSCC = "uet-1.0-nscc";

  private static final long MAX_WINDOW_BYTES = 1L << 40;
  private static final CcProfile NONE = new CcProfile(MAX_WINDOW_BYTES);

  /** Checks the range. */
  public CcProfile {
    MrcException.range("windowBytes", windowBytes, 1, MAX_WINDOW_BYTES);
  }

  /** Congestion control is off: the peer's receive buffer alone is the limit. */
  public static CcProfile none() {
    return NONE;
  }

  /** A window that never changes. */
  public static CcProfile fixedWindow(long windowBytes) {
    return new CcProfile(windowBytes);
  }

  /**
   * A profile by the algorithm's name.
   *
   * @param algorithm "none"
   * @throws MrcException ENOTSUP for every other name
   */
  public static CcProfile of(String algorithm) {
    if (algorithm.equals("none")) {
      return NONE;
    }
    throw new MrcException(MrcException.Code.ENOTSUP, "algorithm: " + algorithm + ", allowed none");
  }
}
