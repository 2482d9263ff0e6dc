package io.anabranch.fabric.link;

import io.anabranch.engine.config.Check;
import org.jspecify.annotations.Nullable;

/**
 * The two queues of a switch's egress port: the control class (control packets and trimmed headers)
 * goes strictly first.
 *
 * @param dataBytes limit of the data queue, 1 … 2^30
 * @param controlBytes limit of the control queue, 1 … 2^30
 * @param ecn when data is marked; null = never
 * @param overflow what happens when the data queue is full
 * @param trimArriving probability, 0 … 1, that the arriving packet is trimmed and not the newest
 *     one queued
 */
public record QueueConfig(
    long dataBytes,
    long controlBytes,
    @Nullable EcnRamp ecn,
    Overflow overflow,
    double trimArriving) {
  /** Checks ranges. */
  public QueueConfig {
    Check.range("dataBytes", dataBytes, 1, 1L << 30);
    Check.range("controlBytes", controlBytes, 1, 1L << 30);
    if (!(trimArriving >= 0 && trimArriving <= 1)) {
      throw new IllegalArgumentException("trimArriving: " + trimArriving + ", allowed 0…1");
    }
  }
}
