package io.anabranch.verbs;

/**
 * A queue pair at its creation.
 *
 * @param sendCq takes the completions of sends
 * @param receiveCq takes the completions of receives; may be the same
 * @param caps how much it can hold
 * @param signalAll whether every send gives a completion, asked for or not
 * @param protocolVersion MRC's version: 1, or 0 for the provider's choice
 */
public record QueuePairConfig(
    CompletionQueue sendCq,
    CompletionQueue receiveCq,
    QpCapabilities caps,
    boolean signalAll,
    int protocolVersion) {
  /** Checks the version. */
  public QueuePairConfig {
    if (protocolVersion < 0 || protocolVersion > MrcContext.PROTOCOL_VERSION) {
      throw new MrcException(
          MrcException.Code.ENOTSUP,
          "protocolVersion: " + protocolVersion + ", allowed 0…" + MrcContext.PROTOCOL_VERSION);
    }
  }

  /** One completion queue for both directions, default capacities, signals on request only. */
  public static QueuePairConfig of(CompletionQueue cq) {
    return new QueuePairConfig(cq, cq, QpCapabilities.DEFAULT, false, 0);
  }

  /** The same with other capacities. */
  public QueuePairConfig withCaps(QpCapabilities value) {
    return new QueuePairConfig(sendCq, receiveCq, value, signalAll, protocolVersion);
  }

  /** The same with another {@link #signalAll}. */
  public QueuePairConfig withSignalAll(boolean value) {
    return new QueuePairConfig(sendCq, receiveCq, caps, value, protocolVersion);
  }
}
