package io.anabranch.tools.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * What to do when the process is told to end (Ctrl-C) while something is at work: it is asked to
 * stop, and gets a moment to clean up.
 */
final class Stop implements AutoCloseable {
  private static final long SECONDS = 5;

  private final CountDownLatch done = new CountDownLatch(1);
  private final Thread hook;

  private Stop(Runnable stopper) {
    hook = new Thread(() -> stop(stopper), "stop");
  }

  private void stop(Runnable stopper) {
    stopper.run();
    try {
      if (!done.await(SECONDS, TimeUnit.SECONDS)) {
        System.err.println("mrc: not stopped within " + SECONDS + " s; ended all the same");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Until it is closed, the process's end begins with {@code stopper} and waits for the close. */
  static Stop by(Runnable stopper) {
    Stop stop = new Stop(stopper);
    Runtime.getRuntime().addShutdownHook(stop.hook);
    return stop;
  }

  @Override
  public void close() {
    done.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The end has begun; the hook is running and now free to go on.
      return;
    }
  }
}
