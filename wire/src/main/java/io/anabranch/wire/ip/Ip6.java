package io.anabranch.wire.ip;

import java.nio.ByteBuffer;

/**
 * IPv6 header (RFC 8200).
 *
 * <pre>
 *  0  |version|traffic class|flow label|   4, 8 and 20 bits
 *  4  |payload length |   2 bytes: everything after this header
 *  6  |next header    |
 *  7  |hop limit      |
 *  8  |source         |   16 bytes
 * 24  |destination    |   16 bytes
 * </pre>
 */
public final class Ip6 {
  /** Size of the fixed header. */
  public static final int BYTES = 40;

  static final int PAYLOAD_LENGTH = 4;
  static final int NEXT_HEADER = 6;
  static final int SOURCE = 8;

  /** Where the hop limit stands. */
  public static final int HOP_LIMIT = 7;

  /** Where the destination begins. */
  public static final int DESTINATION = 24;

  private Ip6() {}

  /**
   * Writes a fixed header.
   *
   * @param trafficClass DSCP and ECN
   * @param flowLabel 20 bits
   * @param payloadBytes bytes that follow the header, extension headers included
   */
  public static void write(
      ByteBuffer out,
      int trafficClass,
      int flowLabel,
      int nextHeader,
      int hopLimit,
      long srcHi,
      long srcLo,
      long dstHi,
      long dstLo,
      int payloadBytes) {
    out.putInt(0x6000_0000 | (trafficClass & 0xff) << 20 | (flowLabel & 0xf_ffff));
    out.putInt(payloadBytes << 16 | (nextHeader & 0xff) << 8 | (hopLimit & 0xff));
    out.putLong(srcHi).putLong(srcLo).putLong(dstHi).putLong(dstLo);
  }

  /** Changes DSCP and payload length in place. */
  public static void rewrite(ByteBuffer packet, int at, int dscp, int payloadLength) {
    int first = packet.getInt(at) & ~(0x3f << 22);
    packet.putInt(at, first | (dscp & 0x3f) << 22);
    packet.putShort(at + PAYLOAD_LENGTH, (short) payloadLength);
  }
}
