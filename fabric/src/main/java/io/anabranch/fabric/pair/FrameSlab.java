package io.anabranch.fabric.pair;

import io.anabranch.wire.mrc.Frame;
import java.util.Arrays;

/** Frames on their way: a slab of slots with what the harness knows of each beside it. */
final class FrameSlab {
  /** Copy id of a frame that carries no data packet. */
  static final int NO_COPY = -1;

  private long[] words = new long[Frame.WORDS * 256];
  private int[] copy = new int[256];
  private byte[] port = new byte[256];
  private boolean[] forged = new boolean[256];
  private int[] free = new int[256];
  private int freeCount;
  private int used;

  /** Takes a free slot. May move the slab: wrap frames anew afterwards. */
  int take() {
    int slot;
    if (freeCount > 0) {
      slot = free[--freeCount];
    } else {
      if (used == copy.length) {
        words = Arrays.copyOf(words, words.length * 2);
        copy = Arrays.copyOf(copy, used * 2);
        port = Arrays.copyOf(port, used * 2);
        forged = Arrays.copyOf(forged, used * 2);
        free = Arrays.copyOf(free, used * 2);
      }
      slot = used++;
    }
    copy[slot] = NO_COPY;
    forged[slot] = false;
    return slot;
  }

  void release(int slot) {
    free[freeCount++] = slot;
  }

  Frame wrap(Frame frame, int slot) {
    return frame.wrap(words, slot * Frame.WORDS);
  }

  /** The requestor's copy that the frame carries, or {@link #NO_COPY}. */
  int copy(int slot) {
    return copy[slot];
  }

  void copy(int slot, int id) {
    copy[slot] = id;
  }

  int port(int slot) {
    return port[slot];
  }

  void port(int slot, int value) {
    port[slot] = (byte) value;
  }

  /** Whether a liar made the frame, not an engine. */
  boolean forged(int slot) {
    return forged[slot];
  }

  void forged(int slot, boolean value) {
    forged[slot] = value;
  }

  /** Slots in use. */
  int inUse() {
    return used - freeCount;
  }
}
