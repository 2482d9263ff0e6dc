package io.anabranch.wire.pcap;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** A window over a stream that shows the next bytes without copying each record. */
final class Source {
  private static final int FIRST_SIZE = 1 << 18;

  private final InputStream in;
  private byte[] bytes = new byte[FIRST_SIZE];
  private int from;
  private int to;
  private long consumed;
  private ByteBuffer ordered = ByteBuffer.wrap(bytes);
  private ByteBuffer network = ByteBuffer.wrap(bytes);

  Source(InputStream in) {
    this.in = in;
  }

  void order(ByteOrder order) {
    ordered.order(order);
  }

  /** Whether {@code n} bytes are there, after reading more where needed. */
  boolean has(int n) throws IOException {
    if (to - from >= n) {
      return true;
    }
    if (bytes.length - from < n) {
      makeRoom(n);
    }
    while (to - from < n) {
      int got = in.read(bytes, to, bytes.length - to);
      if (got < 0) {
        return false;
      }
      to += got;
    }
    return true;
  }

  private void makeRoom(int n) {
    byte[] old = bytes;
    boolean grow = bytes.length < n;
    if (grow) {
      bytes = new byte[Math.max(n, 2 * old.length)];
    }
    System.arraycopy(old, from, bytes, 0, to - from);
    if (grow) {
      ordered = ByteBuffer.wrap(bytes).order(ordered.order());
      network = ByteBuffer.wrap(bytes);
    }
    to -= from;
    from = 0;
  }

  int u8(int at) {
    return bytes[from + at] & 0xff;
  }

  int u16(int at) {
    return ordered.getShort(from + at) & 0xffff;
  }

  int i32(int at) {
    return ordered.getInt(from + at);
  }

  long u32(int at) {
    return ordered.getInt(from + at) & 0xffff_ffffL;
  }

  long i64(int at) {
    return ordered.getLong(from + at);
  }

  String text(int at, int length) {
    return new String(bytes, from + at, length, StandardCharsets.UTF_8);
  }

  /** The bytes {@code at … at + length} in network order, until the next {@link #has}. */
  ByteBuffer view(int at, int length) {
    return network.limit(from + at + length).position(from + at);
  }

  /** Moves on by {@code n} bytes that {@link #has} showed. */
  void advance(int n) {
    from += n;
    consumed += n;
  }

  /** Moves on by {@code n} bytes that need not be there; false when the stream ends before. */
  boolean skip(long n) throws IOException {
    long left = n;
    while (left > 0) {
      int step = (int) Math.min(left, FIRST_SIZE);
      if (!has(step)) {
        advance(to - from);
        return false;
      }
      advance(step);
      left -= step;
    }
    return true;
  }

  /** Bytes read from the stream and not yet consumed. */
  int buffered() {
    return to - from;
  }

  /** Offset in the stream of the next byte. */
  long offset() {
    return consumed;
  }

  void close() throws IOException {
    in.close();
  }
}
