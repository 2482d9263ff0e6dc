package io.anabranch.verbs;

import io.anabranch.engine.Status;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a queue pair, a completion queue, a port or the device and belongs to
 * no work request. Each must be acknowledged: closing the queue pair or completion queue that it is
 * about waits for that.
 */
public final class AsyncEvent {
  /** What happened. */
  public enum Type {
    /** A queue pair went to ERROR as requestor; {@link #status} says why. */
    QP_FATAL,
    /** A queue pair went to ERROR as responder: its peer asked for what it may not. */
    QP_ACCESS_ERROR,
    /** A completion queue overflowed and has failed, and with it its queue pairs. */
    CQ_ERROR,
    /** A port can carry packets again. */
    PORT_ACTIVE,
    /** A port cannot carry packets. */
    PORT_DOWN,
    /** The device has failed: nothing works any more, every call ends with EIO. */
    DEVICE_FATAL,
    /**
     * A plane was set aside towards a peer. Beyond the MRC API: only with {@link
     * ContextConfig#planeEvents}.
     */
    PLANE_LEFT,
    /** A plane is used again towards a peer; as {@link #PLANE_LEFT}. */
    PLANE_BACK
  }

  private final AsyncEvents queue;
  private final Type type;
  private final @Nullable QueuePair queuePair;
  private final @Nullable CompletionQueue completionQueue;
  private final int port;
  private final Status status;
  private final AtomicBoolean acknowledged = new AtomicBoolean();

  AsyncEvent(
      AsyncEvents queue,
      Type type,
      @Nullable QueuePair queuePair,
      @Nullable CompletionQueue completionQueue,
      int port,
      Status status) {
    this.queue = queue;
    this.type = type;
    this.queuePair = queuePair;
    this.completionQueue = completionQueue;
    this.port = port;
    this.status = status;
  }

  /** What happened. */
  public Type type() {
    return type;
  }

  /** The queue pair it is about, or null. */
  public @Nullable QueuePair queuePair() {
    return queuePair;
  }

  /** The completion queue it is about, or null. */
  public @Nullable CompletionQueue completionQueue() {
    return completionQueue;
  }

  /** The port or plane it is about, counted from 1 as on the wire; 0 if none. */
  public int port() {
    return port;
  }

  /** Of QP_FATAL and QP_ACCESS_ERROR: the reason; else SUCCESS. */
  public Status status() {
    return status;
  }

  /**
   * Says that it has been dealt with.
   *
   * @throws MrcException EINVAL when that was said before
   */
  public void acknowledge() {
    if (!acknowledged.compareAndSet(false, true)) {
      throw new MrcException(MrcException.Code.EINVAL, "event " + type + ": acknowledged already");
    }
    queue.acknowledged(this);
  }

  /** Whether it is about {@code object}. */
  boolean concerns(Object object) {
    return queuePair == object || completionQueue == object;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(type.name());
    if (queuePair != null) {
      text.append(" qp ").append(queuePair.number());
    }
    if (port != 0) {
      text.append(" port ").append(port);
    }
    if (status != Status.SUCCESS) {
      text.append(' ').append(status);
    }
    return text.toString();
  }
}
