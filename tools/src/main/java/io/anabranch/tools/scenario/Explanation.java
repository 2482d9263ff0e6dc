package io.anabranch.tools.scenario;

import io.anabranch.fabric.Transport;
import io.anabranch.fabric.link.EcnRamp;
import io.anabranch.fabric.link.QueueConfig;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A scenario in full, as a scenario file: derived figures as comments, every default written out.
 */
public final class Explanation {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_./%-]*");

  private final StringBuilder out = new StringBuilder();

  private Explanation() {}

  /** The text; it reads back as the same scenario. */
  public static String of(Scenario scenario) {
    Explanation text = new Explanation();
    text.figures(scenario);
    text.keys(scenario.filled(), 0);
    return text.out.toString();
  }

  private void figures(Scenario scenario) {
    Figures f = scenario.figures();
    var topology = scenario.topology();
    comment(
        String.format(
            Locale.ROOT,
            "%,d hosts, %,d links (one direction each), %d %s",
            f.hosts(),
            f.links(),
            topology.planes(),
            topology.planes() == 1 ? "plane" : "planes"));
    comment(
        String.format(
            Locale.ROOT,
            "host rate %s a plane, %s in all",
            Quantity.RATE.format(topology.hostLink().rateBitsPerSecond()),
            Quantity.RATE.format(Figures.hostRate(topology))));
    comment(
        String.format(
            Locale.ROOT,
            "base RTT %s over %d links each way, configured %s; BDP %,d B a plane",
            Quantity.TIME.format(f.baseRttPs()),
            f.diameterLinks(),
            Quantity.TIME.format(configuredRttPs(scenario)),
            f.bdpBytes()));
    int packet = scenario.sizes().dataBytes(scenario.transport().mtuBytes());
    TopologyReader.queues(topology).forEach((kind, queue) -> queue(kind, queue, packet));
    comment(
        String.format(
            Locale.ROOT,
            "%,d %s, %,d B to move in %,d packets of at most %,d B on a link",
            scenario.traffic().flows(),
            scenario.traffic().flows() == 1 ? "flow" : "flows",
            f.payloadBytes(),
            f.packets(),
            packet));
    comment(String.format(Locale.ROOT, "ideal time %s", Quantity.TIME.format(f.idealPs())));
    comment("to be computed in about " + cost(f.estimate()));
  }

  private static long configuredRttPs(Scenario scenario) {
    return scenario.transport() instanceof Transport.Mrc(var mrc)
        ? mrc.baseRttNs() * 1000
        : scenario.figures().baseRttPs();
  }

  /** What a run is going to cost, in words. */
  public static String cost(Estimate estimate) {
    return String.format(
        Locale.ROOT,
        "%.1f s of CPU and %,.0f MiB: %,d hops",
        estimate.cpuS(),
        estimate.memoryMib(),
        estimate.hops());
  }

  private void queue(String kind, QueueConfig queue, int packetBytes) {
    EcnRamp ecn = queue.ecn();
    comment(
        String.format(
            Locale.ROOT,
            "%s: data queue %.1f packets, ECN %s",
            kind,
            (double) queue.dataBytes() / packetBytes,
            ecn == null
                ? "off"
                : String.format(
                    Locale.ROOT,
                    "%.1f … %.1f packets",
                    (double) ecn.lowBytes() / packetBytes,
                    (double) ecn.highBytes() / packetBytes)));
  }

  private void comment(String text) {
    out.append("# ").append(text).append('\n');
  }

  private void keys(Map<?, ?> keys, int indent) {
    keys.forEach((key, value) -> {
      out.append(" ".repeat(indent)).append(key).append(':');
      value(value, indent + 2);
    });
  }

  private void value(Object value, int indent) {
    switch (value) {
      case Map<?, ?> keys when keys.isEmpty() -> out.append(" {}\n");
      case Map<?, ?> keys -> {
        out.append('\n');
        keys(keys, indent);
      }
      case List<?> items when items.isEmpty() -> out.append(" []\n");
      case List<?> items -> {
        out.append('\n');
        for (Object item : items) {
          out.append(" ".repeat(indent)).append('-');
          if (item instanceof Map<?, ?> keys) {
            item(keys, indent + 2);
          } else {
            value(item, indent + 2);
          }
        }
      }
      default -> out.append(' ').append(scalar(value.toString())).append('\n');
    }
  }

  /** A group in a list: its first key stands behind the hyphen. */
  private void item(Map<?, ?> keys, int indent) {
    int at = out.length();
    keys(keys, indent);
    out.delete(at, at + indent);
    out.insert(at, ' ');
  }

  private static String scalar(String text) {
    if (PLAIN.matcher(text).matches() && !text.equalsIgnoreCase("null")) {
      return text;
    }
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
  }
}
