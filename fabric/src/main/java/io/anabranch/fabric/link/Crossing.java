package io.anabranch.fabric.link;

import io.anabranch.fabric.event.EventQueue;
import java.util.Arrays;

/**
 * What leaves the part of a network that is run on its own for others: kept until all parts have
 * come to the end of a window, then handed over. Nothing that is sent arrives before that.
 */
public final class Crossing {
  private static final int WORDS = 4;

  private final byte[] partAt;
  private final int own;
  private final long[][] out;
  private final int[] count;

  /**
   * Nothing is under way.
   *
   * @param partAt the part of the node at each link's end
   * @param own this part
   */
  public Crossing(byte[] partAt, int parts, int own) {
    this.partAt = partAt;
    this.own = own;
    out = new long[parts][WORDS * 64];
    count = new int[parts];
  }

  /** Whether a link ends in another part. */
  boolean leaves(int link) {
    return partAt[link] != own;
  }

  void add(int link, long atPs, int target, long with, long other) {
    int part = partAt[link];
    int i = count[part];
    if (i == out[part].length) {
      out[part] = Arrays.copyOf(out[part], 2 * i);
    }
    long[] to = out[part];
    to[i] = atPs;
    to[i + 1] = target;
    to[i + 2] = with;
    to[i + 3] = other;
    count[part] = i + WORDS;
  }

  /** Hands over what goes to a part. */
  public void handOver(int part, EventQueue events) {
    long[] from = out[part];
    for (int i = 0; i < count[part]; i += WORDS) {
      events.add(from[i], (int) from[i + 1], from[i + 2], from[i + 3]);
    }
    count[part] = 0;
  }
}
