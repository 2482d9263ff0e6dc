package io.anabranch.wire.mrc;

import io.anabranch.wire.ib.Field;
import io.anabranch.wire.ib.Header;

/**
 * What a responder tells the congestion control of the requestor; follows {@link Seth}.
 *
 * <pre>
 *      7 6 5 4 3 2 1 0
 *  0  |timestamp      |   2 bytes: reflected
 *  2  |r|ooo_count    |   15 bits: packets received beyond cack_psn
 *  4  |R|rcv_cwnd_pen |   R: restore_cwnd; penalty 0…127
 *  5  |rcvd_bytes     |   3 bytes, units of 256 B, modulo 2^24
 * </pre>
 */
public final class CcState {
  /** Size on the wire. */
  public static final int BYTES = 8;

  public static final Field TX_TIMESTAMP = Field.number("txTimestamp", 0, 2);
  public static final Field OOO_COUNT = new Field("oooCount", 2, 2, 0, 15, Field.Kind.NUMBER);
  public static final Field RESTORE_CWND = Field.bits("restoreCwnd", 4, 7, 1);
  public static final Field RCV_CWND_PENALTY = Field.bits("rcvCwndPenalty", 4, 0, 7);
  public static final Field RCVD_BYTES = Field.number("rcvdBytes", 5, 3);

  public static final Header HEADER =
      Header.of(
          "CC_STATE", BYTES, TX_TIMESTAMP, OOO_COUNT, RESTORE_CWND, RCV_CWND_PENALTY, RCVD_BYTES);

  private CcState() {}
}
