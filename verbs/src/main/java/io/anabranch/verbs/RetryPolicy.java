package io.anabranch.verbs;

/**
 * How long a queue pair goes on without any progress before it fails with RETRY_EXC_ERR. Losses
 * that are noticed otherwise are retried without limit and cost nothing of it.
 *
 * @param timeout local ACK timeout 1.024 µs · 2^timeout, 0 … 24; 0 switches it off
 * @param linear expiries that use it as it is, 0 … 7
 * @param exponential expiries after those, each of which doubles it, 0 … 25; 25 = for ever
 */
public record RetryPolicy(int timeout, int linear, int exponential) {
  /** {@link #exponential} that never ends. */
  public static final int FOR_EVER = 25;

  /** 34 ms, twice as it is and seven times doubled: gives up after about 9 s. */
  public static final RetryPolicy DEFAULT = new RetryPolicy(15, 2, 7);

  /** Checks ranges. */
  public RetryPolicy {
    QpAttribute.TIMEOUT.check(timeout);
    QpAttribute.RETRY_LINEAR.check(linear);
    QpAttribute.RETRY_EXPONENTIAL.check(exponential);
  }
}
