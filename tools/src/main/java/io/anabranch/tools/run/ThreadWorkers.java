package io.anabranch.tools.run;

import io.anabranch.fabric.Workers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;

/** Parts of a network at the same time, one by the caller and the others by threads of this. */
final class ThreadWorkers implements Workers, AutoCloseable {
  private final ExecutorService threads;

  /**
   * Starts them.
   *
   * @param parts as many as will be run at a time, the caller's too; at least 2
   */
  ThreadWorkers(int parts) {
    threads =
        Executors.newFixedThreadPool(parts - 1, Thread.ofPlatform().daemon().name("sim").factory());
  }

  @Override
  public void run(int parts, IntConsumer work) {
    List<Future<?>> others = new ArrayList<>(parts - 1);
    for (int part = 1; part < parts; part++) {
      int number = part;
      others.add(threads.submit(() -> work.accept(number)));
    }
    work.accept(0);
    for (Future<?> other : others) {
      await(other);
    }
  }

  private static void await(Future<?> other) {
    boolean interrupted = false;
    while (true) {
      try {
        other.get();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      } catch (ExecutionException e) {
        if (e.getCause() instanceof RuntimeException cause) {
          throw cause;
        }
        throw new IllegalStateException(e.getCause());
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}
