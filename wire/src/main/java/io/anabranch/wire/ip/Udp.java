package io.anabranch.wire.ip;

import java.nio.ByteBuffer;

/**
 * UDP header (RFC 768).
 *
 * <pre>
 *  0  |source port     |   2 bytes
 *  2  |destination port|   2 bytes
 *  4  |length          |   2 bytes: header and payload
 *  6  |checksum        |   2 bytes: 0 = none
 * </pre>
 */
public final class Udp {
  /** Size on the wire. */
  public static final int BYTES = 8;

  /** RoCEv2's destination port (IANA), and MRC's default. */
  public static final int PORT_ROCE = 4791;

  /** What MRC 1.0 prints in section 7.5.5.2; a decoder accepts both. */
  public static final int PORT_MRC_PRINTED = 4971;

  private static final int DESTINATION_PORT = 2;
  private static final int LENGTH = 4;

  private Udp() {}

  /** Writes a header with checksum 0. */
  public static void write(ByteBuffer out, int sourcePort, int destinationPort, int length) {
    out.putInt(sourcePort << 16 | (destinationPort & 0xffff));
    out.putInt(length << 16);
  }

  /** Source port. */
  public static int sourcePort(ByteBuffer in, int at) {
    return in.getShort(at) & 0xffff;
  }

  /** Destination port. */
  public static int destinationPort(ByteBuffer in, int at) {
    return in.getShort(at + DESTINATION_PORT) & 0xffff;
  }

  /** Bytes of header and payload as sent. */
  public static int length(ByteBuffer in, int at) {
    return in.getShort(at + LENGTH) & 0xffff;
  }
}
