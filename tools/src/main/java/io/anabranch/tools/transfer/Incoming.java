package io.anabranch.tools.transfer;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.security.MessageDigest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes the bytes of all files, one after another, into files on their way, and hashes them if it
 * shall.
 */
final class Incoming implements Closeable {
  private final List<Entry> entries;
  private final Staging staging;
  private final @Nullable MessageDigest digest;
  private final Hashes hashes = new Hashes();
  private @Nullable WritableByteChannel channel;
  private int next;
  private long left;

  /** Begins with the first file; those that are empty are made when their turn comes. */
  Incoming(List<Entry> entries, Staging staging, boolean hashed) throws IOException {
    digest = hashed ? Hashes.digest() : null;
    this.entries = entries;
    this.staging = staging;
    advance();
  }

  /** Goes on to the next file that still needs bytes. */
  private void advance() throws IOException {
    while (left == 0) {
      if (channel != null) {
        close();
        if (digest != null) {
          hashes.add(digest.digest());
        }
      }
      while (next < entries.size() && entries.get(next).directory()) {
        next++;
      }
      if (next == entries.size()) {
        return;
      }
      channel = staging.create(next);
      left = entries.get(next).bytes();
      next++;
    }
  }

  /** Whether every file is complete. */
  boolean isComplete() {
    return channel == null && next == entries.size();
  }

  /** Hashes of the complete files; none if it does not hash. */
  Hashes hashes() {
    return hashes;
  }

  /** Stores the bytes that come next: at most as many as are missing. */
  void store(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      WritableByteChannel into = channel;
      if (into == null) {
        throw new TransferException("the sender broke the rules: more bytes than it offered");
      }
      ByteBuffer part = bytes.slice();
      part.limit((int) Math.min(part.limit(), left));
      bytes.position(bytes.position() + part.limit());
      left -= part.limit();
      if (digest != null) {
        digest.update(part.duplicate());
      }
      while (part.hasRemaining()) {
        into.write(part);
      }
      advance();
    }
  }

  @Override
  public void close() throws IOException {
    WritableByteChannel open = channel;
    channel = null;
    if (open != null) {
      open.close();
    }
  }
}
