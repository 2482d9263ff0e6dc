package io.anabranch.fabric.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.fabric.event.EventQueue;
import io.anabranch.wire.mrc.DscpMap;
import io.anabranch.wire.mrc.Frame;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Ports that tell late what has left them, against ports that have an event for each packet. */
class LatePortsTest {
  private static final int PORTS = 5;
  private static final int PACKETS = 600;

  private record Left(int link, int number, boolean trimmed, long atPs) {}

  private record Came(int link, int bytes, boolean control, long atPs) {}

  private static List<Came> traffic(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Came> all = new ArrayList<>();
    long atPs = 0;
    for (int i = 0; i < PACKETS; i++) {
      // Sometimes exactly when a port falls free.
      atPs += random.nextInt(3) == 0 ? 0 : random.nextInt(8) * 25L * PortDriver.PS_PER_BYTE;
      boolean control = random.nextInt(4) == 0;
      all.add(new Came(random.nextInt(PORTS), control ? 50 : 1_000, control, atPs));
    }
    return all;
  }

  @Test
  void whatLeavesAndWhenIsTheSame() {
    int trimmed = 0;
    for (long seed = 0; seed < 40; seed++) {
      List<Left> early = run(seed, 0);
      assertThat(early).hasSizeGreaterThan(PACKETS / 2);
      trimmed += (int) early.stream().filter(Left::trimmed).count();
      for (long turnPs : new long[] {PortDriver.DELAY_PS, 100_000, 7_001}) {
        assertThat(run(seed, turnPs)).as("seed " + seed).isEqualTo(early);
      }
    }
    assertThat(trimmed).isGreaterThan(500);
  }

  /** What arrives at the far ends, by time; {@code turnPs}: 0 = with an event a packet. */
  private static List<Left> run(long seed, long turnPs) {
    EventQueue events = new EventQueue();
    Packets packets = new Packets(false);
    EcnRamp ecn = new EcnRamp(1_000, 3_000);
    QueueConfig queue = new QueueConfig(4_000, 400, ecn, Overflow.TRIM, 0.5);
    LinkConfig link = new LinkConfig(PortDriver.RATE, PortDriver.DELAY_PS);
    Ports.Kind[] kinds = {new Ports.Kind(link, queue, false, 0, Integer.MAX_VALUE)};
    Ports ports =
        new Ports(events, packets, kinds, new byte[PORTS], 64, DscpMap.DEFAULT, seed, null, null);
    if (turnPs > 0) {
      ports.tellLate(1, port -> 0);
    }
    List<Left> left = new ArrayList<>();
    List<Came> traffic = traffic(seed);
    long endPs = turnPs > 0 ? turnPs : Long.MAX_VALUE;
    for (int i = 0; i < traffic.size(); i++) {
      Came came = traffic.get(i);
      while (came.atPs >= endPs) {
        ports.finish(0, endPs);
        endPs += turnPs;
      }
      // An event at the same instant comes first.
      take(events, ports, packets, came.atPs + 1, left);
      int packet = packets.take();
      packets.wrap(new Frame(), packet).clear();
      int flags = came.control ? Packets.CONTROL : Packets.DATA;
      packets.describe(packet, came.bytes, flags, i, 0);
      ports.enqueue(came.link, packet, came.atPs);
    }
    for (int i = 0; i < 3_000 && turnPs > 0; i++) {
      ports.finish(0, endPs);
      endPs += turnPs;
    }
    take(events, ports, packets, Long.MAX_VALUE, left);
    left.sort(Comparator.comparingLong(Left::atPs).thenComparingInt(Left::link));
    return left;
  }

  private static void take(
      EventQueue events, Ports ports, Packets packets, long untilPs, List<Left> left) {
    for (int t = events.take(untilPs); t >= 0; t = events.take(untilPs)) {
      if (t >= Ports.WAKE) {
        continue;
      }
      if (t < Ports.ARRIVE) {
        ports.free(t, events.nowPs());
        continue;
      }
      int packet = ports.arrived(t - Ports.ARRIVE);
      boolean trimmed = (packets.flags(packet) & Packets.TRIMMED) != 0;
      left.add(new Left(t - Ports.ARRIVE, packets.hash(packet), trimmed, events.nowPs()));
      packets.release(packet);
    }
  }
}
