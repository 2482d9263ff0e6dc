package io.anabranch.tools.scenario;

import io.anabranch.fabric.Fabric;
import io.anabranch.fabric.Loss;
import io.anabranch.fabric.host.Routing;
import io.anabranch.fabric.host.TransportConfig;
import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.link.Overflow;
import io.anabranch.fabric.link.QueueConfig;
import io.anabranch.fabric.link.SizeConfig;
import io.anabranch.fabric.topology.Forwarding;
import io.anabranch.fabric.topology.TwoTier;
import io.anabranch.fabric.topology.TwoTierConfig;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Reads scenario files. */
public final class ScenarioReader {
  /** The version of the format. */
  public static final int VERSION = 1;

  private static final long MAX_FILE_BYTES = 2 << 20;
  private static final long DEFAULT_RATE = 400_000_000_000L;
  private static final long DEFAULT_DELAY_PS = 1_000_000;
  private static final long MIN_RATE = 1_000_000;
  private static final long MAX_RATE = 10_000_000_000_000L;
  private static final long MAX_DELAY_PS = 1_000_000_000_000L;
  private static final long MAX_SWITCH_PS = 1_000_000_000L;
  private static final int OVERHEAD_BYTES = 64;
  private static final long MAX_END_PS = 1_000_000_000_000_000L;
  private static final int MAX_HOSTS = 1 << 20;

  /** More would not fit into memory in any case. */
  private static final long MAX_LINKS = 1L << 24;

  /** A run that takes a hundred times longer than it could is not going to end well. */
  private static final int DEFAULT_END_IDEALS = 100;

  private static final long DEFAULT_END_PS = 10_000_000_000L;
  private static final int DEFAULT_SAMPLES = 200;

  /** Samples of a whole run at most, so that CSV files stay in bounds. */
  private static final int MAX_SAMPLES = 1_000_000;

  /** A uSID has 16 bits. */
  private static final int MAX_SEGMENTS = 0xffff;

  /** Names of topologies. */
  enum TopologyKind {
    TWO_TIER
  }

  private final Mistakes mistakes = new Mistakes();
  private final Fields root;
  private final @Nullable Path folder;
  private final SequencedMap<String, Object> filled = new LinkedHashMap<>();

  private ScenarioReader(Node.Keys root, @Nullable Path folder) {
    this.root = Fields.of(root, "", mistakes);
    this.folder = folder;
  }

  /**
   * Reads a file.
   *
   * @param settings applied in their order
   * @param seed instead of the file's, or null
   * @throws ScenarioException when anything in it is refused
   */
  public static Scenario read(Path file, List<Setting> settings, @Nullable Long seed)
      throws ScenarioException {
    String origin = file.toString();
    String text;
    try {
      if (Files.isDirectory(file)) {
        throw refused(origin, "a folder, allowed a scenario file");
      }
      if (Files.size(file) > MAX_FILE_BYTES) {
        throw refused(origin, "allowed up to " + Quantity.SIZE.format(MAX_FILE_BYTES));
      }
      text = Files.readString(file);
    } catch (NoSuchFileException e) {
      throw refused(origin, "no such file");
    } catch (CharacterCodingException e) {
      throw refused(origin, "not text in UTF-8");
    } catch (IOException e) {
      throw refused(origin, "cannot be read: " + e.getMessage());
    }
    Path name = file.getFileName();
    return read(
        text,
        origin,
        (name == null ? "scenario" : name.toString()).replaceFirst("\\.ya?ml$", ""),
        file.getParent(),
        settings,
        seed);
  }

  /**
   * Reads a text.
   *
   * @param origin how messages name it
   * @param name unless it has one itself
   * @param folder where files that it names are looked for; null = the current one
   */
  static Scenario read(
      String text,
      String origin,
      String name,
      @Nullable Path folder,
      List<Setting> settings,
      @Nullable Long seed)
      throws ScenarioException {
    if (!(YamlTree.read(text, origin) instanceof Node.Keys keys)) {
      throw refused(origin + ":1", "allowed keys and values, as topology: {leaves: 2, …}");
    }
    Setting.apply(settings, keys);
    return new ScenarioReader(keys, folder).scenario(name, seed);
  }

  private static ScenarioException refused(String place, String message) {
    return new ScenarioException(List.of(new Mistake(place, "", message)));
  }

  private Scenario scenario(String defaultName, @Nullable Long seedOption)
      throws ScenarioException {
    root.need("version", Integer.toString(VERSION));
    root.integer("version", VERSION, VERSION, VERSION);
    String name = root.text("name", defaultName);
    String about = root.text("about", "");
    long fileSeed = root.integer("seed", 1, 0, Long.MAX_VALUE);
    long seed = seedOption == null ? fileSeed : seedOption;
    root.filled().put("seed", Long.toString(seed));

    root.need("topology", "{leaves: N, hosts_per_leaf: N, spines: N, …}");
    Fields topology = root.group("topology");
    topology.choice("kind", TopologyKind.TWO_TIER, TopologyKind.class);
    int planes = topology.count("planes", 1, 1, 32);
    int leaves = needed(topology, "leaves", 2);
    int hostsPerLeaf = needed(topology, "hosts_per_leaf", 2);
    int spines = needed(topology, "spines", 1);
    LinkConfig defaultLink = new LinkConfig(DEFAULT_RATE, DEFAULT_DELAY_PS);
    LinkConfig hostLink = link(topology, "host_link", defaultLink);
    LinkConfig fabricLink = link(topology, "fabric_link", hostLink);
    long switchPs = topology.quantity("switch_latency", Quantity.TIME, 0, 0, MAX_SWITCH_PS);
    Forwarding forwarding =
        topology.choice("forwarding", Forwarding.STORE_AND_FORWARD, Forwarding.class);
    topology.end();
    checkSize(topology, planes, leaves, hostsPerLeaf, spines);

    Fields transportFields = root.group("transport");
    TransportReader transportReader = new TransportReader(transportFields);
    int mtu = transportReader.readMtu();
    SizeConfig sizes = sizes(root.group("sizes"), mtu);
    mistakes.throwIfAny();

    int packet = sizes.dataBytes(mtu);
    QueueConfig any = new QueueConfig(packet, packet, null, Overflow.TRIM, 0);
    // Queues are told in terms of the base RTT, and it does not depend on them.
    IntFunction<TwoTierConfig> bare =
        n ->
            new TwoTierConfig(
                planes,
                n,
                Math.max(hostsPerLeaf, Math.ceilDiv(2, n)),
                spines,
                hostLink,
                fabricLink,
                any,
                any,
                any,
                switchPs,
                forwarding);
    long basePs = Fabric.baseRttPs(bare.apply(leaves), packet, sizes.controlBytes());
    long leafPs = Fabric.baseRttPs(bare.apply(1), packet, sizes.controlBytes());
    long baseNs = transportReader.readBaseRttNs(basePs);
    long bdp = Figures.bytesIn(baseNs * 1000, hostLink.rateBitsPerSecond());
    QueueReader queues =
        new QueueReader(
            root.group("queues"),
            Figures.queuePackets(bdp, packet),
            packet,
            Math.max(sizes.controlBytes(), sizes.trimmedBytes()));
    QueueConfig leafUp = queues.read("leaf_up", true);
    QueueConfig spineDown = queues.read("spine_down", true);
    QueueConfig leafDown = queues.read("leaf_down", false);
    queues.end();
    TwoTierConfig config =
        new TwoTierConfig(
            planes,
            leaves,
            hostsPerLeaf,
            spines,
            hostLink,
            fabricLink,
            leafUp,
            spineDown,
            leafDown,
            switchPs,
            forwarding);
    TransportConfig transport =
        transportReader.read(
            planes,
            spines,
            mtu,
            baseNs,
            Figures.hostRate(config),
            List.of(leafUp, spineDown, leafDown));
    transportFields.end();
    long segments = (long) planes * (leaves + spines) + hostsPerLeaf;
    if (transport.routing() == Routing.SRV6 && segments > MAX_SEGMENTS) {
      transportFields.refuse(
          "routing",
          "ecmp here: srv6 names at most " + MAX_SEGMENTS + " switches, and these are " + segments);
    }

    TrafficReader traffic =
        new TrafficReader(
            mistakes,
            leaves,
            hostsPerLeaf,
            planes,
            transport.evsPerPlane(),
            seed,
            MAX_END_PS,
            folder);
    traffic.read(root);
    LossReader losses = new LossReader(mistakes, config, transport.evsPerPlane());
    losses.read(root);
    ExpectReader expect = new ExpectReader(mistakes);
    expect.read(root);
    root.has("end");
    root.has("interval");
    root.end();
    mistakes.throwIfAny();

    Figures figures = figures(config, sizes, transport, basePs, leafPs, bdp, traffic);
    long end =
        root.quantity(
            "end",
            Quantity.TIME,
            Math.min(MAX_END_PS, Math.max(DEFAULT_END_PS, figures.idealPs() * DEFAULT_END_IDEALS)),
            1,
            MAX_END_PS);
    long interval =
        root.quantity(
            "interval",
            Quantity.TIME,
            Math.max(
                Math.max(1000, figures.idealPs() / DEFAULT_SAMPLES / 1000 * 1000),
                Math.ceilDiv(end, MAX_SAMPLES)),
            Math.max(1, Math.ceilDiv(end, MAX_SAMPLES)),
            MAX_END_PS);
    checkStarts(traffic, end);
    mistakes.throwIfAny();
    fill(queues.filled(), traffic.filled(), losses.filled(), expect.filled());
    return new Scenario(
        name,
        about,
        seed,
        end,
        interval,
        config,
        sizes,
        transport,
        traffic.evSets(),
        traffic.traffic(),
        losses.losses(),
        expect.expectations(),
        figures,
        filled);
  }

  private int needed(Fields fields, String key, int fallback) {
    fields.need(key, "1…65535");
    return fields.count(key, fallback, 1, 65535);
  }

  private static LinkConfig link(Fields topology, String key, LinkConfig fallback) {
    Fields link = topology.group(key);
    long rate =
        link.quantity("rate", Quantity.RATE, fallback.rateBitsPerSecond(), MIN_RATE, MAX_RATE);
    long delay = link.quantity("delay", Quantity.TIME, fallback.delayPs(), 0, MAX_DELAY_PS);
    link.end();
    return new LinkConfig(rate, delay);
  }

  private void checkSize(Fields topology, int planes, int leaves, int hostsPerLeaf, int spines) {
    long hosts = (long) leaves * hostsPerLeaf;
    if (hosts < 2 || hosts > MAX_HOSTS) {
      mistakes.add(
          topology.place(),
          topology.path("hosts_per_leaf"),
          leaves
              + " leaves of "
              + hostsPerLeaf
              + " hosts are "
              + hosts
              + ", allowed 2…"
              + MAX_HOSTS);
    }
    long links = Figures.links(planes, leaves, hostsPerLeaf, spines);
    if (links > MAX_LINKS) {
      mistakes.add(
          topology.place(), "topology", "these are " + links + " links, allowed " + MAX_LINKS);
    }
  }

  private static SizeConfig sizes(Fields fields, int mtuBytes) {
    int overhead = (int) fields.quantity("data_overhead", Quantity.SIZE, OVERHEAD_BYTES, 1, 4096);
    int control = (int) fields.quantity("control", Quantity.SIZE, OVERHEAD_BYTES, 1, 4096);
    int trimmed =
        (int)
            fields.quantity(
                "trimmed",
                Quantity.SIZE,
                Math.min(OVERHEAD_BYTES, overhead + mtuBytes),
                1,
                Math.min(4096, overhead + mtuBytes));
    fields.end();
    return new SizeConfig(overhead, control, trimmed);
  }

  private Figures figures(
      TwoTierConfig config,
      SizeConfig sizes,
      TransportConfig transport,
      long basePs,
      long leafPs,
      long bdp,
      TrafficReader traffic)
      throws ScenarioException {
    if (traffic.traffic().flows() == 0) {
      mistakes.add(root.place("traffic"), "traffic", "no flow, allowed at least one");
      mistakes.throwIfAny();
    }
    Ideal ideal =
        new Ideal(
            traffic.traffic(),
            sizes,
            transport.mtuBytes(),
            config.leaves(),
            config.hostsPerLeaf(),
            Figures.hostRate(config),
            config.hostLink().rateBitsPerSecond(),
            basePs,
            leafPs);
    if (ideal.stuck() >= 0) {
      int flow = ideal.stuck();
      mistakes.add(
          root.place("traffic"),
          "traffic",
          "flow "
              + flow
              + " ("
              + traffic.traffic().source(flow)
              + " to "
              + traffic.traffic().destination(flow)
              + ") can never start: nothing fires the trigger it waits for often enough");
      mistakes.throwIfAny();
    }
    return new Figures(
        config.hosts(),
        Figures.links(config.planes(), config.leaves(), config.hostsPerLeaf(), config.spines()),
        config.leaves() > 1 ? 4 : 2,
        basePs,
        bdp,
        ideal.payloadBytes(),
        ideal.packets(),
        ideal.endPs());
  }

  private void checkStarts(TrafficReader traffic, long endPs) {
    for (int f = 0; f < traffic.traffic().flows(); f++) {
      if (traffic.traffic().startPs(f) >= endPs) {
        mistakes.add(
            root.place("end"),
            "end",
            Quantity.TIME.format(endPs)
                + ", allowed later than the start of flow "
                + f
                + ", "
                + Quantity.TIME.format(traffic.traffic().startPs(f)));
        return;
      }
    }
  }

  private void fill(
      SequencedMap<String, Object> queues,
      List<Object> traffic,
      List<Object> losses,
      SequencedMap<String, Object> expect) {
    SequencedMap<String, Object> read = root.filled();
    read.put("queues", queues);
    read.put("traffic", traffic);
    read.put("loss", losses);
    read.put("expect", expect);
    for (String key :
        List.of(
            "version",
            "name",
            "about",
            "seed",
            "end",
            "interval",
            "topology",
            "sizes",
            "queues",
            "transport",
            "traffic",
            "loss",
            "expect")) {
      filled.put(key, read.getOrDefault(key, ""));
    }
  }

  /** Reads {@code expect}. */
  private static final class ExpectReader {
    private final Mistakes mistakes;
    private final List<Expectation> expectations = new ArrayList<>();
    private SequencedMap<String, Object> filled = new LinkedHashMap<>();

    ExpectReader(Mistakes mistakes) {
      this.mistakes = mistakes;
    }

    void read(Fields root) {
      Fields fields = root.group("expect");
      for (String key : fields.keys()) {
        if (!Expectation.isField(key)) {
          mistakes.add(
              fields.place(key), fields.path(key), "no such field, allowed " + Expectation.FIELDS);
          continue;
        }
        if (!fields.isGroup(key)) {
          BigDecimal value = fields.number(key);
          expectations.add(new Expectation(key, value, value));
          continue;
        }
        Fields bounds = fields.group(key);
        BigDecimal min = bounds.number("min");
        BigDecimal max = bounds.number("max");
        bounds.end();
        if (min == null && max == null) {
          fields.refuse(key, "a number, or {min: NUMBER, max: NUMBER}");
        } else if (min != null && max != null && min.compareTo(max) > 0) {
          bounds.refuse("max", "at least min, " + min.toPlainString());
        }
        expectations.add(new Expectation(key, min, max));
      }
      filled = fields.filled();
    }

    List<Expectation> expectations() {
      return expectations;
    }

    SequencedMap<String, Object> filled() {
      return filled;
    }
  }

  /** Reads {@code loss}. */
  private static final class LossReader {
    private final Mistakes mistakes;
    private final TwoTierConfig topology;
    private final int evsPerPlane;
    private final TwoTier wiring;
    private final List<Loss> losses = new ArrayList<>();
    private final List<Object> filled = new ArrayList<>();

    LossReader(Mistakes mistakes, TwoTierConfig topology, int evsPerPlane) {
      this.mistakes = mistakes;
      this.topology = topology;
      this.evsPerPlane = evsPerPlane;
      wiring = new TwoTier(topology, false, 0);
    }

    void read(Fields root) {
      List<Node> items = root.items("loss");
      for (int i = 0; i < items.size(); i++) {
        Fields fields = Fields.of(items.get(i), "loss." + i, mistakes);
        fields.need("probability", "0%…100%");
        if (fields.has("link")) {
          String link = fields.text("link", "*");
          if (!isLink(link)) {
            fields.refuse(
                "link",
                "* for every link, or a name such as "
                    + wiring.name(0)
                    + " or "
                    + wiring.name(wiring.links() - 1));
          }
          losses.add(new Loss.OnLink(link, fields.ratio("probability", 0)));
        } else {
          fields.need("ev", "0…" + (evsPerPlane - 1) + "; or link: NAME");
          int host = host(fields);
          int plane = fields.count("plane", 1, 1, topology.planes());
          int ev = fields.count("ev", 0, 0, evsPerPlane - 1);
          losses.add(new Loss.OnEv(host, plane - 1, ev, fields.ratio("probability", 0)));
        }
        fields.end();
        filled.add(fields.filled());
      }
    }

    private boolean isLink(String name) {
      if (name.equals("*")) {
        return true;
      }
      for (int link = 0; link < wiring.links(); link++) {
        if (wiring.name(link).equals(name)) {
          return true;
        }
      }
      return false;
    }

    private int host(Fields fields) {
      if (!fields.has("host") || "all".equals(fields.single("host"))) {
        fields.filled().put("host", "all");
        return -1;
      }
      return fields.count("host", 0, 0, topology.hosts() - 1);
    }

    List<Loss> losses() {
      return losses;
    }

    List<Object> filled() {
      return filled;
    }
  }
}
