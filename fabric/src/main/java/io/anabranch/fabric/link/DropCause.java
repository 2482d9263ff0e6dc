package io.anabranch.fabric.link;

/** Why the network dropped a packet. */
public enum DropCause {
  /** The data queue was full, and the port does not trim. */
  DATA_QUEUE_FULL,
  /** The control queue was full. */
  CONTROL_QUEUE_FULL,
  /** Chance took it on a link. */
  LINK_LOSS,
  /** Chance took it because of its EV. */
  EV_LOSS,
  /** A switch knew no way for it, such as an unknown uSID; or it came to a host it is not for. */
  NO_ROUTE,
  /** It was on a link, queued for it or sent to it while that was down. */
  LINK_DOWN,
  /** It came to a switch that takes packets in and forwards none. */
  BLACK_HOLE,
  /** It arrived damaged, and the receiver's check found that. */
  CORRUPTED,
  /** It passed 64 switches. */
  HOP_LIMIT
}
