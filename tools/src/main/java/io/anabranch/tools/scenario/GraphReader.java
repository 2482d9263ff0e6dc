package io.anabranch.tools.scenario;

import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.link.QueueConfig;
import io.anabranch.fabric.topology.Forwarding;
import io.anabranch.fabric.topology.GraphConfig;
import io.anabranch.fabric.topology.GraphConfig.Cable;
import io.anabranch.fabric.topology.Routing;
import io.anabranch.fabric.topology.TopologyConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.regex.Pattern;

/**
 * Reads {@code topology} of kind graph: a list of links between hosts {@code h0}, {@code h1}, … and
 * switches, which are whatever else is named.
 */
final class GraphReader {
  private static final Pattern HOST = Pattern.compile("h(0|[1-9][0-9]{0,6})");
  private static final Pattern SWITCH = Pattern.compile("[a-z][a-z0-9_-]{0,30}");
  private static final String NAMES = "a host (h0, h1, …), or a switch's name such as s0 or left";

  private final Fields fields;
  private final QueueConfig queue;
  private final SequencedMap<String, Integer> switches = new LinkedHashMap<>();
  private final List<Cable> cables = new ArrayList<>();
  private final List<Object> filled = new ArrayList<>();
  private boolean good = true;

  /**
   * @param queue in place of queues not read yet
   */
  GraphReader(Fields fields, QueueConfig queue) {
    this.fields = fields;
    this.queue = queue;
  }

  /** A network that cannot be is a mistake, and a small one. */
  TopologyConfig read() {
    fields.need("hosts", "2…" + GraphConfig.MAX_HOSTS);
    int hosts = fields.count("hosts", 2, 2, GraphConfig.MAX_HOSTS);
    long switchPs = TopologyReader.switchPs(fields);
    Forwarding forwarding = TopologyReader.forwarding(fields);
    List<Node> items = fields.items("links");
    if (items.isEmpty()) {
      String links = "a list of at least one {from: NODE, to: NODE, …}";
      if (fields.has("links")) {
        fields.mistakes().add(fields.place("links"), fields.path("links"), "allowed " + links);
      } else {
        fields.need("links", links);
      }
      good = false;
    }
    for (int i = 0; i < items.size(); i++) {
      Fields link = Fields.of(items.get(i), fields.path("links." + i), fields.mistakes());
      link(link, hosts);
      link.end();
      filled.add(link.filled());
    }
    fields.filled().put("links", filled);
    if (good) {
      try {
        GraphConfig config =
            new GraphConfig(
                hosts,
                List.copyOf(switches.sequencedKeySet()),
                cables,
                queue,
                queue,
                switchPs,
                forwarding);
        config.wiring(Routing.ECMP, 0); // every host must reach every other
        return config;
      } catch (IllegalArgumentException e) {
        fields
            .mistakes()
            .add(fields.place("links"), fields.path("links"), String.valueOf(e.getMessage()));
      }
    }
    LinkConfig link = TopologyReader.DEFAULT_LINK;
    List<Cable> two = List.of(new Cable(0, 2, link), new Cable(1, 2, link));
    return new GraphConfig(2, List.of("s0"), two, queue, queue, switchPs, forwarding);
  }

  private void link(Fields link, int hosts) {
    int from = node(link, "from", hosts);
    int to = node(link, "to", hosts);
    int count = link.count("count", 1, 1, GraphConfig.MAX_CABLES);
    LinkConfig config = TopologyReader.link(link, TopologyReader.DEFAULT_LINK);
    if (from < 0 || to < 0) {
      good = false;
      return;
    }
    if (from == to || from < hosts && to < hosts) {
      link.refuse("to", from < hosts ? "a switch" : "another node");
      good = false;
      return;
    }
    if (cables.size() + count > GraphConfig.MAX_CABLES) {
      link.refuse("count", "at most " + GraphConfig.MAX_CABLES + " links in all");
      good = false;
      return;
    }
    for (int i = 0; i < count; i++) {
      cables.add(new Cable(from, to, config));
    }
  }

  /** A node's number, or −1. */
  private int node(Fields link, String key, int hosts) {
    link.need(key, NAMES);
    String name = link.text(key, "");
    var host = HOST.matcher(name);
    if (host.matches()) {
      int number = Integer.parseInt(host.group(1));
      if (number < hosts) {
        return number;
      }
      link.refuse(key, "hosts h0…h" + (hosts - 1));
    } else if (!SWITCH.matcher(name).matches()) {
      if (!name.isEmpty()) {
        link.refuse(key, NAMES);
      }
    } else if (switches.containsKey(name) || switches.size() < GraphConfig.MAX_SWITCHES) {
      return hosts + switches.computeIfAbsent(name, n -> switches.size());
    } else {
      link.refuse(key, "at most " + GraphConfig.MAX_SWITCHES + " switches");
    }
    return -1;
  }
}
