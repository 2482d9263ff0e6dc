package io.anabranch.wire.ib;

/**
 * ACK extended transport header (InfiniBand volume 1, section 9.3.5).
 *
 * <pre>
 *  0  syndrome
 *  1  MSN, 3 bytes: messages completed
 * </pre>
 */
public final class Aeth {
  /** Size on the wire. */
  public static final int BYTES = 4;

  public static final Field SYNDROME = Field.number("syndrome", 0, 1);
  public static final Field MSN = Field.number("msn", 1, 3);

  public static final Header HEADER = Header.of("AETH", BYTES, SYNDROME, MSN);

  private Aeth() {}
}
