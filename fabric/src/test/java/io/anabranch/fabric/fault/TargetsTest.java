package io.anabranch.fabric.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.fabric.fault.Targets.Element;
import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.link.Overflow;
import io.anabranch.fabric.link.QueueConfig;
import io.anabranch.fabric.topology.Forwarding;
import io.anabranch.fabric.topology.Routing;
import io.anabranch.fabric.topology.Topology;
import io.anabranch.fabric.topology.TwoTierConfig;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two planes of three leaves, four hosts each, and five spines. */
class TargetsTest {
  private final Topology topology = wiring();
  private final Targets targets = new Targets(topology);

  private static Topology wiring() {
    LinkConfig link = new LinkConfig(100_000_000_000L, 1_000);
    QueueConfig queue = new QueueConfig(1 << 20, 1 << 20, null, Overflow.TRIM, 0.5);
    return new TwoTierConfig(
            2, 3, 4, 5, link, link, queue, queue, queue, 0, Forwarding.STORE_AND_FORWARD)
        .wiring(Routing.SRV6, 1);
  }

  private List<String> linksOf(String name) {
    return targets.named(name).stream()
        .flatMap(element -> element.links().stream())
        .map(topology::name)
        .toList();
  }

  @Test
  void aLinkInOneDirectionOrBoth() {
    assertThat(linksOf("p2.t0.1>t1.4")).containsExactly("p2.t0.1>t1.4");
    assertThat(linksOf("p2.t1.4>t0.1")).containsExactly("p2.t1.4>t0.1");
    assertThat(linksOf("p1.h5>t0.1")).containsExactly("p1.h5>t0.1");
    assertThat(linksOf("p1.t0.1>h5")).containsExactly("p1.t0.1>h5");
    assertThat(linksOf("p2.t1.4-t0.1")).containsExactly("p2.t1.4>t0.1", "p2.t0.1>t1.4");
    assertThat(linksOf("p1.h5-t0.1")).containsExactly("p1.h5>t0.1", "p1.t0.1>h5");
  }

  @Test
  void aNicsPortIsItsLink() {
    assertThat(linksOf("p2.h11")).containsExactly("p2.h11>t0.2", "p2.t0.2>h11");
    assertThat(targets.named("p*.h11"))
        .extracting(Element::name)
        .containsExactly("p1.h11", "p2.h11");
    assertThat(targets.named("p1.h*")).hasSize(12);
  }

  @Test
  void aSwitchHasAllItsLinks() {
    Element leaf = targets.named("p1.t0.2").getFirst();
    assertThat(leaf.links()).hasSize(2 * (4 + 5));
    assertThat(leaf.switches()).hasSize(1);
    assertThat(topology.switchName(leaf.switches().getFirst())).isEqualTo("p1.t0.2");
    assertThat(targets.named("p2.t1.3").getFirst().links()).hasSize(2 * 3);
    assertThat(targets.named("p*.t1.*")).hasSize(10);
  }

  @Test
  void aPlaneHasAllThatIsOnIt() {
    Element plane = targets.named("p2").getFirst();
    assertThat(plane.links()).hasSize(2 * (12 + 3 * 5));
    assertThat(plane.links()).allMatch(link -> topology.plane(link) == 1);
    assertThat(plane.switches()).hasSize(3 + 5);
    assertThat(targets.named("p*")).hasSize(2);
  }

  @Test
  void aStarStandsForAnyNumber() {
    assertThat(targets.named("p1.t0.*-t1.2"))
        .extracting(Element::name)
        .containsExactly("p1.t0.0-t1.2", "p1.t0.1-t1.2", "p1.t0.2-t1.2");
    assertThat(linksOf("p*.t0.*>t1.*")).hasSize(2 * 15);
    // Either way round it is the same cable, and is there once.
    assertThat(targets.named("p1.t*.*-t*.*")).hasSize(15);
  }

  @Test
  void whatIsNotThereHasNoName() {
    for (String name :
        List.of("p3", "p0", "p1.h12", "p1.t0.3", "p1.t0.0>t0.1", "p1.h5-t0.0", "x", "", "*-*")) {
      assertThat(targets.named(name)).as(name).isEmpty();
    }
  }
}
