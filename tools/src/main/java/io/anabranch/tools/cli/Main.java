package io.anabranch.tools.cli;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** Entry point of {@code mrc}. Exit codes: 0 done, 1 the work failed, 2 wrong use. */
@Command(
    name = "mrc",
    description = "Multipath Reliable Connection: send, receive, decode.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    footer = {
      "",
      "'mrc help COMMAND' explains one command.",
      "Exit codes: 0 done, 1 failed, 2 wrong use."
    },
    subcommands = {
      CompletionCommand.class,
      DecodeCommand.class,
      DemoCommand.class,
      DiffCommand.class,
      RecvCommand.class,
      SendCommand.class,
      ReplayCommand.class,
      SimCommand.class,
      TopoCommand.class,
      HelpCommand.class,
    })
public final class Main implements Runnable {
  @Spec private CommandSpec spec;

  /** Runs one command line and ends the process with its exit code. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  /** The whole command tree, ready to execute; tests redirect its output. */
  static CommandLine commandLine() {
    return new CommandLine(new Main())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(Main::wrongUse)
        .setExecutionExceptionHandler(Main::failed);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }

  private static int wrongUse(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    CommandSpec spec = command.getCommandSpec();
    PrintWriter err = command.getErr();
    err.println(spec.qualifiedName() + ": " + e.getMessage());
    UnmatchedArgumentException.printSuggestions(e, err);
    err.println("Try '" + spec.qualifiedName() + " --help'.");
    return spec.exitCodeOnInvalidInput();
  }

  private static int failed(Exception e, CommandLine command, ParseResult parsed) {
    CommandSpec spec = command.getCommandSpec();
    PrintWriter err = command.getErr();
    String reason = Failure.reason(e);
    if (reason == null) {
      err.println(spec.qualifiedName() + ": internal error; please report it with these lines");
      e.printStackTrace(err);
    } else {
      err.println(spec.qualifiedName() + ": " + reason);
    }
    return spec.exitCodeOnExecutionException();
  }
}
