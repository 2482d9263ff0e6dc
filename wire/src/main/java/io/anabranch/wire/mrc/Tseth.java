package io.anabranch.wire.mrc;

import io.anabranch.wire.ib.Field;
import io.anabranch.wire.ib.Header;

/**
 * Timestamp header: of a write whose BTH says TS.
 *
 * <pre>
 *      7 6 5 4 3 2 1 0
 *  0  |transmit        |
 *  1  |timestamp       |   units of 128 ns when TSR is 0, the sender's own when 1
 *  2  |T|   reserved   |   T: TSR
 *  3  |reservd| FTYPE  |   1 in MRC 1.0
 * </pre>
 */
public final class Tseth {
  /** Size on the wire. */
  public static final int BYTES = 4;

  public static final Field TX_TIMESTAMP = Field.number("txTimestamp", 0, 2);
  public static final Field TSR = Field.bits("tsr", 2, 7, 1);
  public static final Field F_TYPE = Field.bits("fType", 3, 0, 4);

  public static final Header HEADER = Header.of("TSETH", BYTES, TX_TIMESTAMP, TSR, F_TYPE);

  private Tseth() {}
}
