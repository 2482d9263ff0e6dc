package io.anabranch.tools.scenario;

import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.link.Overflow;
import io.anabranch.fabric.link.QueueConfig;
import io.anabranch.fabric.topology.Forwarding;
import io.anabranch.fabric.topology.GraphConfig;
import io.anabranch.fabric.topology.ThreeTierConfig;
import io.anabranch.fabric.topology.TopologyConfig;
import io.anabranch.fabric.topology.TwoTierConfig;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/** Reads {@code topology}, and the queues that its kind of network has. */
final class TopologyReader {
  static final LinkConfig DEFAULT_LINK = new LinkConfig(400_000_000_000L, 1_000_000);

  private static final long MIN_RATE = 1_000_000;
  private static final long MAX_RATE = 10_000_000_000_000L;
  private static final long MAX_DELAY_PS = 1_000_000_000_000L;
  private static final long MAX_SWITCH_PS = 1_000_000_000L;
  private static final int MAX_HOSTS = 1 << 20;
  private static final int MAX_COUNT = 65535;

  /** More would not fit into memory in any case. */
  private static final long MAX_LINKS = 1L << 24;

  private static final String LEAF_UP = "leaf_up";
  private static final String SPINE_UP = "spine_up";
  private static final String CORE_DOWN = "core_down";
  private static final String SPINE_DOWN = "spine_down";
  private static final String LEAF_DOWN = "leaf_down";
  private static final String TO_SWITCH = "to_switch";
  private static final String TO_HOST = "to_host";

  /** In place of queues not read yet; nothing that is asked of such a topology depends on it. */
  private static final QueueConfig ANY = new QueueConfig(1, 1, null, Overflow.TRIM, 0);

  /** Names of topologies. */
  enum Kind {
    TWO_TIER,
    THREE_TIER,
    ONE_SWITCH,
    GRAPH
  }

  private final Fields fields;

  TopologyReader(Fields fields) {
    this.fields = fields;
  }

  /** Reads all but the queues. A network of a size that cannot be is a mistake, and a small one. */
  TopologyConfig read() {
    Kind kind = fields.choice("kind", Kind.TWO_TIER, Kind.class);
    TopologyConfig config =
        switch (kind) {
          case TWO_TIER -> twoTier();
          case THREE_TIER -> threeTier();
          case ONE_SWITCH -> oneSwitch();
          case GRAPH -> new GraphReader(fields, ANY).read();
        };
    fields.end();
    return config;
  }

  private TopologyConfig twoTier() {
    int planes = planes();
    int leaves = needed("leaves", 2);
    int hostsPerLeaf = needed("hosts_per_leaf", 2);
    int spines = needed("spines", 1);
    LinkConfig hostLink = hostLink();
    LinkConfig fabricLink = link("fabric_link", hostLink);
    long switchPs = switchPs();
    Forwarding forwarding = forwarding();
    boolean fits =
        fits((long) leaves * hostsPerLeaf, leaves + " leaves of " + hostsPerLeaf + " hosts")
            && fits(2L * planes * leaves * ((long) hostsPerLeaf + spines));
    return new TwoTierConfig(
        planes,
        fits ? leaves : 2,
        fits ? hostsPerLeaf : 2,
        fits ? spines : 1,
        hostLink,
        fabricLink,
        ANY,
        ANY,
        ANY,
        switchPs,
        forwarding);
  }

  private TopologyConfig threeTier() {
    int planes = planes();
    int pods = needed("pods", 2);
    int leavesPerPod = needed("leaves_per_pod", 1);
    int hostsPerLeaf = needed("hosts_per_leaf", 1);
    int spinesPerPod = needed("spines_per_pod", 1);
    int coresPerGroup = needed("cores_per_spine", 1);
    LinkConfig hostLink = hostLink();
    LinkConfig fabricLink = link("fabric_link", hostLink);
    LinkConfig coreLink = link("core_link", fabricLink);
    long switchPs = switchPs();
    Forwarding forwarding = forwarding();
    long leaves = (long) pods * leavesPerPod;
    String hosts = pods + " pods of " + leavesPerPod + " leaves of " + hostsPerLeaf + " hosts";
    double links =
        2.0
            * planes
            * (leaves * ((double) hostsPerLeaf + spinesPerPod)
                + (double) pods * spinesPerPod * coresPerGroup);
    boolean fits =
        fits((long) Math.min(1e18, (double) leaves * hostsPerLeaf), hosts) && fits((long) links);
    return new ThreeTierConfig(
        planes,
        fits ? pods : 2,
        fits ? leavesPerPod : 1,
        fits ? hostsPerLeaf : 1,
        fits ? spinesPerPod : 1,
        fits ? coresPerGroup : 1,
        hostLink,
        fabricLink,
        coreLink,
        ANY,
        ANY,
        ANY,
        ANY,
        ANY,
        switchPs,
        forwarding);
  }

  private TopologyConfig oneSwitch() {
    int planes = planes();
    fields.need("hosts", "2…" + MAX_COUNT);
    int hosts = fields.count("hosts", 2, 2, MAX_COUNT);
    LinkConfig link = hostLink();
    long switchPs = switchPs();
    return new TwoTierConfig(
        planes, 1, hosts, 0, link, link, ANY, ANY, ANY, switchPs, forwarding());
  }

  private int planes() {
    return fields.count("planes", 1, 1, 32);
  }

  private int needed(String key, int fallback) {
    fields.need(key, "1…" + MAX_COUNT);
    return fields.count(key, fallback, 1, MAX_COUNT);
  }

  private LinkConfig hostLink() {
    return link("host_link", DEFAULT_LINK);
  }

  private LinkConfig link(String key, LinkConfig fallback) {
    Fields link = fields.group(key);
    LinkConfig config = link(link, fallback);
    link.end();
    return config;
  }

  /** Reads {@code rate} and {@code delay}. */
  static LinkConfig link(Fields fields, LinkConfig fallback) {
    long rate =
        fields.quantity("rate", Quantity.RATE, fallback.rateBitsPerSecond(), MIN_RATE, MAX_RATE);
    long delay = fields.quantity("delay", Quantity.TIME, fallback.delayPs(), 0, MAX_DELAY_PS);
    return new LinkConfig(rate, delay);
  }

  private long switchPs() {
    return switchPs(fields);
  }

  static long switchPs(Fields fields) {
    return fields.quantity("switch_latency", Quantity.TIME, 0, 0, MAX_SWITCH_PS);
  }

  private Forwarding forwarding() {
    return forwarding(fields);
  }

  static Forwarding forwarding(Fields fields) {
    return fields.choice("forwarding", Forwarding.STORE_AND_FORWARD, Forwarding.class);
  }

  private boolean fits(long hosts, String what) {
    if (hosts >= 2 && hosts <= MAX_HOSTS) {
      return true;
    }
    fields
        .mistakes()
        .add(
            fields.place(),
            fields.path("hosts_per_leaf"),
            what + " are " + hosts + ", allowed 2…" + MAX_HOSTS);
    return false;
  }

  private boolean fits(long links) {
    if (links <= MAX_LINKS) {
      return true;
    }
    fields
        .mistakes()
        .add(fields.place(), "topology", "these are " + links + " links, allowed " + MAX_LINKS);
    return false;
  }

  /** The same network with its queues. */
  static TopologyConfig withQueues(TopologyConfig bare, QueueReader queues) {
    return switch (bare) {
      case TwoTierConfig c ->
          new TwoTierConfig(
              c.planes(),
              c.leaves(),
              c.hostsPerLeaf(),
              c.spines(),
              c.hostLink(),
              c.fabricLink(),
              c.spines() == 0 ? ANY : queues.read(LEAF_UP, true),
              c.spines() == 0 ? ANY : queues.read(SPINE_DOWN, true),
              queues.read(LEAF_DOWN, false),
              c.switchLatencyPs(),
              c.forwarding());
      case GraphConfig c ->
          new GraphConfig(
              c.hosts(),
              c.switches(),
              c.cables(),
              c.joinsSwitches() ? queues.read(TO_SWITCH, true) : ANY,
              queues.read(TO_HOST, false),
              c.switchLatencyPs(),
              c.forwarding());
      case ThreeTierConfig c ->
          new ThreeTierConfig(
              c.planes(),
              c.pods(),
              c.leavesPerPod(),
              c.hostsPerLeaf(),
              c.spinesPerPod(),
              c.coresPerGroup(),
              c.hostLink(),
              c.fabricLink(),
              c.coreLink(),
              queues.read(LEAF_UP, true),
              queues.read(SPINE_UP, true),
              queues.read(CORE_DOWN, true),
              queues.read(SPINE_DOWN, true),
              queues.read(LEAF_DOWN, false),
              c.switchLatencyPs(),
              c.forwarding());
    };
  }

  /** The queues of each kind of switch port, in the order in which packets meet them. */
  static SequencedMap<String, QueueConfig> queues(TopologyConfig config) {
    SequencedMap<String, QueueConfig> all = new LinkedHashMap<>();
    switch (config) {
      case GraphConfig c -> {
        if (c.joinsSwitches()) {
          all.put(TO_SWITCH, c.toSwitch());
        }
        all.put(TO_HOST, c.toHost());
      }
      case TwoTierConfig c -> {
        if (c.spines() > 0) {
          all.put(LEAF_UP, c.leafUp());
          all.put(SPINE_DOWN, c.spineDown());
        }
        all.put(LEAF_DOWN, c.leafDown());
      }
      case ThreeTierConfig c -> {
        all.put(LEAF_UP, c.leafUp());
        all.put(SPINE_UP, c.spineUp());
        all.put(CORE_DOWN, c.coreDown());
        all.put(SPINE_DOWN, c.spineDown());
        all.put(LEAF_DOWN, c.leafDown());
      }
    }
    return all;
  }
}
