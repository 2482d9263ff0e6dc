package io.anabranch.verbs;

import io.anabranch.engine.Application;
import io.anabranch.engine.Driver;
import io.anabranch.engine.Engine;
import io.anabranch.engine.config.EngineConfig;
import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.engine.endpoint.MrcEngine;
import io.anabranch.wire.mrc.Frame;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Two real engines joined by hand: what one sends, the other receives at once. Time is virtual and
 * jumps to the next deadline when nothing is left to do, so nothing here ever sleeps. It is stepped
 * by the one thread of a test, or, after {@link #startThread}, runs on a thread of its own.
 */
final class Loopback implements AutoCloseable {
  static final int PORTS = 4;
  static final int MTU_BYTES = 4096;
  static final long RECEIVE_BUFFER_BYTES = 1 << 20;

  private static final int BURST = 64;

  final Nic a = new Nic(0);
  final Nic b = new Nic(1);
  long nowNs = 1_000_000;
  long frames;

  /** Frames for which it says true are lost. */
  volatile BiPredicate<Nic, Frame> lost = (from, frame) -> false;

  private final Frame slot = new Frame();
  private @Nullable Thread thread;
  private volatile boolean stopped;

  Loopback() {
    a.other = b;
    b.other = a;
  }

  /** As {@link Stepper#step}. */
  long step() {
    if (thread != null && Thread.currentThread() != thread) {
      throw new IllegalStateException("it has a thread of its own");
    }
    nowNs += 100;
    boolean worked = a.turn();
    worked |= b.turn();
    for (int port = 0; port < PORTS; port++) {
      worked |= a.send(port);
      worked |= b.send(port);
    }
    if (!worked) {
      long deadlineNs = Math.min(a.engine.nextDeadlineNs(), b.engine.nextDeadlineNs());
      if (deadlineNs == Engine.NEVER) {
        return Stepper.IDLE;
      }
      nowNs = Math.max(nowNs, deadlineNs);
      a.engine.expire(nowNs);
      b.engine.expire(nowNs);
    }
    return nowNs;
  }

  /** Steps until nothing is left to do. */
  void run() {
    int steps = 0;
    while (step() != Stepper.IDLE) {
      if (++steps == 1_000_000) {
        throw new AssertionError("never idle");
      }
    }
  }

  /** Lets it run on a thread of its own from now on. */
  void startThread() {
    Thread t = Thread.ofPlatform().daemon().name("loopback").unstarted(this::loop);
    thread = t;
    t.start();
  }

  private void loop() {
    while (!stopped) {
      if (step() == Stepper.IDLE) {
        LockSupport.park(this);
      }
    }
  }

  @Override
  public void close() {
    stopped = true;
    Thread t = thread;
    if (t != null) {
      LockSupport.unpark(t);
      try {
        t.join();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** One side. */
  final class Nic implements Driver {
    final MrcEngine engine;
    final int side;
    volatile @Nullable Application application;
    volatile boolean started;
    volatile boolean closed;

    /** Paths prepared and not freed. */
    final List<EvTable> paths = new ArrayList<>();

    final AtomicInteger wakeups = new AtomicInteger();

    /** What the application is shown in place of the engine, if anything. */
    volatile @Nullable Engine disguise;

    volatile @Nullable RuntimeException failure;
    private @Nullable Nic other;
    private final ByteBuffer payload = ByteBuffer.allocateDirect(8192);

    Nic(int side) {
      this.side = side;
      List<PlaneAddress> planes = new ArrayList<>();
      for (int p = 0; p < PORTS; p++) {
        planes.add(new PlaneAddress(addressHi(p), addressLo(p), udpPort(p)));
      }
      engine = new MrcEngine(EngineConfig.fabric(planes, side), this::place, null);
    }

    @Override
    public void disconnect(EvTable evs) {
      if (!paths.remove(evs)) {
        throw new IllegalStateException("paths that were not prepared");
      }
    }

    private Nic other() {
      Nic n = other;
      if (n == null) {
        throw new IllegalStateException("not joined");
      }
      return n;
    }

    private void place(int region, long offset, Frame frame) {
      payload.clear().limit(frame.payloadLength());
      Application from = other().application;
      Application to = application;
      if (from == null || to == null) {
        throw new IllegalStateException("payload without applications");
      }
      from.read(frame.payloadRef(), frame.payloadOffset(), payload);
      if (payload.hasRemaining()) {
        throw new AssertionError("payload is short by " + payload.remaining() + " bytes");
      }
      payload.flip();
      to.write(region, offset, payload);
      if (payload.hasRemaining()) {
        throw new AssertionError(payload.remaining() + " bytes were not stored");
      }
    }

    private boolean turn() {
      Application app = application;
      if (app == null || closed || failure != null) {
        return false;
      }
      try {
        Engine shown = disguise;
        return app.turn(shown == null ? engine : shown, nowNs);
      } catch (RuntimeException e) {
        failure = e;
        return false;
      }
    }

    private boolean send(int port) {
      if (closed || failure != null) {
        return false;
      }
      int n = 0;
      while (n < BURST && engine.nextFrame(port, nowNs, slot)) {
        n++;
        frames++;
        if (!lost.test(this, slot) && !other().closed) {
          other().engine.receive(slot, port, nowNs);
        }
      }
      return n > 0;
    }

    @Override
    public void attach(Application app) {
      if (application != null) {
        throw new IllegalStateException("an application is attached");
      }
      application = app;
    }

    @Override
    public void start() {
      started = true;
    }

    @Override
    public EvTable connect(List<PlaneAddress> peer) {
      EvTable evs = EvTable.spread(peer.size(), 16, side);
      paths.add(evs);
      return evs;
    }

    @Override
    public void wakeup() {
      wakeups.incrementAndGet();
      Thread t = thread;
      if (t != null) {
        LockSupport.unpark(t);
      }
    }

    @Override
    public int ports() {
      return PORTS;
    }

    @Override
    public long addressHi(int port) {
      return 0xfd00L << 48 | port;
    }

    @Override
    public long addressLo(int port) {
      return side + 1L;
    }

    @Override
    public int udpPort(int port) {
      return 4791;
    }

    @Override
    public int mtuBytes() {
      return MTU_BYTES;
    }

    @Override
    public long receiveBufferBytes() {
      return RECEIVE_BUFFER_BYTES;
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
