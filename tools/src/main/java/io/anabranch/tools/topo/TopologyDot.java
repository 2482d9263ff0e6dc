package io.anabranch.tools.topo;

import io.anabranch.fabric.topology.Routing;
import io.anabranch.fabric.topology.Topology;
import io.anabranch.fabric.topology.TopologyConfig;
import java.util.Locale;

/**
 * A topology in Graphviz's language: every node and cable, or, where there are too many to be
 * drawn, one node a tier with counts.
 */
public final class TopologyDot {
  private static final int MOST_CABLES = 5000;

  private TopologyDot() {}

  /** The text of a topology. */
  public static String of(TopologyConfig config) {
    StringBuilder out = new StringBuilder("graph topology {\n  node [shape=box];\n");
    if (config.links() / 2 <= MOST_CABLES) {
      cables(config.wiring(Routing.ECMP, 0), out);
    } else {
      tiers(TopologyFigures.of(config), out);
    }
    return out.append("}\n").toString();
  }

  private static void cables(Topology wiring, StringBuilder out) {
    Tiers tiers = new Tiers(wiring);
    for (int node = 0; node < wiring.switches(); node++) {
      out.append(
          String.format(
              Locale.ROOT, "  \"%s\" [group=\"t%d\"];%n", wiring.switchName(node), tiers.of(node)));
    }
    for (int node = 0; node < wiring.switches(); node++) {
      for (int port = 0; port < wiring.ports(node); port++) {
        int link = wiring.port(node, port);
        int other = wiring.switchAt(link);
        int order = other == Topology.HOST ? -1 : Integer.compare(tiers.of(node), tiers.of(other));
        if (order < 0 || order == 0 && link < wiring.reverse(link)) {
          String end =
              other == Topology.HOST ? "h" + wiring.hostAt(link) : wiring.switchName(other);
          out.append(
              String.format(
                  Locale.ROOT,
                  "  \"%s\" -- \"%s\" [label=\"%sG\"];%n",
                  wiring.switchName(node),
                  end,
                  TopologySvg.number(wiring.linkOf(wiring.kind(link)).rateBitsPerSecond() / 1e9)));
        }
      }
    }
  }

  private static void tiers(TopologyFigures figures, StringBuilder out) {
    out.append(String.format(Locale.ROOT, "  \"hosts\" [label=\"%,d hosts\"];%n", figures.hosts()));
    for (TopologyFigures.Tier tier : figures.tiers()) {
      out.append(
          String.format(
              Locale.ROOT,
              "  \"%s\" [label=\"%s: %,d switches of %,d ports\"];%n",
              tier.tier(),
              tier.tier().toUpperCase(Locale.ROOT),
              tier.switches(),
              tier.ports()));
    }
    for (TopologyFigures.Links links : figures.links()) {
      int dash = links.between().indexOf('-');
      out.append(
          String.format(
              Locale.ROOT,
              "  \"%s\" -- \"%s\" [label=\"%,d of %sG\"];%n",
              links.between().substring(0, dash),
              links.between().substring(dash + 1),
              links.cables(),
              TopologySvg.number(links.gbps())));
    }
  }
}
