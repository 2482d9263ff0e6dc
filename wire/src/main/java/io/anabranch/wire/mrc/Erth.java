package io.anabranch.wire.mrc;

import io.anabranch.wire.ib.Field;
import io.anabranch.wire.ib.Header;

/**
 * Endpoint request header.
 *
 * <pre>
 *      7 6 5 4 3 2 1 0
 *  0  |   reserved    |
 *  1  |  reserved |op |   see {@link EndpointOp}
 *  2  |   reserved    |
 *  3  |vendor info    |
 *  4  |port status    |   4 bytes: bit n − 1 = port n is up
 *  8  |   reserved    |   4 bytes
 * 12  |timestamp      |   2 bytes
 * 14  |T|  reserved   |   T: TSR
 * 15  |reservd| FTYPE |
 * </pre>
 */
public final class Erth {
  /** Size on the wire. */
  public static final int BYTES = 16;

  public static final Field OP = Field.bits("op", 1, 0, 2);
  public static final Field VENDOR_INFO = Field.number("vendorInfo", 3, 1);
  public static final Field PORT_STATUS_MASK = Field.hex("portStatusMask", 4, 4);
  public static final Field TX_TIMESTAMP = Field.number("txTimestamp", 12, 2);
  public static final Field TSR = Field.bits("tsr", 14, 7, 1);
  public static final Field F_TYPE = Field.bits("fType", 15, 0, 4);

  public static final Header HEADER =
      Header.of("ERTH", BYTES, OP, VENDOR_INFO, PORT_STATUS_MASK, TX_TIMESTAMP, TSR, F_TYPE);

  private Erth() {}
}
