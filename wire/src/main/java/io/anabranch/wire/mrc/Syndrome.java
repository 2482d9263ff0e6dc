package io.anabranch.wire.mrc;

/** Values of AETH.syndrome. */
public final class Syndrome {
  /** Positive; the credit bits say "invalid": MRC has no credits. */
  public static final int ACK = 0x1F;

  /** A WRITE with Immediate over the agreed limit. */
  public static final int NAK_INVALID_REQUEST = 0x61;

  /** R_Key, protection domain, access flags or bounds did not fit. */
  public static final int NAK_REMOTE_ACCESS = 0x62;

  /** No receive posted for an immediate. */
  public static final int NAK_REMOTE_OPERATION = 0x63;

  private Syndrome() {}
}
