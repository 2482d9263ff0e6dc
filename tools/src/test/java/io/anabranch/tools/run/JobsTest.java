package io.anabranch.tools.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.tools.scenario.Scenario;
import io.anabranch.tools.scenario.ScenarioReader;
import io.anabranch.tools.scenario.Setting;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs have results of their own and do not touch each other where they share no port. */
class JobsTest {
  private static final String FABRIC =
      """
      version: 1
      topology: {leaves: 4, hosts_per_leaf: 8, spines: 8}
      """;

  @TempDir Path dir;

  private Scenario scenario(String text, String... settings) throws Exception {
    Path file = dir.resolve("jobs.yaml");
    Files.writeString(file, FABRIC + text);
    return ScenarioReader.read(file, Stream.of(settings).map(Setting::parse).toList(), null);
  }

  private SimResult run(Scenario scenario, boolean csv) throws Exception {
    Path folder = csv ? dir.resolve("csv") : null;
    return new SimRun(scenario, new SimRun.Options(false, true, true, folder), SimWatch.NOBODY)
        .run();
  }

  @Test
  void eachJobHasItsOwnResults() throws Exception {
    Scenario scenario =
        scenario(
            """
            jobs:
              - {name: once, traffic: [{kind: flow, from: 0, to: 8, size: 2MiB}]}
              - name: again
                start: 100us
                until: {rounds: 3}
                traffic: [{kind: flow, from: 16, to: 24, size: 4KiB}]
            transport: {reverse_probes: off}
            expect:
              jobs.1.rounds.completed: 3
              jobs.0.flows.fct_us.max: 50.853120
            """);
    SimResult result = run(scenario, false);
    assertThat(result.reason()).isNull();
    assertThat(result.jobs()).hasSize(2);
    SimResult.Job once = result.jobs().get(0);
    SimResult.Job again = result.jobs().get(1);
    assertThat(once.flows().fctUs().max()).isEqualTo(new BigDecimal("50.853120"));
    assertThat(once.packets().delivered()).isEqualTo(512);
    assertThat(again.firstFlow()).isEqualTo(1);
    assertThat(again.flows().count()).isEqualTo(3);
    // 100 µs and three times the 8.33792 µs of a packet.
    assertThat(again.flows().lastFinishUs()).isEqualTo(new BigDecimal("125.013760"));
    assertThat(again.rounds().us().max()).isEqualTo(new BigDecimal("8.337920"));
    // Three times 4096 B in 25.01376 µs: the job's own time.
    assertThat(again.flows().goodputGbps()).isEqualTo(new BigDecimal("3.929997"));
    assertThat(result.flows().count()).isEqualTo(4);
  }

  @Test
  void roundsThatDidNotTakePlaceAreNoFlows() throws Exception {
    Scenario scenario =
        scenario(
            """
            jobs:
              - name: loop
                until: {time: 1ms}
                traffic: [{kind: all-to-all, hosts: 0-7, size: 64KiB, outstanding: 7}]
            """);
    SimResult result = run(scenario, true);
    assertThat(result.passed()).isTrue();
    long rounds = result.jobs().getFirst().rounds().completed();
    assertThat(result.flows().count()).isEqualTo(56 * rounds);
    assertThat(result.flows().unfinished()).isZero();
    // A round takes at least what a host has to send: 7 · 16 packets of 83.2 ns.
    assertThat(rounds).isBetween(10L, 1_000_000L / 9_318 + 1);
    assertThat(result.simulatedUs()).isGreaterThanOrEqualTo(new BigDecimal("1000"));
    assertThat(Files.readAllLines(dir.resolve("csv/flow_results.csv")))
        .hasSize((int) (1 + 56 * rounds))
        .noneMatch(line -> line.endsWith("not_started"));
  }

  @Test
  void payloadIsReachedInWholeRounds() throws Exception {
    Scenario scenario =
        scenario(
            """
            jobs:
              - name: work
                until: {payload: 1MiB}
                traffic: [{kind: permutation, size: 20KiB, hosts: 0-7}]
            """);
    // 160 KiB a round: seven of them.
    assertThat(scenario.traffic().flows()).isEqualTo(7 * 8);
  }

  @Test
  void aSecondJobsIncastDoesNotSlowAPermutationElsewhere() throws Exception {
    String jobs =
        """
        seed: %d
        jobs:
          - {name: permutation, traffic: [{kind: permutation, hosts: "0-3,8-11,16-19", size: 8MiB}]}
          - {name: incast, traffic: [{kind: incast, senders: "4-7,12-15,20-23", to: 31, size: %s}]}
        """;
    for (int seed = 1; seed <= 3; seed++) {
      // The incast's senders share their leaves with the permutation, its receiver does not. Beside
      // an incast of a byte each, and beside one that lasts longer than the permutation.
      SimResult.Job alone = run(scenario(jobs.formatted(seed, "1B")), false).jobs().getFirst();
      SimResult both = run(scenario(jobs.formatted(seed, "1MiB")), false);
      SimResult.Job beside = both.jobs().getFirst();
      assertThat(both.jobs().get(1).packets().trimmed()).isPositive();
      SimResult.Flows slow = both.jobs().get(1).flows();
      assertThat(us(slow.lastFinishUs())).isGreaterThan(us(beside.flows().lastFinishUs()));
      assertThat(us(beside.flows().fctUs().p50()))
          .isLessThanOrEqualTo(1.01 * us(alone.flows().fctUs().p50()));
      assertThat(us(beside.flows().lastFinishUs()))
          .isLessThanOrEqualTo(1.01 * us(alone.flows().lastFinishUs()));
    }
  }

  private static double us(@Nullable BigDecimal value) {
    return Objects.requireNonNull(value).doubleValue();
  }
}
