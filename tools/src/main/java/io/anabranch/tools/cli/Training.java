package io.anabranch.tools.cli;

import java.io.PrintWriter;
import java.io.Writer;
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

  private Training() {}

  public static void main(String[] args) {
    var nowhere = new PrintWriter(Writer.nullWriter());
    for (List<String> line : COMMAND_LINES) {
      Main.commandLine().setOut(nowhere).setErr(nowhere).execute(line.toArray(String[]::new));
    }
    System.exit(0); // as a real run ends: it loads classes too
  }
}
