package io.anabranch.wire.ip;

import java.nio.ByteBuffer;

/**
 * The link layer of a captured frame: finds where IP begins. Reusable, allocates nothing.
 *
 * <pre>
 * Ethernet             destination 6, source 6, type 2
 * 802.1Q, 802.1ad      tag control 2, type 2, after each type that says so
 * Linux cooked v1      packet type 2, ARPHRD 2, address length 2, address 8, type 2
 * Linux cooked v2      type 2, reserved 2, interface 4, ARPHRD 2, packet type 1, length 1, address 8
 * raw IP               nothing
 * </pre>
 */
public final class LinkView {
  /** Link types, as the tcpdump project numbers them. */
  public static final int ETHERNET = 1;

  public static final int RAW_BSD = 12;
  public static final int RAW = 101;
  public static final int LINUX_SLL = 113;
  public static final int RAW_IP4 = 228;
  public static final int RAW_IP6 = 229;
  public static final int LINUX_SLL2 = 276;

  /** Size of an Ethernet header without tags. */
  public static final int ETHERNET_BYTES = 14;

  private static final int SLL_BYTES = 16;
  private static final int SLL2_BYTES = 20;
  private static final int TAG_BYTES = 4;

  private int etherType;
  private int l3Start;
  private int vlans;
  private int lastVlan;

  /** A view over nothing; {@link #wrap} comes first. */
  public LinkView() {}

  /** Whether frames of this link type can be read. */
  public static boolean isKnown(int linkType) {
    return switch (linkType) {
      case ETHERNET, RAW_BSD, RAW, LINUX_SLL, RAW_IP4, RAW_IP6, LINUX_SLL2 -> true;
      default -> false;
    };
  }

  /**
   * Looks at a frame between {@code at} and {@code limit}.
   *
   * @return false when the link type is not known or the frame ends within the link header
   */
  public boolean wrap(int linkType, ByteBuffer in, int at, int limit) {
    vlans = 0;
    lastVlan = 0;
    int header =
        switch (linkType) {
          case ETHERNET -> ETHERNET_BYTES;
          case LINUX_SLL -> SLL_BYTES;
          case LINUX_SLL2 -> SLL2_BYTES;
          default -> 0;
        };
    if (!isKnown(linkType) || limit - at < Math.max(header, 1)) {
      return false;
    }
    l3Start = at + header;
    if (header == 0) {
      etherType = (in.get(at) >> 4 & 0xf) == 4 ? Protocol.ETHERTYPE_IP4 : Protocol.ETHERTYPE_IP6;
      return true;
    }
    etherType = in.getShort(linkType == LINUX_SLL2 ? at : l3Start - 2) & 0xffff;
    while (etherType == Protocol.ETHERTYPE_VLAN || etherType == Protocol.ETHERTYPE_SERVICE_VLAN) {
      if (limit - l3Start < TAG_BYTES) {
        return false;
      }
      lastVlan = in.getShort(l3Start) & 0xfff;
      vlans++;
      etherType = in.getShort(l3Start + 2) & 0xffff;
      l3Start += TAG_BYTES;
    }
    return true;
  }

  /** Type of what follows; for raw IP derived from the version. */
  public int etherType() {
    return etherType;
  }

  /** Whether an IP header follows. */
  public boolean isIp() {
    return etherType == Protocol.ETHERTYPE_IP4 || etherType == Protocol.ETHERTYPE_IP6;
  }

  /** Where the network header begins. */
  public int l3Start() {
    return l3Start;
  }

  /** Number of VLAN tags. */
  public int vlans() {
    return vlans;
  }

  /** Id of the innermost VLAN tag, or 0. */
  public int vlan() {
    return lastVlan;
  }

  /**
   * Writes an Ethernet header.
   *
   * @param destination 48-bit address
   * @param source 48-bit address
   * @param etherType type of what follows the tags
   * @param tags outermost first: tag type in the high, tag control in the low 16 bits
   */
  public static void writeEthernet(
      ByteBuffer out, long destination, long source, int etherType, int... tags) {
    out.putShort((short) (destination >>> 32)).putInt((int) destination);
    out.putShort((short) (source >>> 32)).putInt((int) source);
    for (int tag : tags) {
      out.putInt(tag);
    }
    out.putShort((short) etherType);
  }
}
