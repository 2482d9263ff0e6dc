package io.anabranch.fabric.topology;

/** How an EV becomes a path. */
public enum Routing {
  /** Switches hash addresses, UDP ports and flow label, each with a salt of its own. */
  ECMP,
  /** Switches on the way up read the EV's bits of their tier; the way down follows the address. */
  STRUCTURED,
  /** The sender's EV names the path; a uSID container carries it. */
  SRV6;

  /** Whether an EV names a path, so that a plane has no more of them than paths. */
  public boolean namesPaths() {
    return this != ECMP;
  }
}
