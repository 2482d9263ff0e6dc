package io.anabranch.engine;

import java.util.List;

/**
 * A queue pair's state at one moment, for tests, statistics and tools; not for per-packet use.
 *
 * @param state its state
 * @param nextPsn PSN the next new packet will have
 * @param cackPsn as requestor: every PSN up to this one is acknowledged
 * @param outstandingPackets sent and neither acknowledged nor counted as lost
 * @param inflightBytes what the queue pair contributes to its congestion controller's inflight
 * @param cwndBytes the congestion window of its destination
 * @param mprPackets the requestor's maximum PSN range in force
 * @param lostPackets counted as lost and not yet sent again
 * @param receivedCackPsn as responder: every PSN up to this one has arrived
 * @param completedMessages as responder: messages complete in order since the start
 * @param packetsSent data packets sent, copies included
 * @param retransmitted copies among them
 * @param sacksSent SACKs made
 * @param probesSent reliability probes made
 * @param expiries ACK timer expiries in all
 * @param spuriousLosses copies counted as lost that turned out to have arrived
 * @param demotions EVs demoted in all
 * @param planes per port: state of its EVs and load
 */
public record QpSnapshot(
    QpState state,
    int nextPsn,
    int cackPsn,
    int outstandingPackets,
    long inflightBytes,
    long cwndBytes,
    int mprPackets,
    int lostPackets,
    int receivedCackPsn,
    long completedMessages,
    long packetsSent,
    long retransmitted,
    long sacksSent,
    long probesSent,
    long expiries,
    long spuriousLosses,
    long demotions,
    List<Plane> planes) {

  /**
   * One plane as a queue pair sees it.
   *
   * @param usable it may carry data: port up on both sides, not set aside, EVs in rotation
   * @param active EVs in rotation
   * @param good EVs in GOOD, backups included
   * @param skip EVs in SKIP
   * @param assumedBad EVs in ASSUMED_BAD
   * @param denied EVs in DENIED
   * @param packetsSent data packets sent on it
   */
  public record Plane(
      boolean usable,
      int active,
      int good,
      int skip,
      int assumedBad,
      int denied,
      long packetsSent) {}
}
