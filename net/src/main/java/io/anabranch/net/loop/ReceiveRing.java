package io.anabranch.net.loop;

import io.anabranch.net.device.Packet;
import org.jspecify.annotations.Nullable;

/**
 * Packets taken from the sockets and not yet handed to the engine, first in first out, bounded.
 * Buffers are made when first needed, and the one freed last is used next: a ring that is nearly
 * empty stays in the processor's cache however large it may grow.
 */
final class ReceiveRing {
  private final @Nullable Packet[] queue;
  private final @Nullable Packet[] free;
  private final int packetBytes;
  private int freeCount;
  private int made;
  private int head;
  private int size;

  ReceiveRing(int capacity, int packetBytes) {
    this.packetBytes = packetBytes;
    queue = new Packet[capacity];
    free = new Packet[capacity];
  }

  /** A packet to fill, or null when all are in use; then {@link #add} or {@link #release} it. */
  @Nullable Packet take() {
    if (freeCount > 0) {
      Packet packet = free[--freeCount];
      free[freeCount] = null;
      return packet;
    }
    if (made == queue.length) {
      return null;
    }
    made++;
    return new Packet(packetBytes);
  }

  /** Puts a filled packet at the end. */
  void add(Packet packet) {
    int at = head + size;
    queue[at < queue.length ? at : at - queue.length] = packet;
    size++;
  }

  /** Removes the first packet, or gives null; {@link #release} it after use. */
  @Nullable Packet poll() {
    if (size == 0) {
      return null;
    }
    Packet packet = queue[head];
    queue[head] = null;
    head = head + 1 == queue.length ? 0 : head + 1;
    size--;
    return packet;
  }

  /** Gives a packet back. */
  void release(Packet packet) {
    free[freeCount++] = packet;
  }

  boolean isEmpty() {
    return size == 0;
  }

  int size() {
    return size;
  }
}
