package io.anabranch.fabric.pair;

import io.anabranch.engine.Memory;
import io.anabranch.fabric.event.Streams;
import io.anabranch.wire.mrc.Frame;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * One side's memory: a byte array a region with guards around it. A message's bytes are a function
 * of its handle and the offset, so that sender and checker agree without a buffer.
 */
final class PairMemory implements Memory {
  /** Told of every write before it happens. */
  interface Watch {
    void placed(int region, long offset, Frame frame);
  }

  /** Handle that stands for bytes nobody posted. */
  static final int GARBAGE = -1;

  private static final int GUARD = 256;
  private static final byte UNTOUCHED = (byte) 0xA5;
  private static final int PERIOD = 1 << 16;
  private static final int LONGEST = 1 << 16;
  private static final byte[] PATTERN = pattern();

  private final byte[][] regions;
  private final Watch watch;
  private final boolean virtual;
  private final long[] regionBytes;

  /**
   * @param virtual whether there are no bytes behind it
   */
  PairMemory(long[] regionBytes, boolean virtual, Watch watch) {
    this.watch = watch;
    this.virtual = virtual;
    this.regionBytes = regionBytes.clone();
    this.regions = new byte[regionBytes.length][];
    for (int i = 0; i < regions.length && !virtual; i++) {
      regions[i] = new byte[Math.toIntExact(regionBytes[i] + 2L * GUARD)];
      Arrays.fill(regions[i], UNTOUCHED);
    }
  }

  private static byte[] pattern() {
    byte[] bytes = new byte[PERIOD + LONGEST];
    SplittableRandom random = new SplittableRandom(0x6d7263);
    for (int i = 0; i < PERIOD; i++) {
      bytes[i] = (byte) random.nextInt();
    }
    System.arraycopy(bytes, 0, bytes, PERIOD, LONGEST);
    return bytes;
  }

  private static int start(int ref, long offset) {
    return (int) (Streams.mix(ref) + offset) & PERIOD - 1;
  }

  @Override
  public void place(int region, long offset, Frame frame) {
    watch.placed(region, offset, frame);
    if (virtual) {
      return;
    }
    byte[] to = regions[region];
    int from = start(frame.payloadRef(), frame.payloadOffset());
    System.arraycopy(PATTERN, from, to, GUARD + (int) offset, frame.payloadLength());
  }

  int regions() {
    return regions.length;
  }

  long bytes(int region) {
    return regionBytes[region];
  }

  /** Offset from the region's start of the first byte that is not the message's; −1 if none. */
  long firstWrong(int region, long offset, int ref, long bytes) {
    if (virtual) {
      return -1;
    }
    byte[] have = regions[region];
    for (long done = 0; done < bytes; done += LONGEST) {
      int n = (int) Math.min(LONGEST, bytes - done);
      int at = GUARD + (int) (offset + done);
      int from = start(ref, done);
      int wrong = Arrays.mismatch(have, at, at + n, PATTERN, from, from + n);
      if (wrong >= 0) {
        return offset + done + wrong;
      }
    }
    return -1;
  }

  /**
   * Offset of the first byte in {@code from … to − 1} that was touched; {@code to} if none. Guards
   * lie before 0 and from {@link #bytes} on.
   */
  long firstTouched(int region, long from, long to) {
    if (virtual) {
      return to;
    }
    byte[] have = regions[region];
    for (long i = Math.max(from, -GUARD); i < Math.min(to, bytes(region) + GUARD); i++) {
      if (have[GUARD + (int) i] != UNTOUCHED) {
        return i;
      }
    }
    return to;
  }

  static int guardBytes() {
    return GUARD;
  }
}
