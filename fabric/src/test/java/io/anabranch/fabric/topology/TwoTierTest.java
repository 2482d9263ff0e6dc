package io.anabranch.fabric.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.link.Overflow;
import io.anabranch.fabric.link.Packets;
import io.anabranch.fabric.link.QueueConfig;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class TwoTierTest {
  private static final int PLANES = 2;
  private static final int LEAVES = 4;
  private static final int HOSTS_PER_LEAF = 3;
  private static final int SPINES = 5;

  private static TwoTier wiring(boolean srv6, int spines) {
    LinkConfig link = new LinkConfig(400_000_000_000L, 1_000_000);
    QueueConfig queue = new QueueConfig(100_000, 200_000, null, Overflow.TRIM, 0.5);
    return new TwoTier(
        new TwoTierConfig(
            PLANES,
            LEAVES,
            HOSTS_PER_LEAF,
            spines,
            link,
            link,
            queue,
            queue,
            queue,
            0,
            Forwarding.STORE_AND_FORWARD),
        srv6 ? Routing.SRV6 : Routing.ECMP,
        3);
  }

  @Test
  void everyLinkHasANameOfItsOwn() {
    TwoTier wiring = wiring(false, SPINES);
    TreeSet<String> names = new TreeSet<>();
    for (int link = 0; link < wiring.links(); link++) {
      names.add(wiring.name(link));
    }
    int perPlane = 2 * LEAVES * HOSTS_PER_LEAF + 2 * LEAVES * SPINES;
    assertThat(wiring.links()).isEqualTo(PLANES * perPlane);
    assertThat(names).hasSize(wiring.links()).contains("p1.t0.3>t1.4", "p2.h11>t0.3");
  }

  @Test
  void everyPairReachesEachOtherOnEachPlane() {
    for (boolean srv6 : new boolean[] {false, true}) {
      TwoTier wiring = wiring(srv6, SPINES);
      Packets packets = new Packets(srv6);
      int packet = packets.take();
      for (int from = 0; from < wiring.hosts(); from++) {
        for (int to = 0; to < wiring.hosts(); to++) {
          for (int plane = 0; from != to && plane < PLANES; plane++) {
            packets.describe(packet, 100, 0, from * 31 + to, to);
            if (srv6) {
              wiring.segments(packets, packet, from, to, plane, to % SPINES);
            }
            int hops = 1;
            int link = wiring.hostLink(from, plane);
            while (!wiring.toHost(wiring.kind(link))) {
              link = wiring.next(link, packets, packet);
              assertThat(wiring.plane(link)).isEqualTo(plane);
              hops++;
            }
            assertThat(wiring.hostAt(link)).isEqualTo(to);
            assertThat(hops).isEqualTo(from / HOSTS_PER_LEAF == to / HOSTS_PER_LEAF ? 2 : 4);
          }
        }
      }
    }
  }

  @Test
  void theContainerIsTheTemplateAndAnUnknownUsidIsDropped() {
    TwoTier wiring = wiring(true, SPINES);
    Packets packets = new Packets(true);
    int packet = packets.take();
    packets.describe(packet, 100, 0, 0, 11);
    wiring.segments(packets, packet, 0, 11, 1, 2);
    // Leaves are 1 … 8 by plane, spines 9 … 18, downlinks 19 … 21: plane 2's T0 0, T1 2, T0 3, h
    // 11.
    assertThat(packets.segmentsHi(packet)).isEqualTo(0xfd00_0001_0005_0010L);
    assertThat(packets.segmentsLo(packet)).isEqualTo(0x0008_0015_0000_0000L);
    int up = wiring.next(wiring.hostLink(0, 1), packets, packet);
    assertThat(wiring.name(up)).isEqualTo("p2.t0.0>t1.2");
    assertThat(packets.segmentsHi(packet)).isEqualTo(0xfd00_0001_0010_0008L);
    assertThat(packets.segmentsLo(packet)).isEqualTo(0x0015_0000_0000_0000L);
    packets.segments(packet, 0xfd00_0001_0010_ffffL, 0);
    assertThat(wiring.next(up, packets, packet)).isEqualTo(Topology.NO_ROUTE);
    packets.segments(packet, 0xfd00_0002_0010_0008L, 0);
    assertThat(wiring.next(up, packets, packet)).as("another locator").isEqualTo(Topology.NO_ROUTE);
  }

  /** Polarisation: what one leaf chose must say nothing of what another one would choose. */
  @Test
  void twoLeavesChooseIndependently() {
    int spines = 8;
    TwoTier wiring = wiring(false, spines);
    Packets packets = new Packets(false);
    int packet = packets.take();
    int n = 64_000;
    int[][] together = new int[spines][spines];
    for (int hash = 0; hash < n; hash++) {
      packets.describe(packet, 100, 0, hash, 11);
      int a = spineOf(wiring, wiring.next(wiring.hostLink(0, 0), packets, packet));
      int b = spineOf(wiring, wiring.next(wiring.hostLink(3, 0), packets, packet));
      together[a][b]++;
    }
    double expected = (double) n / (spines * spines);
    double chiSquare = 0;
    for (int[] row : together) {
      for (int seen : row) {
        chiSquare += (seen - expected) * (seen - expected) / expected;
      }
    }
    // 63 degrees of freedom: 103.4 is exceeded by chance once in a thousand.
    assertThat(chiSquare).isLessThan(103.4);
  }

  private static int spineOf(TwoTier wiring, int link) {
    String name = wiring.name(link);
    return Integer.parseInt(name.substring(name.lastIndexOf('.') + 1));
  }
}
