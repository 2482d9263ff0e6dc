package io.anabranch.verbs;

import io.anabranch.engine.Engine;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A control command on its way to the driver's thread and back. One that is given up before it ran
 * never runs, so a timeout leaves nothing half done.
 */
final class Task {
  /** What is done on the driver's thread. */
  @FunctionalInterface
  interface Body {
    void run(Engine engine, long nowNs);
  }

  private static final int WAITING = 0;
  private static final int RUNNING = 1;
  private static final int DONE = 2;
  private static final int GIVEN_UP = 3;

  private final Body body;
  private final AtomicInteger state = new AtomicInteger(WAITING);
  private @Nullable MrcException refusal;

  Task(Body body) {
    this.body = body;
  }

  /** Runs it unless it was given up. The driver's thread only. */
  void run(Engine engine, long nowNs) {
    if (!state.compareAndSet(WAITING, RUNNING)) {
      return;
    }
    try {
      body.run(engine, nowNs);
    } catch (MrcException e) {
      refusal = e;
    } catch (IllegalArgumentException e) {
      refusal = MrcException.of(e);
    } catch (RuntimeException e) {
      refusal = new MrcException(MrcException.Code.EIO, "device: " + e, -1, e);
      throw e;
    } finally {
      state.set(DONE);
    }
  }

  /** Ends it without running it. */
  void refuse(MrcException why) {
    if (state.compareAndSet(WAITING, RUNNING)) {
      refusal = why;
      state.set(DONE);
    }
  }

  boolean done() {
    return state.get() == DONE;
  }

  /** Gives it up; false when it has begun already. */
  boolean giveUp() {
    return state.compareAndSet(WAITING, GIVEN_UP);
  }

  /** Throws the refusal, if it was refused; it must be done. */
  void check() {
    if (refusal != null) {
      throw refusal;
    }
  }
}
