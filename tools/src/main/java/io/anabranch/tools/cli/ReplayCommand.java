package io.anabranch.tools.cli;

import io.anabranch.fabric.pair.InvariantBreach;
import io.anabranch.fabric.pair.PairFamily;
import io.anabranch.fabric.pair.PairHarness;
import io.anabranch.fabric.pair.PairResult;
import io.anabranch.fabric.pair.Replay;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code mrc replay}: runs seeds of the pair harness against the engine. */
@Command(
    name = "replay",
    description = "Run two engines with a hostile channel between them, by seed.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "A seed stands for a scenario: loss, reordering, cuts, stalls, lies, … (its family) and every",
      "detail of it. The same seed gives the same run, frame by frame.",
      "Of a range (--count) every seed is run, whatever became of those before it.",
      "Exit code 0: every invariant held; 1: some did not, printed with the last frames."
    })
public final class ReplayCommand implements Callable<Integer> {
  private static final long PROGRESS_SEEDS = 50;

  /** Runs a seed. */
  @FunctionalInterface
  interface Runner {
    Replay.Outcome run(long seed, PairHarness.@Nullable LineSink lines);
  }

  private final Runner runner;
  private final BooleanSupplier terminal;

  @Spec private @Nullable CommandSpec spec;

  @Option(names = "--seed", paramLabel = "N", description = "The first seed (default: 0).")
  private long seed;

  @Option(names = "--count", paramLabel = "K", description = "How many seeds (default: 1).")
  private long count = 1;

  @Option(
      names = "--family",
      paramLabel = "NAME",
      description = "Only seeds of one family: ${COMPLETION-CANDIDATES}.")
  private @Nullable PairFamily family;

  @Option(names = "--trace", description = "Print every frame and what the engines trace.")
  private boolean trace;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the outcome as one JSON document; '-' for standard output.")
  private @Nullable String json;

  private long packets;
  private long again;
  private long frames;

  /** The command; picocli fills it. */
  public ReplayCommand() {
    this(Replay::run, Terminal::interactive);
  }

  ReplayCommand(Runner runner, BooleanSupplier terminal) {
    this.runner = runner;
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws java.io.IOException {
    if (spec == null) {
      throw new IllegalStateException("not run by picocli");
    }
    if (count < 1) {
      throw new ParameterException(spec.commandLine(), "--count: " + count + ", at least 1");
    }
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    boolean quiet = "-".equals(json);
    JsonMapper mapper = new JsonMapper();
    ArrayNode breaches = mapper.createArrayNode();
    ArrayNode runs = mapper.createArrayNode();
    PairHarness.LineSink lines = trace ? out::println : null;
    boolean progress = !trace && count > PROGRESS_SEEDS && terminal.getAsBoolean();
    long at = first();
    for (long n = 0; n < count; n++) {
      Replay.Outcome outcome = runner.run(at, lines);
      PairResult result = outcome.result();
      InvariantBreach breach = outcome.breach();
      if (result != null) {
        packets += result.dataPackets();
        again += result.retransmitted();
        frames += result.framesSent();
        if (count <= PROGRESS_SEEDS) {
          runs.add(run(mapper, result));
          if (!quiet) {
            out.println(line(result));
          }
        }
      } else if (breach != null) {
        breaches.add(breach(mapper, breach, at));
        if (!quiet) {
          out.println(breach.getMessage());
        }
      }
      if (progress && (n + 1) % PROGRESS_SEEDS == 0) {
        err.print("\r" + (n + 1) + " of " + count + " seeds, " + breaches.size() + " breaches ");
        err.flush();
      }
      at += family == null ? 1 : PairFamily.values().length;
    }
    if (progress) {
      err.println();
    }
    if (!quiet) {
      out.println(summary(breaches.size()));
    }
    out.flush();
    if (json != null) {
      ObjectNode document = mapper.createObjectNode();
      document.put("version", 1).put("seed", first()).put("count", count);
      document.put("family", family == null ? "" : family.name());
      document.put("held", count - breaches.size()).put("data_packets", packets);
      document.put("retransmitted", again).put("frames", frames);
      document.put("result", breaches.isEmpty() ? "PASS" : "FAIL");
      document.set("breaches", breaches);
      document.set("runs", runs);
      String text = mapper.writerWithDefaultPrettyPrinter().writeValueAsString(document) + "\n";
      if (quiet) {
        out.print(text);
        out.flush();
      } else {
        Files.writeString(Path.of(json), text);
      }
    }
    return breaches.isEmpty() ? 0 : 1;
  }

  /** The seed to begin with: of the family asked for, the first that is not smaller. */
  private long first() {
    if (family == null) {
      return seed;
    }
    long candidate = seed;
    while (PairFamily.of(candidate) != family) {
      candidate++;
    }
    return candidate;
  }

  private static String line(PairResult r) {
    return String.format(
        Locale.ROOT,
        "seed %d, %s: holds; %d packets, %d again, %d frames of which %d lost, %.3f ms, digest %016x",
        r.seed(),
        r.family(),
        r.dataPackets(),
        r.retransmitted(),
        r.framesSent(),
        r.framesLost(),
        r.endNs() / 1e6,
        r.digest());
  }

  private String summary(int broken) {
    String verdict = broken == 0 ? "every invariant held" : broken + " broke an invariant";
    return count
        + (count == 1 ? " seed: " : " seeds: ")
        + verdict
        + "; "
        + packets
        + " data packets, "
        + again
        + " sent again";
  }

  private static ObjectNode run(JsonMapper mapper, PairResult r) {
    ObjectNode node = mapper.createObjectNode();
    node.put("seed", r.seed()).put("family", r.family().name()).put("end_ns", r.endNs());
    node.put("data_packets", r.dataPackets()).put("retransmitted", r.retransmitted());
    node.put("frames", r.framesSent()).put("lost", r.framesLost());
    node.put("completions", r.completions()).put("failed_qps", r.failedQps());
    node.put("digest", String.format(Locale.ROOT, "%016x", r.digest()));
    return node;
  }

  private static ObjectNode breach(JsonMapper mapper, InvariantBreach breach, long at) {
    ObjectNode node = mapper.createObjectNode();
    node.put("seed", at).put("family", PairFamily.of(at).name());
    node.put("invariant", breach.invariant().name()).put("at_ns", breach.atNs());
    node.put("message", String.valueOf(breach.getMessage()));
    return node;
  }
}
