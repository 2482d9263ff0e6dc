package io.anabranch.verbs;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * The way from any thread to the driver's: a bounded ring for many producers and one consumer that
 * neither locks nor allocates. Each slot carries a sequence number that says whose turn it is: p
 * when it is free for the producer with ticket p, p + 1 when it is filled.
 */
final class CommandQueue {
  private final int mask;
  private final AtomicLongArray sequences;
  private final @Nullable Object[] items;
  private final long[] arguments;
  private final AtomicLong tail = new AtomicLong();
  private long head;
  private long argument;

  /** A queue of {@code capacity} commands, a power of two. */
  CommandQueue(int capacity) {
    mask = capacity - 1;
    sequences = new AtomicLongArray(capacity);
    for (int i = 0; i < capacity; i++) {
      sequences.set(i, i);
    }
    items = new Object[capacity];
    arguments = new long[capacity];
  }

  /** Adds a command; false when the queue is full. Any thread. */
  boolean offer(Object item, long itemArgument) {
    long ticket = tail.get();
    while (true) {
      int i = (int) ticket & mask;
      long sequence = sequences.get(i);
      if (sequence < ticket) {
        return false;
      }
      if (sequence == ticket && tail.compareAndSet(ticket, ticket + 1)) {
        items[i] = item;
        arguments[i] = itemArgument;
        sequences.setRelease(i, ticket + 1);
        return true;
      }
      ticket = tail.get();
    }
  }

  /** Takes the oldest command, or null. The driver's thread only. */
  @Nullable Object poll() {
    int i = (int) head & mask;
    if (sequences.getAcquire(i) != head + 1) {
      return null;
    }
    Object item = items[i];
    argument = arguments[i];
    items[i] = null;
    sequences.setRelease(i, head + mask + 1);
    head++;
    return item;
  }

  /** The argument of the command taken last. */
  long argument() {
    return argument;
  }
}
