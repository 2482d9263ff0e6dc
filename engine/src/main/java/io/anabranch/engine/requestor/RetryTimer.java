package io.anabranch.engine.requestor;

import io.anabranch.engine.config.RequestorAttributes;

/**
 * The local ACK timeout and its retry budget: 1.024 µs · 2^t, the first {@code linearRetries}
 * expiries as is, the next {@code exponentialRetries} doubling it. Any progress resets the budget.
 */
final class RetryTimer {
  private static final int MAX_TIMEOUT = 24;
  private static final long UNIT_NS = 1024;

  private final RequestorAttributes attributes;
  private long baseNs;
  private int expiries;
  private long expiriesInAll;

  RetryTimer(RequestorAttributes attributes) {
    this.attributes = attributes;
  }

  /** The oldest packet was sent again; after an expiry that does not stretch the interval. */
  void resent(long nowNs) {
    if (expiries == 0) {
      restart(nowNs);
    }
  }

  /** Runs from now on. */
  void restart(long nowNs) {
    baseNs = Math.max(baseNs, nowNs);
  }

  /** Something was acknowledged in order. */
  void progress(long nowNs) {
    expiries = 0;
    restart(nowNs);
  }

  /** A time in which nothing could be heard does not count. */
  void extend(long byNs) {
    baseNs += byNs;
  }

  /** The timeout in force. */
  long timeoutNs() {
    int doublings =
        expiries < attributes.linearRetries() ? 0 : expiries - attributes.linearRetries() + 1;
    return UNIT_NS << Math.min(MAX_TIMEOUT, attributes.timeout() + doublings);
  }

  long dueNs() {
    return baseNs + timeoutNs();
  }

  /** Expiries since the last progress. */
  int expiries() {
    return expiries;
  }

  long expiriesInAll() {
    return expiriesInAll;
  }

  /** The timer ended; false: the budget is spent. */
  boolean expire() {
    expiries++;
    expiriesInAll++;
    return attributes.exponentialRetries() == RequestorAttributes.FOR_EVER
        || expiries <= attributes.linearRetries() + attributes.exponentialRetries();
  }
}
