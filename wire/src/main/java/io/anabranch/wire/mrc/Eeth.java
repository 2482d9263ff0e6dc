package io.anabranch.wire.mrc;

import io.anabranch.wire.ib.Field;
import io.anabranch.wire.ib.Header;

/**
 * Endpoint response header. The place of op is disputed: one implementation has it in bits 5:4.
 *
 * <pre>
 *      7 6 5 4 3 2 1 0
 *  0  |   reserved    |
 *  1  |resrvd |op |res|   op: bits 3:2, see {@link EndpointOp}
 *  2  |   reserved    |   26 bytes
 * 28  |timestamp      |   2 bytes: reflected
 * 30  |   reserved    |   6 bytes
 * </pre>
 */
public final class Eeth {
  /** Size on the wire. */
  public static final int BYTES = 36;

  public static final Field OP = Field.bits("op", 1, 2, 2);
  public static final Field TX_TIMESTAMP = Field.number("txTimestamp", 28, 2);

  public static final Header HEADER = Header.of("EETH", BYTES, OP, TX_TIMESTAMP);

  private Eeth() {}
}
