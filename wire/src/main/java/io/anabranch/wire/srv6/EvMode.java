package io.anabranch.wire.srv6;

/** Where an entropy value goes on the wire, and so how many bits it may have. */
public enum EvMode {
  /** UDP source port alone: ECMP over IPv4 and IPv6. */
  UDP(16),
  /** Structured EV: UDP source port and flow label. */
  STEV(32),
  /** A uSID container. */
  SRV6(128),
  /** A uSID container and one more in an SRH. */
  SRV6_SRH(256);

  private final int bits;

  EvMode(int bits) {
    this.bits = bits;
  }

  /** Most bits that the fields of a format may have together. */
  public int bits() {
    return bits;
  }
}
