package io.anabranch.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.topology.Forwarding;
import io.anabranch.fabric.topology.GraphConfig;
import io.anabranch.fabric.topology.GraphConfig.Cable;
import io.anabranch.fabric.topology.Routing;
import io.anabranch.fabric.topology.TwoTierConfig;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whole runs over graphs and one switch, invariants watched. */
class GraphRunTest {
  private static final LinkConfig FAST = new LinkConfig(400_000_000_000L, 500_000);
  private static final LinkConfig SLOW = new LinkConfig(100_000_000_000L, 900_000);
  private static final int DATA_BYTES = Simulation.DATA_BYTES;
  private static final int CONTROL_BYTES = Simulation.CONTROL_BYTES;
  private static final int PAYLOAD_BYTES = Simulation.PAYLOAD_BYTES;

  private static long ps(int bytes, LinkConfig link) {
    long rate = link.rateBitsPerSecond();
    return (bytes * 8_000_000_000_000L + rate - 1) / rate + link.delayPs();
  }

  /** Two hosts of some ports each, three parallel slower cables between their switches. */
  private static Simulation dumbbell(Routing routing, int ports) {
    Simulation s = new Simulation();
    s.routing = routing;
    s.evsPerPlane = 3;
    List<Cable> cables = new ArrayList<>();
    for (int i = 0; i < ports; i++) {
      cables.add(new Cable(0, 2, FAST));
      cables.add(new Cable(1, 3, FAST));
    }
    for (int i = 0; i < 3; i++) {
      cables.add(new Cable(2, 3, SLOW));
    }
    s.topology =
        new GraphConfig(
            2,
            List.of("left", "right"),
            cables,
            s.queue,
            s.queue,
            100_000,
            Forwarding.STORE_AND_FORWARD);
    return s;
  }

  @Test
  void onePacketTakesWhatItsLinksTake() {
    for (Routing routing : Routing.values()) {
      // From two ports its SACK could go ahead of the transport ACK.
      Simulation s = dumbbell(routing, 1);
      s.traffic.add(0, 1, PAYLOAD_BYTES, 0);
      long expected = 0;
      for (int bytes : new int[] {DATA_BYTES, CONTROL_BYTES}) {
        expected += 2 * ps(bytes, FAST) + ps(bytes, SLOW) + 2 * 100_000;
      }
      assertThat(s.run().flows().finishPs(0)).as(routing.name()).isEqualTo(expected);
    }
  }

  /** 800 Gb/s of ports meet 300 of cables: every port and cable is used, and all that they can. */
  @Test
  void bothPortsAndAllParallelCablesAreUsed() {
    for (Routing routing : Routing.values()) {
      Simulation s = dumbbell(routing, 2);
      s.evsPerPlane = routing.namesPaths() ? 3 : 64;
      int packets = 2000;
      s.traffic.add(0, 1, (long) packets * PAYLOAD_BYTES, 0);
      Fabric fabric = s.run();
      assertThat(fabric.flows().ackedBytes(0)).isEqualTo((long) packets * PAYLOAD_BYTES);
      long alone = packets / 3 * (DATA_BYTES * 80L);
      assertThat(fabric.flows().finishPs(0)).isGreaterThan(alone);
      for (String name :
          List.of("h0>left.0", "h0>left.1", "left>right.0", "left>right.1", "left>right.2")) {
        assertThat(packets(fabric, name)).as(routing + " " + name).isGreaterThan(packets / 5);
      }
      assertThat(packets(fabric, "right>h1.0") + packets(fabric, "right>h1.1"))
          .isGreaterThanOrEqualTo(packets);
    }
  }

  private static long packets(Fabric fabric, String name) {
    LinkTable links = fabric.links();
    for (int link = 0; link < links.count(); link++) {
      if (links.name(link).equals(name)) {
        return links.packets(link);
      }
    }
    throw new AssertionError("no link is called " + name);
  }

  @Test
  void oneSwitchDeliversToEachHost() {
    for (Routing routing : Routing.values()) {
      Simulation s = new Simulation();
      s.routing = routing;
      s.evsPerPlane = 1;
      s.topology =
          new TwoTierConfig(
              2,
              1,
              5,
              0,
              FAST,
              FAST,
              s.queue,
              s.queue,
              s.queue,
              100_000,
              Forwarding.STORE_AND_FORWARD);
      for (int host = 1; host < 5; host++) {
        s.traffic.add(0, host, PAYLOAD_BYTES, host * 100_000_000L);
      }
      Fabric fabric = s.run();
      for (int f = 0; f < 4; f++) {
        assertThat(fabric.flows().finishPs(f) - fabric.flows().startPs(f))
            .isEqualTo(2 * ps(DATA_BYTES, FAST) + 2 * ps(CONTROL_BYTES, FAST) + 2 * 100_000);
      }
      assertThat(fabric.links().count()).isEqualTo(2 * 2 * 5);
    }
  }
}
