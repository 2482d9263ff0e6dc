package io.anabranch.net.loop;

import io.anabranch.engine.config.Check;

/**
 * How a duty cycle divides its time.
 *
 * @param threadName name of its thread
 * @param spinNs time without work after which it sleeps instead of spinning, 0 … 1 s. Spinning
 *     answers within a microsecond; a sleep takes tens of microseconds to end
 * @param ringPackets packets that may wait between the sockets and the engine, 16 … 65536; more if
 *     the sockets hold more. What comes on top is refused with NO_PKT_BUFFER
 * @param receiveBurst frames that a turn hands to the engine at most, 1 … 65536
 * @param sendBurst frames that a turn sends at most, all ports together, 1 … 65536
 * @param interfacePollNs time between two looks at the interfaces' state, 1 ms … 1 min
 * @param retryNs time between two attempts to send on a port that failed, 1 ms … 1 min
 */
public record LoopConfig(
    String threadName,
    long spinNs,
    int ringPackets,
    int receiveBurst,
    int sendBurst,
    long interfacePollNs,
    long retryNs) {
  private static final long MILLISECOND_NS = 1_000_000;
  private static final long MINUTE_NS = 60_000_000_000L;

  /** The defaults. */
  public static final LoopConfig DEFAULT =
      new LoopConfig("anabranch-net", 50_000, 256, 512, 32, 1_000_000_000L, 100_000_000L);

  /** Checks ranges. */
  public LoopConfig {
    Check.range("spinNs", spinNs, 0, 1_000_000_000L);
    Check.range("ringPackets", ringPackets, 16, 65536);
    Check.range("receiveBurst", receiveBurst, 1, 65536);
    Check.range("sendBurst", sendBurst, 1, 65536);
    Check.range("interfacePollNs", interfacePollNs, MILLISECOND_NS, MINUTE_NS);
    Check.range("retryNs", retryNs, MILLISECOND_NS, MINUTE_NS);
  }

  /** The same with another {@link #threadName}. */
  public LoopConfig withThreadName(String name) {
    return new LoopConfig(
        name, spinNs, ringPackets, receiveBurst, sendBurst, interfacePollNs, retryNs);
  }

  /** The same with another {@link #spinNs}. */
  public LoopConfig withSpinNs(long ns) {
    return new LoopConfig(
        threadName, ns, ringPackets, receiveBurst, sendBurst, interfacePollNs, retryNs);
  }
}
