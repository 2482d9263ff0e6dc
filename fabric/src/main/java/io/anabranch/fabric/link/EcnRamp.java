package io.anabranch.fabric.link;

import io.anabranch.engine.config.Check;

/**
 * When a port marks: at dequeue, by the data bytes left in its queue, never at or below {@code
 * lowBytes}, always at or above {@code highBytes}, with a probability that rises linearly between.
 *
 * @param lowBytes where marking begins
 * @param highBytes where every packet is marked, at least {@code lowBytes}
 */
public record EcnRamp(long lowBytes, long highBytes) {
  /** Checks ranges. */
  public EcnRamp {
    Check.range("lowBytes", lowBytes, 0, 1L << 30);
    Check.range("highBytes", highBytes, lowBytes, 1L << 30);
  }
}
