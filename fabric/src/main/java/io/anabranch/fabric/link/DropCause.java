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
  /** A switch knew no way for it: an unknown uSID. */
  NO_ROUTE
}
