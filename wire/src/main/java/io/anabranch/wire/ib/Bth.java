package io.anabranch.wire.ib;

/**
 * Base transport header (InfiniBand volume 1, section 9.2), with the flags that MRC adds in byte 8.
 *
 * <pre>
 *      7 6 5 4 3 2 1 0
 *  0  |    opcode     |
 *  1  |S|M|pad|version|
 *  2  |     P_Key     |
 *  4  |   reserved    |   FECN, BECN: a switch may change it, so the ICRC takes it as ones
 *  5  |destination QP |
 *  8  |A|R|X|T|reservd|   A acknowledge, X retransmission (RTX), T TSETH follows (TS)
 *  9  |      PSN      |
 * </pre>
 */
public final class Bth {
  /** Size on the wire. */
  public static final int BYTES = 12;

  public static final Field OPCODE = Field.number("opcode", 0, 1);
  public static final Field SOLICITED = Field.bits("solicited", 1, 7, 1);
  public static final Field MIGRATION = Field.bits("migration", 1, 6, 1);
  public static final Field PAD_COUNT = Field.bits("padCount", 1, 4, 2);
  public static final Field VERSION = Field.bits("version", 1, 0, 4);
  public static final Field P_KEY = Field.number("pKey", 2, 2);
  public static final Field DEST_QP = Field.number("destQp", 5, 3);
  public static final Field ACK_REQ = Field.bits("ackReq", 8, 7, 1);
  public static final Field RTX = Field.bits("rtx", 8, 5, 1);
  public static final Field TS = Field.bits("ts", 8, 4, 1);
  public static final Field PSN = Field.number("psn", 9, 3);

  public static final Header HEADER =
      Header.of(
          "BTH", BYTES, OPCODE, SOLICITED, MIGRATION, PAD_COUNT, VERSION, P_KEY, DEST_QP, ACK_REQ,
          RTX, TS, PSN);

  private Bth() {}
}
