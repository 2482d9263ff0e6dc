package io.anabranch.net.fault;

/** Which packets of an endpoint. */
public enum Direction {
  /** Those it sends. */
  TX,
  /** Those it receives. */
  RX,
  /** All. */
  BOTH;

  boolean includes(boolean sent) {
    return this == BOTH || sent == (this == TX);
  }
}
