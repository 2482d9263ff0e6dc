package io.anabranch.tools.transfer;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The bytes of all files, one after another, hashed file by file as they are read if wanted. */
final class Outgoing implements Closeable {
  private final Iterator<FileList.Source> rest;
  private final @Nullable MessageDigest digest;
  private final Hashes hashes = new Hashes();
  private FileList.@Nullable Source current;
  private @Nullable FileChannel channel;
  private long left;

  Outgoing(List<FileList.Source> sources, boolean hashed) {
    digest = hashed ? Hashes.digest() : null;
    rest = sources.iterator();
  }

  /** Hashes of the files that have been read to their end; none if it does not hash. */
  Hashes hashes() {
    return hashes;
  }

  /**
   * Fills a buffer as far as there are bytes left; only the last buffer does not get full.
   *
   * @throws TransferException when a file has become shorter
   */
  void fill(ByteBuffer into) throws IOException {
    while (true) {
      FileChannel from = channel;
      if (from == null) {
        if (!open()) {
          return;
        }
        continue;
      }
      if (left == 0) {
        if (digest != null) {
          hashes.add(digest.digest());
        }
        close();
        continue;
      }
      if (!into.hasRemaining()) {
        return;
      }
      read(from, into);
    }
  }

  /** Opens the next file; false when there is none. */
  private boolean open() throws IOException {
    while (rest.hasNext()) {
      FileList.Source source = rest.next();
      if (!source.entry().directory()) {
        current = source;
        left = source.entry().bytes();
        channel = FileChannel.open(source.path(), StandardOpenOption.READ);
        return true;
      }
    }
    return false;
  }

  private void read(FileChannel from, ByteBuffer into) throws IOException {
    int start = into.position();
    int limit = into.limit();
    into.limit((int) Math.min(limit, start + left));
    int n = from.read(into);
    if (n <= 0) {
      String path = current == null ? "" : current.path().toString();
      throw new TransferException(path + ": became shorter while it was sent");
    }
    if (digest != null) {
      digest.update(into.duplicate().position(start).limit(start + n));
    }
    into.limit(limit);
    left -= n;
  }

  @Override
  public void close() throws IOException {
    FileChannel open = channel;
    channel = null;
    if (open != null) {
      open.close();
    }
  }
}
