package io.anabranch.net.loop;

import io.anabranch.engine.Application;
import io.anabranch.engine.Engine;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Runs what a test asks for on the driver's thread; its bytes follow from their offset. */
final class FakeApplication implements Application {
  private final ConcurrentLinkedQueue<Consumer<FakeEngine>> actions = new ConcurrentLinkedQueue<>();
  private volatile @Nullable Predicate<FakeEngine> condition;
  private volatile CountDownLatch met = new CountDownLatch(1);
  long wrongBytes;
  long rightBytes;

  static byte at(long offset) {
    return (byte) (offset * 31 + (offset >>> 8));
  }

  void run(DutyCycle cycle, Consumer<FakeEngine> action) {
    actions.add(action);
    cycle.wakeup();
  }

  /** Waits until the engine fulfils {@code predicate}, looked at on the driver's thread. */
  boolean await(DutyCycle cycle, Predicate<FakeEngine> predicate) throws InterruptedException {
    met = new CountDownLatch(1);
    condition = predicate;
    cycle.wakeup();
    return met.await(20, TimeUnit.SECONDS);
  }

  @Override
  public boolean turn(Engine engine, long nowNs) {
    FakeEngine fake = (FakeEngine) engine;
    boolean any = false;
    for (Consumer<FakeEngine> action = actions.poll(); action != null; action = actions.poll()) {
      action.accept(fake);
      any = true;
    }
    Predicate<FakeEngine> waited = condition;
    if (waited != null && waited.test(fake)) {
      condition = null;
      met.countDown();
    }
    return any;
  }

  @Override
  public void read(int payloadRef, long offset, ByteBuffer into) {
    long at = offset;
    while (into.hasRemaining()) {
      into.put(at(at++));
    }
  }

  @Override
  public void write(int region, long offset, ByteBuffer from) {
    long at = offset;
    while (from.hasRemaining()) {
      if (from.get() == at(at++)) {
        rightBytes++;
      } else {
        wrongBytes++;
      }
    }
  }
}
