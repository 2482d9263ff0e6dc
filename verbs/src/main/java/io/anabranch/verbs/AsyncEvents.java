package io.anabranch.verbs;

import io.anabranch.engine.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asynchronous events that wait to be taken, and those taken but not acknowledged. Bounded: when
 * full, further ones are counted and dropped.
 */
final class AsyncEvents {
  private final int limit;
  private final Waiter waiter;
  private final ArrayDeque<AsyncEvent> waiting = new ArrayDeque<>();
  private final List<AsyncEvent> taken = new ArrayList<>();
  private long dropped;

  AsyncEvents(int limit, Waiter waiter) {
    this.limit = limit;
    this.waiter = waiter;
  }

  void add(
      AsyncEvent.Type type,
      @Nullable QueuePair queuePair,
      @Nullable CompletionQueue completionQueue,
      int port,
      Status status) {
    synchronized (this) {
      if (waiting.size() >= limit) {
        dropped++;
        return;
      }
      waiting.add(new AsyncEvent(this, type, queuePair, completionQueue, port, status));
    }
    waiter.signal();
  }

  synchronized @Nullable AsyncEvent poll() {
    AsyncEvent event = waiting.poll();
    if (event != null) {
      taken.add(event);
    }
    return event;
  }

  synchronized boolean isEmpty() {
    return waiting.isEmpty();
  }

  synchronized long dropped() {
    return dropped;
  }

  void acknowledged(AsyncEvent event) {
    synchronized (this) {
      taken.remove(event);
    }
    waiter.signal();
  }

  /** Events about an object that were taken and not acknowledged. */
  synchronized int unacknowledged(Object object) {
    int n = 0;
    for (AsyncEvent event : taken) {
      n += event.concerns(object) ? 1 : 0;
    }
    return n;
  }

  /** Removes what nobody has taken about an object that is no more. */
  synchronized void forget(Object object) {
    waiting.removeIf(event -> event.concerns(object));
  }
}
