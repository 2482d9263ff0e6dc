package io.anabranch.tests.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.engine.path.EvState;
import io.anabranch.engine.trace.TraceEvent;
import io.anabranch.fabric.Fabric;
import io.anabranch.fabric.fault.Effect;
import io.anabranch.fabric.fault.Fault;
import io.anabranch.fabric.fault.FaultCost;
import io.anabranch.fabric.fault.Timing;
import io.anabranch.fabric.topology.Routing;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How long MRC takes to leave what has failed, in a fabric with an RTT of 10 us. */
class FaultsInFabricTest {
  private static final long RTT_PS = 10_000_000;
  private static final long CUT_PS = 100_000_000;
  private static final Effect DOWN = new Effect.Down(10_000_000, Effect.NEVER);

  /** Payload bytes a picosecond of one plane. */
  private static final double RATE = 400e9 / 8e12 * 4096 / 4160;

  private static Fabrics fabrics(int planes) {
    Fabrics fabrics = new Fabrics();
    fabrics.planes = planes;
    fabrics.routing = Routing.SRV6;
    fabrics.evsPerPlane = 16;
    fabrics.reverseProbes = true;
    // 2 · 4 · 1 us of links, 338 ns of packets, 2 · 3 · 277 ns of switches.
    fabrics.latencyPs = 277_000;
    fabrics.rttNs = 10_000;
    // Four BDPs of 123 packets a plane, as scenarios have unless told.
    fabrics.mprPackets = Math.max(1024, planes * 512);
    return fabrics;
  }

  private static List<Fault> atCut(Effect effect, String... targets) {
    return List.of(new Fault(effect, List.of(targets), 0, new Timing.Once(CUT_PS, Timing.FOREVER)));
  }

  private static long finishPs(Fabrics fabrics) {
    Fabric fabric = fabrics.build();
    Fabrics.finish(fabric);
    assertThat(fabric.flows().finishPs(0)).isPositive();
    return fabric.flows().finishPs(0);
  }

  /**
   * One queue pair at line rate: its lost path is left within three RTTs of the first loss. One of
   * 16 uplinks of a leaf with one sender is no loss of capacity, so the transfer takes at most 1 %
   * longer.
   */
  @ParameterizedTest
  @CsvSource({
    "1, p1.t0.0-t1.5",
    "1, p1.t0.1-t1.5",
    "2, p2.t0.0-t1.7",
    "4, p3.t0.0-t1.9",
    "4, p3.t0.1-t1.9",
    "8, p8.t0.0-t1.15"
  })
  void aCutPathIsLeftWithinThreeRoundTrips(int planes, String link) {
    Fabrics whole = fabrics(planes);
    // Half a millisecond at line rate.
    long bytes = (long) (planes * RATE * 500_000_000) / 4096 * 4096;
    whole.traffic.add(0, 17, bytes, 0);
    Fabrics cut = fabrics(planes);
    cut.traffic.add(0, 17, bytes, 0);
    cut.faults = atCut(DOWN, link);
    Fabric fabric = cut.build();
    Fabrics.finish(fabric);
    FaultCost cost = fabric.faults().getFirst();
    assertThat(cost.paths()).isEqualTo(1);
    assertThat(cost.pathsLeft()).isEqualTo(1);
    assertThat(cost.slowestPs()).isLessThanOrEqualTo(3 * RTT_PS);
    assertThat((double) fabric.flows().finishPs(0)).isLessThanOrEqualTo(1.01 * finishPs(whole));
  }

  /** From 100 us after the cut, P − 1 of P planes carry what they can. */
  @ParameterizedTest
  @CsvSource({
    "2, h0, 10",
    "4, h0, 10",
    "8, h0, 10",
    "2, h17, 10",
    "4, h17, 10",
    "8, h17, 10",
    "4, h0, 0"
  })
  void aNicPortCutLeavesTheOthersAtFullRate(int planes, String host, long detectUs) {
    Fabrics fabrics = fabrics(planes);
    fabrics.traffic.add(0, 17, (long) (planes * RATE * 600_000_000), 0);
    fabrics.faults =
        atCut(new Effect.Down(detectUs * 1_000_000, Effect.NEVER), "p" + planes + "." + host);
    Fabric fabric = fabrics.build();
    fabric.runTo(CUT_PS + 100_000_000);
    long before = fabric.placedBytes();
    fabric.runTo(CUT_PS + 300_000_000);
    double got = fabric.placedBytes() - before;
    assertThat(got / ((planes - 1) * RATE * 200_000_000)).isBetween(0.99, 1.01);
    Fabrics.finish(fabric);
    assertThat(fabric.flows().finishPs(0)).isPositive();
    assertThat(fabric.faults().getFirst().pathsLeft())
        .isEqualTo(fabric.faults().getFirst().paths());
  }

  /** A T1 forwards nothing, and its links stay up: every EV through it goes, and none other. */
  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void aSilentSpineLosesItsEvsAndNoOthers(int planes) {
    Fabrics fabrics = fabrics(planes);
    fabrics.leaves = 4;
    fabrics.hostsPerLeaf = 4;
    int silent = 11;
    TreeSet<String> expected = new TreeSet<>();
    for (int host = 0; host < 16; host++) {
      fabrics.traffic.add(host, (host + 4) % 16, (long) (planes * RATE * 300_000_000), 0);
      expected.add("h" + host + " p1 ev " + silent);
    }
    fabrics.faults = atCut(new Effect.Silent(), "p1.t1." + silent);
    TreeSet<String> left = new TreeSet<>();
    Fabric fabric =
        fabrics.build(host ->
            (event, nowNs, qp, a, b, c) -> {
              if (event == TraceEvent.EV_STATE && c == EvState.ASSUMED_BAD) {
                left.add("h" + host + " p" + ((a >> 16) + 1) + " ev " + (a & 0x3fff));
              }
            });
    Fabrics.finish(fabric);
    assertThat(left).isEqualTo(expected);
    assertThat(fabric.faults().getFirst().pathsLeft()).isEqualTo(16);
    for (int flow = 0; flow < 16; flow++) {
      assertThat(fabric.flows().finishPs(flow)).isPositive();
    }
  }

  @Test
  void aPlaneThatDiesIsLeftAsAWhole() {
    Fabrics fabrics = fabrics(4);
    fabrics.traffic.add(0, 17, (long) (4 * RATE * 400_000_000), 0);
    fabrics.faults = atCut(new Effect.Down(Effect.NEVER, Effect.NEVER), "p2");
    Fabric fabric = fabrics.build();
    fabric.runTo(CUT_PS + 100_000_000);
    long before = fabric.placedBytes();
    fabric.runTo(CUT_PS + 200_000_000);
    double got = fabric.placedBytes() - before;
    assertThat(got / (3 * RATE * 100_000_000)).isBetween(0.98, 1.01);
    Fabrics.finish(fabric);
    FaultCost cost = fabric.faults().getFirst();
    assertThat(cost.pathsLeft()).isEqualTo(cost.paths());
  }
}
