package io.anabranch.tests.sim;

import static io.anabranch.tests.sim.Fabrics.CONTROL_PS;
import static io.anabranch.tests.sim.Fabrics.DATA_PS;
import static io.anabranch.tests.sim.Fabrics.DELAY_PS;
import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.fabric.Fabric;
import io.anabranch.fabric.Loss;
import io.anabranch.fabric.topology.Forwarding;
import io.anabranch.fabric.topology.Routing;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Times that need no simulator to be known. */
class ClosedFormTest {
  private static long timePs(Fabrics fabrics, int from, int to, long bytes) {
    fabrics.traffic.add(from, to, bytes, 0);
    Fabric fabric = fabrics.build();
    Fabrics.finish(fabric);
    assertThat(fabric.flows().failed(0)).isFalse();
    return fabric.flows().finishPs(0);
  }

  private static long thereAndBackPs(int hops) {
    return hops * (DATA_PS + DELAY_PS) + hops * (CONTROL_PS + DELAY_PS);
  }

  @Test
  void onePacketTakesEachLinksTimeAndDelay() {
    assertThat(timePs(new Fabrics(), 0, 17, 4096)).isEqualTo(thereAndBackPs(4));
    assertThat(timePs(new Fabrics(), 0, 1, 4096)).as("same leaf").isEqualTo(thereAndBackPs(2));
  }

  @Test
  void switchesAddTheirLatency() {
    Fabrics fabrics = new Fabrics();
    fabrics.latencyPs = 300_000;
    long switches = 2 * 3 * 300_000;
    assertThat(timePs(fabrics, 0, 17, 4096)).isEqualTo(thereAndBackPs(4) + switches);
  }

  /** The first three links end at switches, which wait for 64 bytes only. */
  @Test
  void cutThroughWaitsForHeadersOnly() {
    Fabrics fabrics = new Fabrics();
    fabrics.forwarding = Forwarding.CUT_THROUGH;
    long there = 3 * (CONTROL_PS + DELAY_PS) + DATA_PS + DELAY_PS;
    assertThat(timePs(fabrics, 0, 17, 4096)).isEqualTo(there + 4 * (CONTROL_PS + DELAY_PS));
  }

  @Test
  void aLoneFlowIsSentAtTheLinksRate() {
    long more = 511 * DATA_PS;
    assertThat(timePs(new Fabrics(), 0, 17, 2 << 20)).isEqualTo(thereAndBackPs(4) + more);
    Fabrics srv6 = new Fabrics();
    srv6.routing = Routing.SRV6;
    srv6.evsPerPlane = 16;
    assertThat(timePs(srv6, 0, 17, 2 << 20)).isEqualTo(thereAndBackPs(4) + more);
  }

  @Test
  void theSameSeedGivesTheSameAndNothingChangesByEncodingOrWatching() {
    long[] plain = permutation(1, false, false);
    assertThat(permutation(1, false, false)).isEqualTo(plain);
    assertThat(permutation(1, true, false)).as("wire").isEqualTo(plain);
    assertThat(permutation(1, false, true)).as("check").isEqualTo(plain);
    assertThat(permutation(2, false, false)).as("another seed").isNotEqualTo(plain);
  }

  private static long[] permutation(long seed, boolean wire, boolean check) {
    Fabrics fabrics = new Fabrics();
    fabrics.seed = seed;
    fabrics.wire = wire;
    fabrics.check = check;
    for (int host = 0; host < 128; host++) {
      fabrics.traffic.add(host, (host + 16) % 128, 256 << 10, 0);
    }
    Fabric fabric = fabrics.build();
    Fabrics.finish(fabric);
    long[] times = new long[129];
    for (int flow = 0; flow < 128; flow++) {
      times[flow] = fabric.flows().finishPs(flow);
    }
    times[128] = fabric.totals().hops();
    return times;
  }

  @Test
  void aDeadSpineLinkIsFoundAndLeft() {
    Fabrics fabrics = new Fabrics();
    fabrics.routing = Routing.SRV6;
    fabrics.evsPerPlane = 16;
    fabrics.losses = List.of(new Loss.OnLink("p1.t0.0>t1.5", 1));
    fabrics.traffic.add(0, 17, 8 << 20, 0);
    Fabric fabric = fabrics.build();
    Fabrics.finish(fabric);
    assertThat(fabric.flows().finishPs(0)).isPositive();
    long lost = fabric.totals().dropped().getOrDefault("link_loss", 0L);
    assertThat(lost).as("a few of 2048 packets and the tests after them").isBetween(1L, 60L);
  }

  @Test
  void aFlowToAHostThatCannotBeReachedNeverLooksComplete() {
    Fabrics fabrics = new Fabrics();
    fabrics.losses = List.of(new Loss.OnLink("p1.t0.1>h17", 1));
    fabrics.traffic.add(0, 17, 4096, 0);
    Fabric fabric = fabrics.build();
    Fabrics.finish(fabric);
    assertThat(fabric.flows().finishPs(0)).isNegative();
    assertThat(fabric.flows().ackedBytes(0)).isZero();
  }

  @Test
  void messagesOverSeveralQueuePairsAddUp() {
    Fabrics fabrics = new Fabrics();
    fabrics.messageBytes = 32 << 10;
    fabrics.qpsPerPair = 4;
    fabrics.traffic.add(0, 17, 2 << 20, 0);
    Fabric fabric = fabrics.build();
    Fabrics.finish(fabric);
    assertThat(fabric.totals().delivered()).isEqualTo(512);
    assertThat(fabric.flows().ackedBytes(0)).isEqualTo(2 << 20);
    // The same packets at the same rate: only the last of the four ends it.
    assertThat(fabric.flows().finishPs(0)).isEqualTo(thereAndBackPs(4) + 511 * DATA_PS);
  }
}
