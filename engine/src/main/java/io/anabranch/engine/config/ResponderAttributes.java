package io.anabranch.engine.config;

/**
 * What INIT → RTR needs.
 *
 * @param peer the peer's handle, as made known with AddPeer
 * @param peerQp the peer's QP number, 3 … 2^24 − 1 (0, 1 and 2 are reserved)
 * @param startPsn first PSN the peer will send
 * @param startMsn first METH.MSN and RQMSN that the peer will send; 0 in MRC, else for tests of
 *     wrapping
 * @param mtuBytes path MTU, 256 … 8192
 * @param mprPackets the window this side grants: a multiple of 128, 8 … 255 units
 * @param dynamicMpr whether SACKs carry the current MPR
 * @param maxWimm WRITEs with Immediate that the peer may have in flight, at least 32
 */
public record ResponderAttributes(
    int peer,
    int peerQp,
    int startPsn,
    int startMsn,
    int mtuBytes,
    int mprPackets,
    boolean dynamicMpr,
    int maxWimm) {
  /** Units in which MPR is counted, in packets. */
  public static final int MPR_UNIT = 128;

  /** Checks ranges. */
  public ResponderAttributes {
    Check.range("peerQp", peerQp, 3, 0xff_ffff);
    Check.range("startPsn", startPsn, 0, 0xff_ffff);
    Check.range("startMsn", startMsn, 0, 0xffff);
    Check.range("mtuBytes", mtuBytes, 256, 8192);
    Check.range("mprPackets", mprPackets, 8 * MPR_UNIT, 255 * MPR_UNIT);
    if (mprPackets % MPR_UNIT != 0) {
      throw new IllegalArgumentException(
          "mprPackets: " + mprPackets + ", allowed multiples of " + MPR_UNIT);
    }
    Check.range("maxWimm", maxWimm, 32, 4096);
  }
}
