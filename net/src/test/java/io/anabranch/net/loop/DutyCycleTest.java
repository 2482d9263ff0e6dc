package io.anabranch.net.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.net.device.FakeIo;
import io.anabranch.net.device.Packet;
import io.anabranch.net.device.Packets;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The duty cycle over a device without a network. */
@Timeout(60)
class DutyCycleTest {
  private static final LoopConfig QUICK =
      new LoopConfig("test", 0, 16, 64, 8, 1_000_000, 1_000_000);

  private final FakeIo wire = new FakeIo(3);
  private final List<PlaneAddress> planes = new ArrayList<>();
  private final FakeApplication application = new FakeApplication();
  private final AtomicReference<FakeEngine> made = new AtomicReference<>();
  private final DutyCycle cycle;

  DutyCycleTest() {
    for (int i = 0; i < 3; i++) {
      planes.add(wire.address(i));
    }
    cycle =
        new DutyCycle(
            wire,
            memory -> {
              FakeEngine engine = new FakeEngine(memory, planes);
              made.set(engine);
              return engine;
            },
            QUICK);
  }

  @AfterEach
  void stop() {
    cycle.close();
  }

  private FakeEngine engine() {
    return Objects.requireNonNull(made.get());
  }

  private void start() {
    engine().logged = 100_000;
    cycle.attach(application);
    cycle.start();
  }

  /** Runs on the driver's thread and waits until it has. */
  private void onLoop(Runnable action) throws InterruptedException {
    CountDownLatch ran = new CountDownLatch(1);
    application.run(
        cycle,
        e -> {
          action.run();
          ran.countDown();
        });
    assertThat(ran.await(20, TimeUnit.SECONDS)).isTrue();
  }

  private void send(int count) {
    engine().evs = EvTable.spread(3, 4, 1);
    engine().peer = planes;
    engine().payloadBytes = 8;
    engine().toSend += count;
  }

  @Test
  void whatWaitsIsTakenInBeforeAnyTimer() throws InterruptedException {
    start();
    onLoop(() -> {
      engine().calls.clear();
      // More than a turn takes in.
      for (int i = 0; i < 200; i++) {
        wire.arrive(Packets.data(i % 3, 1, i, 16));
      }
      engine().deadlineNs = 0;
    });
    assertThat(application.await(cycle, e -> e.expired == 1)).isTrue();
    onLoop(() -> {});
    cycle.close();
    List<String> order = engine().calls.stream().map(FakeEngine.Call::what).toList();
    assertThat(order.subList(0, 201)).containsOnlyOnce("expire").endsWith("expire");
    List<Long> times = engine().calls.stream().map(FakeEngine.Call::nowNs).toList();
    assertThat(times).isSorted();
    assertThat(cycle.stats().ports().get(0).packetsReceived()).isEqualTo(67);
  }

  @Test
  void portsSendInTurn() throws InterruptedException {
    start();
    onLoop(() -> send(30));
    assertThat(application.await(cycle, e -> e.sent == 30)).isTrue();
    cycle.close();
    List<Integer> ports = wire.sent.stream().map(p -> p.port).toList();
    for (int i = 1; i < ports.size(); i++) {
      assertThat(ports.get(i)).isEqualTo((ports.get(i - 1) + 1) % 3);
    }
  }

  @Test
  void aFullPortLosesNothing() throws InterruptedException {
    start();
    onLoop(() -> {
      wire.full = true;
      send(10);
    });
    // One frame a port is taken and kept.
    assertThat(application.await(cycle, e -> e.sent == 3)).isTrue();
    onLoop(() -> wire.full = false);
    assertThat(application.await(cycle, e -> e.sent == 10)).isTrue();
    onLoop(() -> {});
    cycle.close();
    assertThat(wire.sent)
        .extracting(Packet::psn)
        .containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    assertThat(cycle.stats().sendFull()).isPositive();
    assertThat(engine().calls).extracting(FakeEngine.Call::what).doesNotContain("down");
  }

  @Test
  void aFailedPortIsLeftAndComesBackWithThePacketThatFailed() throws InterruptedException {
    start();
    onLoop(() -> {
      wire.failure = new IOException("Network is unreachable");
      send(6);
    });
    assertThat(application.await(cycle, e -> states("down", e).size() == 3)).isTrue();
    assertThat(cycle.stats().ports()).noneMatch(LoopStats.Port::up);
    onLoop(() -> wire.failure = null);
    assertThat(application.await(cycle, e -> states("up", e).size() == 3 && e.sent == 6)).isTrue();
    onLoop(() -> {});
    cycle.close();
    assertThat(wire.sent).extracting(Packet::psn).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5);
    assertThat(states("down", engine())).containsExactlyInAnyOrder(0, 1, 2);
    assertThat(cycle.stats().ports()).allMatch(p -> p.failures() == 1);
  }

  private static List<Integer> states(String what, FakeEngine engine) {
    return engine.calls.stream()
        .filter(c -> c.what().equals(what))
        .map(FakeEngine.Call::port)
        .toList();
  }

  @Test
  void anInterfaceThatGoesDownTakesItsPortAlong() throws InterruptedException {
    start();
    onLoop(() -> {
      wire.up[1] = false;
      send(4);
    });
    assertThat(application.await(cycle, e -> states("down", e).size() == 1)).isTrue();
    onLoop(() -> {
      wire.sent.clear();
      send(20);
    });
    assertThat(application.await(cycle, e -> e.sent == 24)).isTrue();
    onLoop(() -> assertThat(wire.sent).extracting(p -> p.port).doesNotContain(1));
    onLoop(() -> wire.up[1] = true);
    assertThat(application.await(cycle, e -> states("up", e).size() == 1)).isTrue();
    cycle.close();
    assertThat(cycle.failure()).isNull();
    assertThat(states("down", engine())).containsExactly(1);
  }

  @Test
  void whatTheRingCannotHoldIsRefusedByItsHeaders() {
    ReceiveRing ring = new ReceiveRing(2, 100);
    Packet a = Objects.requireNonNull(ring.take());
    Packet b = Objects.requireNonNull(ring.take());
    assertThat(ring.take()).isNull();
    ring.add(a);
    ring.add(b);
    assertThat(ring.poll()).isSameAs(a);
    ring.release(a);
    assertThat(ring.take()).isSameAs(a);
    ring.add(a);
    assertThat(ring.poll()).isSameAs(b);
    assertThat(ring.poll()).isSameAs(a);
    assertThat(ring.poll()).isNull();
    assertThat(ring.isEmpty()).isTrue();
  }

  @Test
  void aPacketLargerThanTheMtuIsRefusedAsWithoutBuffer() throws InterruptedException {
    start();
    onLoop(() -> {
      wire.arrive(Packets.data(0, 1, 1, 5000));
      wire.arrive(Packets.data(0, 1, 2, 16));
    });
    assertThat(application.await(cycle, e -> e.received == 2)).isTrue();
    cycle.close();
    assertThat(engine().refused).isEqualTo(1);
    assertThat(cycle.stats().noBuffer()).isEqualTo(1);
  }

  @Test
  void whatIsNoMrcPacketIsCountedAndReachesNoEngine() throws InterruptedException {
    start();
    onLoop(() -> {
      for (int length = 0; length < 24; length++) {
        Packet p = Packets.data(0, 1, 1, 16);
        p.bytes.limit(length);
        wire.arrive(p);
      }
      Packet unknown = Packets.data(0, 1, 1, 16);
      unknown.bytes.put(0, (byte) 0x64);
      wire.arrive(unknown);
      wire.arrive(Packets.data(0, 1, 2, 16));
    });
    assertThat(application.await(cycle, e -> e.received == 1)).isTrue();
    cycle.close();
    assertThat(cycle.stats().malformed()).isEqualTo(25);
    assertThat(cycle.failure()).isNull();
  }

  @Test
  void itsOwnGapsAreMeasured() throws InterruptedException {
    start();
    onLoop(() -> {
      long end = System.nanoTime() + 30_000_000;
      while (System.nanoTime() < end) {
        Thread.onSpinWait();
      }
    });
    // The gap is seen when the next turn begins.
    long turns = cycle.stats().turns();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (cycle.stats().turns() < turns + 2 && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    cycle.close();
    assertThat(cycle.stats().loopGapNsMax()).isGreaterThan(30_000_000);
  }

  @Test
  void anApplicationThatFailsEndsTheThreadAndIsTold() throws InterruptedException {
    start();
    application.run(
        cycle,
        e -> {
          throw new IllegalStateException("broken");
        });
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (cycle.failure() == null && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertThat(cycle.failure()).hasMessage("broken");
  }

  @Test
  void itIsStartedWithOneApplication() {
    assertThatThrownBy(cycle::start).isInstanceOf(IllegalStateException.class);
    cycle.attach(application);
    assertThatThrownBy(() -> cycle.attach(application)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void linksEndWithDisconnect() {
    EvTable evs = cycle.connect(planes, 3);
    assertThat(evs.size()).isEqualTo(9);
    assertThat(wire.connections).isEqualTo(1);
    cycle.disconnect(evs);
    cycle.disconnect(evs);
    assertThat(wire.connections).isZero();
    assertThat(cycle.connect(planes).size()).isEqualTo(3 * DutyCycle.EVS_PER_PLANE);
  }
}
