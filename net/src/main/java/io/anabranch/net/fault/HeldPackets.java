package io.anabranch.net.fault;

import io.anabranch.net.device.Packet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Copies of packets on one way (a port and a direction), to be passed on later. */
final class HeldPackets {
  private static final Comparator<Held> ORDER =
      Comparator.<Held>comparingLong(h -> h.dueNs).thenComparingLong(h -> h.number);

  /** Buffers shared by all ways of a device, and their bound. */
  static final class Pool {
    private final ArrayDeque<Held> free = new ArrayDeque<>();
    private final int capacity;
    private int made;
    private long numbers;

    Pool(int capacity) {
      this.capacity = capacity;
    }

    private @Nullable Held take() {
      Held held = free.poll();
      if (held == null && made < capacity) {
        made++;
        held = new Held();
      }
      return held;
    }
  }

  /** One copy. */
  private static final class Held {
    final Packet packet = new Packet();
    long dueNs;
    long number;
    int passesLeft;
  }

  private final Pool pool;
  private final PriorityQueue<Held> queue = new PriorityQueue<>(ORDER);
  private final List<Held> counted = new ArrayList<>();

  HeldPackets(Pool pool) {
    this.pool = pool;
  }

  /**
   * Holds a copy until {@code dueNs}, or until {@code passes} packets have passed if more than 0.
   *
   * @return false when there is no room: the packet is lost
   */
  boolean hold(Packet packet, long dueNs, int passes) {
    Held held = pool.take();
    if (held == null) {
      return false;
    }
    held.packet.copy(packet);
    held.dueNs = dueNs;
    held.number = pool.numbers++;
    held.passesLeft = passes;
    queue.add(held);
    if (passes > 0) {
      counted.add(held);
    }
    return true;
  }

  /** Tells that a packet has passed. */
  void passed(long nowNs) {
    for (int i = counted.size() - 1; i >= 0; i--) {
      Held held = counted.get(i);
      if (--held.passesLeft <= 0) {
        counted.remove(i);
        queue.remove(held);
        held.dueNs = nowNs;
        queue.add(held);
      }
    }
  }

  /** The packet that is due, or null; {@link #remove} it after use. */
  @Nullable Packet due(long nowNs) {
    Held first = queue.peek();
    return first != null && first.dueNs <= nowNs ? first.packet : null;
  }

  /** Removes what {@link #due} gave. */
  void remove() {
    Held held = queue.remove();
    if (held.passesLeft > 0) {
      counted.remove(held);
    }
    pool.free.add(held);
  }

  long nextDueNs() {
    Held first = queue.peek();
    return first == null ? Long.MAX_VALUE : first.dueNs;
  }
}
