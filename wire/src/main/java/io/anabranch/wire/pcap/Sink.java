package io.anabranch.wire.pcap;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A little-endian buffer before an output stream. */
final class Sink {
  private static final int SIZE = 1 << 16;

  private final OutputStream out;
  private final ByteBuffer buffer = ByteBuffer.allocate(SIZE).order(ByteOrder.LITTLE_ENDIAN);

  Sink(OutputStream out) {
    this.out = out;
  }

  /** A buffer with room for {@code bytes} ≤ 512, to be filled by the caller. */
  ByteBuffer room(int bytes) throws IOException {
    if (buffer.remaining() < bytes) {
      drain();
    }
    return buffer;
  }

  /** All bytes between position and limit, which stay. */
  void put(ByteBuffer data) throws IOException {
    int at = data.position();
    int left = data.remaining();
    while (left > 0) {
      if (!buffer.hasRemaining()) {
        drain();
      }
      int n = Math.min(left, buffer.remaining());
      buffer.put(buffer.position(), data, at, n);
      buffer.position(buffer.position() + n);
      at += n;
      left -= n;
    }
  }

  private void drain() throws IOException {
    out.write(buffer.array(), 0, buffer.position());
    buffer.clear();
  }

  void flush() throws IOException {
    drain();
    out.flush();
  }

  void close() throws IOException {
    try (out) {
      flush();
    }
  }
}
