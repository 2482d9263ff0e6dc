package io.anabranch.wire.ib;

/**
 * Datagram extended transport header (InfiniBand volume 1, section 9.3.2).
 *
 * <pre>
 *  0  Q_Key, 4 bytes
 *  4  reserved
 *  5  source QP, 3 bytes
 * </pre>
 */
public final class Deth {
  /** Size on the wire. */
  public static final int BYTES = 8;

  public static final Field Q_KEY = Field.hex("qKey", 0, 4);
  public static final Field SOURCE_QP = Field.number("sourceQp", 5, 3);

  public static final Header HEADER = Header.of("DETH", BYTES, Q_KEY, SOURCE_QP);

  private Deth() {}
}
