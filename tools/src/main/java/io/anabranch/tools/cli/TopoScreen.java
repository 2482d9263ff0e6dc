package io.anabranch.tools.cli;

import io.anabranch.tools.run.SimResult;
import io.anabranch.tools.run.TopoResult;
import io.anabranch.tools.scenario.Scenario;
import io.anabranch.tools.topo.TopologyFigures;
import java.io.PrintWriter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What {@code mrc topo} tells people. */
final class TopoScreen {
  private final PrintWriter out;

  TopoScreen(PrintWriter out) {
    this.out = out;
  }

  /** All figures, a line each. */
  void story(Scenario scenario, TopoResult result) {
    TopologyFigures t = result.topology();
    String about = scenario.about().strip();
    out.println(result.scenario() + (about.isEmpty() ? "" : ": " + about));
    row(
        t.kind(),
        "%,d NICs of %s Gb/s, %,d %s, %,d switches",
        t.hosts(),
        number(t.nicGbps()),
        t.planes(),
        t.planes() == 1 ? "plane" : "planes",
        t.switches());
    for (TopologyFigures.Tier tier : t.tiers()) {
      Double over = tier.oversubscription();
      row(
          tier.tier(),
          "%,d switches of %,d ports, %s Tb/s%s",
          tier.switches(),
          tier.ports(),
          number(tier.gbps() / 1000),
          over == null ? "" : ", down to up " + number(over) + " : 1");
    }
    for (TopologyFigures.Links links : t.links()) {
      row(links.between(), "%,d cables of %s Gb/s", links.cables(), number(links.gbps()));
    }
    row(
        "optics",
        "%s modules of %s Gb/s, one at each end of a cable; %s a NIC",
        number(t.optics()),
        number(t.nicGbps()),
        number(t.perNic().optics()));
    row(
        "paths",
        "%,d between hosts farthest apart, %,d a plane, of %d links each",
        t.paths().perPair(),
        t.paths().perPlane(),
        t.paths().links());
    row(
        "bisection",
        "%s Tb/s each way, %s",
        number(t.bisectionGbps() / 1000),
        switch (t.bisectionBy()) {
          case "tiers" -> "across the upper tiers";
          case "all-halves" -> "between any two halves of the hosts";
          default -> "or less: of halves of neighbours only";
        });
    for (TopologyFigures.Failure failure : t.failures()) {
      Double ofUplinks = failure.ofUplinks();
      row(
          "one fails",
          "%s, of %,d: %s %s %s %% of %s paths%s",
          failure.element(),
          failure.count(),
          String.format(Locale.ROOT, "%,d", failure.hosts()),
          failure.hosts() == 1 ? "host loses" : "hosts lose",
          number(100 * failure.ofPaths()),
          failure.hosts() == 1 ? "its" : "their",
          ofUplinks == null ? "" : ", its switch " + number(100 * ofUplinks) + " % of its uplinks");
    }
    compared(t, t.compared());
    if (result.expect() != null) {
      long met = result.expect().stream().filter(SimResult.Expected::ok).count();
      row("expected", "%d of %d met", met, result.expect().size());
    }
    out.flush();
  }

  private void compared(TopologyFigures t, TopologyFigures.@Nullable ThreeTiers there) {
    if (there == null) {
      row("compared", "not: a switch has no two ports of a NIC's whole rate");
      return;
    }
    row(
        "compared",
        "three tiers, one plane, %,d ports of %s Gb/s a switch: ends at %,d NICs, %,d switches",
        there.radix(),
        number(t.nicGbps()),
        there.hosts(),
        there.switches());
    row(
        "",
        "switches per NIC %s, there %s: %s of them",
        number(t.perNic().switches()),
        number(there.perNic().switches()),
        number(there.switchesRatio()));
    row(
        "",
        "optics per NIC %s, there %s: %s of them",
        number(t.perNic().optics()),
        number(there.perNic().optics()),
        number(there.opticsRatio()));
    row("", "a T0-T1 link there is %s %% of its T0's uplinks", number(100 * there.ofUplinks()));
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%,.4f", value).replaceFirst("\\.?0+$", "");
  }

  @SuppressWarnings("AnnotateFormatMethod")
  private void row(String name, String format, Object... values) {
    out.println(
        String.format(Locale.ROOT, "%-10s ", name) + String.format(Locale.ROOT, format, values));
  }
}
