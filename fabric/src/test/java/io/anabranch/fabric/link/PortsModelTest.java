package io.anabranch.fabric.link;

import static io.anabranch.fabric.link.PortDriver.DELAY_PS;
import static io.anabranch.fabric.link.PortDriver.PS_PER_BYTE;
import static io.anabranch.fabric.link.PortDriver.TO_SWITCH;
import static io.anabranch.fabric.link.PortDriver.TRIMMED_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A port under random load against a plain model of it: two lists of packets and a clock. */
class PortsModelTest {
  private static final long DATA_LIMIT_BYTES = 5000;
  private static final long CONTROL_LIMIT_BYTES = 300;

  private record Waiting(int packet, int bytes) {}

  private record Left(int packet, int bytes, long arrivalPs) {}

  private static final class Model {
    final Overflow overflow;
    final boolean trimArriving;
    final Deque<Waiting> data = new ArrayDeque<>();
    final Deque<Waiting> control = new ArrayDeque<>();
    final List<Left> left = new ArrayList<>();
    long freePs;
    long peakBytes;
    int trimmed;
    int dataDrops;
    int controlDrops;

    Model(Overflow overflow, boolean trimArriving) {
      this.overflow = overflow;
      this.trimArriving = trimArriving;
    }

    static long sum(Deque<Waiting> queue) {
      return queue.stream().mapToLong(Waiting::bytes).sum();
    }

    void start(Waiting w, long nowPs) {
      freePs = nowPs + w.bytes * PS_PER_BYTE;
      left.add(new Left(w.packet, w.bytes, freePs + DELAY_PS));
    }

    void runTo(long untilPs) {
      while (freePs < untilPs && !(control.isEmpty() && data.isEmpty())) {
        start(control.isEmpty() ? data.remove() : control.remove(), freePs);
      }
    }

    void arrive(Waiting w, boolean isControl, long nowPs) {
      runTo(nowPs);
      // At the instant at which the port is free, what waits is still in its queue.
      if (freePs <= nowPs && control.isEmpty() && data.isEmpty()) {
        start(w, nowPs);
      } else if (isControl) {
        arriveControl(w);
      } else {
        arriveData(w);
      }
    }

    private void arriveControl(Waiting w) {
      if (sum(control) + w.bytes > CONTROL_LIMIT_BYTES) {
        controlDrops++;
      } else {
        control.add(w);
      }
    }

    private void trim(Waiting w) {
      trimmed++;
      arriveControl(new Waiting(w.packet, TRIMMED_BYTES));
    }

    private void arriveData(Waiting w) {
      if (sum(data) + w.bytes > DATA_LIMIT_BYTES) {
        if (overflow == Overflow.DROP) {
          dataDrops++;
          return;
        }
        boolean makesRoom =
            !data.isEmpty() && sum(data) - data.getLast().bytes + w.bytes <= DATA_LIMIT_BYTES;
        if (trimArriving || !makesRoom) {
          trim(w);
          return;
        }
        trim(data.removeLast());
      }
      data.add(w);
      peakBytes = Math.max(peakBytes, sum(data));
    }
  }

  @Test
  void trimsTheArriving() {
    compare(Overflow.TRIM, 1);
  }

  @Test
  void trimsTheNewest() {
    compare(Overflow.TRIM, 0);
  }

  @Test
  void drops() {
    compare(Overflow.DROP, 0);
  }

  private static void compare(Overflow overflow, double arriving) {
    long trimmed = 0;
    long drops = 0;
    for (long seed = 0; seed < 30; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      PortDriver d =
          new PortDriver(
              PortDriver.queue(DATA_LIMIT_BYTES, CONTROL_LIMIT_BYTES, overflow, arriving));
      Model model = new Model(overflow, arriving == 1);
      long nowPs = 0;
      for (int i = 0; i < 2000; i++) {
        // Bursts and lulls: at times more than the port can send, at times less.
        long spacingBytes = i / 100 % 2 == 0 ? 900 : 2400;
        nowPs += random.nextLong(spacingBytes) * PS_PER_BYTE;
        d.runTo(nowPs);
        boolean control = random.nextInt(4) == 0;
        int bytes = control ? 40 + random.nextInt(60) : 100 + random.nextInt(1500);
        int packet = control ? d.control(bytes) : d.data(bytes);
        model.arrive(new Waiting(packet, bytes), control, nowPs);
        d.ports.enqueue(TO_SWITCH, packet, nowPs);
        assertThat(d.ports.queuedBytes(TO_SWITCH))
            .as("seed " + seed + ", packet " + i)
            .isEqualTo(Model.sum(model.data));
      }
      model.runTo(Long.MAX_VALUE);
      d.finish();
      List<Left> seen =
          d.arrivals.stream().map(a -> new Left(a.packet(), a.bytes(), a.atPs())).toList();
      assertThat(seen).as("seed " + seed).isEqualTo(model.left);
      assertThat(d.ports.peakBytes(TO_SWITCH)).isEqualTo(model.peakBytes);
      assertThat(d.ports.trimmed(TO_SWITCH)).isEqualTo(model.trimmed);
      assertThat(d.ports.drops(DropCause.DATA_QUEUE_FULL)).isEqualTo(model.dataDrops);
      assertThat(d.ports.drops(DropCause.CONTROL_QUEUE_FULL)).isEqualTo(model.controlDrops);
      assertThat(d.ports.dropped(TO_SWITCH)).isEqualTo(model.dataDrops + model.controlDrops);
      assertThat(d.ports.sentPackets(TO_SWITCH)).isEqualTo(model.left.size());
      assertThat(d.ports.sentBytes(TO_SWITCH))
          .isEqualTo(model.left.stream().mapToLong(Left::bytes).sum());
      assertThat(d.ports.hops()).isEqualTo(model.left.size());
      assertThat(d.packets.inUse()).isZero();
      trimmed += model.trimmed;
      drops += model.dataDrops;
    }
    assertThat(overflow == Overflow.TRIM ? trimmed : drops).as("full at times").isPositive();
  }
}
