package io.anabranch.tools.topo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.link.Overflow;
import io.anabranch.fabric.link.QueueConfig;
import io.anabranch.fabric.topology.Forwarding;
import io.anabranch.fabric.topology.GraphConfig;
import io.anabranch.fabric.topology.GraphConfig.Cable;
import io.anabranch.fabric.topology.ThreeTierConfig;
import io.anabranch.fabric.topology.TopologyConfig;
import io.anabranch.fabric.topology.TwoTierConfig;
import io.anabranch.tools.topo.TopologyFigures.Failure;
import io.anabranch.tools.topo.TopologyFigures.Links;
import io.anabranch.tools.topo.TopologyFigures.Paths;
import io.anabranch.tools.topo.TopologyFigures.ThreeTiers;
import io.anabranch.tools.topo.TopologyFigures.Tier;
import java.util.List;
import java.util.Objects;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class TopologyFiguresTest {
  private static final Offset<Double> NONE = within(1e-12);
  private static final QueueConfig QUEUE = new QueueConfig(1, 1, null, Overflow.TRIM, 0);

  private static LinkConfig gbps(long rate) {
    return new LinkConfig(rate * 1_000_000_000, 0);
  }

  private static TopologyConfig twoTier(
      int planes, int leaves, int hosts, int spines, long host, long fabric) {
    return new TwoTierConfig(
        planes,
        leaves,
        hosts,
        spines,
        gbps(host),
        gbps(fabric),
        QUEUE,
        QUEUE,
        QUEUE,
        0,
        Forwarding.STORE_AND_FORWARD);
  }

  /** k pods of k / 2 leaves of k / 2 hosts. */
  private static TopologyConfig fatTree(int planes, int k, long rate) {
    return threeTier(planes, k, k / 2, k / 2, k / 2, k / 2, rate);
  }

  private static TopologyConfig threeTier(
      int planes, int pods, int leaves, int hosts, int spines, int cores, long rate) {
    return new ThreeTierConfig(
        planes,
        pods,
        leaves,
        hosts,
        spines,
        cores,
        gbps(rate),
        gbps(rate),
        gbps(rate),
        QUEUE,
        QUEUE,
        QUEUE,
        QUEUE,
        QUEUE,
        0,
        Forwarding.STORE_AND_FORWARD);
  }

  private static Failure failure(TopologyFigures figures, String element) {
    return figures.failures().stream()
        .filter(each -> each.element().equals(element))
        .findFirst()
        .orElseThrow();
  }

  /** As the MRC paper has it. */
  @Test
  void eightPlanesAgainstThreeTiers() {
    TopologyFigures f = TopologyFigures.of(twoTier(8, 512, 256, 256, 100, 100));
    assertThat(f.hosts()).isEqualTo(131_072);
    assertThat(f.nicGbps()).isEqualTo(800);
    assertThat(f.tiers())
        .containsExactly(
            new Tier("t0", 4096, 512, 51_200, 1.0), new Tier("t1", 2048, 512, 51_200, null));
    ThreeTiers there = Objects.requireNonNull(f.compared());
    assertThat(there.radix()).isEqualTo(64);
    assertThat(there.hosts()).isEqualTo(65_536);
    assertThat(there.opticsRatio()).isEqualTo(2.0 / 3, NONE);
    assertThat(there.switchesRatio()).isEqualTo(3.0 / 5, NONE);
    assertThat(failure(f, "t0-t1 link").ofUplinks()).isEqualTo(1.0 / 256);
    assertThat(there.ofUplinks()).isEqualTo(1.0 / 32);
  }

  /** A k-ary fat tree has k³ / 4 hosts and 5 k² / 4 switches, and is what it is compared with. */
  @Test
  void fatTreesAreTheirOwnMeasure() {
    for (int k : new int[] {2, 4, 8, 16}) {
      TopologyFigures f = TopologyFigures.of(fatTree(1, k, 400));
      int hosts = k * k * k / 4;
      assertThat(f.hosts()).isEqualTo(hosts);
      assertThat(f.switches()).isEqualTo(5 * k * k / 4);
      assertThat(f.cables()).isEqualTo(3L * hosts);
      assertThat(f.optics()).isEqualTo(6.0 * hosts);
      assertThat(f.paths()).isEqualTo(new Paths(k * k / 4, k * k / 4, 6));
      assertThat(f.bisectionGbps()).isEqualTo(hosts / 2.0 * 400);
      ThreeTiers same = Objects.requireNonNull(f.compared());
      assertThat(same.hosts()).isEqualTo(hosts);
      assertThat(same.switches()).isEqualTo(f.switches());
      assertThat(same.switchesRatio()).isEqualTo(1, NONE);
      assertThat(same.opticsRatio()).isEqualTo(1, NONE);
    }
  }

  @Test
  void oversubscriptionHoldsTheBisectionBack() {
    // 32 hosts of 100 share 8 uplinks of 200 in each of two planes: 2 : 1.
    TopologyFigures two = TopologyFigures.of(twoTier(2, 4, 32, 8, 100, 200));
    assertThat(two.tiers().getFirst().oversubscription()).isEqualTo(2);
    assertThat(two.bisectionGbps()).isEqualTo(64 * 200 / 2.0);
    assertThat(two.links())
        .containsExactly(new Links("hosts-t0", 256, 100), new Links("t0-t1", 64, 200));
    // Optics in modules of 200: 512 ends of 100, 128 of 200.
    assertThat(two.optics()).isEqualTo(512 * 0.5 + 128);
    // 4 : 1 at the leaves (8 hosts, 2 spines), 4 : 3 at the spines (4 leaves, 3 cores).
    TopologyFigures three = TopologyFigures.of(threeTier(1, 4, 4, 8, 2, 3, 100));
    assertThat(three.tiers().get(0).oversubscription()).isEqualTo(4);
    assertThat(three.tiers().get(1).oversubscription()).isEqualTo(4.0 / 3);
    assertThat(three.bisectionGbps()).isEqualTo(64 * 100 / (4 * 4.0 / 3), within(1e-9));
    // More uplinks than hosts give hosts no more than they have.
    assertThat(TopologyFigures.of(twoTier(1, 2, 4, 8, 100, 100)).bisectionGbps()).isEqualTo(400);
    assertThat(TopologyFigures.of(twoTier(2, 1, 10, 0, 100, 100)).bisectionGbps()).isEqualTo(1000);
  }

  @Test
  void whatFailsIsCountedByElement() {
    TopologyFigures f = TopologyFigures.of(threeTier(2, 3, 4, 5, 6, 7, 100));
    assertThat(f.failures())
        .extracting(Failure::element, Failure::count, Failure::hosts)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("hosts-t0 link", 120L, 1),
            org.assertj.core.groups.Tuple.tuple("t0-t1 link", 2L * 3 * 4 * 6, 5),
            org.assertj.core.groups.Tuple.tuple("t1-t2 link", 2L * 3 * 6 * 7, 20),
            org.assertj.core.groups.Tuple.tuple("t0 switch", 24L, 5),
            org.assertj.core.groups.Tuple.tuple("t1 switch", 36L, 20),
            org.assertj.core.groups.Tuple.tuple("t2 switch", 84L, 60),
            org.assertj.core.groups.Tuple.tuple("plane", 2L, 60));
    assertThat(failure(f, "hosts-t0 link").ofPaths()).isEqualTo(1.0 / 2);
    assertThat(failure(f, "t0-t1 link").ofUplinks()).isEqualTo(1.0 / 6);
    assertThat(failure(f, "t0-t1 link").ofPaths()).isEqualTo(1.0 / 12, NONE);
    assertThat(failure(f, "t1-t2 link").ofUplinks()).isEqualTo(1.0 / 7);
    assertThat(failure(f, "t1-t2 link").ofPaths()).isEqualTo(1.0 / 84, NONE);
    assertThat(failure(f, "t1 switch").ofPaths()).isEqualTo(1.0 / 12, NONE);
    assertThat(failure(f, "t2 switch").ofPaths()).isEqualTo(1.0 / 84, NONE);
    // Links fail one by one as often as there are cables.
    assertThat(f.links().stream().map(Links::cables)).containsExactly(120L, 144L, 252L);
  }

  @Test
  void aGraphIsCountedCableByCable() {
    // Two hosts of two ports on a and b, two cables a-b, and c between them.
    GraphConfig graph =
        new GraphConfig(
            2,
            List.of("a", "b", "c"),
            List.of(
                new Cable(0, 2, gbps(100)),
                new Cable(0, 3, gbps(100)),
                new Cable(1, 2, gbps(100)),
                new Cable(1, 3, gbps(100)),
                new Cable(2, 3, gbps(400)),
                new Cable(2, 3, gbps(400)),
                new Cable(2, 4, gbps(100)),
                new Cable(4, 3, gbps(100))),
            QUEUE,
            QUEUE,
            0,
            Forwarding.STORE_AND_FORWARD);
    TopologyFigures f = TopologyFigures.of(graph);
    assertThat(f.cables()).isEqualTo(8);
    assertThat(f.nicGbps()).isEqualTo(200);
    assertThat(f.links())
        .containsExactly(
            new Links("hosts-t0", 4, 100), new Links("t0-t0", 2, 400), new Links("t0-t1", 2, 100));
    assertThat(f.tiers().stream().map(Tier::switches)).containsExactly(2, 1);
    assertThat(f.bisectionGbps()).as("what a host has").isEqualTo(200);
    assertThat(f.bisectionBy()).isEqualTo("all-halves");
    assertThat(f.paths()).isEqualTo(new Paths(1, 2, 2));
    // Ends: 8 of 100, 4 of 400, 4 of 100, in modules of 200.
    assertThat(f.optics()).isEqualTo((8 * 100 + 4 * 400 + 4 * 100) / 200.0);
  }
}
