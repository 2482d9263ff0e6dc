package io.anabranch.verbs;

import io.anabranch.verbs.MrcException.Code;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The outstanding send requests of a queue pair: a ring of message descriptors. Posting threads
 * take turns by a lock of its own, so that requests reach the engine in the order of their slots;
 * the driver's thread frees them in that order without it.
 */
final class SendQueue {
  private final QpCapabilities caps;
  private final boolean signalAll;
  private final int mask;
  private final @Nullable SendSlot[] slots;
  private final AtomicLong head = new AtomicLong();
  private long tail;

  /** Completions that were reported and not polled: each holds a place. */
  final AtomicInteger unpolled = new AtomicInteger();

  final ReentrantLock lock = new ReentrantLock();

  SendQueue(QpCapabilities caps, boolean signalAll) {
    this.caps = caps;
    this.signalAll = signalAll;
    int size = Integer.highestOneBit(Math.max(1, caps.maxSendWr() - 1)) << 1;
    mask = size - 1;
    slots = new SendSlot[size];
  }

  /**
   * Checks a request and fills the next slot with it. The lock is held; {@link #commit} or {@link
   * #withdraw} follows.
   *
   * @return the slot's number
   */
  int prepare(SendRequest r, ProtectionDomain domain) {
    if (tail - head.get() + unpolled.get() >= caps.maxSendWr()) {
      throw new MrcException(
          Code.EAGAIN, "send request " + r.id + ": send queue full, allowed " + caps.maxSendWr());
    }
    if (r.fence) {
      throw new MrcException(Code.ENOTSUP, "fence: not supported, MRC has no reads to wait for");
    }
    if (r.sgeCount > caps.maxSendSge()) {
      throw new MrcException(
          Code.E2BIG, "sges: " + r.sgeCount + ", allowed 0…" + caps.maxSendSge());
    }
    long total = 0;
    for (int i = 0; i < r.sgeCount; i++) {
      check(r, i, domain);
      total += r.lengths[i];
    }
    MrcException.range("lengthBytes", total, r.withImmediate ? 0 : 1, SendRequest.MAX_LENGTH_BYTES);
    if (r.inline) {
      MrcException.range("inline bytes", total, 0, caps.maxInlineBytes());
    }
    use(r);
    int number = (int) tail & mask;
    SendSlot slot = slots[number];
    if (slot == null) {
      slot = new SendSlot(caps.maxSendSge());
      slots[number] = slot;
    }
    try {
      slot.fill(r, signalAll || r.signaled, total, caps.maxInlineBytes());
    } catch (IllegalStateException | WrongThreadException e) {
      throw new MrcException(Code.EINVAL, "inline data: " + e.getMessage(), -1, e);
    } finally {
      if (r.inline) {
        unuse(r, r.sgeCount);
      }
    }
    return number;
  }

  private static void check(SendRequest r, int i, ProtectionDomain domain) {
    MemoryRegion region = r.regions[i];
    if (region == null) {
      if (!r.inline) {
        throw MrcException.invalid("sge " + i, "not in a region", "regions unless inline");
      }
      return;
    }
    if (region.domain() != domain) {
      throw new MrcException(
          Code.EPERM, "sge " + i + ": region of another protection domain than the queue pair's");
    }
    long size = region.lengthBytes();
    MrcException.range("sge " + i + " offset", r.offsets[i], 0, size);
    MrcException.range("sge " + i + " lengthBytes", r.lengths[i], 0, size - r.offsets[i]);
  }

  private static void use(SendRequest r) {
    for (int i = 0; i < r.sgeCount; i++) {
      MemoryRegion region = r.regions[i];
      if (region != null && !region.use()) {
        unuse(r, i);
        throw new MrcException(Code.EINVAL, "sge " + i + ": region closed");
      }
    }
  }

  private static void unuse(SendRequest r, int count) {
    for (int i = 0; i < count; i++) {
      MemoryRegion region = r.regions[i];
      if (region != null) {
        region.unuse();
      }
    }
  }

  /** The prepared slot is on its way. */
  void commit() {
    tail++;
  }

  /** The prepared slot could not be handed on. */
  void withdraw(int number) {
    slot(number).release();
  }

  /** A filled slot. */
  SendSlot slot(int number) {
    SendSlot slot = slots[number];
    if (slot == null) {
      throw new IllegalStateException("send slot " + number + " was never filled");
    }
    return slot;
  }

  /** Bytes of a posted message, for the driver's thread; false when their memory is gone. */
  boolean read(int number, long offset, ByteBuffer into) {
    SendSlot slot = slot(number);
    int limit = into.limit();
    try {
      slot.read(offset, into);
      return true;
    } catch (IllegalStateException e) {
      // The arena was closed under us. The packet goes out with zeros; the message will not
      // succeed.
      into.limit(limit);
      while (into.hasRemaining()) {
        into.put((byte) 0);
      }
      slot.broken = true;
      return false;
    }
  }

  /** Frees the oldest slot. The driver's thread only. */
  void free(int number) {
    long h = head.getPlain();
    if (((int) h & mask) != number) {
      throw new IllegalStateException("send slot " + number + " completes out of order");
    }
    slot(number).release();
    head.set(h + 1);
  }

  /** Frees all slots. The lock is held by a thread that waits for this one. */
  void reset() {
    for (long h = head.get(); h < tail; h++) {
      slot((int) h & mask).release();
    }
    head.set(tail);
  }
}
