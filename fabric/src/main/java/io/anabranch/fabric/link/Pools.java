package io.anabranch.fabric.link;

import java.util.function.IntUnaryOperator;

/** The shared buffers of all switches. */
public final class Pools {
  private final SharedBuffer config;
  private final IntUnaryOperator switchOf;
  private final long[] usedBytes;

  /**
   * All of them empty.
   *
   * @param switchOf the switch whose port feeds a link
   */
  public Pools(SharedBuffer config, int switches, IntUnaryOperator switchOf) {
    this.config = config;
    this.switchOf = switchOf;
    usedBytes = new long[switches];
  }

  int switchOf(int link) {
    return switchOf.applyAsInt(link);
  }

  /** Takes bytes from a switch's buffer; fewer than none gives some back. */
  void take(int node, long bytes) {
    usedBytes[node] += bytes;
  }

  /** What is free in a switch's buffer. */
  long freeBytes(int node) {
    return config.bytes() - usedBytes[node];
  }

  /** Whether a queue may hold so much with so much free, the arriving packet counted as queued. */
  boolean admits(long freeBytes, long queuedBytes, int arrivingBytes) {
    return arrivingBytes <= freeBytes && queuedBytes <= config.alpha() * freeBytes;
  }
}
