package io.anabranch.tools.cli;

import io.anabranch.fabric.Transport;
import io.anabranch.tools.run.ResultJson;
import io.anabranch.tools.run.SimCapture;
import io.anabranch.tools.run.SimResult;
import io.anabranch.tools.run.SimRun;
import io.anabranch.tools.run.WholeFile;
import io.anabranch.tools.scenario.Estimate;
import io.anabranch.tools.scenario.Explanation;
import io.anabranch.tools.scenario.Scenario;
import io.anabranch.tools.scenario.ScenarioException;
import io.anabranch.tools.scenario.ScenarioReader;
import io.anabranch.tools.scenario.Setting;
import io.anabranch.tools.scenario.Template;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
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
  private static final int MAX_SNAP = 65_535;
  private static final double LONG_S = 10;
  private static final double LARGE_MIB = 1024;

  @Spec private @Nullable CommandSpec spec;

  @Parameters(arity = "0..1", paramLabel = "FILE", description = "A scenario in YAML.")
  private @Nullable Path file;

  @Option(
      names = "--new",
      arity = "0..1",
      fallbackValue = "-",
      paramLabel = "FILE",
      description = "Write a commented scenario to begin with, which runs as it is.")
  private @Nullable String template;

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

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      description = "Between two samples of the CSV files, instead of the file's.")
  private @Nullable String interval;

  @Option(
      names = "--pcap",
      paramLabel = "HOST:PORT=FILE",
      description = {
        "Capture the packets of a host's port (planes count from 1), or with LINK=FILE those that",
        "leave a port for a link such as p1.t0.3>t1.0; may be repeated."
      })
  private List<String> captures = new ArrayList<>();

  @Option(
      names = "--snap",
      paramLabel = "BYTES",
      description = "Keep so much of each captured packet (default: all).")
  private int snapBytes = MAX_SNAP;

  @Option(names = "--expect", description = "Fail unless the file's 'expect' is met.")
  private boolean expect;

  @Option(
      names = "--wire",
      description = "Encode every packet, check and decode it where it arrives.")
  private boolean wire;

  @Option(names = "--check", description = "Watch the network's invariants throughout.")
  private boolean check;

  @Option(
      names = "--permute-ties",
      description = "Take events of one instant in an order drawn from the seed.")
  private boolean permuteTies;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Run the network in so many parts at the same time (default: 1).")
  private int threads = 1;

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
    if (spec == null) {
      throw new IllegalStateException("not run by picocli");
    }
    if (template != null) {
      return begin(spec, template);
    }
    if (file == null) {
      throw wrongUse(spec, "Missing required parameter: 'FILE'; or --new writes one");
    }
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    if (threads < 1 || threads > SimRun.Options.MAX_THREADS) {
      throw wrongUse(spec, "--threads: " + threads + ", allowed 1…" + SimRun.Options.MAX_THREADS);
    }
    Scenario scenario = scenario(spec, file);
    if (explain) {
      out.print(Explanation.of(scenario));
      out.flush();
      return 0;
    }
    if (expect && scenario.expectations().isEmpty()) {
      throw wrongUse(spec, "--expect: " + file + " has no 'expect'; add one or leave it out");
    }
    if (!(scenario.transport() instanceof Transport.Mrc) && (wire || !captures.isEmpty())) {
      throw wrongUse(
          spec, (wire ? "--wire" : "--pcap") + ": encodes MRC's packets, allowed with mrc alone");
    }
    boolean jsonToOut = "-".equals(json);
    SimScreen screen = new SimScreen(jsonToOut ? err : out, err, quiet);
    screen.announce(announcement(scenario.figures().estimate()));
    // Opened now, so that a long run does not end with a file that cannot be written.
    try (WholeFile document = json == null || jsonToOut ? null : new WholeFile(Path.of(json));
        SimCapture capture = capture(spec, scenario)) {
      SimRun run = simulation(spec, scenario, capture, screen);
      SimResult result;
      try (Stop _ = Stop.by(run::stop)) {
        result = run.run();
      }
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
    if (interval != null) {
      parsed.add(new Setting("interval", interval));
    }
    try {
      return ScenarioReader.read(file, parsed, seed);
    } catch (ScenarioException e) {
      throw wrongUse(spec, String.valueOf(e.getMessage()));
    }
  }

  /** Writes the template, to a new file or to standard output. */
  private static int begin(CommandSpec spec, String name) throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    if (name.equals("-")) {
      out.print(Template.text());
    } else {
      Path path = Path.of(name);
      if (Files.exists(path)) {
        throw wrongUse(
            spec, "--new: " + name + " is there already, allowed the name of a new file");
      }
      WholeFile.write(path, Template.text());
      out.println("wrote " + name + "; now: mrc sim " + name + " --expect");
    }
    out.flush();
    return 0;
  }

  /** What is said before a run that takes long or much; null = nothing. */
  static @Nullable String announcement(Estimate estimate) {
    return estimate.cpuS() >= LONG_S || estimate.memoryMib() >= LARGE_MIB
        ? "this will take about " + Explanation.cost(estimate)
        : null;
  }

  private @Nullable SimCapture capture(CommandSpec spec, Scenario scenario) throws IOException {
    if (snapBytes < 1 || snapBytes > MAX_SNAP) {
      throw wrongUse(spec, "--snap: " + snapBytes + ", allowed 1…" + MAX_SNAP);
    }
    if (captures.isEmpty()) {
      return null;
    }
    SimCapture capture = new SimCapture(scenario, snapBytes);
    boolean whole = false;
    try {
      for (String each : captures) {
        capture.add(each);
      }
      whole = true;
      return capture;
    } catch (IllegalArgumentException e) {
      throw wrongUse(spec, "--pcap: " + e.getMessage());
    } finally {
      if (!whole) {
        capture.close();
      }
    }
  }

  private SimRun simulation(
      CommandSpec spec, Scenario scenario, @Nullable SimCapture capture, SimScreen screen) {
    try {
      return new SimRun(
          scenario,
          new SimRun.Options(wire, check, expect, csv, permuteTies, capture, threads),
          screen);
    } catch (IllegalArgumentException e) {
      throw wrongUse(spec, file + ": " + e.getMessage());
    }
  }

  private static ParameterException wrongUse(CommandSpec spec, String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
