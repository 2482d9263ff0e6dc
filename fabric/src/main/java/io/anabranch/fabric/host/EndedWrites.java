package io.anabranch.fabric.host;

import java.util.Arrays;

/** Writes that have ended and are still to be told: telling may post more. */
public final class EndedWrites {
  private static final int WORDS = 5;

  private int[] entries = new int[WORDS * 16];
  private int head;
  private int tail;
  private int host;
  private int qp;
  private int flow;
  private boolean success;
  private int bytes;

  /** One more. */
  public void add(int atHost, int ofQp, int ofFlow, boolean well, int ofBytes) {
    if (tail == entries.length) {
      entries = Arrays.copyOf(entries, tail * 2);
    }
    entries[tail] = atHost;
    entries[tail + 1] = ofQp;
    entries[tail + 2] = ofFlow;
    entries[tail + 3] = well ? 1 : 0;
    entries[tail + 4] = ofBytes;
    tail += WORDS;
  }

  /** Moves on to the next one; false: there is none. */
  public boolean next() {
    if (head == tail) {
      head = 0;
      tail = 0;
      return false;
    }
    host = entries[head];
    qp = entries[head + 1];
    flow = entries[head + 2];
    success = entries[head + 3] != 0;
    bytes = entries[head + 4];
    head += WORDS;
    return true;
  }

  /** Whose it was. */
  public int host() {
    return host;
  }

  /** Its queue pair. */
  public int qp() {
    return qp;
  }

  /** Its flow. */
  public int flow() {
    return flow;
  }

  /** Whether it ended well. */
  public boolean success() {
    return success;
  }

  /** Its bytes. */
  public long bytes() {
    return bytes & 0xffff_ffffL;
  }
}
