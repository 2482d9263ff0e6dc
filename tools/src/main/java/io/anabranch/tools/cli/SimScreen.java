package io.anabranch.tools.cli;

import io.anabranch.tools.run.SimResult;
import io.anabranch.tools.run.SimWatch;
import io.anabranch.tools.scenario.Quantity;
import io.anabranch.tools.scenario.Scenario;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a person sees of a simulation: a line that changes, and the figures at the end. */
final class SimScreen implements SimWatch {
  private static final int MAX_FAULTS = 10;

  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean quiet;
  private final boolean watched;
  private int width;

  SimScreen(PrintWriter out, PrintWriter err, boolean quiet) {
    this.out = out;
    this.err = err;
    this.quiet = quiet;
    watched = !quiet && Terminal.interactive();
  }

  @Override
  public boolean wanted() {
    return watched;
  }

  @Override
  public void progress(long nowPs, long events, double done, long wallNs) {
    show(line(nowPs, events, done, wallNs));
  }

  static String line(long nowPs, long events, double done, long wallNs) {
    double seconds = Math.max(1, wallNs) / 1e9;
    String left =
        done <= 0 ? "" : String.format(Locale.ROOT, ", %.0f s left", seconds * (1 - done) / done);
    return String.format(
        Locale.ROOT,
        "%.3f us simulated, %.2f M events/s, %.0f %% done%s",
        nowPs / 1e6,
        events / seconds / 1e6,
        100 * done,
        left);
  }

  /** A line before the run, if there is one and someone watches. */
  void announce(@Nullable String text) {
    if (watched && text != null) {
      err.println(text);
      err.flush();
    }
  }

  /** Removes the line. */
  void clear() {
    if (width > 0) {
      show("");
    }
  }

  private void show(String text) {
    err.print("\r" + text + " ".repeat(Math.max(0, width - text.length())) + "\r");
    err.flush();
    width = text.length();
  }

  /** The end: figures, what was missed, the verdict. */
  void story(Scenario scenario, SimResult result) {
    if (!quiet) {
      figures(scenario, result);
    }
    PrintWriter to = quiet ? err : out;
    if (result.expect() != null) {
      for (SimResult.Expected each : result.expect()) {
        if (!each.ok()) {
          BigDecimal got = each.got();
          to.println(
              "MISSED: "
                  + each.field()
                  + " is "
                  + (got == null ? "not there" : got.toPlainString())
                  + ", expected "
                  + each.want());
        }
      }
    }
    String reason = result.reason();
    if (reason != null) {
      to.println(result.result() + ": " + reason);
    } else if (!quiet) {
      to.println(result.result());
    }
    to.flush();
  }

  private void figures(Scenario scenario, SimResult result) {
    SimResult.Flows flows = result.flows();
    SimResult.Packets packets = result.packets();
    SimResult.Fct fct = flows.fctUs();
    out.println(
        result.scenario() + (scenario.about().isEmpty() ? "" : ": " + scenario.about().strip()));
    row(
        "flows",
        "%,d of %,d completed, %,d failed, %,d unfinished; seed %d",
        flows.completed(),
        flows.count(),
        flows.failed(),
        flows.unfinished(),
        result.seed());
    row(
        "time",
        "%s us simulated, last finish %s us, ideal %s",
        text(result.simulatedUs()),
        text(flows.lastFinishUs()),
        Quantity.TIME.format(scenario.figures().idealPs()));
    row(
        "fct us",
        "min %s, p50 %s, p99 %s, max %s",
        text(fct.min()),
        text(fct.p50()),
        text(fct.p99()),
        text(fct.max()));
    BigDecimal goodput = flows.goodputGbps();
    row("goodput", "%s", goodput == null ? "-" : String.format(Locale.ROOT, "%,.1f Gb/s", goodput));
    row(
        "packets",
        "%,d delivered, %,d sent again, %,d trimmed, %,d dropped, %,d marked",
        packets.delivered(),
        packets.retransmitted(),
        packets.trimmed(),
        packets.dropped().getOrDefault("total", 0L),
        packets.ecnMarked());
    packets
        .dropped()
        .forEach((cause, count) -> {
          if (!cause.equals("total")) {
            row("dropped", "%,d by %s", count, cause.replace('_', ' '));
          }
        });
    if (result.planes().size() > 1) {
      StringBuilder planes = new StringBuilder();
      for (SimResult.Plane plane : result.planes()) {
        planes.append(
            String.format(
                Locale.ROOT,
                "%s%d: %.1f %%",
                planes.isEmpty() ? "" : ", ",
                plane.plane(),
                100 * plane.share()));
      }
      row("planes", "%s", planes);
    }
    for (SimResult.EvUse use : result.evs()) {
      StringBuilder shares = new StringBuilder();
      for (SimResult.EvShare share : use.shares()) {
        shares.append(
            String.format(
                Locale.ROOT,
                "%sp%d ev %d: %.1f %%",
                shares.isEmpty() ? "" : ", ",
                share.plane(),
                share.ev(),
                100 * share.share()));
      }
      row("evs", "host %d, queue pair %d: %s", use.host(), use.qp(), shares);
    }
    for (SimResult.Job job : result.jobs()) {
      SimResult.Flows own = job.flows();
      row(
          "job",
          "%s: %,d of %,d flows completed, %,d rounds, p50 %s, max %s us, %,d sent again",
          job.name(),
          own.completed(),
          own.count(),
          job.rounds().completed(),
          text(own.fctUs().p50()),
          text(own.fctUs().max()),
          job.packets().retransmitted());
    }
    SimResult.Limits limits = result.limits();
    row(
        "limited",
        "by %s: hosts had something to send for %.0f %% of their time and used %.0f %% of it;"
            + " links between switches %.0f %% used, queues %.0f %%; last hops %.0f %%, %.0f %%",
        result.limitedBy().replace('_', ' '),
        100 * limits.sending(),
        100 * limits.host(),
        100 * limits.fabricCore(),
        100 * limits.fabricCoreQueue(),
        100 * limits.lastHop(),
        100 * limits.lastHopQueue());
    faults(result);
    SimResult.Host host = result.host();
    row(
        "host",
        "%.2f s, %.2f CPU s, %,.0f MiB, %,d events, %,d hops, %.2f M hops by CPU s",
        host.wallS(),
        host.cpuS(),
        host.peakMib(),
        host.events(),
        packets.hops(),
        host.hopsPerCpuS() / 1e6);
    if (result.expect() != null) {
      long met = result.expect().stream().filter(SimResult.Expected::ok).count();
      row("expected", "%d of %d met", met, result.expect().size());
    }
  }

  private void faults(SimResult result) {
    for (SimResult.Phase phase : result.phases()) {
      BigDecimal goodput = phase.goodputGbps();
      row(
          "phase",
          "%s: %s",
          phase.name(),
          goodput == null ? "-" : String.format(Locale.ROOT, "%,.1f Gb/s", goodput));
    }
    int shown = Math.min(MAX_FAULTS, result.faults().size());
    for (SimResult.Fault fault : result.faults().subList(0, shown)) {
      row(
          "fault",
          "%s %s at %s us: %,d packets lost, %,d sent again, %,d of %,d paths left, the last after"
              + " %s us",
          fault.kind(),
          fault.target(),
          text(fault.startUs()),
          fault.packetsLost(),
          fault.copiesResent(),
          fault.pathsLeft(),
          fault.paths(),
          text(fault.lastLeftUs()));
    }
    if (shown < result.faults().size()) {
      row("fault", "%,d more; --json tells all", result.faults().size() - shown);
    }
  }

  private static String text(@Nullable BigDecimal value) {
    return value == null ? "-" : value.toPlainString();
  }

  @SuppressWarnings("AnnotateFormatMethod")
  private void row(String name, String format, Object... values) {
    out.println(
        String.format(Locale.ROOT, "%-9s ", name) + String.format(Locale.ROOT, format, values));
  }
}
