package io.anabranch.tools.cli;

import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mrc completion}: a script for the shell to read, always of this version's options. */
@Command(
    name = "completion",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description = "Print shell completion for mrc.",
    footer = {
      "",
      "bash: source <(mrc completion bash)",
      "zsh:  source <(mrc completion zsh)",
    })
final class CompletionCommand implements Runnable {
  private enum Shell {
    bash,
    zsh
  }

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}")
  private Shell shell;

  @Override
  public void run() {
    CommandLine root = spec.root().commandLine();
    String script =
        switch (shell) {
          // Under zsh the script first turns on zsh's own emulation of bash completion.
          case bash, zsh -> AutoComplete.bash(root.getCommandName(), root);
        };
    spec.commandLine().getOut().print(script);
    spec.commandLine().getOut().flush();
  }
}
