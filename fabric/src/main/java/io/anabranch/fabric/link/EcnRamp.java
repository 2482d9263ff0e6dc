package io.anabranch.fabric.link;

import io.anabranch.engine.config.Check;

/**
 * When a port marks: at dequeue, by the data bytes left in its queue, never at or below {@code
 * lowBytes}, always at or above {@code highBytes}, with a probability that rises linearly between,
 * from 0 to {@code most}.
 *
 * @param lowBytes where marking begins; DCQCN's Kmin
 * @param highBytes where every packet is marked, at least {@code lowBytes}; Kmax
 * @param most the probability just below {@code highBytes}, 0 … 1; Pmax
 */
public record EcnRamp(long lowBytes, long highBytes, double most) {
  /** Checks ranges. */
  public EcnRamp {
    Check.range("lowBytes", lowBytes, 0, 1L << 30);
    Check.range("highBytes", highBytes, lowBytes, 1L << 30);
    if (!(most >= 0 && most <= 1)) {
      throw new IllegalArgumentException("most: " + most + ", allowed 0…1");
    }
  }

  /** One that rises to 1. */
  public EcnRamp(long lowBytes, long highBytes) {
    this(lowBytes, highBytes, 1);
  }
}
