package io.anabranch.fabric.topology;

import io.anabranch.fabric.link.Packets;
import org.jspecify.annotations.Nullable;

/**
 * What switches do with uSID containers: a 32-bit locator, then 16 bits each, zeros at the tail.
 */
final class Usids {
  /** The locator block of the fabric's uSIDs: the first 32 bits, of a unique local prefix. */
  static final int LOCATOR = 0xfd00_0001;

  /** Most uSIDs in a container. */
  static final int MOST_IN_CONTAINER = 6;

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

  /** uN: if the first 48 bits are this switch's own, its uSID is shifted out. */
  static boolean shift(Packets packets, int packet, int own) {
    long hi = packets.segmentsHi(packet);
    if (hi >>> 16 != (LOCATOR_HI >>> 16 | own)) {
      return false;
    }
    long lo = packets.segmentsLo(packet);
    packets.segments(
        packet, hi & 0xffff_ffff_0000_0000L | hi << 16 & 0xffff_ffffL | lo >>> 48, lo << 16);
    return true;
  }

  /** Two uSIDs. */
  static void put(Packets packets, int packet, int first, int second) {
    packets.segments(packet, LOCATOR_HI | (long) first << 16 | second, 0);
  }

  /** Up to six; zeros only at the tail. */
  static void put(
      Packets packets, int packet, int first, int second, int third, int fourth, long lastTwo) {
    packets.segments(
        packet,
        LOCATOR_HI | (long) first << 16 | second,
        (long) third << 48 | (long) fourth << 32 | lastTwo);
  }
}
