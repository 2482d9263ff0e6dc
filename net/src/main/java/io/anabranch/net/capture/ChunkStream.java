package io.anabranch.net.capture;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An output stream that a thread of its own empties into another: writing to it copies, and waits
 * only when {@value #CHUNKS} pieces are not written yet.
 */
final class ChunkStream extends OutputStream {
  private static final int CHUNKS = 64;
  private static final int CHUNK_BYTES = 1 << 16;
  private static final long PATIENCE_MS = 10_000;

  private final OutputStream out;
  private final BlockingQueue<Chunk> full = new ArrayBlockingQueue<>(CHUNKS + 1);
  private final BlockingQueue<Chunk> empty = new ArrayBlockingQueue<>(CHUNKS);
  private final Thread thread;
  private volatile @Nullable IOException failure;

  private static final class Chunk {
    final byte[] bytes;
    int length;

    Chunk(int size) {
      bytes = new byte[size];
    }
  }

  private static final Chunk END = new Chunk(0);

  ChunkStream(OutputStream out) {
    this.out = out;
    for (int i = 0; i < CHUNKS; i++) {
      empty.add(new Chunk(CHUNK_BYTES));
    }
    thread = Thread.ofPlatform().daemon().name("anabranch-capture").start(this::writeAll);
  }

  /** Pieces of up to 64 KiB that can be written without waiting. */
  int room() {
    return empty.size();
  }

  /** Why nothing more is written, or null. */
  @Nullable IOException failure() {
    return failure;
  }

  /** Ends it with a failure of the caller's. */
  void fail(IOException why) {
    if (failure == null) {
      failure = why;
    }
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int from, int count) throws IOException {
    int at = from;
    while (at < from + count) {
      IOException why = failure;
      if (why != null) {
        throw new IOException(why);
      }
      Chunk chunk;
      try {
        chunk = empty.poll(PATIENCE_MS, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while the capture waits for its file");
      }
      if (chunk == null) {
        throw stalled();
      }
      chunk.length = Math.min(from + count - at, CHUNK_BYTES);
      System.arraycopy(bytes, at, chunk.bytes, 0, chunk.length);
      at += chunk.length;
      full.add(chunk);
    }
  }

  private void writeAll() {
    try (out) {
      for (Chunk chunk = full.take(); chunk != END; chunk = full.take()) {
        write(chunk);
        empty.add(chunk);
      }
    } catch (IOException e) {
      fail(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void write(Chunk chunk) {
    if (failure == null) {
      try {
        out.write(chunk.bytes, 0, chunk.length);
      } catch (IOException e) {
        fail(e);
      }
    }
  }

  /** Waits until all is written, for a while, and closes the other stream. */
  @Override
  public void close() throws IOException {
    full.add(END);
    try {
      thread.join(PATIENCE_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      fail(stalled());
    }
  }

  private static IOException stalled() {
    return new IOException("the capture's file takes nothing for " + PATIENCE_MS + " ms");
  }
}
