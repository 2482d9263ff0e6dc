package io.anabranch.wire.ip;

import java.nio.ByteBuffer;

/**
 * IPv4 header (RFC 791).
 *
 * <pre>
 *  0  |version| IHL   |   IHL: header length in units of 4 bytes
 *  1  |   DSCP    |ECN|
 *  2  |total length   |   2 bytes
 *  4  |identification |   2 bytes
 *  6  |flags, offset  |   2 bytes
 *  8  |TTL            |
 *  9  |protocol       |
 * 10  |checksum       |   2 bytes
 * 12  |source         |   4 bytes
 * 16  |destination    |   4 bytes; options follow
 * </pre>
 */
public final class Ip4 {
  /** Size without options. */
  public static final int BYTES = 20;

  static final int TRAFFIC_CLASS = 1;
  static final int TOTAL_LENGTH = 2;
  static final int IDENTIFICATION = 4;
  static final int FLAGS = 6;
  static final int TTL = 8;
  static final int PROTOCOL = 9;
  static final int CHECKSUM = 10;
  static final int SOURCE = 12;
  static final int DESTINATION = 16;

  /** "Don't fragment" in the flags and offset field. */
  public static final int DONT_FRAGMENT = 0x4000;

  /** More fragments, or an offset. */
  static final int FRAGMENTED = 0x3fff;

  private Ip4() {}

  /**
   * Writes a header without options, identification 0, "don't fragment" set.
   *
   * @param trafficClass DSCP and ECN
   * @param payloadBytes bytes that follow the header
   */
  public static void write(
      ByteBuffer out,
      int trafficClass,
      int ttl,
      int protocol,
      int source,
      int destination,
      int payloadBytes) {
    int at = out.position();
    out.putInt(0x4500_0000 | (trafficClass & 0xff) << 16 | (BYTES + payloadBytes & 0xffff));
    out.putInt(DONT_FRAGMENT);
    out.putInt(ttl << 24 | (protocol & 0xff) << 16);
    out.putInt(source).putInt(destination);
    out.putShort(at + CHECKSUM, (short) checksum(out, at, BYTES));
  }

  /**
   * The Internet checksum (RFC 1071) over an even number of bytes: zero over a header whose stored
   * checksum is right.
   */
  public static int checksum(ByteBuffer in, int at, int bytes) {
    int sum = 0;
    for (int i = at; i < at + bytes; i += 2) {
      sum += in.getShort(i) & 0xffff;
    }
    sum = (sum & 0xffff) + (sum >>> 16);
    return ~(sum + (sum >>> 16)) & 0xffff;
  }

  /** Changes DSCP and total length in place and corrects the checksum. */
  public static void rewrite(ByteBuffer packet, int at, int dscp, int totalLength) {
    int ecn = packet.get(at + TRAFFIC_CLASS) & 3;
    packet.put(at + TRAFFIC_CLASS, (byte) (dscp << 2 | ecn));
    packet.putShort(at + TOTAL_LENGTH, (short) totalLength);
    packet.putShort(at + CHECKSUM, (short) 0);
    int bytes = 4 * (packet.get(at) & 0xf);
    packet.putShort(at + CHECKSUM, (short) checksum(packet, at, bytes));
  }
}
