package io.anabranch.engine.config;

/**
 * Where one port of a NIC is reached.
 *
 * @param hi high 64 bits of the IPv6 address; an IPv4 address is IPv4-mapped
 * @param lo low 64 bits
 * @param udpPort UDP port it receives on, 1 … 65535
 */
public record PlaneAddress(long hi, long lo, int udpPort) {
  /** Checks ranges. */
  public PlaneAddress {
    Check.range("udpPort", udpPort, 1, 65535);
  }
}
