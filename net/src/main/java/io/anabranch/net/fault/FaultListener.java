package io.anabranch.net.fault;

import io.anabranch.net.device.Packet;

/** Hears of every packet that a fault hits, on the duty cycle's thread. */
@FunctionalInterface
public interface FaultListener {
  /**
   * A fault hit a packet.
   *
   * @param sent whether the endpoint was sending it
   * @param packet as it was before; to be read during the call only
   */
  void hit(FaultKind kind, boolean sent, Packet packet, long nowNs);
}
