package io.anabranch.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class MainTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(CommandLine main, String... args) {
    return main.setOut(new PrintWriter(out)).setErr(new PrintWriter(err)).execute(args);
  }

  private int run(String... args) {
    return run(Main.commandLine(), args);
  }

  @Test
  void helpListsEveryCommandOnStandardOutput() {
    assertThat(run("--help")).isZero();
    for (String name : Main.commandLine().getSubcommands().keySet()) {
      assertThat(out.toString()).contains("\n  " + name);
    }
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void everyCommandHasHelpAndADescription() {
    for (var command : Main.commandLine().getSubcommands().values()) {
      assertThat(command.getCommandSpec().usageMessage().description())
          .as(command.getCommandName())
          .isNotEmpty();
      assertThat(command.getCommandSpec().findOption("--help"))
          .as(command.getCommandName() + " --help")
          .isNotNull();
    }
  }

  @Test
  void versionIsTheBuilds() throws IOException {
    assertThat(run("--version")).isZero();
    assertThat(out.toString()).startsWith("mrc " + Version.build()).contains("Java 2");
    assertThat(Version.build()).matches("\\d+\\.\\d+\\.\\d+(-SNAPSHOT)?");
  }

  @Test
  void noCommandIsWrongUse() {
    assertThat(run()).isEqualTo(2);
    assertThat(err.toString())
        .isEqualToNormalizingNewlines(
            """
            mrc: a command is missing
            Try 'mrc --help'.
            """);
  }

  @Test
  void aMistypedCommandIsNamedAndTheNearestSuggested() {
    assertThat(run("completio")).isEqualTo(2);
    assertThat(err.toString())
        .contains("'completio'", "Did you mean: mrc completion", "Try 'mrc --help'.");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void anUnknownOptionIsNamedWithTheCommandsOwnHelp() {
    assertThat(run("completion", "bash", "--fish")).isEqualTo(2);
    assertThat(err.toString()).contains("--fish", "Try 'mrc completion --help'.");
  }

  @Test
  void completionCoversEveryCommand() {
    assertThat(run("completion", "bash")).isZero();
    for (String name : Main.commandLine().getSubcommands().keySet()) {
      assertThat(out.toString()).contains("function _picocli_mrc_" + name + "()");
    }
    String bash = out.toString();
    out.getBuffer().setLength(0);
    assertThat(run("completion", "zsh")).isZero();
    assertThat(out.toString().lines().filter(line -> !line.startsWith("#")))
        .isEqualTo(bash.lines().filter(line -> !line.startsWith("#")).toList());
  }

  @Test
  void anExpectedFailureIsOneLineAndExitOne() {
    assertThat(run(failing(new Failure("x.pcap: not a capture")), "fail")).isEqualTo(1);
    assertThat(err.toString()).isEqualToNormalizingNewlines("mrc fail: x.pcap: not a capture\n");
  }

  @Test
  void aFileErrorSaysWhatIsWrongWithWhichFile() {
    assertThat(run(failing(new UncheckedIOException(new NoSuchFileException("a/b"))), "fail"))
        .isEqualTo(1);
    assertThat(run(failing(new UncheckedIOException(new FileAlreadyExistsException("c"))), "fail"))
        .isEqualTo(1);
    assertThat(err.toString())
        .isEqualToNormalizingNewlines(
            "mrc fail: a/b: no such file or directory\nmrc fail: c: exists already\n");
  }

  @Test
  void aDefectOfOursShowsWhereItHappened() {
    assertThat(run(failing(new IllegalStateException("window went backwards")), "fail"))
        .isEqualTo(1);
    assertThat(err.toString()).contains("internal error", "window went backwards", "MainTest");
  }

  private static CommandLine failing(RuntimeException thrown) {
    return Main.commandLine().addSubcommand("fail", new Fail(thrown));
  }

  @Command(name = "fail")
  private record Fail(RuntimeException thrown) implements Runnable {
    @Override
    public void run() {
      throw thrown;
    }
  }
}
