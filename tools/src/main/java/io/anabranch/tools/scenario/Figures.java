package io.anabranch.tools.scenario;

import io.anabranch.fabric.topology.TopologyConfig;

/**
 * What follows from a scenario in closed form.
 *
 * @param hosts in all
 * @param links in all, each direction one
 * @param diameterLinks links between the hosts farthest apart
 * @param baseRttPs round trip of one data packet and its acknowledgement between the hosts farthest
 *     apart, nothing queued; store and forward
 * @param bdpBytes what the base RTT at a host's rate holds, on one plane
 * @param payloadBytes to be sent
 * @param packets to be sent, at least
 * @param idealPs no run can be over sooner
 * @param estimate what a run is going to cost
 */
public record Figures(
    int hosts,
    long links,
    int diameterLinks,
    long baseRttPs,
    long bdpBytes,
    long payloadBytes,
    long packets,
    long idealPs,
    Estimate estimate) {
  private static final long BIT_PS = 1_000_000_000_000L;

  /** Time on the wire, rounded up. */
  static long wirePs(long bytes, long rateBitsPerSecond) {
    return Math.ceilDiv(bytes * 8 * BIT_PS, rateBitsPerSecond);
  }

  /** Bytes that a time holds at a rate. */
  static long bytesIn(long ps, long rateBitsPerSecond) {
    return (long) Math.ceil((double) ps * rateBitsPerSecond / (8.0 * BIT_PS));
  }

  /** A switch port's data queue, unless told: one BDP in whole data packets. */
  static long queuePackets(long bdpBytes, int dataBytes) {
    return Math.max(1, Math.ceilDiv(bdpBytes, dataBytes));
  }

  /** Rate of a host, all planes together. */
  public static long hostRate(TopologyConfig topology) {
    return topology.hostLink().rateBitsPerSecond() * topology.planes();
  }
}
