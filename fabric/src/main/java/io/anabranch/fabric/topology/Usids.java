package io.anabranch.fabric.topology;

import io.anabranch.fabric.link.Packets;
import io.anabranch.wire.srv6.UsidContainer;
import org.jspecify.annotations.Nullable;

/**
 * What switches do with uSID containers: a 32-bit locator, then 16 bits each, zeros at the tail.
 */
final class Usids {
  /** The locator block of the fabric's uSIDs: the first 32 bits, of a unique local prefix. */
  static final int LOCATOR = 0xfd00_0001;

  /** Most uSIDs in all: they have 16 bits, and 0 only pads. */
  private static final int MOST = 0xffff;

  private static final long LOCATOR_HI = (long) LOCATOR << 32;

  private Usids() {}

  /** Why a fabric that needs so many uSIDs cannot use them, or null. */
  static @Nullable String refuse(long needed) {
    return needed > MOST
        ? "uSIDs name at most " + MOST + " switches and downlinks, and these are " + needed
        : null;
  }

  /** The uSID at the front. */
  static int active(Packets packets, int packet) {
    return (int) (packets.segmentsHi(packet) >>> 16) & 0xffff;
  }

  /**
   * uN or uA: if the first 48 bits are this switch's own, its uSID is shifted out. Behind the last
   * one of the first container comes the SRH's.
   */
  static boolean shift(Packets packets, int packet, int own) {
    long hi = packets.segmentsHi(packet);
    if (hi >>> 16 != (LOCATOR_HI >>> 16 | own)) {
      return false;
    }
    long lo = packets.segmentsLo(packet);
    long shifted = hi & 0xffff_ffff_0000_0000L | hi << 16 & 0xffff_ffffL | lo >>> 48;
    packets.segments(packet, shifted, lo << 16);
    if ((shifted & 0xffff_0000L) == 0 && packets.segmentsLeft(packet) > 0) {
      packets.nextSegment(packet);
    }
    return true;
  }

  /** Two uSIDs. */
  static void put(Packets packets, int packet, int first, int second) {
    put(packets, packet, first, second, 0, 0, 0);
  }

  /** Up to six; zeros only at the tail. */
  static void put(
      Packets packets, int packet, int first, int second, int third, int fourth, long lastTwo) {
    long hi = LOCATOR_HI | (long) first << 16 | second;
    long lo = (long) third << 48 | (long) fourth << 32 | lastTwo;
    if (!packets.srh()) {
      packets.segments(packet, hi, lo);
      return;
    }
    int sids = UsidContainer.MAX_USIDS;
    while (sid(hi, lo, sids - 1) == 0) {
      sids--;
    }
    begin(packets, packet, sids);
    for (int i = 0; i < sids; i++) {
      add(packets, packet, i, sids, sid(hi, lo, i));
    }
  }

  private static int sid(long hi, long lo, int place) {
    return (int) (place < 2 ? hi >>> 16 - 16 * place : lo >>> 80 - 16 * place) & 0xffff;
  }

  /**
   * Empty containers, for {@link #add}.
   *
   * @param sids how many will come
   */
  static void begin(Packets packets, int packet, int sids) {
    packets.segments(packet, LOCATOR_HI, 0);
    if (packets.srh()) {
      packets.srh(packet, LOCATOR_HI, 0, sids > 1 ? 1 : 0);
    }
  }

  /**
   * Adds a uSID. With an SRH the first container takes the first half of them, one more where they
   * are odd; the only uSID of a path is the SRH's only segment too, and under way from the start.
   *
   * @param place counted from 0
   * @param sids of the whole path
   */
  static void add(Packets packets, int packet, int place, int sids, int sid) {
    int first = packets.srh() ? (sids + 1) / 2 : sids;
    if (place < first) {
      long hi = packets.segmentsHi(packet) | hi(place, sid);
      packets.segments(packet, hi, packets.segmentsLo(packet) | lo(place, sid));
    }
    if (packets.srh() && (place >= first || sids == 1)) {
      int at = sids == 1 ? 0 : place - first;
      long hi = packets.srhHi(packet) | hi(at, sid);
      packets.srh(packet, hi, packets.srhLo(packet) | lo(at, sid), packets.segmentsLeft(packet));
    }
  }

  private static long hi(int place, int sid) {
    return place < 2 ? (long) sid << 16 - 16 * place : 0;
  }

  private static long lo(int place, int sid) {
    return place < 2 ? 0 : (long) sid << 80 - 16 * place;
  }
}
