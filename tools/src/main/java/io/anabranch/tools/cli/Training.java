package io.anabranch.tools.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Walks through the commands that must start fast, so that the build can record their classes in
 * the AOT cache. Never part of a normal run.
 */
final class Training {
  private static final List<List<String>> COMMAND_LINES =
      List.of(
          List.of("--help"),
          List.of("--version"),
          List.of("help", "completion"),
          List.of("completion", "bash"),
          List.of("--no-such-option"));

  /** Small, but it touches all that a simulation needs. */
  private static final String SCENARIO =
      """
      version: 1
      topology: {planes: 2, leaves: 2, hosts_per_leaf: 2, spines: 2}
      traffic:
        - {kind: incast, senders: 1-3, to: 0, size: 64KiB}
      expect: {flows.failed: 0}
      """;

  private Training() {}

  public static void main(String[] args) throws IOException {
    for (List<String> line : COMMAND_LINES) {
      run(line);
    }
    Path scenario = Files.createTempFile("training", ".yaml");
    try {
      Files.writeString(scenario, SCENARIO);
      run(List.of("sim", scenario.toString(), "--explain"));
      run(List.of("sim", scenario.toString(), "--expect", "--json", "-"));
      run(List.of("sim", scenario.toString(), "--set", "topology.spine=1"));
    } finally {
      Files.delete(scenario);
    }
    System.exit(0); // as a real run ends: it loads classes too
  }

  private static void run(List<String> line) {
    var nowhere = new PrintWriter(Writer.nullWriter());
    Main.commandLine().setOut(nowhere).setErr(nowhere).execute(line.toArray(String[]::new));
  }
}
