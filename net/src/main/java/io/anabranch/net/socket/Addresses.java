package io.anabranch.net.socket;

import io.anabranch.wire.ip.Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/** Addresses as two longs, as frames hold them, and back. */
public final class Addresses {
  private static final long MAPPED = 0xffff_0000_0000L;

  private Addresses() {}

  /** High 64 bits; of an IPv4 address those of the IPv4-mapped one. */
  public static long hi(InetAddress address) {
    byte[] raw = address.getAddress();
    return raw.length == 4 ? 0 : ByteBuffer.wrap(raw).getLong(0);
  }

  /** Low 64 bits; of an IPv4 address those of the IPv4-mapped one. */
  public static long lo(InetAddress address) {
    byte[] raw = address.getAddress();
    return raw.length == 4
        ? MAPPED | ByteBuffer.wrap(raw).getInt(0) & 0xffff_ffffL
        : ByteBuffer.wrap(raw).getLong(8);
  }

  /** The address of two longs; IPv4 when it is IPv4-mapped. */
  public static InetAddress of(long hi, long lo) {
    try {
      if (Address.isIp4(hi, lo)) {
        return InetAddress.getByAddress(ByteBuffer.allocate(4).putInt((int) lo).array());
      }
      byte[] raw = ByteBuffer.allocate(16).putLong(hi).putLong(lo).array();
      return Inet6Address.getByAddress(null, raw, -1);
    } catch (UnknownHostException e) {
      throw new AssertionError("4 or 16 bytes are an address", e);
    }
  }

  /** As {@link #of}, with the zone of {@code local} when the address is link-local. */
  static InetAddress of(long hi, long lo, InetAddress local) {
    InetAddress address = of(hi, lo);
    if (address.isLinkLocalAddress()
        && address instanceof Inet6Address
        && local instanceof Inet6Address zoned
        && zoned.getScopeId() > 0) {
      try {
        return Inet6Address.getByAddress(null, address.getAddress(), zoned.getScopeId());
      } catch (UnknownHostException e) {
        throw new AssertionError("16 bytes are an address", e);
      }
    }
    return address;
  }
}
