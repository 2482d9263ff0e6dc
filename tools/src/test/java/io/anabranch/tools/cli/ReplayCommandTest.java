package io.anabranch.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.fabric.pair.PairScenario;
import io.anabranch.fabric.pair.Replay;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ReplayCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int mrc(String... arguments) {
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    return line.execute(arguments);
  }

  @Test
  void aSeedHoldsAndSaysWhatItWas() {
    assertThat(mrc("replay", "--seed", "1")).isZero();
    assertThat(out.toString())
        .contains("seed 1, LOSS: holds")
        .contains("1 seed: every invariant held");
  }

  @Test
  void theTraceShowsFramesOfBothSides() {
    assertThat(mrc("replay", "--seed", "0", "--trace")).isZero();
    assertThat(out.toString()).containsPattern("(?m)^\\d+ Ap\\d+ sends ");
    assertThat(out.toString()).containsPattern("(?m)^\\d+ Bp\\d+ gets ");
  }

  @Test
  void aFamilyTakesOnlyItsSeeds(@TempDir Path dir) throws Exception {
    Path file = dir.resolve("replay.json");
    assertThat(mrc("replay", "--family", "trim", "--count", "3", "--json", file.toString()))
        .isZero();
    JsonNode json = new JsonMapper().readTree(Files.readString(file));
    assertThat(json.get("result").asString()).isEqualTo("PASS");
    assertThat(json.get("runs").size()).isEqualTo(3);
    for (JsonNode run : json.get("runs")) {
      assertThat(run.get("family").asString()).isEqualTo("TRIM");
    }
  }

  @Test
  void jsonOnStandardOutputIsAllThereIs() {
    assertThat(mrc("replay", "--seed", "5", "--json", "-")).isZero();
    JsonNode json = new JsonMapper().readTree(out.toString());
    assertThat(json.get("runs").get(0).get("digest").asString()).hasSize(16);
  }

  @Test
  void wrongCountsAreRefused() {
    assertThat(mrc("replay", "--count", "0")).isEqualTo(2);
    assertThat(err.toString()).contains("--count: 0, at least 1");
  }

  /** Of 120 seeds two break: no run is over in a nanosecond. */
  private int range(boolean terminal, String... arguments) {
    Replay.Outcome holds = Replay.run(1, null);
    CommandLine line =
        new CommandLine(
            new ReplayCommand(
                (seed, lines) -> {
                  PairScenario.Knobs knobs = PairScenario.knobs(seed);
                  knobs.limitNs = 1;
                  return seed == 1010 || seed == 1119 ? Replay.run(knobs.build(), lines) : holds;
                },
                () -> terminal));
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    return line.execute(arguments);
  }

  @Test
  void aRangeGoesOnToItsEndAndNamesEverySeedThatBreaks(@TempDir Path dir) throws Exception {
    Path file = dir.resolve("replay.json");
    assertThat(range(false, "--seed", "1000", "--count", "120", "--json", file.toString()))
        .isEqualTo(1);
    assertThat(out.toString())
        .contains("LIVENESS", "  seed 1010, ", "  seed 1119, ")
        .contains("120 seeds: 2 broke an invariant; ");
    assertThat(err.toString()).as("in a pipe").isEmpty();
    JsonNode json = new JsonMapper().readTree(Files.readString(file));
    assertThat(json.get("result").asString()).isEqualTo("FAIL");
    assertThat(json.get("held").asInt()).isEqualTo(118);
    assertThat(json.get("breaches").get(0).get("seed").asLong()).isEqualTo(1010);
    assertThat(json.get("breaches").get(1).get("seed").asLong()).isEqualTo(1119);
  }

  @Test
  void onATerminalProgressIsShownAndCountsBreaches() {
    assertThat(range(true, "--seed", "1000", "--count", "120")).isEqualTo(1);
    assertThat(err.toString())
        .isEqualToNormalizingNewlines(
            "\r50 of 120 seeds, 1 breaches \r100 of 120 seeds, 1 breaches \n");
  }
}
