package io.anabranch.fabric.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.link.Overflow;
import io.anabranch.fabric.link.Packets;
import io.anabranch.fabric.link.QueueConfig;
import io.anabranch.fabric.topology.GraphConfig.Cable;
import io.anabranch.wire.srv6.UsidContainer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class GraphTest {
  private static final LinkConfig SLOW = new LinkConfig(100_000_000_000L, 300_000);
  private static final LinkConfig FAST = new LinkConfig(400_000_000_000L, 700_000);
  private static final QueueConfig QUEUE =
      new QueueConfig(100_000, 200_000, null, Overflow.TRIM, 0.5);

  private static GraphConfig config(int hosts, List<String> switches, Cable... cables) {
    return new GraphConfig(
        hosts, switches, List.of(cables), QUEUE, QUEUE, 50_000, Forwarding.STORE_AND_FORWARD);
  }

  /**
   * h0 twice on a, h1 on a and b: two planes. From a to d by b or c, two cables between a and b,
   * one slower one from c; h2 twice on d.
   */
  private static GraphConfig diamond() {
    int a = 3;
    int b = 4;
    int c = 5;
    int d = 6;
    return config(
        3,
        List.of("a", "b", "c", "d"),
        new Cable(0, a, FAST),
        new Cable(a, 0, FAST),
        new Cable(1, a, FAST),
        new Cable(1, b, FAST),
        new Cable(a, b, FAST),
        new Cable(a, b, FAST),
        new Cable(a, c, FAST),
        new Cable(c, d, SLOW),
        new Cable(b, d, FAST),
        new Cable(2, d, SLOW),
        new Cable(2, d, SLOW));
  }

  @Test
  void namesTellParallelLinksApart() {
    Topology wiring = diamond().wiring(Routing.ECMP, 1);
    List<String> names = new ArrayList<>();
    for (int link = 0; link < wiring.links(); link++) {
      names.add(wiring.name(link));
      assertThat(wiring.linkNamed(wiring.name(link))).isEqualTo(link);
    }
    assertThat(names)
        .containsExactly(
            "h0>a.0", "a>h0.0", "a>h0.1", "h0>a.1", "h1>a", "a>h1", "h1>b", "b>h1", "a>b.0",
            "b>a.0", "a>b.1", "b>a.1", "a>c", "c>a", "c>d", "d>c", "b>d", "d>b", "h2>d.0", "d>h2.0",
            "h2>d.1", "d>h2.1");
    assertThat(wiring.planes()).isEqualTo(2);
    assertThat(wiring.name(wiring.hostLink(0, 1))).isEqualTo("h0>a.1");
    assertThat(wiring.name(wiring.hostLink(1, 1))).isEqualTo("h1>b");
    assertThat(wiring.name(wiring.reverse(wiring.linkNamed("a>b.1")))).isEqualTo("b>a.1");
    TreeSet<Integer> seen = new TreeSet<>();
    for (int node = 0; node < wiring.switches(); node++) {
      for (int port = 0; port < wiring.ports(node); port++) {
        assertThat(wiring.switchFrom(wiring.port(node, port))).isEqualTo(node);
        assertThat(seen.add(wiring.port(node, port))).isTrue();
      }
    }
    assertThat(seen).hasSize(22 - 6);
  }

  /** The ways that packets take, as texts, with how many of {@code n} hashes or paths took each. */
  private static SortedMap<String, Integer> ways(
      Topology wiring, Routing routing, int from, int to, int plane, int n) {
    Packets packets = new Packets(routing.usids(), routing == Routing.SRV6_SRH);
    int packet = packets.take();
    TreeMap<String, Integer> ways = new TreeMap<>();
    for (int hash = 0; hash < n; hash++) {
      int seen = routing == Routing.STRUCTURED ? wiring.structuredEv(hash) : hash;
      packets.describe(packet, 100, 0, seen, wiring.destination(to, plane));
      List<Integer> sids = new ArrayList<>();
      List<Integer> whole = new ArrayList<>();
      if (routing.usids()) {
        wiring.segments(packets, packet, from, to, plane, hash);
        whole.addAll(sids(packets.segmentsHi(packet), packets.segmentsLo(packet)));
        if (routing == Routing.SRV6_SRH && packets.segmentsLeft(packet) == 1) {
          whole.addAll(sids(packets.srhHi(packet), packets.srhLo(packet)));
        }
      }
      StringBuilder way = new StringBuilder();
      int link = wiring.hostLink(from, plane);
      while (!wiring.toHost(wiring.kind(link))) {
        link = wiring.next(link, packets, packet);
        way.append(wiring.name(link)).append(' ');
        sids.add(link + 1);
      }
      assertThat(wiring.hostAt(link)).isEqualTo(to);
      assertThat(wiring.plane(link)).isEqualTo(plane);
      if (routing.usids()) {
        assertThat(whole).isEqualTo(sids);
      }
      ways.merge(way.toString().strip(), 1, Integer::sum);
    }
    return ways;
  }

  private static List<Integer> sids(long hi, long lo) {
    return Arrays.stream(new UsidContainer(hi, lo).usids()).boxed().toList();
  }

  @Test
  void allShortestWaysAreTakenAndOnlyThose() {
    for (Routing routing : new Routing[] {Routing.ECMP, Routing.SRV6, Routing.SRV6_SRH}) {
      Topology wiring = diamond().wiring(routing, 1);
      assertThat(wiring.paths()).isEqualTo(3);
      assertThat(ways(wiring, routing, 0, 2, 1, 300).keySet())
          .containsExactly("a>b.0 b>d d>h2.1", "a>b.1 b>d d>h2.1", "a>c c>d d>h2.1");
      assertThat(ways(wiring, routing, 0, 1, 0, 300).keySet()).containsExactly("a>h1");
      assertThat(ways(wiring, routing, 0, 1, 1, 300).keySet())
          .containsExactly("a>b.0 b>h1", "a>b.1 b>h1");
      assertThat(ways(wiring, routing, 2, 1, 1, 300).keySet()).containsExactly("d>b b>h1");
    }
    // Each of the first paths another way.
    assertThat(ways(diamond().wiring(Routing.SRV6, 1), Routing.SRV6, 0, 2, 0, 3).values())
        .containsExactly(1, 1, 1);
  }

  /**
   * From a three links lead to d, and from d two to a, then from b two more: a field of two bits
   * and one of one, six EVs. Where there are two links, 2 counts as 0.
   */
  @Test
  void aStructuredEvHasAFieldForEachSwitchOnTheWay() {
    Topology wiring = diamond().wiring(Routing.STRUCTURED, 1);
    assertThat(diamond().namedPaths(Routing.STRUCTURED)).isEqualTo(6);
    assertThat(IntStream.range(0, 6).map(wiring::structuredEv)).containsExactly(0, 1, 2, 4, 5, 6);
    assertThat(ways(wiring, Routing.STRUCTURED, 0, 2, 1, 6))
        .isEqualTo(Map.of("a>b.0 b>d d>h2.1", 2, "a>b.1 b>d d>h2.1", 2, "a>c c>d d>h2.1", 2));
    assertThat(ways(wiring, Routing.STRUCTURED, 2, 0, 0, 6))
        .isEqualTo(Map.of("d>c c>a a>h0.0", 4, "d>b b>a.0 a>h0.0", 1, "d>b b>a.1 a>h0.0", 1));
    assertThat(ways(wiring, Routing.STRUCTURED, 0, 1, 0, 6)).isEqualTo(Map.of("a>h1", 6));
  }

  /** A Clos told cable by cable: the same EVs lead by the same switches. */
  @Test
  void inAClosTheFieldsAreThoseOfItsTiers() {
    ThreeTierConfig clos =
        new ThreeTierConfig(
            1,
            3,
            2,
            2,
            3,
            2,
            FAST,
            FAST,
            FAST,
            QUEUE,
            QUEUE,
            QUEUE,
            QUEUE,
            QUEUE,
            0,
            Forwarding.STORE_AND_FORWARD);
    Topology tiers = clos.wiring(Routing.STRUCTURED, 1);
    List<Cable> cables = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (int host = 0; host < clos.hosts(); host++) {
      int leaf = tiers.switchAt(tiers.hostLink(host, 0));
      cables.add(new Cable(host, clos.hosts() + leaf, FAST));
    }
    for (int node = 0; node < tiers.switches(); node++) {
      names.add(tiers.switchName(node).substring(3).replace(".", "-"));
      for (int port = 0; port < tiers.ports(node); port++) {
        int other = tiers.switchAt(tiers.port(node, port));
        if (other > node) {
          cables.add(new Cable(clos.hosts() + node, clos.hosts() + other, FAST));
        }
      }
    }
    GraphConfig told = config(clos.hosts(), names, cables.toArray(Cable[]::new));
    Topology graph = told.wiring(Routing.STRUCTURED, 1);
    assertThat(told.namedPaths(Routing.STRUCTURED)).isEqualTo(clos.paths()).isEqualTo(6);
    Packets packets = new Packets(false);
    int packet = packets.take();
    for (int from = 0; from < clos.hosts(); from++) {
      for (int to = 0; to < clos.hosts(); to++) {
        for (int path = 0; from != to && path < 6; path++) {
          int ev = tiers.structuredEv(path);
          assertThat(graph.structuredEv(path)).isEqualTo(ev);
          assertThat(switches(graph, packets, packet, from, to, ev))
              .isEqualTo(switches(tiers, packets, packet, from, to, ev));
        }
      }
    }
  }

  private static List<Integer> switches(
      Topology wiring, Packets packets, int packet, int from, int to, int ev) {
    packets.describe(packet, 100, 0, ev, wiring.destination(to, 0));
    List<Integer> all = new ArrayList<>();
    int link = wiring.hostLink(from, 0);
    while (!wiring.toHost(wiring.kind(link))) {
      all.add(wiring.switchAt(link));
      link = wiring.next(link, packets, packet);
    }
    assertThat(wiring.hostAt(link)).isEqualTo(to);
    return all;
  }

  /** A switch counts a link for each of its ways on: three members, a third each. */
  @Test
  void parallelLinksShareEvenly() {
    int n = 30_000;
    Topology wiring = diamond().wiring(Routing.ECMP, 7);
    double chiSquare = 0;
    for (int count : ways(wiring, Routing.ECMP, 0, 2, 0, n).values()) {
      chiSquare += (count - n / 3.0) * (count - n / 3.0) / (n / 3.0);
    }
    // 2 degrees of freedom: 13.8 is exceeded by chance once in a thousand.
    assertThat(chiSquare).isLessThan(13.8);
  }

  @Test
  void insteadOfALinkThatIsDownTheOthersOfItsGroup() {
    Topology wiring = diamond().wiring(Routing.ECMP, 1);
    Packets packets = new Packets(false);
    int packet = packets.take();
    int first = wiring.hostLink(0, 0);
    int down = wiring.linkNamed("a>c");
    TreeSet<String> others = new TreeSet<>();
    for (int hash = 0; hash < 100; hash++) {
      packets.describe(packet, 100, 0, hash, wiring.destination(2, 0));
      if (wiring.next(first, packets, packet) == down) {
        others.add(wiring.name(wiring.instead(first, down, packets, packet, l -> l != down)));
      }
    }
    assertThat(others).containsExactly("a>b.0", "a>b.1");
    int last = wiring.linkNamed("d>h2.0");
    assertThat(wiring.instead(first, last, packets, packet, l -> l != last))
        .isEqualTo(Topology.NO_ROUTE);
  }

  @Test
  void aSwitchKnowsItsOwnUsidsOnly() {
    Topology wiring = diamond().wiring(Routing.SRV6, 1);
    Packets packets = new Packets(true);
    int packet = packets.take();
    packets.describe(packet, 100, 0, 0, 2);
    for (int sid : new int[] {0, 1 + wiring.linkNamed("b>d"), 23, 0xffff}) {
      packets.segments(packet, 0xfd00_0001_0000_0000L | (long) sid << 16 | 5, 5);
      assertThat(wiring.next(wiring.hostLink(0, 0), packets, packet)).isEqualTo(Topology.NO_ROUTE);
      assertThat(packets.segmentsLo(packet)).isEqualTo(5);
    }
  }

  /** The slower and longer of the ways, on the plane where it is the longest. */
  @Test
  void distancesAreOfTheLongestOfTheShortestWays() {
    Topology wiring = diamond().wiring(Routing.ECMP, 1);
    assertThat(wiring.diameter()).isEqualTo(4);
    long slow = 1100 * 80;
    long fast = 1100 * 20;
    // h0>a, a>b or a>c, then b>d (700 ns at 400 Gb/s) or c>d (300 ns at 100 Gb/s), d>h2.
    long byB = 2 * 700_000 + fast;
    long byC = 2 * 300_000 + slow;
    long longest =
        2 * (700_000 + 700_000 + 300_000) + 2 * fast + slow + Math.max(byB, byC) + 3 * 2 * 50_000;
    assertThat(wiring.baseRttPs(0, 2, 1000, 100)).isEqualTo(longest);
    assertThat(wiring.longestRttPs(1000, 100)).isEqualTo(longest);
    assertThat(wiring.baseRttPs(0, 1, 1000, 100))
        .isEqualTo(2 * 3 * 700_000 + 3 * fast + 2 * 2 * 50_000);
  }

  @Test
  void whatCannotBeIsRefused() {
    Cable first = new Cable(0, 2, FAST);
    assertThatThrownBy(() -> config(2, List.of("a"), first))
        .hasMessage("h1 has 0 cables and h0 1, allowed equally many");
    GraphConfig apart = config(2, List.of("a", "b"), first, new Cable(1, 3, FAST));
    assertThatThrownBy(() -> apart.wiring(Routing.ECMP, 1))
        .hasMessage("h1 cannot be reached from h0 on plane 1");
    assertThatThrownBy(() -> config(2, List.of("a"), first, new Cable(0, 1, FAST)))
        .hasMessageContaining("another switch");
    assertThat(diamond().refuses(Routing.STRUCTURED)).isNull();
    // Eight times two cables: eight fields of a bit; 2^8 cables twice: 8 bits each.
    assertThat(parallel(9, 2).refuses(Routing.STRUCTURED)).isNull();
    assertThat(parallel(9, 2).namedPaths(Routing.STRUCTURED)).isEqualTo(256);
    assertThat(parallel(3, 256).refuses(Routing.STRUCTURED)).contains("have 16 bits", "allowed 14");
    assertThat(diamond().refuses(Routing.SRV6)).isNull();
    assertThat(chain(7).refuses(Routing.SRV6)).contains("room for 6", "passes 7");
    assertThat(chain(7).refuses(Routing.ECMP)).isNull();
    assertThat(chain(12).refuses(Routing.SRV6_SRH)).isNull();
    assertThat(chain(13).refuses(Routing.SRV6_SRH)).contains("room for 12", "passes 13");
  }

  /** Two hosts at the ends of so many switches. */
  private static GraphConfig chain(int switches) {
    return parallel(switches, 1);
  }

  /** So many cables between one switch and the next. */
  private static GraphConfig parallel(int switches, int cables) {
    List<Cable> chain = new ArrayList<>(List.of(new Cable(0, 2, FAST)));
    List<String> names = new ArrayList<>(List.of("s0"));
    for (int s = 1; s < switches; s++) {
      for (int i = 0; i < cables; i++) {
        chain.add(new Cable(s + 1, s + 2, FAST));
      }
      names.add("s" + s);
    }
    chain.add(new Cable(1, switches + 1, FAST));
    return config(2, names, chain.toArray(Cable[]::new));
  }

  /** Two containers lead past twelve switches; the only uSID of a short way stands in both. */
  @Test
  void anSrhHoldsTheSecondHalfOfTheUas() {
    for (int switches = 1; switches <= 12; switches++) {
      Topology wiring = chain(switches).wiring(Routing.SRV6_SRH, 1);
      Packets packets = new Packets(true, true);
      int packet = packets.take();
      packets.describe(packet, 100, 0, 0, 1);
      wiring.segments(packets, packet, 0, 1, 0, 0);
      int half = (switches + 1) / 2;
      assertThat(sids(packets.segmentsHi(packet), packets.segmentsLo(packet))).hasSize(half);
      assertThat(sids(packets.srhHi(packet), packets.srhLo(packet)))
          .hasSize(Math.max(1, switches - half));
      assertThat(packets.segmentsLeft(packet)).isEqualTo(switches == 1 ? 0 : 1);
      assertThat(ways(wiring, Routing.SRV6_SRH, 0, 1, 0, 1)).hasSize(1);
    }
  }
}
