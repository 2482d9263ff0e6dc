package io.anabranch.verbs;

import io.anabranch.engine.Sink.Operation;
import io.anabranch.engine.Status;
import io.anabranch.verbs.MrcException.Code;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Where completions wait to be polled. One that comes when {@code depth} are waiting overflows it:
 * the queue fails, the context reports CQ_ERROR, and its queue pairs go to ERROR.
 *
 * <p>Any thread may poll; two that poll at once each get completions of their own.
 */
public final class CompletionQueue implements AutoCloseable {
  /** Largest depth. */
  public static final int MAX_DEPTH = 1 << 20;

  /** Notifications that may be untaken in the channel before further requests are refused. */
  private static final int MAX_PENDING = 1 << 16;

  private static final int NOT_ARMED = 0;
  private static final int ARMED_SOLICITED = 1;
  private static final int ARMED_ALL = 2;
  private static final Status[] STATUSES = Status.values();
  private static final Operation[] OPERATIONS = Operation.values();

  private final MrcContext context;
  private final @Nullable CompletionChannel channel;
  private final int depth;
  private final int mask;
  private final long[] ids;
  private final long[] lengths;
  private final int[] immediates;
  private final int[] qpNumbers;
  private final byte[] statuses;
  private final byte[] operations;
  private final @Nullable AtomicInteger[] owners;

  // Head moves by compare-and-set: whoever polls copies first and then claims, so what was
  // overwritten meanwhile is never returned.
  private final AtomicLong head = new AtomicLong();
  private final AtomicLong tail = new AtomicLong();
  private final AtomicInteger armed = new AtomicInteger(NOT_ARMED);
  private final AtomicLong delivered = new AtomicLong();
  private final AtomicLong acknowledged = new AtomicLong();
  private volatile boolean failed;
  private volatile boolean closed;

  /** Queue pairs that use it, once for each direction; guarded by the context's control lock. */
  int users;

  CompletionQueue(MrcContext context, int depth, @Nullable CompletionChannel channel) {
    this.context = context;
    this.depth = depth;
    this.channel = channel;
    int size = Integer.highestOneBit(Math.max(1, depth - 1)) << 1;
    mask = size - 1;
    ids = new long[size];
    lengths = new long[size];
    immediates = new int[size];
    qpNumbers = new int[size];
    statuses = new byte[size];
    operations = new byte[size];
    owners = new AtomicInteger[size];
  }

  /** Completions that may wait in it. */
  public int depth() {
    return depth;
  }

  /** The channel that its notifications go to, or null. */
  public @Nullable CompletionChannel channel() {
    return channel;
  }

  boolean belongsTo(MrcContext owner) {
    return context == owner && !closed;
  }

  /** Completions that wait in it. */
  int waiting() {
    return (int) (tail.get() - head.get());
  }

  /** Whether it overflowed. */
  public boolean hasFailed() {
    return failed;
  }

  /**
   * Adds a completion. The driver's thread only.
   *
   * @param unpolled was counted up, and is counted down when the completion is taken, or now if it
   *     never will be: it holds its place in its work queue until then, so that a completion queue
   *     as deep as the work queues that use it never overflows
   * @return false: it overflowed just now
   */
  boolean add(
      long id,
      Status status,
      Operation operation,
      long byteLength,
      int immediate,
      int qpNumber,
      boolean solicited,
      AtomicInteger unpolled) {
    if (failed) {
      unpolled.decrementAndGet();
      return true;
    }
    long t = tail.getPlain();
    if (t - head.get() == depth) {
      failed = true;
      unpolled.decrementAndGet();
      return false;
    }
    int i = (int) t & mask;
    ids[i] = id;
    lengths[i] = byteLength;
    immediates[i] = immediate;
    qpNumbers[i] = qpNumber;
    statuses[i] = (byte) status.ordinal();
    operations[i] = (byte) operation.ordinal();
    owners[i] = unpolled;
    // Volatile, and before armed is read: who arms and then polls sees this one or is told of it.
    tail.set(t + 1);
    notifyIfArmed(solicited || status != Status.SUCCESS);
    return true;
  }

  private void notifyIfArmed(boolean matters) {
    int how = armed.get();
    while (how == ARMED_ALL || how == ARMED_SOLICITED && matters) {
      if (armed.compareAndSet(how, NOT_ARMED)) {
        if (channel != null) {
          channel.add(this);
        }
        return;
      }
      how = armed.get();
    }
  }

  /**
   * Takes completions that are waiting, oldest first.
   *
   * @param max how many at most, at least 1
   * @return none if nothing waits
   * @throws MrcException EIO when it has failed and everything from before that was taken; EINVAL
   *     when closed
   */
  public List<WorkCompletion> poll(int max) {
    MrcException.range("max", max, 1, Integer.MAX_VALUE);
    int waiting = (int) Math.min(max, tail.get() - head.get());
    WorkCompletion[] into = new WorkCompletion[Math.max(0, waiting)];
    int n = take(into);
    return n == into.length ? List.of(into) : List.of(into).subList(0, n);
  }

  /**
   * As {@link #poll(int)}, into an array.
   *
   * @param into filled from its start
   * @return how many were taken
   */
  public int poll(WorkCompletion[] into) {
    return take(into);
  }

  private int take(WorkCompletion[] into) {
    if (closed) {
      throw new MrcException(Code.EINVAL, "completion queue: closed");
    }
    if (failed && head.get() == tail.get()) {
      throw new MrcException(Code.EIO, "completion queue: overflowed at depth " + depth);
    }
    int n = 0;
    while (n < into.length) {
      long h = head.get();
      if (h == tail.get()) {
        break;
      }
      int i = (int) h & mask;
      AtomicInteger owner = owners[i];
      WorkCompletion completion =
          new WorkCompletion(
              ids[i],
              STATUSES[statuses[i]],
              OPERATIONS[operations[i]],
              lengths[i],
              immediates[i],
              qpNumbers[i]);
      if (head.compareAndSet(h, h + 1)) {
        into[n++] = completion;
        if (owner != null) {
          owner.decrementAndGet();
        }
      }
    }
    return n;
  }

  /**
   * Asks for one event in the channel at the next completion that is added after this call. Poll
   * once more afterwards: what was added before gives no event. Asking for all replaces asking for
   * solicited ones, never the other way round.
   *
   * @param solicitedOnly only at a receive whose sender asked for it, or at a failure
   * @throws MrcException EINVAL when it has no channel or is closed; EAGAIN when very many events
   *     of it wait in the channel
   */
  public void requestNotification(boolean solicitedOnly) {
    if (closed || channel == null) {
      throw new MrcException(
          Code.EINVAL, closed ? "completion queue: closed" : "completion queue: has no channel");
    }
    if (channel.pending(this) >= MAX_PENDING) {
      throw new MrcException(
          Code.EAGAIN, "events: " + MAX_PENDING + " wait in the channel, allowed " + MAX_PENDING);
    }
    if (solicitedOnly) {
      armed.compareAndSet(NOT_ARMED, ARMED_SOLICITED);
    } else {
      armed.set(ARMED_ALL);
    }
  }

  /** One of its events was taken from the channel. */
  void delivered() {
    delivered.incrementAndGet();
  }

  /**
   * Says that events of this queue, taken from the channel, have been dealt with. May be said for
   * many at once.
   *
   * @param count at least 1 and at most those taken and not acknowledged
   * @throws MrcException EINVAL when {@code count} is outside that range
   */
  public void acknowledgeEvents(int count) {
    long before;
    do {
      before = acknowledged.get();
      MrcException.range("count", count, 1, Math.max(0, delivered.get() - before));
    } while (!acknowledged.compareAndSet(before, before + count));
    context.waiter.signal();
  }

  private int unacknowledged() {
    return (int) (delivered.get() - acknowledged.get()) + context.events.unacknowledged(this);
  }

  /**
   * Ends it, once every event of it that was taken has been acknowledged; events not taken are
   * withdrawn, and so are completions. Without effect when closed already.
   *
   * @throws MrcException EBUSY while queue pairs use it; ETIMEDOUT when events are still not
   *     acknowledged after the context's command timeout: it is then still open
   */
  @Override
  public void close() {
    if (closed || !checkUnused()) {
      return;
    }
    // Without the lock: who acknowledges may first have to make calls that need it.
    context.awaitAcknowledged("completion queue", this::unacknowledged);
    context.lock.lock();
    try {
      if (checkUnused()) {
        finish();
      }
    } finally {
      context.lock.unlock();
    }
  }

  private boolean checkUnused() {
    context.lock.lock();
    try {
      if (closed) {
        return false;
      }
      MrcContext.checkUnused("completion queue", users, "queue pairs");
      return true;
    } finally {
      context.lock.unlock();
    }
  }

  /** The end without waiting. The context's control lock is held. */
  void finish() {
    closed = true;
    if (channel != null) {
      channel.users--;
      channel.forget(this);
    }
    context.events.forget(this);
    context.completionQueues.remove(this);
  }
}
