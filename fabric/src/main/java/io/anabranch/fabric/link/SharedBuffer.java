package io.anabranch.fabric.link;

import io.anabranch.engine.config.Check;

/**
 * Memory that all ports of a switch share, with dynamic thresholds (Choudhury and Hahne, 1998): a
 * data queue may hold {@code alpha} times what is free, and no more than its own limit. The control
 * class takes from the same memory, and is held back by its own limit and by what is free.
 *
 * @param bytes of a switch, 1 … 2^36
 * @param alpha 0.001 … 1000
 */
public record SharedBuffer(long bytes, double alpha) {
  /** Checks ranges. */
  public SharedBuffer {
    Check.range("bytes", bytes, 1, 1L << 36);
    Check.range("alpha", alpha, 0.001, 1000);
  }
}
