package io.anabranch.fabric.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.link.Overflow;
import io.anabranch.fabric.link.Packets;
import io.anabranch.fabric.link.QueueConfig;
import io.anabranch.wire.srv6.UsidContainer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Numbers, names and routes, by names alone where that can be. */
class ThreeTierTest {
  private static final int PLANES = 2;
  private static final int PODS = 3;
  private static final int LEAVES_PER_POD = 2;
  private static final int HOSTS_PER_LEAF = 4;
  private static final int SPINES_PER_POD = 3;
  private static final int CORES_PER_GROUP = 5;
  private static final int LEAVES = PODS * LEAVES_PER_POD;
  private static final int SPINES = PODS * SPINES_PER_POD;
  private static final int CORES = SPINES_PER_POD * CORES_PER_GROUP;
  private static final int HOSTS_PER_POD = LEAVES_PER_POD * HOSTS_PER_LEAF;
  private static final LinkConfig HOST_LINK = new LinkConfig(100_000_000_000L, 300_000);
  private static final LinkConfig FABRIC_LINK = new LinkConfig(400_000_000_000L, 700_000);
  private static final LinkConfig CORE_LINK = new LinkConfig(800_000_000_000L, 1_100_000);

  private static QueueConfig queue(int packets) {
    return new QueueConfig(packets * 1000L, 200_000, null, Overflow.TRIM, 0.5);
  }

  private static ThreeTierConfig config(int pods, int spinesPerPod, int coresPerGroup) {
    return new ThreeTierConfig(
        PLANES,
        pods,
        LEAVES_PER_POD,
        HOSTS_PER_LEAF,
        spinesPerPod,
        coresPerGroup,
        HOST_LINK,
        FABRIC_LINK,
        CORE_LINK,
        queue(1),
        queue(2),
        queue(3),
        queue(4),
        queue(5),
        50_000,
        Forwarding.STORE_AND_FORWARD);
  }

  private static Topology wiring(Routing routing) {
    return config(PODS, SPINES_PER_POD, CORES_PER_GROUP).wiring(routing, 3);
  }

  private static Map<String, Integer> byName(Topology wiring) {
    Map<String, Integer> map = new TreeMap<>();
    for (int link = 0; link < wiring.links(); link++) {
      map.put(wiring.name(link), link);
    }
    return map;
  }

  /** Both directions of every cable, by the rules of the configuration. */
  private static Set<String> expectedNames() {
    TreeSet<String> names = new TreeSet<>();
    for (int p = 1; p <= PLANES; p++) {
      for (int leaf = 0; leaf < LEAVES; leaf++) {
        for (int i = 0; i < HOSTS_PER_LEAF; i++) {
          both(names, p, "h" + (leaf * HOSTS_PER_LEAF + i), "t0." + leaf);
        }
        for (int s = 0; s < SPINES_PER_POD; s++) {
          int spine = leaf / LEAVES_PER_POD * SPINES_PER_POD + s;
          both(names, p, "t0." + leaf, "t1." + spine);
        }
      }
      for (int spine = 0; spine < SPINES; spine++) {
        for (int g = 0; g < CORES_PER_GROUP; g++) {
          int core = spine % SPINES_PER_POD * CORES_PER_GROUP + g;
          both(names, p, "t1." + spine, "t2." + core);
        }
      }
    }
    return names;
  }

  private static void both(Set<String> names, int plane, String a, String b) {
    names.add("p" + plane + "." + a + ">" + b);
    names.add("p" + plane + "." + b + ">" + a);
  }

  private static String turned(String name) {
    int dot = name.indexOf('.');
    int arrow = name.indexOf('>');
    return name.substring(0, dot + 1)
        + name.substring(arrow + 1)
        + ">"
        + name.substring(dot + 1, arrow);
  }

  @Test
  void numbersAndNamesAreOneToOneAndNothingIsMissing() {
    Topology wiring = wiring(Routing.ECMP);
    assertThat(byName(wiring)).hasSize(wiring.links());
    assertThat(byName(wiring).keySet()).containsExactlyElementsOf(expectedNames());
    assertThat((long) wiring.links())
        .isEqualTo(config(PODS, SPINES_PER_POD, CORES_PER_GROUP).links());
    assertThat(wiring.switches()).isEqualTo(PLANES * (LEAVES + SPINES + CORES));
  }

  @Test
  void numbersSayEndsAndKind() {
    Topology wiring = wiring(Routing.ECMP);
    Map<String, Integer> links = byName(wiring);
    links.forEach((name, link) -> {
      String from = name.substring(name.indexOf('.') + 1, name.indexOf('>'));
      String to = name.substring(name.indexOf('>') + 1);
      String plane = name.substring(0, name.indexOf('.') + 1);
      int kind = wiring.kind(link);
      assertThat(wiring.plane(link)).isEqualTo(name.charAt(1) - '1');
      assertThat(wiring.reverse(link)).isEqualTo(links.get(turned(name)));
      assertThat(wiring.linkNamed(name)).isEqualTo(link);
      LinkConfig expected = CORE_LINK;
      long queueBytes = 0;
      if (from.startsWith("h") || to.startsWith("h")) {
        expected = HOST_LINK;
        queueBytes = to.startsWith("h") ? 5000 : 0;
      } else if (from.startsWith("t0") || to.startsWith("t0")) {
        expected = FABRIC_LINK;
        queueBytes = to.startsWith("t0") ? 4000 : 1000;
      } else {
        queueBytes = to.startsWith("t2") ? 2000 : 3000;
      }
      assertThat(wiring.linkOf(kind)).isEqualTo(expected);
      QueueConfig queue = wiring.queueOf(kind);
      assertThat(queue == null ? 0 : queue.dataBytes()).as(name).isEqualTo(queueBytes);
      assertThat(wiring.toHost(kind)).isEqualTo(to.startsWith("h"));
      assertThat(wiring.switchLatencyPs(kind)).isEqualTo(to.startsWith("h") ? 0 : 50_000);
      if (from.startsWith("h")) {
        int host = Integer.parseInt(from.substring(1));
        assertThat(wiring.hostLink(host, name.charAt(1) - '1')).isEqualTo(link);
        assertThat(wiring.hostFrom(link)).isEqualTo(host);
        assertThat(wiring.switchFrom(link)).isEqualTo(Topology.HOST);
      } else {
        assertThat(wiring.switchName(wiring.switchFrom(link))).isEqualTo(plane + from);
      }
      if (to.startsWith("h")) {
        assertThat("h" + wiring.hostAt(link)).isEqualTo(to);
        assertThat(wiring.switchAt(link)).isEqualTo(Topology.HOST);
      } else {
        assertThat(wiring.switchName(wiring.switchAt(link))).isEqualTo(plane + to);
      }
    });
  }

  @Test
  void theTwoTierFabricSaysTheSameOfItsEnds() {
    QueueConfig queue = queue(1);
    Topology wiring =
        new TwoTierConfig(
                2,
                4,
                3,
                5,
                HOST_LINK,
                FABRIC_LINK,
                queue,
                queue,
                queue,
                0,
                Forwarding.STORE_AND_FORWARD)
            .wiring(Routing.ECMP, 1);
    Map<String, Integer> links = byName(wiring);
    links.forEach((name, link) -> {
      assertThat(wiring.reverse(link)).isEqualTo(links.get(turned(name)));
      String plane = name.substring(0, name.indexOf('.') + 1);
      int at = wiring.switchAt(link);
      int from = wiring.switchFrom(link);
      assertThat(at == Topology.HOST ? plane + "h" + wiring.hostAt(link) : wiring.switchName(at))
          .isEqualTo(plane + name.substring(name.indexOf('>') + 1));
      assertThat(
              from == Topology.HOST ? plane + "h" + wiring.hostFrom(link) : wiring.switchName(from))
          .isEqualTo(name.substring(0, name.indexOf('>')));
    });
    everyPortIsASwitchsOwn(wiring);
  }

  @Test
  void everyPortIsASwitchsOwn() {
    everyPortIsASwitchsOwn(wiring(Routing.ECMP));
  }

  private static void everyPortIsASwitchsOwn(Topology wiring) {
    TreeSet<Integer> seen = new TreeSet<>();
    for (int node = 0; node < wiring.switches(); node++) {
      for (int port = 0; port < wiring.ports(node); port++) {
        int link = wiring.port(node, port);
        assertThat(wiring.switchFrom(link)).isEqualTo(node);
        assertThat(seen.add(link)).isTrue();
      }
    }
    assertThat(seen).hasSize(wiring.links() - wiring.hosts() * wiring.planes());
  }

  private static int hops(int from, int to) {
    if (from / HOSTS_PER_LEAF == to / HOSTS_PER_LEAF) {
      return 2;
    }
    return from / HOSTS_PER_POD == to / HOSTS_PER_POD ? 4 : 6;
  }

  private static void describe(
      Topology wiring, Routing routing, Packets packets, int packet, int[] way, int path) {
    int hash =
        switch (routing) {
          case ECMP -> path * 7919 + way[0];
          case STRUCTURED -> wiring.structuredEv(path);
          case SRV6, SRV6_SRH -> path;
        };
    packets.describe(packet, 100, 0, hash, way[1]);
    if (routing.usids()) {
      wiring.segments(packets, packet, way[0], way[1], way[2], path);
    }
  }

  @Test
  void everyPathLeadsThereByTheShortestWay() {
    for (Routing routing : Routing.values()) {
      Topology wiring = wiring(routing);
      Packets packets = new Packets(routing.usids(), routing == Routing.SRV6_SRH);
      int packet = packets.take();
      for (int from = 0; from < wiring.hosts(); from++) {
        for (int to = 0; to < wiring.hosts(); to++) {
          for (int plane = 0; from != to && plane < PLANES; plane++) {
            TreeSet<String> over = new TreeSet<>();
            for (int path = 0; path < wiring.paths(); path++) {
              describe(wiring, routing, packets, packet, new int[] {from, to, plane}, path);
              int hops = 1;
              int link = wiring.hostLink(from, plane);
              StringBuilder switches = new StringBuilder();
              while (!wiring.toHost(wiring.kind(link))) {
                int at = wiring.switchAt(link);
                link = wiring.next(link, packets, packet);
                assertThat(wiring.switchFrom(link)).isEqualTo(at);
                switches.append(wiring.switchName(at)).append(' ');
                hops++;
              }
              over.add(switches.toString());
              assertThat(wiring.hostAt(link)).isEqualTo(to);
              assertThat(wiring.plane(link)).isEqualTo(plane);
              assertThat(hops).isEqualTo(hops(from, to));
            }
            if (routing.namesPaths()) {
              int different = hops(from, to) == 6 ? CORES : hops(from, to) == 4 ? 3 : 1;
              assertThat(over).hasSize(different);
            }
          }
        }
      }
    }
  }

  /** The containers, read with the codec of the wire format. */
  @Test
  void containersNameEachSwitchOnTheWay() {
    Topology wiring = wiring(Routing.SRV6);
    Packets packets = new Packets(true);
    int packet = packets.take();
    for (int from = 0; from < wiring.hosts(); from++) {
      for (int to = 0; to < wiring.hosts(); to++) {
        for (int path = 0; from != to && path < CORES; path++) {
          packets.describe(packet, 100, 0, path, to);
          wiring.segments(packets, packet, from, to, 1, path);
          UsidContainer whole =
              new UsidContainer(packets.segmentsHi(packet), packets.segmentsLo(packet));
          assertThat(whole.locator()).isEqualTo(0xfd00_0001);
          List<Integer> sids = new ArrayList<>();
          int link = wiring.hostLink(from, 1);
          while (!wiring.toHost(wiring.kind(link))) {
            sids.add(sid(wiring.switchName(wiring.switchAt(link))));
            link = wiring.next(link, packets, packet);
          }
          sids.add(1 + PLANES * (LEAVES + SPINES + CORES) + to % HOSTS_PER_LEAF);
          assertThat(whole.usids()).containsExactly(sids.stream().mapToInt(i -> i).toArray());
          UsidContainer left = whole;
          for (int i = 1; i < sids.size(); i++) {
            left = left.shifted();
          }
          assertThat(new UsidContainer(packets.segmentsHi(packet), packets.segmentsLo(packet)))
              .isEqualTo(left);
        }
      }
    }
  }

  /** The first container holds what leads up, the SRH's what leads down. */
  @Test
  void anSrhHoldsTheSecondHalf() {
    Topology wiring = wiring(Routing.SRV6_SRH);
    Packets one = new Packets(true);
    Packets two = new Packets(true, true);
    int packet = one.take();
    two.take();
    int to = wiring.hosts() - 1;
    for (int from : new int[] {0, to - HOSTS_PER_POD / 2, to - 1}) {
      one.describe(packet, 100, 0, 1, to);
      two.describe(packet, 100, 0, 1, to);
      wiring.segments(one, packet, from, to, 1, 1);
      wiring.segments(two, packet, from, to, 1, 1);
      int[] all = new UsidContainer(one.segmentsHi(packet), one.segmentsLo(packet)).usids();
      assertThat(all).hasSize(hops(from, to));
      int half = all.length / 2;
      UsidContainer down = UsidContainer.of(0xfd00_0001, Arrays.copyOfRange(all, half, all.length));
      assertThat(new UsidContainer(two.segmentsHi(packet), two.segmentsLo(packet)))
          .isEqualTo(UsidContainer.of(0xfd00_0001, Arrays.copyOf(all, half)));
      assertThat(new UsidContainer(two.srhHi(packet), two.srhLo(packet))).isEqualTo(down);
      int link = wiring.hostLink(from, 1);
      for (int hop = 1; !wiring.toHost(wiring.kind(link)); hop++) {
        assertThat(two.segmentsLeft(packet)).isEqualTo(hop <= half ? 1 : 0);
        link = wiring.next(link, two, packet);
      }
      assertThat(wiring.hostAt(link)).isEqualTo(to);
      assertThat(two.segmentsLeft(packet)).isZero();
      assertThat(new UsidContainer(two.srhHi(packet), two.srhLo(packet))).isEqualTo(down);
    }
  }

  /** Leaves by plane, then spines, then cores, from 1 on; the second plane. */
  private static int sid(String name) {
    int number = Integer.parseInt(name.substring(name.lastIndexOf('.') + 1));
    return switch (name.charAt(4)) {
      case '0' -> 1 + LEAVES + number;
      case '1' -> 1 + PLANES * LEAVES + SPINES + number;
      default -> 1 + PLANES * (LEAVES + SPINES) + CORES + number;
    };
  }

  @Test
  void aSwitchKnowsNoWayByAForeignUsidOrAnUplinkItHasNot() {
    Topology wiring = wiring(Routing.SRV6);
    Packets packets = new Packets(true);
    int packet = packets.take();
    packets.describe(packet, 100, 0, 0, 23);
    Map<String, Integer> links = byName(wiring);
    int spine0 = 1 + PLANES * LEAVES;
    int core0 = 1 + PLANES * (LEAVES + SPINES);
    int downs = core0 + PLANES * CORES;
    noWay(
        wiring, packets, links.getOrDefault("p1.h0>t0.0", -1), 1, 2, spine0 + 3, core0, downs + 4);
    noWay(
        wiring,
        packets,
        links.getOrDefault("p1.t0.0>t1.0", -1),
        spine0,
        1 + LEAVES_PER_POD,
        core0 + CORES_PER_GROUP,
        spine0 + 1,
        downs);
    noWay(
        wiring,
        packets,
        links.getOrDefault("p1.t1.0>t2.0", -1),
        core0,
        spine0 + 1,
        spine0 + SPINES,
        1,
        downs);
    Topology structured = wiring(Routing.STRUCTURED);
    packets.describe(packet, 100, 0, SPINES_PER_POD, 23);
    assertThat(structured.next(structured.hostLink(0, 0), packets, packet))
        .isEqualTo(Topology.NO_ROUTE);
    packets.describe(packet, 100, 0, CORES_PER_GROUP << 2, 23);
    assertThat(structured.next(links.getOrDefault("p1.t0.0>t1.0", -1), packets, packet))
        .isEqualTo(Topology.NO_ROUTE);
  }

  private static void noWay(Topology wiring, Packets packets, int link, int own, int... seconds) {
    for (int second : seconds) {
      packets.segments(0, 0xfd00_0001_0000_0000L | (long) own << 16 | second, 0);
      assertThat(wiring.next(link, packets, 0)).isEqualTo(Topology.NO_ROUTE);
    }
    packets.segments(0, 0xfd00_0001_0000_0000L | (long) (own + 1) << 16 | 1, 5);
    assertThat(wiring.next(link, packets, 0)).isEqualTo(Topology.NO_ROUTE);
    assertThat(packets.segmentsLo(0)).as("not its own: left as it is").isEqualTo(5);
  }

  /** Polarisation: what a leaf chose must say nothing of what the spine behind it chooses. */
  @Test
  void tiersChooseIndependently() {
    int ways = 8;
    Topology wiring = config(2, ways, ways).wiring(Routing.ECMP, 9);
    Packets packets = new Packets(false);
    int packet = packets.take();
    int n = 64_000;
    int[][] together = new int[ways][ways];
    for (int hash = 0; hash < n; hash++) {
      packets.describe(packet, 100, 0, hash, HOSTS_PER_POD);
      int up = wiring.next(wiring.hostLink(0, 0), packets, packet);
      int core = last(wiring.name(wiring.next(up, packets, packet)));
      assertThat(core / ways).isEqualTo(last(wiring.name(up)));
      together[core / ways][core % ways]++;
    }
    double expected = (double) n / (ways * ways);
    double chiSquare = 0;
    for (int[] row : together) {
      for (int seen : row) {
        chiSquare += (seen - expected) * (seen - expected) / expected;
      }
    }
    // 63 degrees of freedom: 103.4 is exceeded by chance once in a thousand.
    assertThat(chiSquare).isLessThan(103.4);
  }

  private static int last(String name) {
    return Integer.parseInt(name.substring(name.lastIndexOf('.') + 1));
  }

  /** Without one uplink its share goes to the others evenly, and theirs stays. */
  @Test
  void insteadOfALinkThatIsDownTheOthersOfItsGroup() {
    Topology wiring = config(2, 5, 4).wiring(Routing.ECMP, 9);
    Packets packets = new Packets(false);
    int packet = packets.take();
    int first = wiring.hostLink(0, 0);
    packets.describe(packet, 100, 0, 1, HOSTS_PER_POD);
    int up = wiring.next(first, packets, packet);
    for (int link : new int[] {first, up}) {
      packets.describe(packet, 100, 0, 2, HOSTS_PER_POD);
      int down = wiring.next(link, packets, packet);
      int members = wiring.kind(link) == wiring.kind(first) ? 5 : 4;
      Map<Integer, Integer> seen = new TreeMap<>();
      int n = 0;
      for (int hash = 0; n < 8000; hash++) {
        packets.describe(packet, 100, 0, hash, HOSTS_PER_POD);
        if (wiring.next(link, packets, packet) == down) {
          int other = wiring.instead(link, down, packets, packet, l -> l != down);
          assertThat(wiring.switchFrom(other)).isEqualTo(wiring.switchFrom(down));
          assertThat(wiring.kind(other)).isEqualTo(wiring.kind(down));
          seen.merge(other, 1, Integer::sum);
          n++;
        }
      }
      assertThat(seen).hasSize(members - 1).doesNotContainKey(down);
      double chiSquare = 0;
      for (int count : seen.values()) {
        double off = count - 8000.0 / (members - 1);
        chiSquare += off * off * (members - 1) / 8000;
      }
      // 3 degrees of freedom at most: 16.3 is exceeded by chance once in a thousand.
      assertThat(chiSquare).isLessThan(16.3);
      assertThat(wiring.instead(link, down, packets, packet, l -> false))
          .isEqualTo(Topology.NO_ROUTE);
    }
  }

  @Test
  void whatIsSaidOfDistanceFollowsFromDelaysAndRates() {
    Topology wiring = wiring(Routing.ECMP);
    assertThat(wiring.paths()).isEqualTo(CORES);
    assertThat(wiring.diameter()).isEqualTo(6);
    long longest = 2 * (300_000 + 700_000 + 1_100_000) + 5 * 50_000;
    // 1000 and 100 bytes: 80 ps a byte on a host's link, 20 and 10 in the fabric.
    assertThat(wiring.baseRttPs(0, 1, 1000, 100))
        .isEqualTo(2 * (2 * 300_000 + 50_000) + 2 * 1100 * 80);
    assertThat(wiring.baseRttPs(0, 4, 1000, 100))
        .isEqualTo(2 * (2 * 300_000 + 2 * 700_000 + 3 * 50_000) + 2 * 1100 * (80 + 20));
    assertThat(wiring.baseRttPs(0, 8, 1000, 100))
        .isEqualTo(2 * longest + 2 * 1100 * (80 + 20 + 10))
        .isEqualTo(wiring.longestRttPs(1000, 100));
    Topology onePod = config(1, 2, 2).wiring(Routing.ECMP, 1);
    assertThat(onePod.diameter()).isEqualTo(4);
  }
}
