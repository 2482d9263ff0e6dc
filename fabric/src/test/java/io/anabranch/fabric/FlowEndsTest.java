package io.anabranch.fabric;

import static io.anabranch.fabric.Simulation.PAYLOAD_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.fabric.workload.Traffic.TriggerKind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Flows that fail, that come after one that failed, or that find a send queue full. */
class FlowEndsTest {
  private static final int OTHER_LEAF = 15;

  @Test
  void aFlowToADeadLinkFailsOrStaysUnfinished() {
    for (int retries : new int[] {1, 25}) {
      Simulation s = new Simulation();
      s.exponentialRetries = retries;
      s.endPs = 20_000_000_000L;
      s.losses = List.of(new Loss.OnLink("p1.t0.3>h15", 1));
      int trigger = s.traffic.addTrigger(TriggerKind.ONESHOT, 1);
      s.traffic.add(0, OTHER_LEAF, 100L * PAYLOAD_BYTES, 0);
      s.traffic.fires(0, trigger);
      s.traffic.addWaiting(1, 2, PAYLOAD_BYTES, trigger);
      FlowTable flows = s.run().flows();
      assertThat(flows.finishPs(0)).isEqualTo(-1);
      assertThat(flows.ackedBytes(0)).isZero();
      assertThat(flows.failed(0)).isEqualTo(retries == 1);
      assertThat(flows.startPs(1)).as("what waits for it never starts").isEqualTo(-1);
    }
  }

  /** A queue pair in error takes nothing more; other pairs go on. */
  @Test
  void aFlowAfterAFailedOneFailsToo() {
    Simulation s = new Simulation();
    s.exponentialRetries = 1;
    s.losses = List.of(new Loss.OnLink("p1.t0.3>h15", 1));
    s.traffic.add(0, OTHER_LEAF, PAYLOAD_BYTES, 0);
    s.traffic.add(0, OTHER_LEAF, PAYLOAD_BYTES, 50_000_000_000L);
    s.traffic.add(0, 14, PAYLOAD_BYTES, 50_000_000_000L);
    FlowTable flows = s.run().flows();
    for (int f = 0; f < 2; f++) {
      assertThat(flows.failed(f)).isTrue();
      assertThat(flows.finishPs(f)).isEqualTo(-1);
      assertThat(flows.ackedBytes(f)).isZero();
    }
    assertThat(flows.finishPs(2)).isPositive();
  }

  /** One flow of more messages than a send queue holds, and one behind it. */
  @Test
  void aFlowThatFindsTheSendQueueFullIsPostedLater() {
    Simulation s = new Simulation();
    s.messageBytes = PAYLOAD_BYTES;
    s.traffic.add(0, OTHER_LEAF, 5000L * PAYLOAD_BYTES, 0);
    s.traffic.add(0, OTHER_LEAF, 3L * PAYLOAD_BYTES, 0);
    Fabric fabric = new Fabric(s.config(), null);
    fabric.runTo(50_000_000);
    assertThat(fabric.flows().ackedBytes(0)).isPositive();
    assertThat(fabric.flows().ackedBytes(1)).isZero();
    while (fabric.runTo(Long.MAX_VALUE)) {
      // To the end.
    }
    FlowTable flows = fabric.flows();
    assertThat(flows.finishPs(0)).isPositive();
    assertThat(flows.finishPs(1)).isGreaterThan(flows.finishPs(0));
    assertThat(fabric.totals().delivered()).isEqualTo(5003);
  }

  /** A short last message that ends first counts for what it is. */
  @Test
  void onlyWhatWasAcknowledgedCounts() {
    Simulation s = new Simulation();
    s.qpsPerPair = 2;
    s.messageBytes = 1000L * PAYLOAD_BYTES;
    s.traffic.add(0, OTHER_LEAF, s.messageBytes + 10, 0);
    Fabric fabric = new Fabric(s.config(), null);
    long least = Long.MAX_VALUE;
    for (long untilPs = 0; fabric.runTo(untilPs); untilPs += 1_000_000) {
      long acked = fabric.flows().ackedBytes(0);
      assertThat(acked).isLessThanOrEqualTo(fabric.totals().delivered() * PAYLOAD_BYTES);
      least = acked > 0 ? Math.min(least, acked) : least;
    }
    assertThat(least).isEqualTo(10);
    assertThat(fabric.flows().ackedBytes(0)).isEqualTo(s.messageBytes + 10);
  }
}
