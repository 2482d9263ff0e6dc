package io.anabranch.wire.mrc;

import io.anabranch.wire.ib.Field;
import io.anabranch.wire.ib.Header;

/**
 * MRC extended transport header: of every write.
 *
 * <pre>
 *  0  RQMSN, 2 bytes: WRITEs with Immediate posted before or with this message
 *  2  MSN, 2 bytes: message number
 * </pre>
 */
public final class Meth {
  /** Size on the wire. */
  public static final int BYTES = 4;

  public static final Field RQ_MSN = Field.number("rqMsn", 0, 2);
  public static final Field MSN = Field.number("msn", 2, 2);

  public static final Header HEADER = Header.of("METH", BYTES, RQ_MSN, MSN);

  private Meth() {}
}
