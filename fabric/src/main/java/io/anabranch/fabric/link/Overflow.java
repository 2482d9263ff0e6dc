package io.anabranch.fabric.link;

/** What a port does with a data packet when its data queue is full. */
public enum Overflow {
  /** Cuts a packet down to its headers, which go on in the control class. */
  TRIM,
  /** Drops the arriving packet. */
  DROP
}
