package io.anabranch.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.fabric.topology.Forwarding;
import io.anabranch.fabric.topology.Routing;
import io.anabranch.fabric.topology.ThreeTierConfig;
import io.anabranch.fabric.workload.Traffic.TriggerKind;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A network that is run in parts gives what it gives when it is run as one. */
class PartsRunTest {
  /** Flows at random, some at the same instant, into each other's way. */
  private static Simulation random(int hosts) {
    Simulation s = new Simulation();
    s.check = false;
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < 60; i++) {
      int from = random.nextInt(hosts);
      int to = random.nextInt(4) == 0 ? 0 : random.nextInt(hosts);
      long startPs = random.nextInt(3) == 0 ? 1_000_000 : random.nextLong(30_000_000);
      if (from != to) {
        s.traffic.add(from, to, 1 + random.nextLong(40L * Simulation.PAYLOAD_BYTES), startPs);
      }
    }
    return s;
  }

  private static Simulation twoTiers(Routing routing, int planes) {
    Simulation s = random(16);
    s.routing = routing;
    s.planes = planes;
    return s;
  }

  private static Simulation threeTiers() {
    Simulation s = random(18);
    s.routing = Routing.ECMP;
    s.topology =
        new ThreeTierConfig(
            2,
            3,
            2,
            3,
            2,
            4,
            s.hostLink,
            s.fabricLink,
            s.fabricLink,
            s.queue,
            s.queue,
            s.queue,
            s.queue,
            s.queue,
            0,
            Forwarding.CUT_THROUGH);
    return s;
  }

  private static Simulation permuted() {
    Simulation s = twoTiers(Routing.ECMP, 2);
    s.permuteTies = true;
    return s;
  }

  private static String run(Simulation s, int parts, Workers workers, long stepPs) {
    Fabric fabric = new Fabric(s.config(), null, null, parts, workers);
    assertThat(fabric.parts()).isEqualTo(parts);
    for (long untilPs = stepPs; fabric.runTo(untilPs); untilPs += stepPs) {
      // Until nothing is left.
    }
    return Simulation.results(fabric);
  }

  @Test
  void theResultsAreTheSame() {
    List<Supplier<Simulation>> all =
        List.of(
            () -> twoTiers(Routing.ECMP, 1),
            () -> twoTiers(Routing.SRV6, 4),
            PartsRunTest::threeTiers,
            PartsRunTest::permuted);
    for (Supplier<Simulation> each : all) {
      String whole = Simulation.results(each.get().run());
      for (int parts : new int[] {1, 2, 3, 7}) {
        assertThat(run(each.get(), parts, Workers.IN_TURN, Long.MAX_VALUE / 2))
            .as(parts + " parts")
            .isEqualTo(whole);
      }
      assertThat(run(each.get(), 3, Workers.IN_TURN, 777_777)).as("stops").isEqualTo(whole);
    }
  }

  @Test
  void inWhateverOrderTheyAreRun() {
    String whole = Simulation.results(threeTiers().run());
    List<Integer> ran = new ArrayList<>();
    Workers backwards =
        (parts, work) -> {
          for (int part = parts - 1; part >= 0; part--) {
            ran.add(part);
            work.accept(part);
          }
        };
    assertThat(run(threeTiers(), 4, backwards, Long.MAX_VALUE / 2)).isEqualTo(whole);
    assertThat(ran).hasSizeGreaterThan(100).startsWith(3, 2, 1, 0);
  }

  @Test
  void whatNeedsAllInOneHandIsRunAsOne() {
    Simulation checked = twoTiers(Routing.ECMP, 1);
    checked.check = true;
    assertThat(new Fabric(checked.config(), null, null, 2, Workers.IN_TURN).parts()).isEqualTo(1);
    Simulation lossy = twoTiers(Routing.ECMP, 1);
    lossy.losses = List.of(new Loss.OnLink("*", 0.01));
    assertThat(new Fabric(lossy.config(), null, null, 2, Workers.IN_TURN).parts()).isEqualTo(1);
    Simulation chained = twoTiers(Routing.ECMP, 1);
    int trigger = chained.traffic.addTrigger(TriggerKind.ONESHOT, 1);
    assertThat(trigger).isZero();
    assertThat(new Fabric(chained.config(), null, null, 2, Workers.IN_TURN).parts()).isEqualTo(1);
  }
}
