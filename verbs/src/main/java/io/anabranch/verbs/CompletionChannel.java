package io.anabranch.verbs;

import io.anabranch.verbs.MrcException.Code;
import java.time.Duration;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Where a thread waits until one of several completion queues has something. A queue says so once
 * after each {@link CompletionQueue#requestNotification}; every event taken is acknowledged with
 * {@link CompletionQueue#acknowledgeEvents}.
 */
public final class CompletionChannel implements AutoCloseable {
  private final MrcContext context;
  private final ArrayDeque<CompletionQueue> events = new ArrayDeque<>();
  private volatile boolean closed;

  /** Completion queues that use it; guarded by the context's control lock. */
  int users;

  CompletionChannel(MrcContext context) {
    this.context = context;
  }

  /** Adds an event. The driver's thread only, and only for a queue that was armed. */
  void add(CompletionQueue queue) {
    synchronized (this) {
      events.add(queue);
    }
    context.waiter.signal();
  }

  synchronized void forget(CompletionQueue queue) {
    events.removeIf(event -> event == queue);
  }

  synchronized int pending(CompletionQueue queue) {
    int n = 0;
    for (CompletionQueue event : events) {
      n += event == queue ? 1 : 0;
    }
    return n;
  }

  private synchronized boolean hasEvent() {
    return !events.isEmpty();
  }

  /**
   * Takes the next event without waiting.
   *
   * @return the completion queue it is about, or null if there is none
   * @throws MrcException EINVAL when closed
   */
  public @Nullable CompletionQueue pollEvent() {
    checkOpen();
    synchronized (this) {
      CompletionQueue queue = events.poll();
      if (queue != null) {
        queue.delivered();
      }
      return queue;
    }
  }

  /**
   * Waits for the next event.
   *
   * @param timeout 0 looks once
   * @return the completion queue it is about
   * @throws MrcException ETIMEDOUT when none came; EIO when the device failed; EINVAL when closed
   * @throws InterruptedException when the thread is interrupted; no event is lost
   */
  public CompletionQueue awaitEvent(Duration timeout) throws InterruptedException {
    long timeoutNs = MrcContext.nanos(timeout);
    long startNs = System.nanoTime();
    long leftNs = timeoutNs;
    while (true) {
      CompletionQueue queue = pollEvent();
      if (queue != null) {
        return queue;
      }
      context.checkAlive();
      if (!context.waiter.await(() -> hasEvent() || closed || context.failed(), leftNs)) {
        throw new MrcException(Code.ETIMEDOUT, "completion channel: no event within " + timeout);
      }
      // Another thread may have been quicker: the rest of the time is waited for the next one.
      leftNs = timeoutNs - (System.nanoTime() - startNs);
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new MrcException(Code.EINVAL, "completion channel: closed");
    }
  }

  /**
   * Ends it. Without effect when closed already.
   *
   * @throws MrcException EBUSY while completion queues use it
   */
  @Override
  public void close() {
    context.lock.lock();
    try {
      if (closed) {
        return;
      }
      MrcContext.checkUnused("completion channel", users, "completion queues");
      closed = true;
      context.channels.remove(this);
    } finally {
      context.lock.unlock();
    }
    context.waiter.signal();
  }
}
