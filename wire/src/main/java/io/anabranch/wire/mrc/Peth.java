package io.anabranch.wire.mrc;

import io.anabranch.wire.ib.Field;
import io.anabranch.wire.ib.Header;

/**
 * Reliability probe header.
 *
 * <pre>
 *      7 6 5 4 3 2 1 0
 *  0  |   reserved    |   3 bytes
 *  3  |vendor info    |
 *  4  |probe id       |   2 bytes
 *  6  |   reserved    |   2 bytes
 *  8  |SPDCID         |   2 bytes: low bits of the sender's QP
 * 10  |DPDCID         |   2 bytes: low bits of the receiver's QP
 * 12  |timestamp      |   2 bytes
 * 14  |T|  reserved   |   T: TSR
 * 15  |reservd| FTYPE |
 * </pre>
 */
public final class Peth {
  /** Size on the wire. */
  public static final int BYTES = 16;

  public static final Field VENDOR_INFO = Field.number("vendorInfo", 3, 1);
  public static final Field PROBE_ID = Field.number("probeId", 4, 2);
  public static final Field SPDCID = Field.number("spdcid", 8, 2);
  public static final Field DPDCID = Field.number("dpdcid", 10, 2);
  public static final Field TX_TIMESTAMP = Field.number("txTimestamp", 12, 2);
  public static final Field TSR = Field.bits("tsr", 14, 7, 1);
  public static final Field F_TYPE = Field.bits("fType", 15, 0, 4);

  public static final Header HEADER =
      Header.of("PETH", BYTES, VENDOR_INFO, PROBE_ID, SPDCID, DPDCID, TX_TIMESTAMP, TSR, F_TYPE);

  private Peth() {}
}
