package io.anabranch.engine.config;

/**
 * What RTR → RTS needs.
 *
 * @param startPsn PSN of the first packet sent
 * @param startMsn first METH.MSN and RQMSN; 0 in MRC, else for tests of wrapping
 * @param mprPackets the window that the peer grants: a multiple of 128, 8 … 255 units
 * @param dynamicMpr whether the peer's SACKs carry its current MPR
 * @param maxWimm WRITEs with Immediate that may be in flight
 * @param timeout local ACK timeout 1.024 µs · 2^timeout, 0 … 24; 0 switches it off
 * @param linearRetries expiries that use it as is, 0 … 7
 * @param exponentialRetries expiries after those that double it, 0 … 25; 25 = for ever
 */
public record RequestorAttributes(
    int startPsn,
    int startMsn,
    int mprPackets,
    boolean dynamicMpr,
    int maxWimm,
    int timeout,
    int linearRetries,
    int exponentialRetries) {
  /** {@link #exponentialRetries} that never ends. */
  public static final int FOR_EVER = 25;

  /** Checks ranges. */
  public RequestorAttributes {
    Check.range("startPsn", startPsn, 0, 0xff_ffff);
    Check.range("startMsn", startMsn, 0, 0xffff);
    Check.range(
        "mprPackets",
        mprPackets,
        8 * ResponderAttributes.MPR_UNIT,
        255 * ResponderAttributes.MPR_UNIT);
    if (mprPackets % ResponderAttributes.MPR_UNIT != 0) {
      throw new IllegalArgumentException(
          "mprPackets: " + mprPackets + ", allowed multiples of " + ResponderAttributes.MPR_UNIT);
    }
    Check.range("maxWimm", maxWimm, 1, 4096);
    Check.range("timeout", timeout, 0, 24);
    Check.range("linearRetries", linearRetries, 0, 7);
    Check.range("exponentialRetries", exponentialRetries, 0, FOR_EVER);
  }
}
