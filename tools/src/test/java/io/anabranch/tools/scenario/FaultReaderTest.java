package io.anabranch.tools.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anabranch.fabric.Fabric;
import io.anabranch.fabric.fault.Effect;
import io.anabranch.fabric.fault.Fault;
import io.anabranch.fabric.fault.Span;
import io.anabranch.fabric.fault.Timing;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FaultReaderTest {
  private static final String BASE =
      """
      version: 1
      topology: {planes: 2, leaves: 4, hosts_per_leaf: 4, spines: 8}
      traffic: [{kind: flow, from: 0, to: 15, size: 1MiB}]
      faults:
      """;

  private static Scenario read(String faults) throws ScenarioException {
    return ScenarioReader.read(BASE + faults, "s.yaml", "s", null, List.of(), null);
  }

  private static Fault fault(String keys) throws ScenarioException {
    return read("  - {" + keys + "}\n").faults().getFirst();
  }

  @Test
  void aLinkIsDownFromTheStartUnlessTold() throws Exception {
    assertThat(fault("kind: down, target: p1.t0.3-t1.0"))
        .isEqualTo(
            new Fault(
                new Effect.Down(10_000_000, Effect.NEVER),
                List.of("p1.t0.3-t1.0"),
                0,
                new Timing.Once(0, Timing.FOREVER)));
    assertThat(
            fault(
                "kind: down, target: [p1.h0, p2.h0], at: 1us, for: 2us, detect: never,"
                    + " converge: 3us"))
        .isEqualTo(
            new Fault(
                new Effect.Down(Effect.NEVER, 3_000_000),
                List.of("p1.h0", "p2.h0"),
                0,
                new Timing.Once(1_000_000, 2_000_000)));
  }

  @Test
  void everyKindHasItsKeys() throws Exception {
    assertThat(fault("kind: silent, target: p1.t1.3").effect()).isEqualTo(new Effect.Silent());
    assertThat(fault("kind: slow, target: p1, rate: 100Gbps").effect())
        .isEqualTo(new Effect.Slow(100_000_000_000L));
    assertThat(fault("kind: delay, target: p1.t1.0>t0.0, by: 2us").effect())
        .isEqualTo(new Effect.Delay(2_000_000));
    assertThat(fault("kind: lossy, target: p1.t1.0, probability: 1%, min_size: 1KiB").effect())
        .isEqualTo(new Effect.Lossy(0.01, 1024));
    assertThat(fault("kind: burst, target: p1.t1.0, enter: 1%, leave: 20%").effect())
        .isEqualTo(new Effect.Burst(0.01, 0.2, 1, 0));
    assertThat(fault("kind: corrupting, target: p1.t1.0, bit_error_rate: 0.000001").effect())
        .isEqualTo(new Effect.Corrupting(1e-6));
    assertThat(fault("kind: miswired, target: [p1.t0.0-t1.0, p1.t0.1-t1.1]").targets()).hasSize(2);
    assertThat(fault("kind: lossy-ev, plane: 2, ev: 3, probability: 0.5").effect())
        .isEqualTo(new Effect.LossyEv(-1, 1, 3, 0.5));
  }

  @Test
  void timesAreASingleOneAScheduleOrChance() throws Exception {
    assertThat(fault("kind: down, target: p1, at: 1us, every: 10us, for: 3us").timing())
        .isEqualTo(new Timing.Every(1_000_000, 10_000_000, 3_000_000));
    assertThat(fault("kind: down, target: p1, mtbf: 10us, mttr: {fixed: 3us}").timing())
        .isEqualTo(
            new Timing.Chance(0, new Span.Exponential(10_000_000), new Span.Fixed(3_000_000)));
  }

  @Test
  void someOfManyAreANumberOrAShare() throws Exception {
    assertThat(fault("kind: down, target: p*.t0.*-t1.*, pick: 5").pick()).isEqualTo(5);
    // 64 cables; at least one.
    assertThat(fault("kind: down, target: p*.t0.*-t1.*, pick: 5%").pick()).isEqualTo(3);
    assertThat(fault("kind: down, target: p*.t0.*-t1.*, pick: 0.1%").pick()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "kind: down | faults.0.target: missing, allowed a link such as",
        "kind: down, target: p1.t9.0 | p1.t9.0: nothing has that name; such as p1.h0-t0.0",
        "kind: down, target: [p1, p3] | p3: nothing has that name",
        "kind: silent, target: p1.h0 | p1.h0: no switch; one such as p1.t0.0",
        "kind: miswired, target: p1.t0.0-t1.0 | two cables such as p1.h0-t0.0",
        "kind: miswired, target: [p1.t0.0, p1.h0] | p1.t0.0: not one cable",
        "kind: down, target: p1, pick: 2 | faults.0.pick: '2', allowed 1…1",
        "kind: down, target: p1, for: 3us, every: 3us | less than every, 3us",
        "kind: down, target: p1, every: 3us | faults.0.for: missing, allowed less than every, 3us",
        "kind: down, target: p1, mtbf: 3us | faults.0.mttr: missing",
        "kind: down, target: p1, mtbf: 3us, mttr: 1us, for: 1us | without mtbf and mttr only",
        "kind: down, target: p1, mtbf: 1ns, mttr: 1ns | at most 100000 occurrences",
        "kind: slow, target: p1 | faults.0.rate: missing, allowed 1Mbps…10Tbps",
        "kind: lossy-ev, ev: 64, probability: 1 | faults.0.ev: '64', allowed 0…63"
      })
  void mistakesAreNamed(String keys, String message) {
    assertThatThrownBy(() -> read("  - {" + keys + "}\n"))
        .isInstanceOf(ScenarioException.class)
        .hasMessageContaining("s.yaml:5: ")
        .hasMessageContaining(message);
  }

  @Test
  void phasesHaveABeginningAndAnEnd() throws Exception {
    Scenario s = read("  []\nphases: [{to: 3us}, {name: late, from: 5us, to: 9us}]\n");
    assertThat(s.phases())
        .containsExactly(
            new Phase("phase 0", 0, 3_000_000), new Phase("late", 5_000_000, 9_000_000));
    assertThatThrownBy(() -> read("  []\nphases: [{from: 3us, to: 3us}]\n"))
        .hasMessageContaining("phases.0.to: '3us', allowed later than from, 3us");
  }

  /** Parallel links of a graph have numbers; ECMP goes by the one that is left, losing nothing. */
  @ParameterizedTest
  @ValueSource(strings = {"a-b.0", "a-b.1", "b>a.1", "p2.h0", "h1-c"})
  void graphsHaveNamesOfTheirOwn(String target) throws Exception {
    Scenario s =
        ScenarioReader.read(
            """
            version: 1
            topology:
              kind: graph
              hosts: 2
              links:
                - {from: h0, to: a}
                - {from: h1, to: b}
                - {from: a, to: b, count: 2}
                - {from: h0, to: c}
                - {from: h1, to: c}
            traffic: [{kind: flow, from: 0, to: 1, size: 1MiB}]
            faults:
              - {kind: down, target: %s, detect: 0, converge: 0}
            """
                .formatted(target),
            "s.yaml",
            "s",
            null,
            List.of(),
            null);
    Fabric fabric = new Fabric(s.fabric(false, true, false), null);
    while (fabric.runTo(Long.MAX_VALUE)) {
      // Until nothing is left.
    }
    assertThat(fabric.flows().finishPs(0)).isPositive();
    if (!target.contains("h")) {
      assertThat(fabric.totals().dropped()).isEmpty();
    }
    assertThat(fabric.faults().getFirst().target()).isEqualTo(target);
  }
}
