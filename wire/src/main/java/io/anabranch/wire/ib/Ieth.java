package io.anabranch.wire.ib;

/**
 * The R_Key that a SEND with Invalidate invalidates, 4 bytes (InfiniBand volume 1, section 9.3.7).
 */
public final class Ieth {
  /** Size on the wire. */
  public static final int BYTES = 4;

  public static final Field R_KEY = Field.hex("rKey", 0, 4);

  public static final Header HEADER = Header.of("IETH", BYTES, R_KEY);

  private Ieth() {}
}
