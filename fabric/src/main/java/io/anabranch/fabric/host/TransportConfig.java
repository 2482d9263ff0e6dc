package io.anabranch.fabric.host;

import io.anabranch.engine.config.CcConfig;
import io.anabranch.engine.config.Check;
import io.anabranch.fabric.topology.Routing;

/**
 * How hosts use MRC.
 *
 * @param routing how EVs become paths
 * @param evsPerPlane EVs of a profile on each plane
 * @param activeEvsPerPlane of those, in rotation; the rest are backups
 * @param reactive whether marks and trims make an EV be skipped; false = oblivious spraying
 * @param mtuBytes path MTU, 256 … 8192
 * @param mprPackets maximum PSN range, a multiple of 128
 * @param timeout local ACK timeout 1.024 µs · 2^timeout
 * @param linearRetries expiries that use it as is
 * @param exponentialRetries expiries after those that double it; 25 = for ever
 * @param sackBytes sack_gen_threshold
 * @param cc congestion control towards each destination
 * @param baseRttNs RTT told at set-up
 * @param qpsPerPair queue pairs between two hosts that exchange data; a flow's messages go round
 *     them in turn
 * @param messageBytes a flow is written in messages of this size; 0 = one message
 * @param reverseProbes whether a host that only receives keeps its way back fresh with EV probes
 */
public record TransportConfig(
    Routing routing,
    int evsPerPlane,
    int activeEvsPerPlane,
    boolean reactive,
    int mtuBytes,
    int mprPackets,
    int timeout,
    int linearRetries,
    int exponentialRetries,
    int sackBytes,
    CcConfig cc,
    long baseRttNs,
    int qpsPerPair,
    long messageBytes,
    boolean reverseProbes) {
  /** Checks ranges. */
  public TransportConfig {
    Check.range("evsPerPlane", evsPerPlane, 1, 4096);
    Check.range("activeEvsPerPlane", activeEvsPerPlane, 1, evsPerPlane);
    Check.range("mtuBytes", mtuBytes, 256, 8192);
    Check.range("baseRttNs", baseRttNs, 1, 10_000_000_000L);
    Check.range("qpsPerPair", qpsPerPair, 1, 1024);
    Check.range("messageBytes", messageBytes, 0, 0xffff_ffffL);
  }
}
