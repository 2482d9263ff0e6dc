package io.anabranch.wire.pcap;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Writes a pcapng capture (draft-ietf-opsawg-pcapng) of one section: little-endian, nanoseconds.
 * Buffers; not for use by several threads.
 */
public final class PcapngWriter implements Closeable {
  private static final int MAX_NAME_BYTES = 255;

  private final Sink out;
  private int interfaces;

  /** Begins a section on {@code stream}, which {@link #close} closes. */
  public PcapngWriter(OutputStream stream) throws IOException {
    out = new Sink(stream);
    ByteBuffer b = out.room(28);
    b.putInt(0x0A0D0D0A).putInt(28).putInt(0x1A2B3C4D);
    b.putShort((short) 1).putShort((short) 0).putLong(-1).putInt(28);
  }

  /**
   * Describes an interface; may come between frames.
   *
   * @param name shown by readers, at most 255 bytes of UTF-8
   * @param linkType as the tcpdump project numbers them
   * @return the interface's number, from 0
   */
  public int addInterface(String name, int linkType) throws IOException {
    byte[] text = name.getBytes(StandardCharsets.UTF_8);
    if (text.length > MAX_NAME_BYTES) {
      throw new IllegalArgumentException(
          "interface name: " + text.length + " bytes, allowed 0…" + MAX_NAME_BYTES);
    }
    int padded = text.length + 3 & ~3;
    int bytes = 16 + 4 + padded + 8 + 4 + 4;
    ByteBuffer b = out.room(bytes);
    b.putInt(1).putInt(bytes).putShort((short) linkType).putShort((short) 0).putInt(0);
    b.putShort((short) 2)
        .putShort((short) text.length)
        .put(text)
        .put(new byte[padded - text.length]);
    b.putShort((short) 9).putShort((short) 1).putInt(9);
    b.putInt(0).putInt(bytes);
    return interfaces++;
  }

  /**
   * Writes a whole frame.
   *
   * @param timeNs nanoseconds since 1970
   * @param frame the bytes between position and limit, which stay
   */
  public void write(int interfaceId, long timeNs, ByteBuffer frame) throws IOException {
    write(interfaceId, timeNs, frame, frame.remaining());
  }

  /**
   * Writes a frame of which only the first bytes are kept.
   *
   * @param originalBytes bytes the frame had
   */
  public void write(int interfaceId, long timeNs, ByteBuffer frame, int originalBytes)
      throws IOException {
    if (interfaceId < 0 || interfaceId >= interfaces) {
      throw new IllegalArgumentException(
          "interface: " + interfaceId + ", allowed 0…" + (interfaces - 1));
    }
    int captured = frame.remaining();
    int padding = -captured & 3;
    int bytes = 32 + captured + padding;
    ByteBuffer b = out.room(28);
    b.putInt(6).putInt(bytes).putInt(interfaceId);
    b.putInt((int) (timeNs >>> 32)).putInt((int) timeNs);
    b.putInt(captured).putInt(Math.max(originalBytes, captured));
    out.put(frame);
    b = out.room(8);
    for (int i = 0; i < padding; i++) {
      b.put((byte) 0);
    }
    b.putInt(bytes);
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
