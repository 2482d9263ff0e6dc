package io.anabranch.fabric.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.fabric.event.EventQueue;
import io.anabranch.wire.mrc.DscpMap;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A few links in use among many. */
class PortsManyTest {
  private static final int LINKS = 1 << 20;
  private static final int USED = 3000;
  private static final int BYTES = 1000;
  private static final long PS = BYTES * PortDriver.PS_PER_BYTE;

  private final EventQueue events = new EventQueue();
  private final Packets packets = new Packets(false);

  private Ports ports(int links) {
    return ports(links, PortDriver.queue(1 << 20, 1 << 20, Overflow.TRIM, 1));
  }

  private Ports ports(int links, double trimArriving) {
    return ports(links, PortDriver.queue(3 * BYTES, 1 << 20, Overflow.TRIM, trimArriving));
  }

  private Ports ports(int links, QueueConfig queue) {
    LinkConfig link = new LinkConfig(PortDriver.RATE, PortDriver.DELAY_PS);
    Ports.Kind[] kinds = {new Ports.Kind(link, queue, false, 0, Integer.MAX_VALUE)};
    return new Ports(events, packets, kinds, new byte[links], 64, DscpMap.DEFAULT, 1, null, null);
  }

  /** In an order of its own, far apart. */
  private static int link(int i) {
    return (int) (i * 2_654_435_761L % LINKS);
  }

  @Test
  void eachKeepsItsOwnStateAndTheOthersNone() {
    Ports ports = ports(LINKS);
    for (int turn = 0; turn < 2; turn++) {
      for (int i = 0; i < USED; i++) {
        int packet = packets.take();
        packets.describe(packet, BYTES, Packets.DATA, i, turn);
        ports.enqueue(link(i), packet, i);
      }
    }
    TreeMap<Integer, Integer> seen = new TreeMap<>();
    for (int target = events.take(Long.MAX_VALUE); target >= 0; ) {
      if (target < Ports.ARRIVE) {
        ports.free(target, events.nowPs());
      } else {
        int link = target - Ports.ARRIVE;
        int packet = ports.arrived(link);
        int i = packets.hash(packet);
        int turn = packets.destination(packet);
        assertThat(link).isEqualTo(link(i));
        assertThat(events.nowPs()).isEqualTo(i + (turn + 1) * PS + PortDriver.DELAY_PS);
        seen.merge(link, 1, Integer::sum);
      }
      target = events.take(Long.MAX_VALUE);
    }
    assertThat(seen).hasSize(USED).allSatisfy((link, n) -> assertThat(n).isEqualTo(2));
    assertThat(ports.hops()).isEqualTo(2 * USED);
    assertThat(ports.usedLinks()).isEqualTo(USED);
    for (int i = 0; i < USED; i++) {
      assertThat(ports.usedLink(i)).as("in the order of first use").isEqualTo(link(i));
    }
    for (int link = 0; link < LINKS; link++) {
      long expected = seen.getOrDefault(link, 0);
      if (ports.sentPackets(link) != expected || ports.sentBytes(link) != expected * BYTES) {
        assertThat(link).as("counted what it did not send").isNegative();
      }
    }
    assertThat(ports.peakBytes(link(7))).isEqualTo(BYTES);
    assertThat(ports.peakBytes(link(7) + 1)).isZero();
    assertThat(ports.busy(link(7) + 1, 0)).isFalse();
  }

  /** Chance belongs to the link's number, not to when it was first used. */
  @Test
  void chanceIsTheLinksOwn() {
    List<List<Integer>> forwards = new ArrayList<>();
    Ports one = ports(100, 0.5);
    for (int link = 0; link < 100; link++) {
      forwards.add(trimmedOf(one, link));
    }
    assertThat(forwards.stream().distinct().count()).isGreaterThan(4);
    Ports other = ports(100, 0.5);
    for (int link = 99; link >= 0; link--) {
      assertThat(trimmedOf(other, link)).isEqualTo(forwards.get(link));
    }
  }

  /** Which of the packets sent to a port at once are cut, in a queue for three of them. */
  private List<Integer> trimmedOf(Ports ports, int link) {
    List<Integer> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      int packet = packets.take();
      packets.describe(packet, BYTES, Packets.DATA, i, 0);
      all.add(packet);
      ports.enqueue(link, packet, 0);
    }
    return all.stream()
        .filter(packet -> (packets.flags(packet) & Packets.TRIMMED) != 0)
        .map(packets::hash)
        .toList();
  }
}
