package io.anabranch.net.capture;

import io.anabranch.wire.ip.LinkView;
import io.anabranch.wire.pcap.PcapngWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A pcapng file that several devices of a process may share. A thread writes it; about 4 MiB may
 * wait for it. When it fails (a full disk), or takes nothing for two seconds, the capture stops and
 * the traffic goes on: {@link #failure} tells.
 *
 * <p>Safe for use by several threads.
 */
public final class Capture implements AutoCloseable {
  private static final int NEEDED_ROOM = 2;
  private static final long STALL_NS = 2_000_000_000L;

  private final ChunkStream stream;
  private final PcapngWriter writer;
  private final long epochOffsetNs;
  private long frames;
  private long missed;
  private long refusedSinceNs;
  private boolean refusing;
  private boolean closed;

  private Capture(OutputStream out) throws IOException {
    stream = new ChunkStream(out);
    writer = new PcapngWriter(stream);
    Instant now = Instant.now();
    epochOffsetNs = now.getEpochSecond() * 1_000_000_000L + now.getNano() - System.nanoTime();
  }

  /**
   * Begins a file, replacing one of that name.
   *
   * @throws IOException when it cannot be made
   */
  public static Capture open(Path file) throws IOException {
    return new Capture(Files.newOutputStream(file));
  }

  /** Begins a capture on a stream, which it closes at its end. */
  public static Capture to(OutputStream out) throws IOException {
    return new Capture(out);
  }

  /** Describes an interface that carries Ethernet frames; returns its number. */
  public synchronized int addInterface(String name) throws IOException {
    return writer.addInterface(name, LinkView.ETHERNET);
  }

  /**
   * Takes a frame.
   *
   * @param nowNs when, by {@link System#nanoTime}
   * @param frame the bytes between position and limit, which stay
   * @return false: there is no room now. The frame is not in the capture; ask again
   */
  public synchronized boolean record(int interfaceId, long nowNs, ByteBuffer frame) {
    if (closed || stream.failure() != null) {
      missed++;
      return true;
    }
    if (stream.room() < NEEDED_ROOM) {
      if (!refusing) {
        refusing = true;
        refusedSinceNs = nowNs;
      } else if (nowNs - refusedSinceNs > STALL_NS) {
        stream.fail(new IOException("the file takes nothing for " + STALL_NS / 1_000_000 + " ms"));
      }
      return false;
    }
    refusing = false;
    try {
      writer.write(interfaceId, nowNs + epochOffsetNs, frame);
      frames++;
    } catch (IOException e) {
      stream.fail(e);
      missed++;
    }
    return true;
  }

  /** Counts a frame that its device could not wait to record. */
  synchronized void miss() {
    missed++;
  }

  /** Frames taken. */
  public synchronized long frames() {
    return frames;
  }

  /** Frames that are not in the file, since it failed or could not keep up. */
  public synchronized long missed() {
    return missed;
  }

  /** Why the capture stopped early, or null. */
  public @Nullable IOException failure() {
    return stream.failure();
  }

  /** Writes what waits and closes the file; {@link #failure} then tells whether all went well. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    // Nobody else uses the writer now, and nobody shall wait for the file.
    try {
      writer.close();
    } catch (IOException e) {
      stream.fail(e);
    }
  }
}
