package io.anabranch.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anabranch.fabric.workload.Incast;
import io.anabranch.fabric.workload.Repeated;
import io.anabranch.fabric.workload.Rings;
import io.anabranch.fabric.workload.SendReceive;
import io.anabranch.fabric.workload.Traffic;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Jobs that repeat, end by time or by work, and are counted apart; rings of senders and receivers.
 */
class JobsRunTest {
  /** One packet between leaves: four links of 1 µs there and back, 4160 and 64 B at 400 Gb/s. */
  private static final long PACKET_PS = 8 * 1_000_000 + 4 * (83_200 + 1_280);

  private static Traffic packet() {
    Traffic round = new Traffic();
    round.add(0, 15, Simulation.PAYLOAD_BYTES, 0);
    return round;
  }

  @Test
  void roundsFollowEachOtherUntilTheTime() {
    Simulation s = new Simulation();
    // The seventh round would begin at 6 · 8.33792 µs, after 50 µs.
    new Repeated(packet(), 0, 100, 50_000_000).addTo(s.traffic);
    Fabric fabric = s.run();
    FlowTable flows = fabric.flows();
    for (int f = 0; f < 6; f++) {
      assertThat(flows.startPs(f)).isEqualTo(f * PACKET_PS);
      assertThat(flows.finishPs(f)).isEqualTo((f + 1) * PACKET_PS);
      assertThat(flows.omitted(f)).isFalse();
    }
    for (int f = 6; f < 100; f++) {
      assertThat(flows.startPs(f)).isEqualTo(-1);
      assertThat(flows.omitted(f)).isTrue();
    }
    assertThat(fabric.nowPs()).isEqualTo(6 * PACKET_PS);
    assertThat(fabric.totals(0).delivered()).isEqualTo(6);
  }

  @Test
  void aTimeThatIsOverExactlyWhenARoundEndsBeginsNoFurtherOne() {
    Simulation s = new Simulation();
    new Repeated(packet(), 7, 100, 7 + 3 * PACKET_PS).addTo(s.traffic);
    Fabric fabric = s.run();
    assertThat(fabric.totals(0).delivered()).isEqualTo(3);
  }

  @Test
  void aNumberOfRoundsIsKept() {
    Simulation s = new Simulation();
    new Repeated(packet(), 0, 4, Traffic.NEVER).addTo(s.traffic);
    FlowTable flows = s.run().flows();
    assertThat(flows.count()).isEqualTo(4);
    assertThat(flows.finishPs(3)).isEqualTo(4 * PACKET_PS);
    assertThat(flows.omitted(3)).isFalse();
  }

  @Test
  void aRoundBeginsOnlyWhenAllFlowsOfTheOneBeforeHaveEnded() {
    Simulation s = new Simulation();
    Traffic round = new Traffic();
    new Rings(1, 4, 3, Simulation.PAYLOAD_BYTES, new Rings.Placement.AcrossLeaves(1, 4, 4), 0)
        .addTo(round);
    new Repeated(round, 0, 3, Traffic.NEVER).addTo(s.traffic);
    FlowTable flows = s.run().flows();
    assertThat(flows.count()).isEqualTo(36);
    for (int k = 0; k < 3; k++) {
      long first = Long.MAX_VALUE;
      long last = 0;
      for (int f = 12 * k; f < 12 * (k + 1); f++) {
        first = Math.min(first, flows.startPs(f));
        last = Math.max(last, flows.finishPs(f));
      }
      // Nothing is in each other's way: three steps of a packet each.
      assertThat(first).isEqualTo(3L * k * PACKET_PS);
      assertThat(last).isEqualTo(3L * (k + 1) * PACKET_PS);
    }
  }

  @Test
  void packetsOfJobsAddUpToThoseOfTheRun() {
    Simulation s = new Simulation();
    Traffic incast = new Traffic();
    new Incast(List.of(4, 5, 8, 9), 0, 1 << 18, 0).addTo(incast);
    Traffic pair = new Traffic();
    pair.add(12, 3, 1 << 18, 0);
    new Repeated(incast, 0, 1, Traffic.NEVER).addTo(s.traffic);
    new Repeated(pair, 1_000_000, 2, Traffic.NEVER).addTo(s.traffic);
    s.losses = List.of(new Loss.OnLink("p1.h12>t0.3", 0.05));
    Fabric fabric = s.run();
    JobTotals first = fabric.totals(0);
    JobTotals second = fabric.totals(1);
    Totals all = fabric.totals();
    assertThat(first.delivered() + second.delivered()).isEqualTo(all.delivered());
    assertThat(first.retransmitted() + second.retransmitted()).isEqualTo(all.retransmitted());
    // Only the incast's queue overflows, and only the other job's link loses.
    assertThat(first.trimmed()).isEqualTo(all.trimmed()).isPositive();
    assertThat(second.trimmed()).isZero();
    assertThat(second.retransmitted()).isPositive();
    assertThat(first.delivered()).isEqualTo(4 * 64);
    assertThat(second.delivered()).isEqualTo(2 * 64);
  }

  @Test
  void aStepWaitsForWhatIsSentAndForWhatIsReceived() {
    Simulation s = new Simulation();
    int members = 4;
    new SendReceive(
            1, members, 3, Simulation.PAYLOAD_BYTES, new Rings.Placement.AcrossLeaves(1, 4, 4), 0)
        .addTo(s.traffic);
    // Host 0 also has a long flow to host 4 of before, which holds its first step up.
    s.traffic.add(0, 4, 1 << 20, 0);
    FlowTable flows = s.run().flows();
    for (int t = 1; t < 3; t++) {
      for (int m = 0; m < members; m++) {
        int own = (t - 1) * members + m;
        int received = (t - 1) * members + (m + members - 1) % members;
        assertThat(flows.startPs(t * members + m))
            .isEqualTo(Math.max(flows.finishPs(own), flows.finishPs(received)));
      }
    }
  }

  @Test
  void roundsOfTrafficThatStartsLaterAreRefused() {
    Traffic round = new Traffic();
    round.add(0, 1, 1, 5);
    assertThatThrownBy(() -> new Repeated(round, 0, 2, Traffic.NEVER))
        .hasMessageContaining("flow 0 starts at 5 ps of a round, allowed 0");
    Traffic traffic = new Traffic();
    new Repeated(round, 10, 1, Traffic.NEVER).addTo(traffic);
    assertThat(traffic.startPs(0)).isEqualTo(15);
    assertThatThrownBy(() -> new Repeated(new Traffic(), 0, 1, Traffic.NEVER))
        .hasMessageContaining("no flow that starts at a time");
  }
}
