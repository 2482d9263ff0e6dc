package io.anabranch.tools.cli;

import io.anabranch.tools.run.ResultJson;
import io.anabranch.tools.run.SimResult;
import io.anabranch.tools.run.SimRun;
import io.anabranch.tools.run.WholeFile;
import io.anabranch.tools.scenario.Explanation;
import io.anabranch.tools.scenario.Scenario;
import io.anabranch.tools.scenario.ScenarioException;
import io.anabranch.tools.scenario.ScenarioReader;
import io.anabranch.tools.scenario.Setting;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mrc sim}: runs a scenario file on the simulated fabric. */
@Command(
    name = "sim",
    description = "Run a scenario file on a simulated network.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "docs/scenarios.md explains scenario files and results; scenarios/ has some to begin with.",
      "The same file, seed and version give the same result, but for what it cost to compute.",
      "Exit code 0: all flows completed and everything expected was met; 1: not; 2: wrong use."
    })
public final class SimCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "A scenario in YAML.")
  private @Nullable Path file;

  @Option(names = "--seed", paramLabel = "N", description = "Seed instead of the file's.")
  private @Nullable Long seed;

  @Option(
      names = "--set",
      paramLabel = "PATH=VALUE",
      description = {
        "Change a value of the file: --set topology.spines=8, --set traffic.0.size=1MiB;",
        "may be repeated."
      })
  private List<String> settings = new ArrayList<>();

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the result as JSON; '-' for standard output.")
  private @Nullable String json;

  @Option(
      names = "--csv",
      paramLabel = "DIR",
      description = "Write flows, links, queues, EVs and windows per interval to CSV files.")
  private @Nullable Path csv;

  @Option(names = "--expect", description = "Fail unless the file's 'expect' is met.")
  private boolean expect;

  @Option(
      names = "--wire",
      description = "Encode every packet, check and decode it where it arrives.")
  private boolean wire;

  @Option(names = "--check", description = "Watch the network's invariants throughout.")
  private boolean check;

  @Option(names = "--quiet", description = "Print nothing but mistakes and failures.")
  private boolean quiet;

  @Option(
      names = "--explain",
      description = "Print the whole scenario with defaults and derived figures, and run nothing.")
  private boolean explain;

  /** The command; picocli fills it. */
  public SimCommand() {}

  @Override
  public Integer call() throws IOException {
    if (spec == null || file == null) {
      throw new IllegalStateException("not run by picocli");
    }
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Scenario scenario = scenario(spec, file);
    if (explain) {
      out.print(Explanation.of(scenario));
      out.flush();
      return 0;
    }
    if (expect && scenario.expectations().isEmpty()) {
      throw wrongUse(spec, "--expect: " + file + " has no 'expect'; add one or leave it out");
    }
    boolean jsonToOut = "-".equals(json);
    SimScreen screen = new SimScreen(jsonToOut ? err : out, err, quiet);
    SimRun run = simulation(spec, scenario, screen);
    // Opened now, so that a long run does not end with a file that cannot be written.
    try (WholeFile document = json == null || jsonToOut ? null : new WholeFile(Path.of(json));
        Stop _ = Stop.by(run::stop)) {
      SimResult result = run.run();
      screen.clear();
      if (document != null) {
        document.writer().write(ResultJson.text(result));
        document.finish();
      } else if (jsonToOut) {
        out.print(ResultJson.text(result));
        out.flush();
      }
      screen.story(scenario, result);
      return result.passed() ? 0 : 1;
    }
  }

  private Scenario scenario(CommandSpec spec, Path file) {
    if (seed != null && seed < 0) {
      throw wrongUse(spec, "--seed: " + seed + ", allowed 0…" + Long.MAX_VALUE);
    }
    List<Setting> parsed = new ArrayList<>();
    for (String setting : settings) {
      try {
        parsed.add(Setting.parse(setting));
      } catch (IllegalArgumentException e) {
        throw wrongUse(spec, "--set: " + e.getMessage());
      }
    }
    try {
      return ScenarioReader.read(file, parsed, seed);
    } catch (ScenarioException e) {
      throw wrongUse(spec, String.valueOf(e.getMessage()));
    }
  }

  private SimRun simulation(CommandSpec spec, Scenario scenario, SimScreen screen) {
    try {
      return new SimRun(scenario, new SimRun.Options(wire, check, expect, csv), screen);
    } catch (IllegalArgumentException e) {
      throw wrongUse(spec, file + ": " + e.getMessage());
    }
  }

  private static ParameterException wrongUse(CommandSpec spec, String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
