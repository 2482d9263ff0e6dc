package io.anabranch.wire.ip;

/** IP protocol numbers and EtherTypes that appear here (IANA). */
public final class Protocol {
  public static final int HOP_BY_HOP = 0;
  public static final int UDP = 17;
  public static final int IP6_IN_IP6 = 41;
  public static final int ROUTING = 43;
  public static final int FRAGMENT = 44;
  public static final int DESTINATION_OPTIONS = 60;

  public static final int ETHERTYPE_IP4 = 0x0800;
  public static final int ETHERTYPE_IP6 = 0x86dd;

  /** 802.1Q tag. */
  public static final int ETHERTYPE_VLAN = 0x8100;

  /** 802.1ad service tag. */
  public static final int ETHERTYPE_SERVICE_VLAN = 0x88a8;

  private Protocol() {}
}
