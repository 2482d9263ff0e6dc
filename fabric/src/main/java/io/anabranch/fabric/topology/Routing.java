package io.anabranch.fabric.topology;

/** How an EV becomes a path. */
public enum Routing {
  /** Switches hash addresses, UDP ports and flow label, each with a salt of its own. */
  ECMP,
  /** Switches on the way up read the EV's bits of their tier; the way down follows the address. */
  STRUCTURED,
  /** The sender's EV names the path; a uSID container carries it. */
  SRV6,
  /** As {@link #SRV6}, the second half of the uSIDs in a segment routing header (RFC 8754). */
  SRV6_SRH;

  /** Whether an EV names a path, so that a plane has no more of them than paths. */
  public boolean namesPaths() {
    return this != ECMP;
  }

  /** Whether packets carry uSIDs, in an outer header. */
  public boolean usids() {
    return this == SRV6 || this == SRV6_SRH;
  }
}
