package io.anabranch.fabric.host;

import io.anabranch.engine.config.PlaneAddress;
import java.util.ArrayList;
import java.util.List;

/** Addresses of simulated hosts: {@code fd00:0:0:plane::host + 1}, planes counted from 1. */
public final class HostAddress {
  private static final long PREFIX = 0xfd00_0000_0000_0000L;

  /** RoCEv2's, and MRC's. */
  public static final int UDP_PORT = 4791;

  private HostAddress() {}

  static List<PlaneAddress> of(int host, int planes) {
    List<PlaneAddress> list = new ArrayList<>(planes);
    for (int p = 0; p < planes; p++) {
      list.add(new PlaneAddress(hi(p), lo(host), UDP_PORT));
    }
    return list;
  }

  /** The high half of an address on a plane, counted from 0. */
  public static long hi(int plane) {
    return PREFIX | plane + 1;
  }

  /** The low half of a host's addresses. */
  public static long lo(int host) {
    return host + 1L;
  }

  /** The plane of an address's high half, counted from 0. */
  public static int planeOf(long hi) {
    return (int) (hi & 0xffff) - 1;
  }

  /** The host of an address's low half. */
  public static int hostOf(long lo) {
    return (int) lo - 1;
  }
}
