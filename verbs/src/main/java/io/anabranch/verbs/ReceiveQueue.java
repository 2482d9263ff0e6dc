package io.anabranch.verbs;

import io.anabranch.verbs.MrcException.Code;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/** The posted receives of a queue pair; shared by threads as {@link SendQueue} is. */
final class ReceiveQueue {
  private final int depth;
  private final int mask;
  private final long[] ids;
  private final AtomicLong head = new AtomicLong();
  private long tail;

  /** Completions that were reported and not polled: each holds a place. */
  final AtomicInteger unpolled = new AtomicInteger();

  final ReentrantLock lock = new ReentrantLock();

  ReceiveQueue(int depth) {
    this.depth = depth;
    int size = Integer.highestOneBit(Math.max(1, depth - 1)) << 1;
    mask = size - 1;
    ids = new long[size];
  }

  /** Fills the next slot; the lock is held; returns its number. */
  int prepare(long id) {
    if (tail - head.get() + unpolled.get() >= depth) {
      throw new MrcException(
          Code.EAGAIN, "receive request " + id + ": receive queue full, allowed " + depth);
    }
    int number = (int) tail & mask;
    ids[number] = id;
    return number;
  }

  void commit() {
    tail++;
  }

  long id(int number) {
    return ids[number];
  }

  /** Frees the oldest slot. The driver's thread only. */
  void free(int number) {
    long h = head.getPlain();
    if (((int) h & mask) != number) {
      throw new IllegalStateException("receive slot " + number + " completes out of order");
    }
    head.set(h + 1);
  }

  /** Frees all slots. The lock is held by a thread that waits for this one. */
  void reset() {
    head.set(tail);
  }
}
