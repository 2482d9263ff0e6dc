package io.anabranch.tools.cli;

import io.anabranch.net.fault.FaultSpec;
import io.anabranch.net.fault.FaultSyntaxException;
import io.anabranch.tools.run.Demo;
import io.anabranch.tools.run.DemoConfig;
import io.anabranch.tools.run.DemoReport;
import io.anabranch.tools.scenario.Quantity;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code mrc demo}: one connection over several planes, one of which dies and returns. */
@Command(
    name = "demo",
    description = {
      "Move bytes from memory to memory through one MRC connection over several planes of UDP",
      "sockets on this machine; a plane goes dark in the middle and comes back."
    },
    mixinStandardHelpOptions = true)
public final class DemoCommand implements Callable<Integer> {
  private static final long FULL_BYTES = 512L << 20;
  private static final long QUICK_BYTES = 256L << 20;

  @Spec private CommandSpec spec;

  @Option(names = "--planes", paramLabel = "N", description = "Planes, 2 to 16 (default 4).")
  private int planes = 4;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      description = "Bytes to move, 16MiB to 8GiB, with KiB, MiB or GiB (default 512MiB).")
  private @Nullable String size;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Seed of data, paths and faults (default 1).")
  private long seed = 1;

  @Option(
      names = "--fault",
      paramLabel = "SPEC",
      description = "Break this instead, at the sender; may be repeated. See docs/faults.md.")
  private @Nullable List<String> faults;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the figures as JSON; '-' for standard output.")
  private @Nullable String json;

  @Option(
      names = "--pcap",
      paramLabel = "FILE",
      description = "Write every packet as it is sent to a pcapng file.")
  private @Nullable Path pcap;

  @Option(names = "--quick", description = "Half the bytes: a few seconds.")
  private boolean quick;

  @Override
  public Integer call() throws IOException {
    DemoConfig config;
    try {
      FaultSpec spec = faults == null ? null : FaultSpec.parse(faults);
      long bytes = size == null ? quick ? QUICK_BYTES : FULL_BYTES : bytes(size);
      config = new DemoConfig(planes, bytes, seed, spec, pcap);
    } catch (FaultSyntaxException e) {
      throw new ParameterException(spec.commandLine(), "--fault: " + e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      String message = e.getMessage();
      throw new ParameterException(spec.commandLine(), message == null ? e.toString() : message, e);
    }
    boolean jsonToOut = "-".equals(json);
    PrintWriter out = jsonToOut ? spec.commandLine().getErr() : spec.commandLine().getOut();
    DemoScreen screen = new DemoScreen(out, Terminal.interactive() && !jsonToOut);
    DemoReport report = new Demo(config, screen).run();
    screen.story(report);
    if (json != null) {
      JsonOutput.write(json, report, spec.commandLine().getOut());
    }
    out.println(report.result());
    out.flush();
    return report.passed() ? 0 : 1;
  }

  private static long bytes(String text) {
    try {
      return Quantity.SIZE.parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("--size: '" + text + "', allowed: " + e.getMessage(), e);
    }
  }
}
