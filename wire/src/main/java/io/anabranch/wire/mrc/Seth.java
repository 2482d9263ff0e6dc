package io.anabranch.wire.mrc;

import io.anabranch.wire.ib.Field;
import io.anabranch.wire.ib.Header;

/**
 * Selective acknowledgement header; {@link CcState} follows it.
 *
 * <pre>
 *      7 6 5 4 3 2 1 0
 *  0  |   reserved    |
 *  1  |r| M |res|res|P|r|   M: bits 6:5, see {@link Mark}; P: bit 1, answers a probe (PR)
 *  2  |ack_psn_offset |   2 bytes, signed; the probe id when PR is 1
 *  4  |entropy        |   4 bytes: EV of the packet that triggered the SACK
 *  8  |SPDCID         |   2 bytes: low bits of the sender's QP
 * 10  |DPDCID         |   2 bytes: low bits of the receiver's QP
 * 12  |   reserved    |
 * 13  |cack_psn       |   3 bytes: everything up to it has arrived
 * 16  |cc_type|ccflags|   type 0: CC_STATE of NSCC follows
 * 17  |MPR            |   units of 128 PSNs; 0 unless dynamic
 * 18  |sack_offset    |   2 bytes, signed, from cack_psn to the bitmap's bit 0
 * 20  |bitmap         |   8 bytes
 * </pre>
 */
public final class Seth {
  /** Size on the wire. */
  public static final int BYTES = 28;

  public static final Field MARK = Field.bits("m", 1, 5, 2);
  public static final Field PROBE_RESPONSE = Field.bits("probeResponse", 1, 1, 1);
  public static final Field ACK_PSN_OFFSET = Field.signed("ackPsnOffset", 2, 2);
  public static final Field ENTROPY = Field.hex("entropy", 4, 4);
  public static final Field SPDCID = Field.number("spdcid", 8, 2);
  public static final Field DPDCID = Field.number("dpdcid", 10, 2);
  public static final Field CACK_PSN = Field.number("cackPsn", 13, 3);
  public static final Field CC_TYPE = Field.bits("ccType", 16, 4, 4);
  public static final Field CC_FLAGS = Field.bits("ccFlags", 16, 0, 4);
  public static final Field MPR = Field.number("mpr", 17, 1);
  public static final Field SACK_OFFSET = Field.signed("sackOffset", 18, 2);
  public static final Field SACK_BITMAP = Field.hex("sackBitmap", 20, 8);

  public static final Header HEADER =
      Header.of(
          "SETH",
          BYTES,
          MARK,
          PROBE_RESPONSE,
          ACK_PSN_OFFSET,
          ENTROPY,
          SPDCID,
          DPDCID,
          CACK_PSN,
          CC_TYPE,
          CC_FLAGS,
          MPR,
          SACK_OFFSET,
          SACK_BITMAP);

  private Seth() {}
}
