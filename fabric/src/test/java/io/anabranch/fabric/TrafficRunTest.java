package io.anabranch.fabric;

import static io.anabranch.fabric.Simulation.PAYLOAD_BYTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anabranch.fabric.link.SharedBuffer;
import io.anabranch.fabric.topology.Routing;
import io.anabranch.fabric.workload.Traffic;
import io.anabranch.fabric.workload.Traffic.TriggerKind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whole runs: chance, losses, triggers, messages. */
class TrafficRunTest {
  private static final int OTHER_LEAF = 15;

  private static Simulation incast() {
    Simulation s = new Simulation();
    s.routing = Routing.ECMP;
    for (int host = 1; host < 16; host++) {
      s.traffic.add(host, 0, 64L * PAYLOAD_BYTES, 1000L * host);
    }
    return s;
  }

  @Test
  void theSeedDeterminesEverything() {
    String one = Simulation.results(incast().run());
    assertThat(Simulation.results(incast().run())).isEqualTo(one);
    Simulation another = incast();
    another.seed = 2;
    assertThat(Simulation.results(another.run())).isNotEqualTo(one);
  }

  @Test
  void encodingAndWatchingChangeNothing() {
    Simulation plain = incast();
    plain.check = false;
    Fabric fabric = plain.run();
    assertThat(fabric.totals().trimmed()).as("it is put to the test").isPositive();
    assertThat(fabric.totals().ecnMarked()).isPositive();
    String results = Simulation.results(fabric);
    assertThat(Simulation.results(incast().run())).as("check").isEqualTo(results);
    Simulation wire = incast();
    wire.wire = true;
    assertThat(Simulation.results(wire.run())).as("wire").isEqualTo(results);
  }

  @Test
  void stoppingOnTheWayChangesNothing() {
    Fabric fabric = new Fabric(incast().config(), null);
    for (long untilPs = 0; fabric.runTo(untilPs); untilPs += 777_777) {
      // Stops inside buckets, between events, and where nothing is due.
    }
    assertThat(Simulation.results(fabric)).isEqualTo(Simulation.results(incast().run()));
  }

  @Test
  void permutedTiesAreDrawnFromTheSeed() {
    Simulation s = incast();
    s.permuteTies = true;
    Fabric fabric = s.run();
    Simulation again = incast();
    again.permuteTies = true;
    assertThat(Simulation.results(again.run())).isEqualTo(Simulation.results(fabric));
    for (int f = 0; f < fabric.flows().count(); f++) {
      assertThat(fabric.flows().ackedBytes(f)).isEqualTo(64L * PAYLOAD_BYTES);
    }
  }

  // ---------------------------------------------------------------- losses

  @Test
  void anEvOverADeadLinkIsLeftSoon() {
    String dead = "p1.t0.0>t1.3";
    int packets = 2000;
    Simulation s = new Simulation();
    s.losses = List.of(new Loss.OnLink(dead, 1));
    s.traffic.add(0, OTHER_LEAF, (long) packets * PAYLOAD_BYTES, 0);
    Fabric fabric = s.run();
    assertThat(fabric.flows().finishPs(0)).isPositive();
    long lost = fabric.totals().dropped().getOrDefault("link_loss", 0L);
    // Without looking, one of eight EVs takes an eighth of all packets there.
    assertThat(lost).isBetween(1L, packets / 8L / 4);
    assertThat(fabric.totals().dropped()).containsOnlyKeys("link_loss");
    LinkTable links = fabric.links();
    for (int link = 0; link < links.count(); link++) {
      boolean is = links.name(link).equals(dead);
      assertThat(links.dropped(link)).as(links.name(link)).isEqualTo(is ? lost : 0);
      if (is) {
        assertThat(links.packets(link)).as("all that were put on it").isEqualTo(lost);
      }
    }
  }

  @Test
  void aDeadPlaneIsLeftToTheOthers() {
    Simulation s = new Simulation();
    s.planes = 2;
    s.losses = List.of(new Loss.OnLink("p2.t0.3>h15", 1));
    s.traffic.add(0, OTHER_LEAF, 500L * PAYLOAD_BYTES, 0);
    Fabric fabric = s.run();
    assertThat(fabric.flows().finishPs(0)).isPositive();
    assertThat(fabric.deliveredOnPlane(0)).isEqualTo(fabric.totals().delivered());
    assertThat(fabric.deliveredOnPlane(1)).isZero();
  }

  @Test
  void anEvIsLostForItsSenderOnly() {
    Simulation s = new Simulation();
    s.losses = List.of(new Loss.OnEv(0, 0, 5, 1));
    s.traffic.add(0, OTHER_LEAF, 500L * PAYLOAD_BYTES, 0);
    s.traffic.add(1, 14, 500L * PAYLOAD_BYTES, 0);
    Fabric fabric = s.run();
    assertThat(fabric.flows().finishPs(0)).isPositive();
    assertThat(fabric.flows().finishPs(1)).isPositive();
    long lost = fabric.totals().dropped().getOrDefault("ev_loss", 0L);
    assertThat(lost).isPositive();
    assertThat(fabric.totals().dropped()).containsOnlyKeys("ev_loss");
    LinkTable links = fabric.links();
    long atSender = 0;
    for (int link = 0; link < links.count(); link++) {
      atSender += links.name(link).equals("p1.h0>t0.0") ? links.dropped(link) : 0;
    }
    assertThat(atSender).isEqualTo(lost);
  }

  @Test
  void aSmallLossOnEveryLinkIsRecovered() {
    Simulation s = new Simulation();
    s.losses = List.of(new Loss.OnLink("*", 0.01));
    for (int host = 0; host < 4; host++) {
      s.traffic.add(host, 12 + host, 200L * PAYLOAD_BYTES, 0);
    }
    Fabric fabric = s.run();
    for (int flow = 0; flow < 4; flow++) {
      assertThat(fabric.flows().finishPs(flow)).isPositive();
    }
    double lost = fabric.totals().dropped().getOrDefault("link_loss", 0L);
    double hops = fabric.totals().hops();
    // Every packet on every link is drawn for once.
    double bound = 5 * Math.sqrt(hops * 0.01 * 0.99);
    assertThat(lost).isBetween(hops * 0.01 - bound, hops * 0.01 + bound);
  }

  @Test
  void aLinkThatDoesNotExistIsRefused() {
    Simulation s = new Simulation();
    s.losses = List.of(new Loss.OnLink("p1.t0.0>t1.99", 1));
    s.traffic.add(0, 1, 1, 0);
    assertThatThrownBy(s::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("p1.t0.0>t1.99");
  }

  // ---------------------------------------------------------------- triggers

  @Test
  void aBarrierOpensWithTheLastOfThoseItWaitsFor() {
    Simulation s = new Simulation();
    int barrier = s.traffic.addTrigger(TriggerKind.BARRIER, 3);
    for (int f = 0; f < 3; f++) {
      s.traffic.add(f, 8 + f, (f + 1L) * 20 * PAYLOAD_BYTES, 0);
      s.traffic.fires(f, barrier);
    }
    s.traffic.addWaiting(4, 5, PAYLOAD_BYTES, barrier);
    s.traffic.addWaiting(5, 6, PAYLOAD_BYTES, barrier);
    FlowTable flows = s.run().flows();
    long last = Math.max(flows.finishPs(0), Math.max(flows.finishPs(1), flows.finishPs(2)));
    for (int f = 3; f < 5; f++) {
      assertThat(flows.startPs(f)).isEqualTo(last);
      assertThat(flows.finishPs(f)).isGreaterThan(last);
    }
  }

  @Test
  void aOneshotStartsAllAtItsFirstFiring() {
    Simulation s = new Simulation();
    int trigger = triggered(s.traffic, TriggerKind.ONESHOT);
    assertThat(trigger).isZero();
    FlowTable flows = s.run().flows();
    long first = Math.min(flows.finishPs(0), flows.finishPs(1));
    for (int f = 2; f < 5; f++) {
      assertThat(flows.startPs(f)).isEqualTo(first);
    }
  }

  @Test
  void aMultishotStartsOneAtEachFiring() {
    Simulation s = new Simulation();
    int trigger = triggered(s.traffic, TriggerKind.MULTISHOT);
    assertThat(trigger).isZero();
    FlowTable flows = s.run().flows();
    assertThat(flows.startPs(2)).isEqualTo(Math.min(flows.finishPs(0), flows.finishPs(1)));
    assertThat(flows.startPs(3)).isEqualTo(Math.max(flows.finishPs(0), flows.finishPs(1)));
    assertThat(flows.startPs(4)).as("there was no third").isEqualTo(-1);
    assertThat(flows.ackedBytes(4)).isZero();
  }

  /** Flows 0 and 1 fire, one later than the other; 2, 3 and 4 wait. */
  private static int triggered(Traffic traffic, TriggerKind kind) {
    int trigger = traffic.addTrigger(kind, 1);
    for (int f = 0; f < 2; f++) {
      traffic.add(f, 8 + f, (1 + f) * 50L * PAYLOAD_BYTES, 0);
      traffic.fires(f, trigger);
    }
    for (int f = 2; f < 5; f++) {
      traffic.addWaiting(f, 8 + f, PAYLOAD_BYTES, trigger);
    }
    return trigger;
  }

  // ---------------------------------------------------------------- messages

  @Test
  void messagesOverSeveralQueuePairsAreAllWrittenBeforeTheFlowEnds() {
    Simulation s = new Simulation();
    s.qpsPerPair = 3;
    s.messageBytes = 4L * PAYLOAD_BYTES;
    int packets = 402;
    s.traffic.add(0, OTHER_LEAF, (long) packets * PAYLOAD_BYTES - 1000, 0);
    s.traffic.add(0, OTHER_LEAF, 100, 0);
    Fabric fabric = s.run();
    assertThat(fabric.totals().delivered()).isEqualTo(packets + 1);
    assertThat(fabric.flows().ackedBytes(0)).isEqualTo((long) packets * PAYLOAD_BYTES - 1000);
    assertThat(fabric.flows().finishPs(1)).isPositive();
  }

  /** The last packet of each message is short. */
  @Test
  void messagesNeedNotBeWholePackets() {
    Simulation s = new Simulation();
    s.messageBytes = PAYLOAD_BYTES + 100;
    s.traffic.add(0, OTHER_LEAF, 10 * s.messageBytes + 50, 0);
    Fabric fabric = s.run();
    assertThat(fabric.flows().finishPs(0)).isPositive();
    assertThat(fabric.totals().delivered()).isEqualTo(21);
  }

  @Test
  void whatIsAcknowledgedIsNeverMoreThanWasSent() {
    Simulation s = new Simulation();
    s.qpsPerPair = 4;
    s.messageBytes = 8L * PAYLOAD_BYTES;
    long bytes = 100 * s.messageBytes + 10;
    s.traffic.add(0, OTHER_LEAF, bytes, 0);
    Fabric fabric = new Fabric(s.config(), null);
    long before = 0;
    for (long untilPs = 0; fabric.runTo(untilPs); untilPs += 1_000_000) {
      long acked = fabric.flows().ackedBytes(0);
      assertThat(acked).isBetween(before, bytes);
      assertThat(acked).isLessThanOrEqualTo(fabric.totals().delivered() * PAYLOAD_BYTES);
      before = acked;
    }
    assertThat(fabric.flows().ackedBytes(0)).isEqualTo(bytes);
  }

  /** An incast through switches that share a small buffer: all arrives, invariants watched. */
  @Test
  void sharedBuffersLoseNothingForGood() {
    for (double alpha : new double[] {0.25, 1, 8}) {
      Simulation s = new Simulation();
      s.buffer = new SharedBuffer(200_000, alpha);
      for (int host = 1; host < 16; host++) {
        s.traffic.add(host, 0, 100L * Simulation.PAYLOAD_BYTES, 0);
      }
      Fabric fabric = s.run();
      for (int f = 0; f < 15; f++) {
        assertThat(fabric.flows().ackedBytes(f)).isEqualTo(100L * Simulation.PAYLOAD_BYTES);
      }
      long peak = 0;
      for (int link = 0; link < fabric.links().count(); link++) {
        peak = Math.max(peak, fabric.links().peakQueuedBytes(link));
      }
      // Alone, a queue holds alpha / (1 + alpha) of the buffer, and less than a packet more.
      assertThat((double) peak)
          .isGreaterThan(0)
          .isLessThan(200_000 * alpha / (1 + alpha) + Simulation.DATA_BYTES);
      assertThat(fabric.totals().trimmed()).isPositive();
    }
  }
}
