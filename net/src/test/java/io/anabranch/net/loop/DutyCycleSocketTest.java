package io.anabranch.net.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.net.device.PacketIo;
import io.anabranch.net.socket.SocketConfig;
import io.anabranch.net.socket.SocketIo;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class DutyCycleSocketTest {
  /** One endpoint with a fake engine. */
  private static final class Endpoint implements AutoCloseable {
    final DutyCycle cycle;
    final FakeApplication application = new FakeApplication();
    final FakeEngine engine;
    final List<PlaneAddress> planes = new ArrayList<>();

    Endpoint(String address, int ports) throws IOException {
      List<InetAddress> addresses = new ArrayList<>();
      for (int i = 0; i < ports; i++) {
        addresses.add(InetAddress.ofLiteral(address));
      }
      PacketIo io = SocketIo.open(SocketConfig.of(addresses).withUdpPort(0));
      for (int i = 0; i < ports; i++) {
        planes.add(io.address(i));
      }
      AtomicReference<FakeEngine> made = new AtomicReference<>();
      cycle =
          new DutyCycle(
              io,
              memory -> {
                made.set(new FakeEngine(memory, planes));
                return Objects.requireNonNull(made.get());
              },
              LoopConfig.DEFAULT);
      engine = Objects.requireNonNull(made.get());
      cycle.attach(application);
      cycle.start();
    }

    @Override
    public void close() {
      cycle.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"::1", "127.0.0.1"})
  void framesCrossEveryPlaneAndEvUnharmed(String address) throws Exception {
    int count = 4000;
    try (Endpoint a = new Endpoint(address, 4);
        Endpoint b = new Endpoint(address, 4)) {
      EvTable evs = a.cycle.connect(b.planes, 8);
      assertThat(a.cycle.mtuBytes()).isEqualTo(4096);
      assertThat(evs.size()).isEqualTo(32);
      // In small steps, so that nothing is lost however slow the receiver is.
      for (int done = 0; done < count; done += 40) {
        int target = done + 40;
        a.application.run(
            a.cycle,
            e -> {
              e.evs = evs;
              e.peer = b.planes;
              e.payloadBytes = 4095;
              e.toSend = target;
            });
        assertThat(b.application.await(b.cycle, e -> e.received >= target)).isTrue();
      }
      b.cycle.close();
      a.cycle.close();
      assertThat(b.cycle.failure()).isNull();
      assertThat(a.cycle.failure()).isNull();
      assertThat(b.engine.received).isEqualTo(count);
      assertThat(b.engine.bad).isZero();
      assertThat(b.engine.mismatched).isZero();
      assertThat(b.application.wrongBytes).isZero();
      assertThat(b.application.rightBytes).isEqualTo(count * 4095L);
      assertThat(new HashSet<>(b.engine.receivedEvs)).hasSize(32);
      for (int port = 0; port < 4; port++) {
        assertThat(b.engine.receivedOn[port]).isBetween(count / 8, count / 2);
      }
      assertThat(b.cycle.stats().malformed()).isZero();
      assertThat(a.cycle.stats().ports().stream().mapToLong(LoopStats.Port::packetsSent).sum())
          .isEqualTo(count);
    }
  }
}
