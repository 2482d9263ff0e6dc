package io.anabranch.wire.ib;

/** Immediate data: 4 bytes for the receiver's completion (InfiniBand volume 1, section 9.3.6). */
public final class ImmDt {
  /** Size on the wire. */
  public static final int BYTES = 4;

  public static final Field IMMEDIATE = Field.hex("immediate", 0, 4);

  public static final Header HEADER = Header.of("ImmDt", BYTES, IMMEDIATE);

  private ImmDt() {}
}
