package io.anabranch.wire.mrc;

import io.anabranch.wire.ib.Field;
import io.anabranch.wire.ib.Header;

/**
 * Negative acknowledgement header.
 *
 * <pre>
 *      7 6 5 4 3 2 1 0
 *  0  |   reserved    |   2 bytes
 *  2  |reason         |   see {@link NackReason}
 *  3  |vendor info    |
 *  4  |entropy        |   4 bytes: EV of the packet that triggered the NACK
 *  8  |SPDCID         |   2 bytes: low bits of the sender's QP
 * 10  |DPDCID         |   2 bytes: low bits of the receiver's QP
 * 12  |   reserved    |
 * 13  |nack_psn       |   3 bytes
 * 16  |cc_type|ccflags|   type 2
 * 17  |   reserved    |
 * 18  |timestamp      |   2 bytes: reflected
 * </pre>
 */
public final class Neth {
  /** Size on the wire. */
  public static final int BYTES = 20;

  public static final Field REASON = Field.number("reason", 2, 1);
  public static final Field VENDOR_INFO = Field.number("vendorInfo", 3, 1);
  public static final Field ENTROPY = Field.hex("entropy", 4, 4);
  public static final Field SPDCID = Field.number("spdcid", 8, 2);
  public static final Field DPDCID = Field.number("dpdcid", 10, 2);
  public static final Field NACK_PSN = Field.number("nackPsn", 13, 3);
  public static final Field CC_TYPE = Field.bits("ccType", 16, 4, 4);
  public static final Field CC_FLAGS = Field.bits("ccFlags", 16, 0, 4);
  public static final Field TX_TIMESTAMP = Field.number("txTimestamp", 18, 2);

  public static final Header HEADER =
      Header.of(
          "NETH",
          BYTES,
          REASON,
          VENDOR_INFO,
          ENTROPY,
          SPDCID,
          DPDCID,
          NACK_PSN,
          CC_TYPE,
          CC_FLAGS,
          TX_TIMESTAMP);

  private Neth() {}
}
