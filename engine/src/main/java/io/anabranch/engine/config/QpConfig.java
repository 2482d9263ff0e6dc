package io.anabranch.engine.config;

/**
 * A queue pair at its creation (RESET → INIT).
 *
 * @param domain protection domain whose regions its peer may write to
 * @param sendQueueDepth work requests that may be outstanding, 1 … 65536
 * @param receiveQueueDepth receives that may be posted, 0 … 65536
 * @param evMinActive EVs in rotation below which no more are demoted, at least 1
 * @param evActive EVs in rotation that are wanted, all planes together; at least {@code
 *     evMinActive}
 */
public record QpConfig(
    int domain, int sendQueueDepth, int receiveQueueDepth, int evMinActive, int evActive) {
  /** Checks ranges. */
  public QpConfig {
    Check.range("sendQueueDepth", sendQueueDepth, 1, 65536);
    Check.range("receiveQueueDepth", receiveQueueDepth, 0, 65536);
    Check.range("evMinActive", evMinActive, 1, 4096);
    Check.range("evActive", evActive, evMinActive, 4096);
  }
}
