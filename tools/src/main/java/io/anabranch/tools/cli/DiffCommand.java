package io.anabranch.tools.cli;

import io.anabranch.tools.run.ResultDiff;
import java.io.IOException;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mrc diff}: compares two results of {@code mrc sim --json}. */
@Command(
    name = "diff",
    description = "Compare two results of simulations field by field.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Every field that differs is a line: its two values and (B - A) / |A|; '*' marks what is beyond",
      "the threshold. What a run cost to compute ('host') is not compared.",
      "Exit code 0: nothing is beyond the threshold; 1: something is; 2: wrong use."
    })
public final class DiffCommand implements Callable<Integer> {
  private static final Pattern SHARE = Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,15})?)( ?%)?");

  @Spec private @Nullable CommandSpec spec;

  @Parameters(index = "0", paramLabel = "A", description = "A result as JSON.")
  private @Nullable Path first;

  @Parameters(index = "1", paramLabel = "B", description = "Another one.")
  private @Nullable Path second;

  @Option(
      names = "--threshold",
      paramLabel = "SHARE",
      description = "Relative difference that is allowed, as 1%% or 0.01 (default: none).")
  private String threshold = "0";

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the comparison as JSON; '-' for standard output.")
  private @Nullable String json;

  /** The command; picocli fills it. */
  public DiffCommand() {}

  @Override
  public Integer call() throws IOException {
    if (spec == null || first == null || second == null) {
      throw new IllegalStateException("not run by picocli");
    }
    PrintWriter out = spec.commandLine().getOut();
    ResultDiff diff = compared(spec, first, second);
    if (!"-".equals(json)) {
      print(out, diff);
    }
    if (json != null) {
      JsonOutput.write(json, diff, out);
    }
    return diff.same() ? 0 : 1;
  }

  private ResultDiff compared(CommandSpec spec, Path a, Path b) throws IOException {
    Matcher m = SHARE.matcher(threshold);
    if (!m.matches()) {
      throw new ParameterException(
          spec.commandLine(), "--threshold: '" + threshold + "', allowed a share as 1% or 0.01");
    }
    BigDecimal allowed = new BigDecimal(m.group(1)).movePointLeft(m.group(2) == null ? 0 : 2);
    try {
      return ResultDiff.of(a, b, allowed);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
    }
  }

  private static void print(PrintWriter out, ResultDiff diff) {
    int width = 0;
    for (ResultDiff.Field field : diff.fields()) {
      width = Math.max(width, field.field().length());
    }
    for (ResultDiff.Field field : diff.fields()) {
      BigDecimal relative = field.relative();
      out.println(
          String.format(
              Locale.ROOT,
              "%s %-" + Math.max(1, width) + "s  %s  %s%s",
              field.beyond() ? "*" : " ",
              field.field(),
              shown(field.a()),
              shown(field.b()),
              relative == null
                  ? ""
                  : String.format(Locale.ROOT, "  %+.4g %%", relative.movePointRight(2))));
    }
    out.println(
        String.format(
            Locale.ROOT,
            "%d of %d fields differ, %d by more than %s %%",
            diff.fields().size(),
            diff.compared(),
            diff.beyond(),
            diff.threshold().movePointRight(2).stripTrailingZeros().toPlainString()));
    out.println(diff.result());
    out.flush();
  }

  private static String shown(@Nullable String value) {
    return value == null ? "-" : value;
  }
}
