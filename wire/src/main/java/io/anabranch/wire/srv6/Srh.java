package io.anabranch.wire.srv6;

import io.anabranch.wire.ip.Address;
import io.anabranch.wire.ip.Protocol;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Segment routing header (RFC 8754 section 2).
 *
 * <pre>
 *  0  |next header    |
 *  1  |length         |   units of 8 bytes, without the first 8
 *  2  |routing type   |   4
 *  3  |segments left  |
 *  4  |last entry     |
 *  5  |flags          |
 *  6  |tag            |   2 bytes
 *  8  |segment list   |   16 bytes each, the last segment of the path first; TLVs may follow
 * </pre>
 *
 * @param nextHeader protocol number of what follows
 * @param segmentsLeft index of the segment that the destination address holds
 * @param flags 8 bits
 * @param tag 16 bits
 * @param segments the segment list as on the wire
 */
public record Srh(int nextHeader, int segmentsLeft, int flags, int tag, List<Address> segments) {
  /** Where {@code segmentsLeft} stands, from the header's first byte. */
  public static final int SEGMENTS_LEFT_OFFSET = 3;

  static final int FIXED_BYTES = 8;
  static final int ROUTING_TYPE = 4;
  static final int SEGMENT_BYTES = 16;

  /** Size of a header with one segment. */
  public static final int ONE_SEGMENT_BYTES = FIXED_BYTES + SEGMENT_BYTES;

  private static final int MAX_SEGMENTS = 127;

  /** Checks every field's range. */
  public Srh {
    segments = List.copyOf(segments);
    check("nextHeader", nextHeader, 0, 255);
    check("segments", segments.size(), 1, MAX_SEGMENTS);
    // One more than the list is the reduced form of RFC 8754 section 4.1.1.
    check("segmentsLeft", segmentsLeft, 0, segments.size());
    check("flags", flags, 0, 255);
    check("tag", tag, 0, 0xffff);
  }

  private static void check(String field, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "srh." + field + ": " + value + ", allowed " + least + "…" + most);
    }
  }

  /** The header of a path of one container more than the destination address holds. */
  public static Srh oneSegment(UsidContainer last) {
    return new Srh(Protocol.IP6_IN_IP6, 1, 0, 0, List.of(last.address()));
  }

  /** Size on the wire. */
  public int bytes() {
    return FIXED_BYTES + SEGMENT_BYTES * segments.size();
  }

  /** Writes the header. */
  public void write(ByteBuffer out) {
    out.put((byte) nextHeader).put((byte) (bytes() / 8 - 1)).put((byte) ROUTING_TYPE);
    out.put((byte) segmentsLeft).put((byte) (segments.size() - 1)).put((byte) flags);
    out.putShort((short) tag);
    for (Address s : segments) {
      out.putLong(s.hi()).putLong(s.lo());
    }
  }

  /**
   * Reads the header at {@code at}; null when it is none, ends too early, or contradicts itself.
   */
  public static @Nullable Srh read(ByteBuffer in, int at, int limit) {
    if (limit - at < FIXED_BYTES || in.get(at + 2) != ROUTING_TYPE) {
      return null;
    }
    int bytes = 8 * ((in.get(at + 1) & 0xff) + 1);
    int count = (in.get(at + 4) & 0xff) + 1;
    int left = in.get(at + SEGMENTS_LEFT_OFFSET) & 0xff;
    boolean fits = FIXED_BYTES + SEGMENT_BYTES * count <= bytes && bytes <= limit - at;
    if (!fits || count > MAX_SEGMENTS || left > count) {
      return null;
    }
    List<Address> segments =
        IntStream.range(0, count)
            .map(i -> at + FIXED_BYTES + SEGMENT_BYTES * i)
            .mapToObj(i -> new Address(in.getLong(i), in.getLong(i + 8)))
            .toList();
    int next = in.get(at) & 0xff;
    return new Srh(next, left, in.get(at + 5) & 0xff, in.getShort(at + 6) & 0xffff, segments);
  }
}
