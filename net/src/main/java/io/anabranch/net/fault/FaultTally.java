package io.anabranch.net.fault;

import io.anabranch.net.device.Packet;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/** Counts what faults did; any thread may read. */
final class FaultTally {
  private static final int KINDS = FaultKind.values().length;

  private final AtomicLongArray counts;
  private volatile @Nullable FaultListener listener;

  FaultTally(int ports) {
    counts = new AtomicLongArray(ports * 2 * KINDS);
  }

  void listener(@Nullable FaultListener listener) {
    this.listener = listener;
  }

  void count(FaultKind kind, boolean sent, Packet packet, long nowNs) {
    counts.incrementAndGet(index(kind, sent, packet.port));
    FaultListener who = listener;
    if (who != null) {
      who.hit(kind, sent, packet, nowNs);
    }
  }

  long count(FaultKind kind, boolean sent, int port) {
    return counts.get(index(kind, sent, port));
  }

  private static int index(FaultKind kind, boolean sent, int port) {
    return (2 * port + (sent ? 1 : 0)) * KINDS + kind.ordinal();
  }
}
