package io.anabranch.tools.topo;

import io.anabranch.fabric.topology.GraphConfig;
import io.anabranch.fabric.topology.TopologyConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/** Draws a topology as SVG: one plane, and of many switches alike the first few and the last. */
public final class TopologySvg {
  private static final int MARGIN = 24;
  private static final int LABELS = 190;
  private static final int BOX = 112;
  private static final int BOX_HEIGHT = 34;
  private static final int HOST_HEIGHT = 40;
  private static final int BETWEEN = 18;
  private static final int GAP = 34;
  private static final int ROW = 130;
  private static final int TITLE = 64;
  private static final int LINE = 20;
  private static final int SHADOW = 4;

  private record At(int x, int y) {}

  private final TopologyFigures figures;
  private final Shown shown;
  private final boolean stacked;
  private final boolean graph;
  private final SortedMap<Integer, At> places = new TreeMap<>();
  private final List<int[]> gaps = new ArrayList<>();
  private final StringBuilder frames = new StringBuilder();
  private final StringBuilder captions = new StringBuilder();
  private final StringBuilder out = new StringBuilder();
  private final int rows;

  private TopologySvg(TopologyConfig config) {
    figures = TopologyFigures.of(config);
    shown = new Shown(config);
    graph = config instanceof GraphConfig;
    stacked = config.planes() > 1 && !graph;
    rows = shown.tiers.count();
  }

  /** The drawing of a topology. */
  public static String of(String title, TopologyConfig config) {
    return new TopologySvg(config).draw(title);
  }

  private int rowY(int tier) {
    return TITLE + MARGIN + (rows - 1 - tier) * ROW;
  }

  private static int width(List<Integer> row) {
    int width = -BETWEEN;
    for (int node : row) {
      width += BETWEEN + (node == Shown.GAP ? GAP : BOX);
    }
    return width;
  }

  private void place(List<Integer> row, int center, int tier) {
    int x = center - width(row) / 2;
    for (int node : row) {
      if (node == Shown.GAP) {
        gaps.add(new int[] {x + GAP / 2, rowY(tier) + BOX_HEIGHT / 2});
        x += GAP + BETWEEN;
      } else {
        places.put(node, new At(x, rowY(tier)));
        x += BOX + BETWEEN;
      }
    }
  }

  private String draw(String title) {
    int x = MARGIN + LABELS;
    int left = x;
    int hostsY = rowY(0) + BOX_HEIGHT + 42;
    for (Shown.Group group : shown.groups) {
      if (group.rows().isEmpty()) {
        gaps.add(new int[] {x + GAP / 2, rowY(0) + BOX_HEIGHT / 2 - ROW / 2});
        x += GAP + BETWEEN;
        continue;
      }
      int width = 0;
      for (List<Integer> row : group.rows()) {
        width = Math.max(width, width(row));
      }
      boolean framed = !group.label().isEmpty();
      int pad = framed ? 14 : 0;
      for (int t = 0; t < group.rows().size(); t++) {
        place(group.rows().get(t), x + pad + width / 2, t);
      }
      if (framed) {
        int top = rowY(group.rows().size() - 1) - 30;
        frames.append(
            String.format(
                Locale.ROOT,
                "<rect class=\"pod\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"10\"/>%n",
                x,
                top,
                width + 2 * pad,
                hostsY + HOST_HEIGHT + 12 - top));
        captions.append(text(x + 10, top + 17, "note halo", group.label()));
      }
      x += width + 2 * pad + BETWEEN;
    }
    int right = x - BETWEEN;
    int widest = right - left;
    for (List<Integer> row : shown.above) {
      widest = Math.max(widest, width(row));
    }
    for (int i = 0; i < shown.above.size(); i++) {
      int tier = rows - shown.above.size() + i;
      place(shown.above.get(i), left + widest / 2, tier);
    }
    List<String> notes = notes();
    int height = hostsY + HOST_HEIGHT + 2 * MARGIN + notes.size() * LINE;
    int full = Math.max(left + widest + MARGIN, 720);
    head(title, full, height);
    out.append(frames);
    lines(hostsY);
    out.append(captions);
    boxes(hostsY);
    for (int[] gap : gaps) {
      out.append(text(gap[0] - 8, gap[1] + 4, "gap", "…"));
    }
    labels(hostsY);
    int y = hostsY + HOST_HEIGHT + MARGIN + LINE;
    for (String note : notes) {
      out.append(text(MARGIN, y, "note", note));
      y += LINE;
    }
    return out.append("</svg>\n").toString();
  }

  private void head(String title, int width, int height) {
    out.append(
        String.format(
            Locale.ROOT,
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">
            <title>%s</title>
            <style>
            text { font-family: system-ui, sans-serif; font-size: 13px; fill: #1c2430; }
            .title { font-size: 18px; font-weight: 600; }
            .tier { font-weight: 600; }
            .note, .small { fill: #566070; font-size: 12px; }
            .gap { font-size: 20px; fill: #566070; }
            .halo { paint-order: stroke; stroke: #fafbfc; stroke-width: 5px; }
            .mid { text-anchor: middle; }
            .switch { fill: #e9f0fb; stroke: #35578f; }
            .shadow { fill: #f6f9fe; stroke: #a9b9d4; }
            .host { fill: #f5f3ec; stroke: #8d8570; }
            .pod { fill: #fafbfc; stroke: #d5dae2; }
            .cable { stroke: #8ea0bf; stroke-width: 1; fill: none; }
            .many { stroke-width: 2.5; }
            </style>
            <rect width="100%%" height="100%%" fill="#ffffff"/>
            """,
            width,
            height,
            width,
            height,
            escaped(title)));
    out.append(text(MARGIN, MARGIN + 12, "title", title));
    String planes =
        figures.planes() == 1
            ? "one plane"
            : graph
                ? figures.planes() + " ports a host"
                : figures.planes() + " planes alike, one of them drawn";
    out.append(
        text(
            MARGIN,
            MARGIN + 34,
            "note",
            String.format(
                Locale.ROOT,
                "%s, %,d hosts of %s Gb/s, %s",
                figures.kind(),
                figures.hosts(),
                number(figures.nicGbps()),
                planes)));
  }

  private void lines(int hostsY) {
    shown
        .cables()
        .forEach((pair, n) -> {
          At a = places.get(pair.lower());
          At b = places.get(pair.upper());
          if (a == null || b == null) {
            return;
          }
          int ax = a.x + BOX / 2;
          int bx = b.x + BOX / 2;
          String kind = n > 1 ? "cable many" : "cable";
          if (a.y == b.y) {
            int y = a.y;
            out.append(
                String.format(
                    Locale.ROOT,
                    "<path class=\"%s\" d=\"M%d %d Q%d %d %d %d\"/>%n",
                    kind,
                    ax,
                    y,
                    (ax + bx) / 2,
                    y - 56,
                    bx,
                    y));
            many(n, (ax + bx) / 2, y - 32);
          } else {
            line(kind, ax, a.y, bx, b.y + BOX_HEIGHT);
            many(n, (ax + bx) / 2 + 5, (a.y + b.y + BOX_HEIGHT) / 2);
          }
        });
    places.forEach((node, at) -> {
      if (shown.hostPorts(node) > 0) {
        line("cable many", at.x + BOX / 2, at.y + BOX_HEIGHT, at.x + BOX / 2, hostsY);
      }
    });
  }

  private void many(int n, int x, int y) {
    if (n > 1) {
      out.append(text(x, y, "small halo", "×" + n));
    }
  }

  private void line(String kind, int x1, int y1, int x2, int y2) {
    out.append(
        String.format(
            Locale.ROOT,
            "<line class=\"%s\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>%n",
            kind,
            x1,
            y1,
            x2,
            y2));
  }

  private void boxes(int hostsY) {
    places.forEach((node, at) -> {
      for (int i = stacked ? 2 : 0; i > 0; i--) {
        box("shadow", at.x + i * SHADOW, at.y - i * SHADOW, BOX_HEIGHT);
      }
      box("switch", at.x, at.y, BOX_HEIGHT);
      String name = shown.wiring.switchName(node);
      String plain = graph ? name : name.substring(name.indexOf('.') + 1);
      out.append(text(at.x + BOX / 2, at.y + 22, "mid", plain));
      int ports = shown.hostPorts(node);
      if (ports > 0) {
        box("host", at.x, hostsY, HOST_HEIGHT);
        String what = ports == 1 ? "1 host" : ports + (graph ? " ports" : " hosts");
        out.append(text(at.x + BOX / 2, hostsY + 17, "mid small", what));
        out.append(text(at.x + BOX / 2, hostsY + 33, "mid small", shown.hosts(node)));
      }
    });
  }

  private void box(String kind, int x, int y, int height) {
    out.append(
        String.format(
            Locale.ROOT,
            "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\"/>%n",
            kind,
            x,
            y,
            BOX,
            height));
  }

  private void labels(int hostsY) {
    for (int t = 0; t < figures.tiers().size(); t++) {
      TopologyFigures.Tier tier = figures.tiers().get(t);
      int y = rowY(t) + 14;
      String each =
          stacked
              ? String.format(
                  Locale.ROOT,
                  "%,d a plane, %,d in all",
                  tier.switches() / figures.planes(),
                  tier.switches())
              : String.format(Locale.ROOT, "%,d", tier.switches());
      out.append(text(MARGIN, y, "tier", tier.tier().toUpperCase(Locale.ROOT)));
      out.append(text(MARGIN, y + 17, "note", each));
      out.append(
          text(
              MARGIN,
              y + 33,
              "note",
              String.format(
                  Locale.ROOT, "%,d ports, %s Tb/s", tier.ports(), number(tier.gbps() / 1000))));
    }
    out.append(text(MARGIN, hostsY + 17, "tier", "Hosts"));
    out.append(
        text(MARGIN, hostsY + 33, "note", String.format(Locale.ROOT, "%,d", figures.hosts())));
  }

  private List<String> notes() {
    List<String> notes = new ArrayList<>();
    for (TopologyFigures.Links links : figures.links()) {
      notes.add(
          String.format(
              Locale.ROOT,
              "%s: %,d cables of %s Gb/s",
              links.between(),
              links.cables(),
              number(links.gbps())));
    }
    notes.add(
        String.format(
            Locale.ROOT,
            "%,d paths between hosts farthest apart, of %d links each",
            figures.paths().perPair(),
            figures.paths().links()));
    return notes;
  }

  /** A figure without needless zeros. */
  static String number(double value) {
    String text = String.format(Locale.ROOT, "%,.3f", value);
    return text.replaceFirst("\\.?0+$", "");
  }

  private static String text(int x, int y, String kind, String content) {
    return String.format(
        Locale.ROOT,
        "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>%n",
        kind,
        x,
        y,
        escaped(content));
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
