package io.anabranch.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.tools.scenario.Estimate;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SimCommandTest {
  private static final String PACKET = "../scenarios/htsim/b0-packet.yaml";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int mrc(String... arguments) {
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    return line.execute(arguments);
  }

  @Test
  void aScenarioRunsAndTellsItsFigures() {
    assertThat(mrc("sim", PACKET, "--wire", "--check", "--expect")).isZero();
    assertThat(out.toString())
        .contains("1 of 1 completed", "max 8.337920", "expected  3 of 3 met", "PASS");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void theJsonHasEveryFieldAndIsAloneOnStandardOutput() {
    assertThat(mrc("sim", PACKET, "--json", "-")).isZero();
    JsonNode json = new JsonMapper().readTree(out.toString());
    assertThat(json.propertyNames())
        .containsExactly(
            "version",
            "scenario",
            "seed",
            "simulated_us",
            "flows",
            "packets",
            "planes",
            "evs",
            "jobs",
            "limited_by",
            "limits",
            "faults",
            "phases",
            "host",
            "expect",
            "result",
            "reason");
    assertThat(json.get("flows").propertyNames())
        .containsExactly(
            "count",
            "completed",
            "failed",
            "unfinished",
            "last_finish_us",
            "fct_us",
            "goodput_gbps");
    assertThat(json.at("/flows/fct_us").propertyNames())
        .containsExactly("min", "p50", "p99", "max");
    assertThat(json.get("packets").propertyNames())
        .containsExactly("delivered", "retransmitted", "trimmed", "dropped", "ecn_marked", "hops");
    assertThat(json.get("host").propertyNames())
        .containsExactly("wall_s", "cpu_s", "peak_mib", "events", "hops_per_cpu_s");
    assertThat(out.toString()).contains("\"max\" : 8.337920");
    assertThat(json.get("expect").isNull()).isTrue();
    assertThat(err.toString()).contains("PASS");
  }

  @Test
  void aMissIsOneClearLineAndExitOne(@TempDir Path dir) throws Exception {
    Path file = dir.resolve("r.json");
    int code =
        mrc(
            "sim",
            PACKET,
            "--expect",
            "--quiet",
            "--set",
            "expect.flows.fct_us.max={max: 8}",
            "--json",
            file.toString());
    assertThat(code).isEqualTo(1);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString())
        .isEqualToNormalizingNewlines(
            """
            MISSED: flows.fct_us.max is 8.337920, expected at most 8
            FAIL: 1 of 3 expectations not met
            """);
    JsonNode json = new JsonMapper().readTree(Files.readString(file));
    assertThat(json.at("/expect/1/ok").asBoolean()).isFalse();
    assertThat(json.get("result").asString()).isEqualTo("FAIL");
  }

  @Test
  void aMistakeIsExitTwoWithFileLineFieldValueAndRange(@TempDir Path dir) throws Exception {
    Path file = dir.resolve("bad.yaml");
    Files.writeString(file, Files.readString(Path.of(PACKET)).replace("leaves: 8", "leaves: -8"));
    assertThat(mrc("sim", file.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("bad.yaml:6: topology.leaves: '-8', allowed 1…65535");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void wrongUseIsExitTwo() {
    assertThat(mrc("sim")).isEqualTo(2);
    assertThat(mrc("sim", "no-such.yaml")).isEqualTo(2);
    assertThat(mrc("sim", PACKET, "--seed", "-1")).isEqualTo(2);
    assertThat(mrc("sim", PACKET, "--seed", "x")).isEqualTo(2);
    assertThat(mrc("sim", PACKET, "--set", "leaves")).isEqualTo(2);
    assertThat(mrc("sim", PACKET, "--set", "expect={}", "--expect")).isEqualTo(2);
    assertThat(err.toString())
        .contains(
            "no-such.yaml: no such file",
            "--seed: -1, allowed 0…",
            "allowed path=value",
            "has no 'expect'");
  }

  @Test
  void explainTellsEverythingAndRunsNothing() {
    assertThat(mrc("sim", PACKET, "--explain", "--seed", "9")).isZero();
    assertThat(out.toString())
        .contains(
            "# base RTT 8.33792us over 4 links each way",
            "# leaf_up: data queue 101.0 packets, ECN 21.0 … 81.0 packets",
            "seed: 9",
            "ack_timeout: 65.536us");
  }

  @Test
  void aNewScenarioRunsAsItIs(@TempDir Path dir) throws Exception {
    Path file = dir.resolve("new.yaml");
    assertThat(mrc("sim", "--new", file.toString())).isZero();
    assertThat(mrc("sim", file.toString(), "--expect")).as(err.toString()).isZero();
    assertThat(out.toString())
        .contains("job       training:", "limited   by", "3 of 3 met", "PASS");
    assertThat(mrc("sim", "--new", file.toString())).isEqualTo(2);
    assertThat(err.toString())
        .contains("new.yaml is there already, allowed the name of a new file");
    out.getBuffer().setLength(0);
    assertThat(mrc("sim", "--new")).isZero();
    assertThat(out.toString()).isEqualTo(Files.readString(file));
  }

  @Test
  void theExplanationEstimatesTheCost() {
    assertThat(mrc("sim", PACKET, "--explain")).isZero();
    assertThat(out.toString())
        .containsPattern("# to be computed in about 0.5 s of CPU and .*: 12 hops");
  }

  @Test
  void onlyLongOrLargeRunsAreAnnounced() {
    assertThat(SimCommand.announcement(new Estimate(1_000, 9.9, 1023))).isNull();
    assertThat(SimCommand.announcement(new Estimate(20_000_000, 10.26, 100)))
        .isEqualTo("this will take about 10.3 s of CPU and 100 MiB: 20,000,000 hops");
    assertThat(SimCommand.announcement(new Estimate(1_000, 1, 2048))).contains("2,048 MiB");
  }

  @Test
  void tiesMayBePermutedAndTheIntervalSet(@TempDir Path dir) throws Exception {
    String traffic = "traffic=[{kind: incast, senders: 64-71, to: 0, size: 256KiB}]";
    for (String name : new String[] {"a", "b"}) {
      assertThat(
              mrc(
                  "sim",
                  "../scenarios/htsim/b1.yaml",
                  "--set",
                  traffic,
                  "--json",
                  dir.resolve(name).toString(),
                  "--permute-ties"))
          .isZero();
    }
    assertThat(
            mrc(
                "sim",
                "../scenarios/htsim/b1.yaml",
                "--set",
                traffic,
                "--json",
                dir.resolve("c").toString(),
                "--interval",
                "10us",
                "--csv",
                dir.resolve("csv").toString()))
        .isZero();
    assertThat(mrc("diff", dir.resolve("a").toString(), dir.resolve("b").toString())).isZero();
    assertThat(mrc("diff", dir.resolve("a").toString(), dir.resolve("c").toString())).isEqualTo(1);
    assertThat(Files.readAllLines(dir.resolve("csv/flows.csv")).get(1)).startsWith("1,10.000000,");
  }
}
