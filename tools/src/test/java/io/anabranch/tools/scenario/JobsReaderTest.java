package io.anabranch.tools.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs and random traffic as files say them, and what is refused. */
class JobsReaderTest {
  private static final String FABRIC =
      """
      version: 1
      topology: {leaves: 2, hosts_per_leaf: 4, spines: 2}
      """;

  private static Scenario read(String traffic) throws ScenarioException {
    return ScenarioReader.read(FABRIC + traffic, "s.yaml", "s", null, List.of(), null);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "kind: random, size: 1KiB, until: {flows: 1}|traffic.0.load: allowed one of load",
        "kind: random, size: 1KiB, load: 0, until: {flows: 1}|load: '0', allowed above 0%",
        "kind: random, size: 1KiB, load: 1%, arrivals: 5, until: {flows: 1}|allowed one of load",
        "kind: random, size: 1KiB, load: 1%|traffic.0.until: missing, allowed {time: TIME}",
        "kind: random, size: 1KiB, load: 1%, until: {}|traffic.0.until: ",
        "kind: random, hosts: 3, size: 1KiB, load: 1%, until: {flows: 1}|allowed at least 2 hosts",
        "kind: random, size: {uniform: {min: 2KiB, max: 1KiB}}, load: 1%, until: {flows: 1}"
            + "|size.uniform.max: '1KiB', allowed at least min, 2KiB",
        "kind: random, size: {lognormal: {mean: 1KiB}}, load: 1%, until: {flows: 1}"
            + "|size.lognormal.sigma: missing, allowed 0…5",
        "kind: random, size: {cdf: [{size: 1KiB, share: 90%}]}, load: 1%, until: {flows: 1}"
            + "|size.cdf: the last point: 0.9 of flows",
        "kind: random, size: {cdf: no.cdf}, load: 1%, until: {flows: 1}"
            + "|size.cdf: 'no.cdf', allowed a file that can be read",
        "kind: random, size: 1B, load: 100%, until: {time: 900s}|flows in all, allowed 16777216",
        "kind: send-receive, size: 1KiB, members: 9|members: '9', allowed 2…8",
      })
  void mistakesOfTrafficAreNamed(String rule, String message) {
    assertThatThrownBy(() -> read("traffic: [{" + rule + "}]")).hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "name: a|jobs.0.traffic: missing, allowed a list of rules",
        "traffic: [{kind: permutation, size: 1KiB}]|jobs.0.name: missing",
        "name: a b, traffic: [{kind: permutation, size: 1KiB}]|jobs.0.name: 'a b', allowed letters",
        "name: a, until: {time: 1us, rounds: 2}, traffic: [{kind: permutation, size: 1KiB}]"
            + "|jobs.0.until: a group of keys, allowed one of {time: TIME}",
        "name: a, until: {rounds: 2}, traffic: [{kind: permutation, start: 1us, size: 1KiB}]"
            + "|jobs.0.until: flow 0 starts at 1000000 ps of a round, allowed 0",
        "name: a, start: 2us, until: {time: 1us}, traffic: [{kind: permutation, size: 1KiB}]"
            + "|jobs.0.until.time: '1us', allowed 2.000001us…",
        "name: a, until: {rounds: 16000000}, traffic: [{kind: permutation, size: 1KiB}]"
            + "|up to 16000000 rounds of 8 flows, allowed 16777216 flows in all",
        "name: a, traffic: [{kind: bursts}]|jobs.0.traffic.0.kind: 'bursts', allowed flow",
      })
  void mistakesOfJobsAreNamed(String job, String message) {
    assertThatThrownBy(() -> read("jobs: [{" + job + "}]")).hasMessageContaining(message);
  }

  @Test
  void namesAreGivenOnceAndTrafficHasOnePlace() {
    String job = "{name: a, traffic: [{kind: permutation, size: 1KiB}]}";
    assertThatThrownBy(() -> read("jobs: [" + job + ", " + job + "]"))
        .hasMessageContaining("jobs.1.name: 'a', allowed");
    assertThatThrownBy(
            () -> read("jobs: [" + job + "]\ntraffic: [{kind: permutation, size: 1KiB}]"))
        .hasMessageContaining("traffic: beside jobs, allowed only one of the two");
    assertThatThrownBy(() -> read("jobs: []")).hasMessageContaining("0 of them, allowed 1…1000");
    assertThatThrownBy(() ->
            read(
                "end: 5us\njobs: [{name: a, until: {time: 9us}, traffic: "
                    + "[{kind: permutation, size: 1KiB}]}]"))
        .hasMessageContaining("end: 5us, allowed not before a job's time is over, 9us");
  }

  @Test
  void loadIsPayloadOverTheRateOfAllHosts() throws Exception {
    // 8 hosts of 400 Gb/s, a quarter of it, in flows of 10 kB: 10 million a second, over 2 ms.
    Scenario scenario =
        read("traffic: [{kind: random, size: 10kB, load: 25%, until: {time: 2ms}}]");
    // A Poisson number of mean 20000: five deviations are 707.
    assertThat(scenario.traffic().flows()).isBetween(19_293, 20_707);
    Scenario same =
        read("traffic: [{kind: random, size: 10kB, arrivals: 10000000, until: {time: 2ms}}]");
    assertThat(same.traffic().flows()).isEqualTo(scenario.traffic().flows());
  }

  @Test
  void aDistributionMayBeInAFile(@TempDir Path dir) throws Exception {
    Files.writeString(dir.resolve("s.cdf"), "# bytes, per cent\n0 0\n1000 50 # half\n\n3000 100\n");
    String text =
        FABRIC + "traffic: [{kind: random, size: {cdf: s.cdf}, load: 1%, until: {flows: 500}}]";
    Scenario scenario = ScenarioReader.read(text, "s.yaml", "s", dir, List.of(), null);
    int small = 0;
    for (int f = 0; f < 500; f++) {
      assertThat(scenario.traffic().bytes(f)).isBetween(1L, 3000L);
      small += scenario.traffic().bytes(f) <= 1000 ? 1 : 0;
    }
    // Half of 500: five deviations are 56.
    assertThat(small).isBetween(194, 306);
    Files.writeString(dir.resolve("s.cdf"), "1000 50\nmany 100\n");
    assertThatThrownBy(() -> ScenarioReader.read(text, "s.yaml", "s", dir, List.of(), null))
        .hasMessageContaining("s.yaml:3: traffic.0.size.cdf: s.cdf:2: 'many 100', allowed bytes");
    Files.writeString(dir.resolve("s.cdf"), "1000 50\n");
    assertThatThrownBy(() -> ScenarioReader.read(text, "s.yaml", "s", dir, List.of(), null))
        .hasMessageContaining("s.cdf: the last point");
  }

  @Test
  void aTimeIsTheIdealOfAJobThatEndsAtIt() throws Exception {
    Scenario scenario =
        read("jobs: [{name: a, until: {time: 5ms}, traffic: [{kind: permutation, size: 1MiB}]}]");
    assertThat(scenario.figures().idealPs()).isEqualTo(5_000_000_000L);
  }
}
