package io.anabranch.engine.path;

import io.anabranch.wire.mrc.Frame;
import java.util.Arrays;

/**
 * Frames of the control class and probes waiting for one port: a bounded ring of slots that grows
 * with use.
 */
public final class ControlQueue {
  /** Frames that may wait. */
  public static final int LIMIT = 1024;

  private long[] slots = new long[4 * Frame.WORDS];
  private int head;
  private int size;
  private final Frame view = new Frame();

  /** Frames waiting. */
  public int size() {
    return size;
  }

  /**
   * A cleared slot at the tail to be filled at once.
   *
   * @return null when {@link #LIMIT} frames wait
   */
  public @org.jspecify.annotations.Nullable Frame add() {
    int capacity = slots.length / Frame.WORDS;
    if (size == capacity) {
      if (capacity == LIMIT) {
        return null;
      }
      long[] larger = new long[slots.length * 2];
      int first = slots.length - head * Frame.WORDS;
      System.arraycopy(slots, head * Frame.WORDS, larger, 0, first);
      System.arraycopy(slots, 0, larger, first, head * Frame.WORDS);
      slots = larger;
      head = 0;
      capacity *= 2;
    }
    int at = (head + size++) % capacity * Frame.WORDS;
    Arrays.fill(slots, at, at + Frame.WORDS, 0);
    return view.wrap(slots, at);
  }

  /** Moves the oldest frame into {@code slot}; false when none waits. */
  public boolean poll(Frame slot) {
    if (size == 0) {
      return false;
    }
    slot.copy(view.wrap(slots, head * Frame.WORDS));
    head = (head + 1) % (slots.length / Frame.WORDS);
    size--;
    return true;
  }

  /** Discards all frames. */
  public void clear() {
    size = 0;
  }
}
