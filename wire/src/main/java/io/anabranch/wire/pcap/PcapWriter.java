package io.anabranch.wire.pcap;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * Writes a pcap capture with nanosecond times, little-endian. One link type; for several interfaces
 * there is {@link PcapngWriter}. Buffers; not for use by several threads.
 */
public final class PcapWriter implements Closeable {
  private static final long NS_PER_S = 1_000_000_000L;
  private static final int MAX_FRAME_BYTES = 262_144;

  private final Sink out;

  /** Begins a capture on {@code stream}, which {@link #close} closes. */
  public PcapWriter(OutputStream stream, int linkType) throws IOException {
    out = new Sink(stream);
    ByteBuffer b = out.room(24);
    b.putInt(0xA1B23C4D).putShort((short) 2).putShort((short) 4).putLong(0);
    b.putInt(MAX_FRAME_BYTES).putInt(linkType);
  }

  /**
   * Writes a whole frame.
   *
   * @param timeNs nanoseconds since 1970
   * @param frame the bytes between position and limit, which stay
   */
  public void write(long timeNs, ByteBuffer frame) throws IOException {
    write(timeNs, frame, frame.remaining());
  }

  /**
   * Writes a frame of which only the first bytes are kept.
   *
   * @param originalBytes bytes the frame had
   */
  public void write(long timeNs, ByteBuffer frame, int originalBytes) throws IOException {
    ByteBuffer b = out.room(16);
    b.putInt((int) Math.floorDiv(timeNs, NS_PER_S)).putInt((int) Math.floorMod(timeNs, NS_PER_S));
    b.putInt(frame.remaining()).putInt(Math.max(originalBytes, frame.remaining()));
    out.put(frame);
  }

  /** Hands on what is buffered. */
  public void flush() throws IOException {
    out.flush();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
