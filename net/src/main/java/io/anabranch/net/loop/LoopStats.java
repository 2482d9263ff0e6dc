package io.anabranch.net.loop;

import java.util.List;

/**
 * What a duty cycle has done since it started.
 *
 * @param turns turns of the cycle
 * @param malformed packets that were no MRC packets and reached no engine
 * @param noBuffer packets for which the ring had no room
 * @param sendFull times that a port could not take a packet at once
 * @param loopGapNsMax the longest time between two looks at the sockets that was not a wanted sleep
 * @param ports what each port has carried
 */
public record LoopStats(
    long turns, long malformed, long noBuffer, long sendFull, long loopGapNsMax, List<Port> ports) {
  /** Copies the list. */
  public LoopStats {
    ports = List.copyOf(ports);
  }

  /**
   * One port.
   *
   * @param up whether it can carry packets
   * @param packetsSent packets given to the system
   * @param bytesSent their UDP payload
   * @param packetsReceived packets taken from the system
   * @param bytesReceived their UDP payload
   * @param failures times that it went down
   */
  public record Port(
      boolean up,
      long packetsSent,
      long bytesSent,
      long packetsReceived,
      long bytesReceived,
      long failures) {}
}
