package io.anabranch.fabric.host;

import io.anabranch.engine.config.PlaneAddress;
import java.util.ArrayList;
import java.util.List;

/** Addresses of simulated hosts: {@code fd00:0:0:plane::host + 1}, planes counted from 1. */
public final class HostAddress {
  private static final long PREFIX = 0xfd00_0000_0000_0000L;
  private static final int UDP_PORT = 4791;

  private HostAddress() {}

  static List<PlaneAddress> of(int host, int planes) {
    List<PlaneAddress> list = new ArrayList<>(planes);
    for (int p = 0; p < planes; p++) {
      list.add(new PlaneAddress(PREFIX | p + 1, host + 1L, UDP_PORT));
    }
    return list;
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
