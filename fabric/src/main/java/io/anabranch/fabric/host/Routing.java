package io.anabranch.fabric.host;

/** How an EV becomes a path. */
public enum Routing {
  /** Switches hash addresses, UDP ports and flow label, each with a salt of its own. */
  ECMP,
  /** The sender's EV names the uplink; a uSID container carries it. */
  SRV6
}
