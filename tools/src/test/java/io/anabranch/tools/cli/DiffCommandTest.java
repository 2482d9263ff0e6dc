package io.anabranch.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class DiffCommandTest {
  private static final String RESULT =
      """
      {"version": 1, "scenario": "s", "seed": 1, "simulated_us": 100.000000,
       "flows": {"count": 4, "goodput_gbps": 200.5, "last_finish_us": null},
       "packets": {"delivered": 1000, "dropped": {"total": 0}},
       "planes": [{"plane": 1, "share": 0.5}, {"plane": 2, "share": 0.5}],
       "host": {"wall_s": 1.5}, "result": "PASS", "reason": null}
      """;

  @TempDir Path dir;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private Path a;
  private Path b;

  @BeforeEach
  void files() throws Exception {
    a = dir.resolve("a.json");
    b = dir.resolve("b.json");
    Files.writeString(a, RESULT);
  }

  private int diff(String... more) {
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    String[] arguments = new String[more.length + 3];
    arguments[0] = "diff";
    arguments[1] = a.toString();
    arguments[2] = b.toString();
    System.arraycopy(more, 0, arguments, 3, more.length);
    return line.execute(arguments);
  }

  private void second(String was, String is) throws Exception {
    assertThat(RESULT).contains(was);
    Files.writeString(b, RESULT.replace(was, is));
  }

  @Test
  void costsDoNotCount() throws Exception {
    second("1.5", "7");
    assertThat(diff()).isZero();
    // version, scenario, seed, time; 3 of flows, 2 of packets, 4 of planes; result, reason.
    assertThat(out.toString()).contains("0 of 15 fields differ", "SAME");
  }

  @Test
  void numbersDifferRelativelyToTheFirst() throws Exception {
    second("1000", "1009");
    assertThat(diff()).isEqualTo(1);
    assertThat(out.toString())
        .contains("* packets.delivered  1000  1009  +0.9000 %", "1 of 15 fields differ, 1 by more");
    assertThat(diff("--threshold", "1%")).isZero();
    assertThat(diff("--threshold", "0.009")).isZero();
    assertThat(diff("--threshold", "0.0089")).isEqualTo(1);
  }

  @Test
  void whatIsNotThereOrNoNumberOrWasZeroIsBeyondAnyThreshold() throws Exception {
    for (String[] change :
        new String[][] {
          {"\"total\": 0", "\"total\": 1"},
          {"\"total\": 0", "\"total\": 0, \"link_loss\": 0"},
          {"PASS", "FAIL"},
          {"\"last_finish_us\": null", "\"last_finish_us\": 3"},
          {", {\"plane\": 2, \"share\": 0.5}", ""},
        }) {
      second(change[0], change[1]);
      assertThat(diff("--threshold", "1000")).as(change[1]).isEqualTo(1);
    }
  }

  @Test
  void sameNumbersMayBeWrittenDifferently() throws Exception {
    second("200.5", "200.500");
    assertThat(diff()).isZero();
  }

  @Test
  void theComparisonIsJsonToo() throws Exception {
    second("200.5", "401");
    Path file = dir.resolve("d.json");
    assertThat(diff("--json", file.toString())).isEqualTo(1);
    JsonNode json = new JsonMapper().readTree(Files.readString(file));
    assertThat(json.get("version").asInt()).isEqualTo(1);
    assertThat(json.at("/fields/0/field").asString()).isEqualTo("flows.goodput_gbps");
    assertThat(json.at("/fields/0/relative").asDouble()).isEqualTo(1);
    assertThat(json.at("/fields/0/beyond").asBoolean()).isTrue();
    assertThat(json.get("result").asString()).isEqualTo("DIFFERENT");
    out.getBuffer().setLength(0);
    assertThat(diff("--json", "-")).isEqualTo(1);
    assertThat(new JsonMapper().readTree(out.toString()).get("beyond").asInt()).isEqualTo(1);
  }

  @Test
  void otherFilesAreRefusedByName() throws Exception {
    second("\"version\": 1", "\"version\": 2");
    assertThat(diff()).isEqualTo(2);
    assertThat(err.toString()).contains(b + ": version: 2, allowed 1");
    Files.writeString(b, "{\"version\": 1, \"seed\": 3}");
    assertThat(diff()).isEqualTo(2);
    assertThat(err.toString()).contains(b + ": no 'scenario', allowed results of mrc sim --json");
    Files.writeString(b, "not json");
    assertThat(diff()).isEqualTo(2);
    assertThat(err.toString()).contains(b + ": not JSON");
    Files.delete(b);
    assertThat(diff()).isEqualTo(1);
    assertThat(err.toString()).contains("no such file");
    assertThat(diff("--threshold", "much")).isEqualTo(2);
    assertThat(err.toString()).contains("--threshold: 'much', allowed a share as 1% or 0.01");
  }
}
