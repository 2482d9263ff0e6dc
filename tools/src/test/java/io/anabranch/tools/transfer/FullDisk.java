package io.anabranch.tools.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** A channel that has room for so many bytes only. */
final class FullDisk implements WritableByteChannel {
  private final WritableByteChannel inner;
  private long room;

  FullDisk(WritableByteChannel inner, long room) {
    this.inner = inner;
    this.room = room;
  }

  @Override
  public int write(ByteBuffer bytes) throws IOException {
    room -= bytes.remaining();
    if (room < 0) {
      throw new IOException("No space left on device");
    }
    return inner.write(bytes);
  }

  @Override
  public boolean isOpen() {
    return inner.isOpen();
  }

  @Override
  public void close() throws IOException {
    inner.close();
  }
}
