package io.anabranch.fabric.topology;

/** When a switch begins to forward a packet. */
public enum Forwarding {
  /** Once it has arrived whole. */
  STORE_AND_FORWARD,
  /** Once its headers have arrived, where the egress is not faster than the ingress. */
  CUT_THROUGH
}
