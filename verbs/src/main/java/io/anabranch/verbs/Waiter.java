package io.anabranch.verbs;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where threads wait for something that another thread brings about. Telling costs one volatile
 * read while nobody waits.
 */
final class Waiter {
  /** Longest time that is waited for: more than a century. */
  static final long FOR_EVER_NS = Long.MAX_VALUE / 2;

  private final @Nullable Stepper stepper;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final AtomicInteger waiting = new AtomicInteger();

  Waiter(@Nullable Stepper stepper) {
    this.stepper = stepper;
  }

  /**
   * Waits until {@code done} says so.
   *
   * @param done reads volatile or lock-guarded state; asked under this waiter's lock
   * @return false: the time was over
   */
  boolean await(BooleanSupplier done, long timeoutNs) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    if (stepper != null) {
      return step(stepper, done, timeoutNs);
    }
    if (done.getAsBoolean()) {
      return true;
    }
    if (timeoutNs <= 0) {
      return false;
    }
    lock.lockInterruptibly();
    try {
      waiting.incrementAndGet();
      try {
        long leftNs = timeoutNs;
        while (!done.getAsBoolean()) {
          if (leftNs <= 0) {
            return false;
          }
          leftNs = changed.awaitNanos(leftNs);
        }
        return true;
      } finally {
        waiting.decrementAndGet();
      }
    } finally {
      lock.unlock();
    }
  }

  private static boolean step(Stepper stepper, BooleanSupplier done, long timeoutNs) {
    long endNs = -1;
    while (!done.getAsBoolean()) {
      if (timeoutNs <= 0) {
        return false;
      }
      long nowNs = stepper.step();
      if (endNs < 0) {
        endNs = nowNs + Math.min(timeoutNs, Long.MAX_VALUE - nowNs);
      }
      if (nowNs >= endNs) {
        return done.getAsBoolean();
      }
    }
    return true;
  }

  /** As {@link #await}, but an interruption is only noted for the caller's next wait. */
  boolean awaitUninterruptibly(BooleanSupplier done, long timeoutNs) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return await(done, timeoutNs);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Tells waiting threads to look again. What they look at must have been written before. */
  void signal() {
    // The waiter counts itself before it looks, and we wrote before we read its count: one of the
    // two sees the other.
    if (waiting.get() == 0) {
      return;
    }
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
