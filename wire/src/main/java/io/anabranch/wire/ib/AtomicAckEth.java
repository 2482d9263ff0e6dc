package io.anabranch.wire.ib;

/** The value before an atomic operation, 8 bytes (InfiniBand volume 1, section 9.3.5.3). */
public final class AtomicAckEth {
  /** Size on the wire. */
  public static final int BYTES = 8;

  public static final Field ORIGINAL = Field.hex("original", 0, 8);

  public static final Header HEADER = Header.of("AtomicAckETH", BYTES, ORIGINAL);

  private AtomicAckEth() {}
}
