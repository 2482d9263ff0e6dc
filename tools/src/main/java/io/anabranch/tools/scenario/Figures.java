package io.anabranch.tools.scenario;

import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.link.SizeConfig;
import io.anabranch.fabric.topology.Forwarding;
import io.anabranch.fabric.topology.TwoTierConfig;

/**
 * What follows from a scenario in closed form.
 *
 * @param hosts in all
 * @param links in all, each direction one
 * @param diameterLinks links between hosts on different leaves
 * @param baseRttPs round trip of one data packet and its acknowledgement, nothing queued
 * @param bdpBytes what the base RTT at a host's rate holds, on one plane
 * @param payloadBytes to be sent
 * @param packets to be sent, at least
 * @param idealPs no run can be over sooner
 */
public record Figures(
    int hosts,
    long links,
    int diameterLinks,
    long baseRttPs,
    long bdpBytes,
    long payloadBytes,
    long packets,
    long idealPs) {
  private static final long BIT_PS = 1_000_000_000_000L;

  /** Links in all planes, one direction each. */
  static long links(int planes, int leaves, int hostsPerLeaf, int spines) {
    return 2L * planes * leaves * ((long) hostsPerLeaf + spines);
  }

  /** Time on the wire, rounded up. */
  static long wirePs(long bytes, long rateBitsPerSecond) {
    return Math.ceilDiv(bytes * 8 * BIT_PS, rateBitsPerSecond);
  }

  /**
   * Round trip of one data packet and one control packet over the longest way: twice the delays,
   * and both packets' time on each link. Where switches cut through, only the slowest link holds a
   * packet for its whole length, the others for a header's.
   */
  static long baseRttPs(
      int leaves,
      LinkConfig host,
      LinkConfig fabric,
      long switchLatencyPs,
      Forwarding forwarding,
      SizeConfig sizes,
      int mtuBytes) {
    int fabricLinks = leaves > 1 ? 2 : 0;
    int switches = leaves > 1 ? 3 : 1;
    long delays = 2 * host.delayPs() + fabricLinks * fabric.delayPs() + switches * switchLatencyPs;
    long data = sizes.dataBytes(mtuBytes);
    long control = sizes.controlBytes();
    long wires;
    if (forwarding == Forwarding.STORE_AND_FORWARD) {
      wires =
          2 * wirePs(data + control, host.rateBitsPerSecond())
              + fabricLinks * wirePs(data + control, fabric.rateBitsPerSecond());
    } else {
      long slowest =
          fabricLinks == 0
              ? host.rateBitsPerSecond()
              : Math.min(host.rateBitsPerSecond(), fabric.rateBitsPerSecond());
      long header = Math.min(sizes.trimmedBytes(), data) + Math.min(sizes.trimmedBytes(), control);
      wires =
          wirePs(data + control, slowest)
              + (1 + fabricLinks) * wirePs(header, host.rateBitsPerSecond());
    }
    return 2 * delays + wires;
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
  public static long hostRate(TwoTierConfig topology) {
    return topology.hostLink().rateBitsPerSecond() * topology.planes();
  }
}
