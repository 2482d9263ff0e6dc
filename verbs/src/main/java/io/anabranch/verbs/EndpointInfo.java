package io.anabranch.verbs;

import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.engine.config.ResponderAttributes;
import java.util.List;

/**
 * What a peer must be told of a device, out of band, whatever the queue pair.
 *
 * @param protocolVersion MRC's version: 1
 * @param mtuBytes largest path MTU that its ports carry, 256 … 8192; the smaller of both sides'
 *     counts
 * @param planes address and UDP port of each of its ports, 1 … 32 of them
 * @param receiveBufferBytes bytes of packets that the peer may have in flight towards it, all queue
 *     pairs together; at least 1
 * @param maxWimm WRITEs with Immediate it takes in flight as responder, a queue pair: 32 … 4096
 * @param mprPackets maximum PSN range it grants as responder: a multiple of 128, 8 … 255 units
 * @param dynamicMpr whether it can change that while connected
 * @param trimNack whether it answers trimmed packets with a NACK
 * @param serviceTime whether it reports its service time
 */
public record EndpointInfo(
    int protocolVersion,
    int mtuBytes,
    List<PlaneAddress> planes,
    long receiveBufferBytes,
    int maxWimm,
    int mprPackets,
    boolean dynamicMpr,
    boolean trimNack,
    boolean serviceTime) {
  /** Checks ranges. */
  public EndpointInfo {
    planes = List.copyOf(planes);
    MrcException.range("protocolVersion", protocolVersion, 1, 1 << 16);
    QpAttribute.PATH_MTU.check(mtuBytes);
    MrcException.range("planes.size", planes.size(), 1, 32);
    MrcException.range("receiveBufferBytes", receiveBufferBytes, 1, Long.MAX_VALUE);
    QpAttribute.MAX_WIMM_RESPONDER.check(maxWimm);
    QpAttribute.MPR_RESPONDER.check(mprPackets);
  }

  /** Units in which MPR is counted: 128 packets. */
  public static final int MPR_UNIT = ResponderAttributes.MPR_UNIT;

  /** Ports it has. */
  public int ports() {
    return planes.size();
  }
}
