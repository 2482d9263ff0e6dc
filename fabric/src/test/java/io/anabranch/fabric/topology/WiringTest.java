package io.anabranch.fabric.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.link.Overflow;
import io.anabranch.fabric.link.Packets;
import io.anabranch.fabric.link.QueueConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Numbers, names and routes, by names alone where that can be. */
class WiringTest {
  private static final int PLANES = 2;
  private static final int LEAVES = 4;
  private static final int HOSTS_PER_LEAF = 3;
  private static final int SPINES = 5;
  private static final LinkConfig HOST_LINK = new LinkConfig(100_000_000_000L, 300_000);
  private static final LinkConfig FABRIC_LINK = new LinkConfig(400_000_000_000L, 700_000);

  private static TwoTier wiring(boolean srv6, int leaves, int spines, long seed) {
    QueueConfig queue = new QueueConfig(100_000, 200_000, null, Overflow.TRIM, 0.5);
    return new TwoTier(
        new TwoTierConfig(
            PLANES,
            leaves,
            HOSTS_PER_LEAF,
            spines,
            HOST_LINK,
            FABRIC_LINK,
            queue,
            queue,
            queue,
            50_000,
            Forwarding.STORE_AND_FORWARD),
        srv6 ? Routing.SRV6 : Routing.ECMP,
        seed);
  }

  private static Map<String, Integer> byName(TwoTier wiring) {
    Map<String, Integer> map = new TreeMap<>();
    for (int link = 0; link < wiring.links(); link++) {
      map.put(wiring.name(link), link);
    }
    return map;
  }

  @Test
  void numbersAndNamesAreOneToOneAndNothingIsMissing() {
    List<String> expected = new ArrayList<>();
    for (int p = 1; p <= PLANES; p++) {
      for (int leaf = 0; leaf < LEAVES; leaf++) {
        for (int i = 0; i < HOSTS_PER_LEAF; i++) {
          int host = leaf * HOSTS_PER_LEAF + i;
          expected.add("p" + p + ".h" + host + ">t0." + leaf);
          expected.add("p" + p + ".t0." + leaf + ">h" + host);
        }
        for (int spine = 0; spine < SPINES; spine++) {
          expected.add("p" + p + ".t0." + leaf + ">t1." + spine);
          expected.add("p" + p + ".t1." + spine + ">t0." + leaf);
        }
      }
    }
    TwoTier wiring = wiring(false, LEAVES, SPINES, 1);
    assertThat(byName(wiring)).hasSize(wiring.links());
    assertThat(byName(wiring).keySet()).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void numbersSayPlaneEndsAndKind() {
    TwoTier wiring = wiring(false, LEAVES, SPINES, 1);
    Map<String, Integer> links = byName(wiring);
    for (int plane = 0; plane < PLANES; plane++) {
      for (int host = 0; host < wiring.hosts(); host++) {
        String p = "p" + (plane + 1) + ".";
        String leaf = "t0." + host / HOSTS_PER_LEAF;
        int up = links.getOrDefault(p + "h" + host + ">" + leaf, -1);
        int down = links.getOrDefault(p + leaf + ">h" + host, -1);
        assertThat(wiring.hostLink(host, plane)).isEqualTo(up);
        assertThat(wiring.hostFrom(up)).isEqualTo(host);
        assertThat(wiring.hostAt(down)).isEqualTo(host);
        assertThat(wiring.queueOf(wiring.kind(up))).isNull();
        assertThat(wiring.toHost(wiring.kind(up))).isFalse();
        assertThat(wiring.toHost(wiring.kind(down))).isTrue();
      }
    }
    links.forEach((name, link) -> {
      int kind = wiring.kind(link);
      boolean spine = name.contains("t1");
      assertThat(wiring.plane(link)).isEqualTo(name.charAt(1) - '1');
      assertThat(wiring.linkOf(kind)).isEqualTo(spine ? FABRIC_LINK : HOST_LINK);
      assertThat(wiring.switchLatencyPs(kind)).isEqualTo(name.contains(">h") ? 0 : 50_000);
    });
  }

  @Test
  void containersNameEachSwitchOnTheWayAndAreShiftedByEach() {
    TwoTier wiring = wiring(true, LEAVES, SPINES, 1);
    Packets packets = new Packets(true);
    int packet = packets.take();
    for (int from = 0; from < wiring.hosts(); from++) {
      for (int to = 0; to < wiring.hosts(); to++) {
        for (int plane = 0; from != to && plane < PLANES; plane++) {
          int spine = (from + to) % SPINES;
          int leaf = from / HOSTS_PER_LEAF;
          int toLeaf = to / HOSTS_PER_LEAF;
          List<Integer> sids = new ArrayList<>();
          String p = "p" + (plane + 1) + ".";
          List<String> way = new ArrayList<>();
          sids.add(1 + plane * LEAVES + leaf);
          if (leaf != toLeaf) {
            sids.add(1 + PLANES * LEAVES + plane * SPINES + spine);
            sids.add(1 + plane * LEAVES + toLeaf);
            way.add(p + "t0." + leaf + ">t1." + spine);
            way.add(p + "t1." + spine + ">t0." + toLeaf);
          }
          sids.add(1 + PLANES * (LEAVES + SPINES) + to % HOSTS_PER_LEAF);
          way.add(p + "t0." + toLeaf + ">h" + to);
          packets.describe(packet, 100, 0, 77, to);
          wiring.segments(packets, packet, from, to, plane, spine);
          int link = wiring.hostLink(from, plane);
          for (String name : way) {
            assertThat(container(packets, packet)).isEqualTo(text(sids));
            link = wiring.next(link, packets, packet);
            assertThat(wiring.name(link)).isEqualTo(name);
            sids.removeFirst();
          }
          assertThat(container(packets, packet)).as("the last is left").isEqualTo(text(sids));
        }
      }
    }
  }

  private static String container(Packets packets, int packet) {
    return String.format("%016x%016x", packets.segmentsHi(packet), packets.segmentsLo(packet));
  }

  /** The locator, the uSIDs, zeros. */
  private static String text(List<Integer> sids) {
    StringBuilder b = new StringBuilder("fd000001");
    sids.forEach(sid -> b.append(String.format("%04x", sid)));
    return b.append("0".repeat(32 - b.length())).toString();
  }

  @Test
  void aSwitchKnowsNoWayByAForeignUsid() {
    TwoTier wiring = wiring(true, LEAVES, SPINES, 1);
    Packets packets = new Packets(true);
    int packet = packets.take();
    packets.describe(packet, 100, 0, 0, 11);
    int leaf1 = 1;
    int spine0 = 1 + PLANES * LEAVES;
    int downs = 1 + PLANES * (LEAVES + SPINES);
    Map<String, Integer> links = byName(wiring);
    int toLeaf = links.getOrDefault("p1.h0>t0.0", -1);
    int toSpine = links.getOrDefault("p1.t0.0>t1.0", -1);
    // At a leaf: another leaf, the other plane's spine, one downlink too many, nothing.
    for (int second : new int[] {leaf1 + 1, spine0 + SPINES, downs + HOSTS_PER_LEAF, 0}) {
      packets.segments(packet, 0xfd00_0001_0000_0000L | leaf1 << 16 | second, 0);
      assertThat(wiring.next(toLeaf, packets, packet)).isEqualTo(Topology.NO_ROUTE);
    }
    // At a spine: the other plane's leaf, a spine, a downlink, nothing.
    for (int second : new int[] {leaf1 + LEAVES, spine0 + 1, downs, 0}) {
      packets.segments(packet, 0xfd00_0001_0000_0000L | spine0 << 16 | second, 0);
      assertThat(wiring.next(toSpine, packets, packet)).isEqualTo(Topology.NO_ROUTE);
    }
    // Not addressed to this switch, or of another fabric: it stays as it is.
    for (long hi : new long[] {0xfd00_0001_0002_0009L, 0xfd00_0002_0001_0009L}) {
      packets.segments(packet, hi, 5);
      assertThat(wiring.next(toLeaf, packets, packet)).isEqualTo(Topology.NO_ROUTE);
      assertThat(packets.segmentsHi(packet)).isEqualTo(hi);
      assertThat(packets.segmentsLo(packet)).isEqualTo(5);
    }
  }

  /** For numbers of spines that divide 2^32 and others. */
  @Test
  void eachLeafSpreadsEvenly() {
    for (int spines : new int[] {5, 8}) {
      int n = 40_000;
      TwoTier wiring = wiring(false, LEAVES, spines, 9);
      for (int host : new int[] {0, 3, 6}) {
        int[] seen = new int[spines];
        for (int spine : spines(wiring, host, 0, n)) {
          seen[spine]++;
        }
        double chiSquare = 0;
        for (int count : seen) {
          double off = count - (double) n / spines;
          chiSquare += off * off * spines / n;
        }
        // 7 degrees of freedom at most: 24.3 is exceeded by chance once in a thousand.
        assertThat(chiSquare).isLessThan(24.3);
      }
    }
  }

  @Test
  void anotherSeedOrPlaneChoosesAnew() {
    int n = 8_000;
    List<Integer> one = spines(wiring(false, LEAVES, 8, 1), 0, 0, n);
    assertThat(spines(wiring(false, LEAVES, 8, 1), 0, 0, n)).isEqualTo(one);
    for (List<Integer> other :
        List.of(
            spines(wiring(false, LEAVES, 8, 2), 0, 0, n),
            spines(wiring(false, LEAVES, 8, 1), 0, 1, n))) {
      int same = 0;
      for (int i = 0; i < n; i++) {
        same += one.get(i).equals(other.get(i)) ? 1 : 0;
      }
      // One in eight by chance; five standard deviations are 5 · √(n · 7 / 64).
      assertThat((double) same).isBetween(1000 - 148.0, 1000 + 148.0);
    }
  }

  /** The spines that the leaf of a host chooses for hashes 0 … n − 1 towards the last leaf. */
  private static List<Integer> spines(TwoTier wiring, int host, int plane, int n) {
    Packets packets = new Packets(false);
    int packet = packets.take();
    List<Integer> list = new ArrayList<>(n);
    for (int hash = 0; hash < n; hash++) {
      packets.describe(packet, 100, 0, hash, LEAVES * HOSTS_PER_LEAF - 1);
      String name = wiring.name(wiring.next(wiring.hostLink(host, plane), packets, packet));
      list.add(Integer.parseInt(name.substring(name.lastIndexOf('.') + 1)));
    }
    return list;
  }

  @Test
  void whatIsSaidOfDistanceFollowsFromDelaysAndRates() {
    TwoTier wiring = wiring(false, LEAVES, SPINES, 1);
    assertThat(wiring.paths()).isEqualTo(SPINES);
    assertThat(wiring.diameter()).isEqualTo(4);
    // 1000 and 100 bytes: 80 ps a byte on a host's link, 20 between switches.
    long host = 1100 * 80;
    assertThat(wiring.baseRttPs(0, 1, 1000, 100)).isEqualTo(2 * (2 * 300_000 + 50_000) + 2 * host);
    assertThat(wiring.baseRttPs(0, 11, 1000, 100))
        .isEqualTo(2 * (2 * 300_000 + 2 * 700_000 + 3 * 50_000) + 2 * host + 2 * 1100 * 20);
    TwoTier oneLeaf = wiring(false, 1, SPINES, 1);
    assertThat(oneLeaf.diameter()).isEqualTo(2);
  }
}
