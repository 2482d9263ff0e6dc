package io.anabranch.tools.scenario;

import io.anabranch.fabric.topology.TopologyConfig;
import io.anabranch.fabric.workload.AllToAll;
import io.anabranch.fabric.workload.ConnectionMatrix;
import io.anabranch.fabric.workload.FlowSizes;
import io.anabranch.fabric.workload.Incast;
import io.anabranch.fabric.workload.MatrixSyntaxException;
import io.anabranch.fabric.workload.Permutation;
import io.anabranch.fabric.workload.RandomPairs;
import io.anabranch.fabric.workload.Rings;
import io.anabranch.fabric.workload.SendReceive;
import io.anabranch.fabric.workload.Traffic;
import io.anabranch.fabric.workload.Workload;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a {@code traffic} list and makes its flows. */
final class TrafficReader {
  private static final double MAX_ARRIVALS = 1e12;
  private static final double PS = 1e12;
  private static final long MAX_MATRIX_BYTES = 256L << 20;

  /** Rules by which flows are made. */
  enum Kind {
    FLOW,
    PERMUTATION,
    INCAST,
    ALL_TO_ALL,
    RINGS,
    SEND_RECEIVE,
    RANDOM,
    MATRIX
  }

  private static final String KINDS =
      "flow, permutation, incast, all-to-all, rings, send-receive, random, matrix";

  /** Where a ring's members are. */
  enum Placement {
    PACKED,
    ACROSS_LEAVES
  }

  private final Mistakes mistakes;
  private final int leaves;
  private final int hostsPerLeaf;
  private final int hosts;
  private final int planes;
  private final int evsPerPlane;
  private final long seed;
  private final long maxEndPs;
  private final @Nullable Path folder;
  private final Traffic traffic = new Traffic();
  private final long hostRate;
  private final List<List<Integer>> evSets;
  private final List<Object> filled = new ArrayList<>();

  /**
   * @param evSets sets that flows have of their own so far; grows
   */
  TrafficReader(
      Mistakes mistakes,
      TopologyConfig topology,
      int evsPerPlane,
      long seed,
      long maxEndPs,
      @Nullable Path folder,
      List<List<Integer>> evSets) {
    this.mistakes = mistakes;
    this.evSets = evSets;
    hostRate = Figures.hostRate(topology);
    leaves = topology.leaves();
    hostsPerLeaf = topology.hostsPerLeaf();
    hosts = topology.hosts();
    planes = topology.planes();
    this.evsPerPlane = evsPerPlane;
    this.seed = seed;
    this.maxEndPs = maxEndPs;
    this.folder = folder;
  }

  /** Reads all rules. */
  void read(Fields scenario) {
    List<Node> items = scenario.items("traffic");
    if (items.isEmpty()) {
      mistakes.add(
          scenario.place("traffic"),
          scenario.path("traffic"),
          "empty, allowed at least one of {kind: " + KINDS.replace(", ", " | ") + ", …}");
    }
    for (int i = 0; i < items.size(); i++) {
      Fields fields = Fields.of(items.get(i), scenario.path("traffic") + "." + i, mistakes);
      rule(fields);
      fields.end();
      filled.add(fields.filled());
    }
  }

  private void rule(Fields fields) {
    fields.need("kind", KINDS);
    Kind kind = fields.choice("kind", Kind.FLOW, Kind.class);
    long size = 1;
    long startPs = 0;
    if (kind == Kind.RANDOM) {
      startPs = fields.quantity("start", Quantity.TIME, 0, 0, maxEndPs);
    } else if (kind != Kind.MATRIX) {
      String sizes = "1B…" + Quantity.SIZE.format(FlowSizes.MOST_BYTES);
      fields.need("size", sizes);
      size = fields.quantity("size", Quantity.SIZE, 1, 1, FlowSizes.MOST_BYTES);
      startPs = fields.quantity("start", Quantity.TIME, 0, 0, maxEndPs);
    }
    try {
      switch (kind) {
        case FLOW -> flow(fields, size, startPs);
        case PERMUTATION -> permutation(fields, size, startPs);
        case INCAST -> incast(fields, size, startPs);
        case ALL_TO_ALL -> allToAll(fields, size, startPs);
        case RINGS, SEND_RECEIVE -> rings(fields, kind, size, startPs);
        case RANDOM -> random(fields, startPs);
        case MATRIX -> matrix(fields);
      }
    } catch (IllegalArgumentException e) {
      mistakes.add(fields.place(), fields.path("kind"), String.valueOf(e.getMessage()));
    }
  }

  /** Adds a rule's flows, unless they are too many. */
  private void add(Fields fields, long flows, Workload workload) {
    long total = traffic.flows() + flows;
    if (total > ConnectionMatrix.MAX_FLOWS) {
      mistakes.add(
          fields.place(),
          fields.path("kind"),
          total + " flows in all, allowed " + ConnectionMatrix.MAX_FLOWS);
    } else if (!mistakes.any()) {
      workload.addTo(traffic);
    }
  }

  private int host(Fields fields, String key, int fallback) {
    fields.need(key, "0…" + (hosts - 1));
    return fields.count(key, fallback, 0, hosts - 1);
  }

  private void flow(Fields fields, long size, long startPs) {
    int from = host(fields, "from", 0);
    int to = host(fields, "to", 1);
    int count = fields.count("count", 1, 1, ConnectionMatrix.MAX_FLOWS);
    if (from == to) {
      fields.refuse("to", "a host other than 'from', 0…" + (hosts - 1));
      return;
    }
    int set = fields.has("evs") ? evSet(fields) : Traffic.NONE;
    add(
        fields,
        count,
        into -> {
          for (int i = 0; i < count; i++) {
            int flow = into.add(from, to, size, startPs);
            if (set >= 0) {
              into.evSet(flow, set);
            }
          }
        });
  }

  /** The EV set that a flow names: these entries on every plane. */
  private int evSet(Fields fields) {
    if (evsPerPlane == 0) {
      fields.refuse("evs", "no such key: the transport has no EVs");
      return Traffic.NONE;
    }
    String allowed = "a list of EVs, each once, 0…" + (evsPerPlane - 1);
    List<Integer> entries = new ArrayList<>();
    List<Object> texts = new ArrayList<>();
    for (Node item : fields.items("evs")) {
      String text = item instanceof Node.Scalar single ? single.text() : "";
      int ev = text.matches("[0-9]{1,6}") ? Integer.parseInt(text) : -1;
      if (ev < 0 || ev >= evsPerPlane || entries.contains(ev)) {
        mistakes.add(item, fields.path("evs"), allowed);
        return Traffic.NONE;
      }
      entries.add(ev);
      texts.add(text);
    }
    if (entries.isEmpty()) {
      mistakes.add(fields.place("evs"), fields.path("evs"), "empty, allowed " + allowed);
      return Traffic.NONE;
    }
    fields.filled().put("evs", texts);
    List<Integer> set = new ArrayList<>();
    for (int plane = 0; plane < planes; plane++) {
      for (int ev : entries) {
        set.add(plane * evsPerPlane + ev);
      }
    }
    int known = evSets.indexOf(set);
    if (known >= 0) {
      return known;
    }
    evSets.add(set);
    return evSets.size() - 1;
  }

  private void permutation(Fields fields, long size, long startPs) {
    List<Integer> all = HostList.all(hosts);
    List<Integer> from;
    List<Integer> to;
    if (fields.has("from") || fields.has("to")) {
      from = fields.hosts("from", all, hosts);
      to = fields.hosts("to", all, hosts);
    } else {
      from = fields.hosts("hosts", all, hosts);
      to = from;
    }
    if (from.size() != to.size()) {
      mistakes.add(
          fields.place("to"),
          fields.path("to"),
          to.size() + " hosts, allowed as many as 'from' has: " + from.size());
      return;
    }
    long shuffle = fields.integer("seed", seed, 0, Long.MAX_VALUE);
    add(fields, from.size(), new Permutation(from, to, size, shuffle, startPs));
  }

  private void incast(Fields fields, long size, long startPs) {
    fields.need("senders", "hosts 0…" + (hosts - 1) + ", such as 0-7");
    int to = host(fields, "to", 0);
    List<Integer> senders = fields.hosts("senders", List.of(to == 0 ? 1 : 0), hosts);
    if (senders.contains(to)) {
      fields.refuse("to", "a host that is not among the senders");
      return;
    }
    add(fields, senders.size(), new Incast(senders, to, size, startPs));
  }

  private void allToAll(Fields fields, long size, long startPs) {
    List<Integer> who = fields.hosts("hosts", HostList.all(hosts), hosts);
    if (who.size() < 2) {
      fields.refuse("hosts", "at least 2 hosts");
      return;
    }
    int outstanding = fields.count("outstanding", 1, 1, 1 << 20);
    add(
        fields,
        (long) who.size() * (who.size() - 1),
        new AllToAll(who, size, outstanding, startPs));
  }

  private void rings(Fields fields, Kind kind, long size, long startPs) {
    int rings = fields.count("rings", 1, 1, hosts / 2);
    int most = hosts / rings;
    int members = fields.count("members", most, 2, Math.max(2, most));
    boolean chains = kind == Kind.RINGS;
    int steps = fields.count("steps", chains ? 2 * (members - 1) : 1, 1, 1 << 20);
    Placement placement = fields.choice("placement", Placement.PACKED, Placement.class);
    Rings.Placement rule =
        switch (placement) {
          case PACKED -> new Rings.Placement.Packed(members);
          case ACROSS_LEAVES -> new Rings.Placement.AcrossLeaves(rings, leaves, hostsPerLeaf);
        };
    if (placement == Placement.ACROSS_LEAVES
        && rings * Math.ceilDiv(members, leaves) > hostsPerLeaf) {
      fields.refuse(
          "placement",
          "packed here: across "
              + leaves
              + " leaves, "
              + rings
              + " rings of "
              + members
              + " need "
              + rings * Math.ceilDiv(members, leaves)
              + " hosts a leaf, and there are "
              + hostsPerLeaf);
      return;
    }
    add(
        fields,
        (long) rings * members * steps,
        chains
            ? new Rings(rings, members, steps, size, rule, startPs)
            : new SendReceive(rings, members, steps, size, rule, startPs));
  }

  private void random(Fields fields, long startPs) {
    List<Integer> who = fields.hosts("hosts", HostList.all(hosts), hosts);
    if (who.size() < 2) {
      fields.refuse("hosts", "at least 2 hosts");
      return;
    }
    FlowSizes sizes = new SizesReader(folder).read(fields);
    double perSecond = arrivals(fields, who.size(), sizes.meanBytes());
    long own = fields.integer("seed", seed, 0, Long.MAX_VALUE);
    RandomPairs.Until until = until(fields, startPs);
    if (mistakes.any()) {
      return;
    }
    double expected =
        Math.min(
            until.timePs() == RandomPairs.Until.NEVER
                ? Double.MAX_VALUE
                : (double) (until.timePs() - startPs) / PS * perSecond,
            Math.min((double) until.flows(), until.payloadBytes() / sizes.meanBytes()));
    add(
        fields,
        Math.max(1, (long) Math.min(expected, Integer.MAX_VALUE)),
        new RandomPairs(
            who, sizes, PS / perSecond, own, "arrivals " + fields.path(""), startPs, until));
  }

  /** Flows a second, of all hosts together. */
  private double arrivals(Fields fields, int senders, double meanBytes) {
    if (fields.has("load") == fields.has("arrivals")) {
      mistakes.add(
          fields.place(),
          fields.path("load"),
          "allowed one of load: 40% of each host's rate, and arrivals: flows a second of all hosts");
      return 1;
    }
    if (fields.has("arrivals")) {
      return fields.decimal("arrivals", 1, 1e-3, MAX_ARRIVALS);
    }
    double load = fields.ratio("load", 1);
    if (load == 0) {
      fields.refuse("load", "above 0% up to 100%");
      return 1;
    }
    return load * hostRate * senders / (8 * meanBytes);
  }

  private RandomPairs.Until until(Fields fields, long startPs) {
    String allowed = "{time: TIME}, {flows: N} or {payload: SIZE}, or several: the first ends it";
    fields.need("until", allowed);
    long never = RandomPairs.Until.NEVER;
    if (!fields.has("until")) {
      return new RandomPairs.Until(never, 1, never);
    }
    Fields until = fields.group("until");
    boolean time = until.has("time");
    boolean flows = until.has("flows");
    boolean payload = until.has("payload");
    RandomPairs.Until read =
        new RandomPairs.Until(
            time
                ? until.quantity("time", Quantity.TIME, startPs + 1, startPs + 1, maxEndPs)
                : never,
            flows ? until.integer("flows", 1, 1, ConnectionMatrix.MAX_FLOWS) : never,
            payload ? until.quantity("payload", Quantity.SIZE, 1, 1, 1L << 60) : never);
    if (!time && !flows && !payload) {
      fields.refuse("until", allowed);
    }
    until.end();
    return read;
  }

  private void matrix(Fields fields) {
    fields.need("file", "the name of a connection matrix, from the scenario's folder");
    String name = fields.text("file", "");
    if (name.isEmpty()) {
      return;
    }
    try {
      Path file = folder == null ? Path.of(name) : folder.resolve(name);
      long bytes = Files.size(file);
      if (bytes > MAX_MATRIX_BYTES) {
        fields.refuse("file", "files up to " + Quantity.SIZE.format(MAX_MATRIX_BYTES));
        return;
      }
      int before = traffic.flows();
      int nodes = ConnectionMatrix.read(Files.readString(file), traffic);
      for (int f = before; f < traffic.flows(); f++) {
        int host = Math.max(traffic.source(f), traffic.destination(f));
        if (host >= hosts) {
          fields.refuse(
              "file",
              "hosts 0…"
                  + (hosts - 1)
                  + ": the file's flow "
                  + (f - before + 1)
                  + " needs host "
                  + host
                  + " of its "
                  + nodes
                  + "; give the topology more");
          return;
        }
      }
    } catch (MatrixSyntaxException e) {
      mistakes.add(
          fields.place("file"), fields.path("file"), name + ":" + e.line() + ": " + e.getMessage());
    } catch (CharacterCodingException e) {
      fields.refuse("file", "text in UTF-8");
    } catch (IOException | InvalidPathException e) {
      fields.refuse("file", "a file that can be read; looked in " + shown(folder));
    }
  }

  static String shown(@Nullable Path folder) {
    return folder == null || folder.toString().isEmpty() ? "the current folder" : folder.toString();
  }

  Traffic traffic() {
    return traffic;
  }

  List<Object> filled() {
    return filled;
  }
}
