package io.anabranch.tools.cli;

import io.anabranch.tools.run.ResultJson;
import io.anabranch.tools.run.SimResult;
import io.anabranch.tools.run.TopoResult;
import io.anabranch.tools.run.WholeFile;
import io.anabranch.tools.scenario.Expectation;
import io.anabranch.tools.scenario.Scenario;
import io.anabranch.tools.scenario.ScenarioException;
import io.anabranch.tools.scenario.ScenarioReader;
import io.anabranch.tools.scenario.Setting;
import io.anabranch.tools.topo.TopologyDot;
import io.anabranch.tools.topo.TopologySvg;
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

/** {@code mrc topo}: what the network of a scenario is made of; nothing runs. */
@Command(
    name = "topo",
    description = "Count and draw the network of a scenario file.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Nothing is run. docs/scenarios.md explains the figures.",
      "Exit code 0: done, and everything expected of the topology was met; 1: not; 2: wrong use."
    })
public final class TopoCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "A scenario in YAML.")
  private @Nullable Path file;

  @Option(
      names = "--set",
      paramLabel = "PATH=VALUE",
      description = "Change a value of the file: --set topology.spines=8; may be repeated.")
  private List<String> settings = new ArrayList<>();

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the figures as JSON; '-' for standard output.")
  private @Nullable String json;

  @Option(
      names = "--svg",
      paramLabel = "FILE",
      description = "Draw it; of many switches alike the first few. '-' for standard output.")
  private @Nullable String svg;

  @Option(
      names = "--dot",
      paramLabel = "FILE",
      description = "Write it in Graphviz's language; '-' for standard output.")
  private @Nullable String dot;

  @Option(
      names = "--expect",
      description = "Fail unless what the file's 'expect' says of topology is met.")
  private boolean expect;

  /** The command; picocli fills it. */
  public TopoCommand() {}

  @Override
  public Integer call() throws IOException {
    if (spec == null || file == null) {
      throw new IllegalStateException("not run by picocli");
    }
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Scenario scenario = scenario(spec, file);
    if (expect && scenario.expectations().stream().noneMatch(Expectation::isOfTopology)) {
      throw wrongUse(
          spec, "--expect: " + file + " expects nothing of 'topology.…'; add it or leave this out");
    }
    TopoResult result = TopoResult.of(scenario, expect);
    boolean toOut = "-".equals(json) || "-".equals(svg) || "-".equals(dot);
    write(json, ResultJson.text(result), out);
    if (svg != null) {
      write(svg, TopologySvg.of(scenario.name(), scenario.topology()), out);
    }
    if (dot != null) {
      write(dot, TopologyDot.of(scenario.topology()), out);
    }
    new TopoScreen(toOut ? err : out).story(scenario, result);
    for (SimResult.Expected each :
        result.expect() == null ? List.<SimResult.Expected>of() : result.expect()) {
      if (!each.ok()) {
        err.println("MISSED: " + each.field() + " is " + each.got() + ", expected " + each.want());
      }
    }
    if (!result.passed()) {
      err.println("FAIL: " + result.reason());
    }
    err.flush();
    return result.passed() ? 0 : 1;
  }

  private static void write(@Nullable String to, String text, PrintWriter out) throws IOException {
    if ("-".equals(to)) {
      out.print(text);
      out.flush();
    } else if (to != null) {
      try (WholeFile document = new WholeFile(Path.of(to))) {
        document.writer().write(text);
        document.finish();
      }
    }
  }

  private Scenario scenario(CommandSpec spec, Path file) {
    List<Setting> parsed = new ArrayList<>();
    for (String setting : settings) {
      try {
        parsed.add(Setting.parse(setting));
      } catch (IllegalArgumentException e) {
        throw wrongUse(spec, "--set: " + e.getMessage());
      }
    }
    try {
      return ScenarioReader.readNetwork(file, parsed);
    } catch (ScenarioException e) {
      throw wrongUse(spec, String.valueOf(e.getMessage()));
    }
  }

  private static ParameterException wrongUse(CommandSpec spec, String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
