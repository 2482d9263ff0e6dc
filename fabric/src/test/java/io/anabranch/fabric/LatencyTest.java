package io.anabranch.fabric;

import static io.anabranch.fabric.Simulation.CONTROL_BYTES;
import static io.anabranch.fabric.Simulation.DATA_BYTES;
import static io.anabranch.fabric.Simulation.PAYLOAD_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.topology.Forwarding;
import io.anabranch.fabric.topology.Routing;
import org.junit.jupiter.api.Test;

/** Times and rates that follow from the configuration by hand. */
class LatencyTest {
  private static final long START_PS = 5_000_000;
  private static final int SAME_LEAF = 1;
  private static final int OTHER_LEAF = 15;

  private static long serialisationPs(int bytes, LinkConfig link) {
    long rate = link.rateBitsPerSecond();
    return (bytes * 8_000_000_000_000L + rate - 1) / rate;
  }

  /** One way with nothing else under way, each switch waiting for the whole packet. */
  private static long onePs(Simulation s, int bytes, boolean sameLeaf) {
    long host = serialisationPs(bytes, s.hostLink) + s.hostLink.delayPs();
    long fabric = serialisationPs(bytes, s.fabricLink) + s.fabricLink.delayPs();
    return sameLeaf ? 2 * host + s.latencyPs : 2 * host + 2 * fabric + 3 * s.latencyPs;
  }

  private static long tookPs(Simulation s, int destination, long bytes) {
    s.traffic.add(0, destination, bytes, START_PS);
    Fabric fabric = s.run();
    assertThat(fabric.flows().startPs(0)).isEqualTo(START_PS);
    assertThat(fabric.flows().ackedBytes(0)).isEqualTo(bytes);
    assertThat(fabric.totals().dropped()).isEmpty();
    return fabric.flows().finishPs(0) - START_PS;
  }

  @Test
  void onePacketThereAndItsAcknowledgementBack() {
    long[] rates = {100_000_000_000L, 300_000_000_000L, 400_000_000_000L, 800_000_000_000L};
    for (Routing routing : Routing.values()) {
      for (int planes = 1; planes <= 2; planes++) {
        for (long hostRate : rates) {
          for (long fabricRate : rates) {
            for (int to : new int[] {SAME_LEAF, OTHER_LEAF}) {
              Simulation s = new Simulation();
              s.routing = routing;
              s.planes = planes;
              s.hostLink = new LinkConfig(hostRate, 123_457);
              s.fabricLink = new LinkConfig(fabricRate, 2_000_001);
              s.latencyPs = 333_333;
              boolean sameLeaf = to == SAME_LEAF;
              assertThat(tookPs(s, to, PAYLOAD_BYTES))
                  .as(routing + ", " + planes + " planes, " + hostRate + ", " + fabricRate)
                  .isEqualTo(onePs(s, DATA_BYTES, sameLeaf) + onePs(s, CONTROL_BYTES, sameLeaf));
            }
          }
        }
      }
    }
  }

  @Test
  void aShortPacketTakesItsOwnSize() {
    Simulation s = new Simulation();
    int overheadBytes = DATA_BYTES - PAYLOAD_BYTES;
    assertThat(tookPs(s, OTHER_LEAF, 1000))
        .isEqualTo(onePs(s, 1000 + overheadBytes, false) + onePs(s, CONTROL_BYTES, false));
  }

  /** A switch waits for the headers only where the link ahead is not the faster one. */
  @Test
  void cutThroughWaitsForHeadersUnlessTheNextLinkIsFaster() {
    long slow = 100_000_000_000L;
    long fast = 400_000_000_000L;
    for (long hostRate : new long[] {slow, fast}) {
      for (long fabricRate : new long[] {slow, fast}) {
        Simulation s = new Simulation();
        s.forwarding = Forwarding.CUT_THROUGH;
        s.latencyPs = 250_000;
        s.hostLink = new LinkConfig(hostRate, 1_000_000);
        s.fabricLink = new LinkConfig(fabricRate, 3_000_000);
        // Waits at the leaf, the spine, the other leaf, and the host, which needs all of it.
        long there =
            serialisationPs(hostRate < fabricRate ? DATA_BYTES : CONTROL_BYTES, s.hostLink)
                + serialisationPs(CONTROL_BYTES, s.fabricLink)
                + serialisationPs(fabricRate < hostRate ? DATA_BYTES : CONTROL_BYTES, s.fabricLink)
                + serialisationPs(DATA_BYTES, s.hostLink)
                + 2 * 1_000_000
                + 2 * 3_000_000
                + 3 * 250_000;
        assertThat(tookPs(s, OTHER_LEAF, PAYLOAD_BYTES))
            .as(hostRate + ", " + fabricRate)
            .isEqualTo(there + onePs(s, CONTROL_BYTES, false));
      }
    }
  }

  /** Once the pipe is full a packet ends each serialisation time, on every plane. */
  @Test
  void aLongFlowFillsItsLinks() {
    for (int planes = 1; planes <= 2; planes++) {
      Simulation s = new Simulation();
      s.planes = planes;
      int packets = 2000;
      long took = tookPs(s, OTHER_LEAF, (long) packets * PAYLOAD_BYTES);
      double goodputBitsPerSecond = packets * PAYLOAD_BYTES * 8e12 / took;
      double allowed =
          s.hostLink.rateBitsPerSecond() * (double) planes * PAYLOAD_BYTES / DATA_BYTES;
      long base = onePs(s, DATA_BYTES, false) + onePs(s, CONTROL_BYTES, false);
      long least = base + (packets / planes - 1) * serialisationPs(DATA_BYTES, s.hostLink);
      assertThat(goodputBitsPerSecond).isLessThan(allowed);
      // Planes take turns, not in lockstep; probes and acknowledgements take a little.
      assertThat((double) took).isBetween((double) least, least * 1.005);
    }
  }

  @Test
  void aFabricSlowerThanItsHostsIsTheLimit() {
    Simulation s = new Simulation();
    s.spines = 1;
    s.evsPerPlane = 1;
    s.fabricLink = new LinkConfig(100_000_000_000L, 1_000_000);
    int packets = 500;
    s.traffic.add(0, OTHER_LEAF, (long) packets * PAYLOAD_BYTES, 0);
    Fabric fabric = s.run();
    long least = (long) packets * serialisationPs(DATA_BYTES, s.fabricLink);
    assertThat(fabric.flows().finishPs(0)).isGreaterThan(least);
    assertThat(fabric.totals().trimmed()).as("four times too fast").isPositive();
  }
}
