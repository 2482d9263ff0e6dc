package io.anabranch.engine.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.anabranch.engine.Command;
import io.anabranch.engine.CommandResult;
import io.anabranch.engine.EngineEvent;
import io.anabranch.engine.QpSnapshot;
import io.anabranch.engine.Sink;
import io.anabranch.engine.Status;
import io.anabranch.engine.config.CcConfig;
import io.anabranch.engine.config.EngineConfig;
import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.config.PeerConfig;
import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.engine.config.QpConfig;
import io.anabranch.engine.config.RequestorAttributes;
import io.anabranch.engine.config.ResponderAttributes;
import io.anabranch.wire.mrc.Frame;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two engines joined by hand: a frame asked of one is at once received by the other. */
class MrcEngineTest {
  private static final int PORTS = 4;
  private static final int QP_A = 0x1234;
  private static final int QP_B = 0x4321;
  private static final int KEY = 77;
  private static final int MTU = 4096;

  private final long[] placed = new long[2];
  private final List<String> completions = new ArrayList<>();
  private final MrcEngine a = engine(0);
  private final MrcEngine b = engine(1);
  private final Frame slot = new Frame();
  private long nowNs = 1_000_000;

  private static List<PlaneAddress> planes(int side) {
    List<PlaneAddress> list = new ArrayList<>();
    for (int p = 0; p < PORTS; p++) {
      list.add(new PlaneAddress(0xfd00L << 48 | p, side + 1, 4791));
    }
    return list;
  }

  private MrcEngine engine(int side) {
    return new MrcEngine(
        EngineConfig.fabric(planes(side), side),
        (region, offset, frame) -> placed[side] += frame.payloadLength(),
        null);
  }

  private void connect(MrcEngine from, int side, int qp, int peerQp) {
    EvTable evs = EvTable.spread(PORTS, 16, side);
    PeerConfig peer =
        new PeerConfig(planes(1 - side), evs, 10_000, new CcConfig.FixedWindow(1 << 20));
    assertThat(from.submit(new Command.AddPeer(9, peer), nowNs)).isEqualTo(CommandResult.OK);
    QpConfig config = new QpConfig(1, 64, 64, 4, 32);
    assertThat(from.submit(new Command.CreateQp(qp, config), nowNs)).isEqualTo(CommandResult.OK);
    ResponderAttributes rtr =
        new ResponderAttributes(9, peerQp, side == 0 ? 500 : 0xffff00, 0, MTU, 1024, false, 32);
    assertThat(from.submit(new Command.ReadyToReceive(qp, rtr), nowNs)).isEqualTo(CommandResult.OK);
    RequestorAttributes rts =
        new RequestorAttributes(side == 0 ? 0xffff00 : 500, 0, 1024, false, 32, 10, 3, 4);
    assertThat(from.submit(new Command.ReadyToSend(qp, rts), nowNs)).isEqualTo(CommandResult.OK);
  }

  private void run(MrcEngine x, MrcEngine y) {
    boolean any = true;
    while (any) {
      any = false;
      for (int p = 0; p < PORTS; p++) {
        nowNs += 100;
        if (x.nextFrame(p, nowNs, slot)) {
          y.receive(slot, p, nowNs);
          any = true;
        }
        if (y.nextFrame(p, nowNs, slot)) {
          x.receive(slot, p, nowNs);
          any = true;
        }
      }
    }
  }

  private void poll(MrcEngine x) {
    x.poll(
        new Sink() {
          @Override
          public void completion(
              int qp,
              long wrId,
              Status status,
              Operation operation,
              long byteLength,
              int immediate,
              boolean solicited) {
            completions.add(wrId + " " + status + " " + byteLength + " " + immediate);
          }

          @Override
          public void event(EngineEvent event, int qp, long detail) {
            completions.add(event + " " + qp);
          }
        });
  }

  private void post(int wrId, long length, boolean immediate) {
    Command.PostWrite w = new Command.PostWrite();
    w.qp = QP_A;
    w.wrId = wrId;
    w.remoteAddress = 0x1000;
    w.rKey = KEY;
    w.length = length;
    w.withImmediate = immediate;
    w.immediate = wrId * 10;
    assertThat(a.submit(w, nowNs)).isEqualTo(CommandResult.OK);
  }

  /** A port status update goes to every connected peer, also to one that is new. */
  @Test
  void aPeerLearnsOfPortsThatWereDownBeforeIt() {
    b.portState(2, false, nowNs);
    connect(a, 0, QP_A, QP_B);
    connect(b, 1, QP_B, QP_A);
    b.submit(new Command.RegisterRegion(KEY, 0, 0x1000, 10 << 20, 1, true), nowNs);
    b.expire(nowNs);
    run(b, a);
    post(1, 8 << 20, false);
    Frame slot = new Frame();
    assertThat(a.nextFrame(2, nowNs, slot)).as("where the peer's port is down").isFalse();
    assertThat(a.nextFrame(1, nowNs, slot)).isTrue();
  }

  @Test
  void writesArriveAndCompleteInOrder() {
    connect(a, 0, QP_A, QP_B);
    connect(b, 1, QP_B, QP_A);
    b.submit(new Command.RegisterRegion(KEY, 0, 0x1000, 10 << 20, 1, true), nowNs);
    b.submit(new Command.PostReceive(QP_B, 5), nowNs);
    post(1, 8 << 20, false);
    post(2, 100, true);
    post(3, 1, false);
    run(a, b);
    poll(a);
    assertThat(completions)
        .containsExactly("1 SUCCESS " + (8 << 20) + " 0", "2 SUCCESS 100 0", "3 SUCCESS 1 0");
    completions.clear();
    poll(b);
    assertThat(completions).containsExactly("5 SUCCESS 100 20");
    assertThat(placed[1]).isEqualTo((8 << 20) + 101);
    QpSnapshot s = a.snapshot(QP_A);
    assertThat(s).isNotNull();
    if (s != null) {
      assertThat(s.packetsSent()).isEqualTo(2048 + 2);
      assertThat(s.retransmitted()).isZero();
      assertThat(s.inflightBytes()).isZero();
      assertThat(s.planes()).allMatch(p -> p.usable() && Math.abs(p.packetsSent() - 512.5) <= 2);
    }
  }

  @Test
  void wrongKeyEndsTheQueuePairOnBothSides() {
    connect(a, 0, QP_A, QP_B);
    connect(b, 1, QP_B, QP_A);
    post(1, 10_000, false);
    post(2, 10, false);
    run(a, b);
    poll(a);
    assertThat(completions)
        .containsExactly("1 REM_ACCESS_ERR 0 0", "2 WR_FLUSH_ERR 0 0", "QP_FATAL " + QP_A);
    completions.clear();
    poll(b);
    assertThat(completions).containsExactly("QP_ACCESS_ERROR " + QP_B);
    assertThat(placed[1]).isZero();
  }

  /** Once windows have grown nothing is allocated for a packet; the test's own objects are few. */
  @Test
  void packetsAllocateNothing() {
    connect(a, 0, QP_A, QP_B);
    connect(b, 1, QP_B, QP_A);
    b.submit(new Command.RegisterRegion(KEY, 0, 0x1000, 64 << 20, 1, true), nowNs);
    post(1, 64 << 20, false);
    run(a, b);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    post(2, 64 << 20, false);
    long before = threads.getCurrentThreadAllocatedBytes();
    run(a, b);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(placed[1]).isEqualTo(2L * (64 << 20));
    assertThat(allocated).isLessThan(4096);
  }

  /**
   * Nor for bursts so far apart that the queue pair has given back what it had for the last one.
   */
  @Test
  void burstsAllocateNothing() {
    connect(a, 0, QP_A, QP_B);
    connect(b, 1, QP_B, QP_A);
    b.submit(new Command.RegisterRegion(KEY, 0, 0x1000, 64 << 20, 1, true), nowNs);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = 0;
    int bursts = 40;
    for (int burst = 0; burst < bursts; burst++) {
      if (burst == bursts / 2) {
        before = threads.getCurrentThreadAllocatedBytes();
      }
      post(burst, 150 * MTU, false);
      // All of it is under way before the first answer.
      for (int i = 0; i < 150; i++) {
        if (a.nextFrame(i % PORTS, ++nowNs, slot)) {
          b.receive(slot, i % PORTS, nowNs);
        }
      }
      run(a, b);
      idle();
    }
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(placed[1]).isEqualTo(bursts * 150L * MTU);
    // Each burst's post is an object of the test's.
    assertThat(allocated).isLessThan(8192);
  }

  private void idle() {
    for (int i = 0; i < 100; i++) {
      nowNs += 100_000;
      a.expire(nowNs);
      b.expire(nowNs);
      run(a, b);
    }
  }

  /** What a queue pair allocates is what it keeps, or more; EV tables are its peer's. */
  @Test
  void anIdleQueuePairTakesAtMost4KiB() {
    connect(a, 0, QP_A, QP_B);
    QpConfig config = new QpConfig(1, 128, 128, 4, 64);
    ResponderAttributes rtr = new ResponderAttributes(3, QP_B, 0, 0, MTU, 1024, false, 32);
    RequestorAttributes rts = new RequestorAttributes(0, 0, 1024, false, 32, 10, 3, 4);
    PeerConfig peer =
        new PeerConfig(
            planes(1), EvTable.spread(PORTS, 64, 1), 10_000, new CcConfig.FixedWindow(1 << 20));
    assertThat(a.submit(new Command.AddPeer(3, peer), nowNs)).isEqualTo(CommandResult.OK);
    int count = 1000;
    long allocated = 0;
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    for (int round = 0; round < 2; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < count; i++) {
        int qp = 10_000 + round * count + i;
        a.submit(new Command.CreateQp(qp, config), nowNs);
        a.submit(new Command.ReadyToReceive(qp, rtr), nowNs);
        a.submit(new Command.ReadyToSend(qp, rts), nowNs);
      }
      allocated = threads.getCurrentThreadAllocatedBytes() - before;
    }
    assertThat(allocated / count).isLessThanOrEqualTo(4096);
  }
}
