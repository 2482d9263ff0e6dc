package io.anabranch.tools.scenario;

import io.anabranch.fabric.Loss;
import io.anabranch.fabric.Transport;
import io.anabranch.fabric.link.QueueConfig;
import io.anabranch.fabric.link.SharedBuffer;
import io.anabranch.fabric.link.SizeConfig;
import io.anabranch.fabric.peer.roce.RoceConfig;
import io.anabranch.fabric.topology.Routing;
import io.anabranch.fabric.topology.Topology;
import io.anabranch.fabric.topology.TopologyConfig;
import io.anabranch.fabric.workload.Traffic;
import io.anabranch.wire.srv6.Srh;
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
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads scenario files. */
public final class ScenarioReader {
  /** The version of the format. */
  public static final int VERSION = 1;

  private static final long MAX_FILE_BYTES = 2 << 20;
  private static final int OVERHEAD_BYTES = 64;
  private static final long MAX_END_PS = 1_000_000_000_000_000L;

  /** A run that takes a hundred times longer than it could is not going to end well. */
  private static final int DEFAULT_END_IDEALS = 100;

  private static final long DEFAULT_END_PS = 10_000_000_000L;
  private static final int DEFAULT_SAMPLES = 200;

  /** Samples of a whole run at most, so that CSV files stay in bounds. */
  private static final int MAX_SAMPLES = 1_000_000;

  /** Where it does not matter what is sent: every network has two hosts. */
  private static final Setting ANY_TRAFFIC =
      new Setting("traffic", "[{kind: flow, from: 0, to: 1, size: 1B}]");

  /** Keys of which a scenario has one or the other. */
  private static final Set<String> EITHER = Set.of("traffic", "jobs", "transport", "transports");

  private static final int PS_PER_NS = 1000;

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
    return read(file, settings, seed, false);
  }

  /**
   * Reads a file of which only the network matters: it need not say what is sent.
   *
   * @param settings applied in their order
   * @throws ScenarioException when anything in it is refused
   */
  public static Scenario readNetwork(Path file, List<Setting> settings) throws ScenarioException {
    return read(file, settings, null, true);
  }

  private static Scenario read(
      Path file, List<Setting> settings, @Nullable Long seed, boolean networkOnly)
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
        seed,
        networkOnly);
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
    return read(text, origin, name, folder, settings, seed, false);
  }

  private static Scenario read(
      String text,
      String origin,
      String name,
      @Nullable Path folder,
      List<Setting> settings,
      @Nullable Long seed,
      boolean networkOnly)
      throws ScenarioException {
    if (!(YamlTree.read(text, origin) instanceof Node.Keys keys)) {
      throw refused(origin + ":1", "allowed keys and values, as topology: {leaves: 2, …}");
    }
    Setting.apply(settings, keys);
    if (networkOnly
        && !keys.values().containsKey("traffic")
        && !keys.values().containsKey("jobs")) {
      Setting.apply(List.of(ANY_TRAFFIC), keys);
    }
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

    root.need("topology", "{leaves: N, hosts_per_leaf: N, spines: N, …}, or another kind");
    TopologyConfig bare = new TopologyReader(root.group("topology")).read();

    TransportsReader transports = new TransportsReader(root);
    mistakes.throwIfAny();
    Fields transportFields = transports.fields();
    TransportReader mrc = new TransportReader(transportFields);
    RoceReader roce =
        transports.kind() == TransportsReader.Kind.ROCEV2 ? new RoceReader(transportFields) : null;
    int mtu = roce == null ? mrc.readMtu() : roce.readMtu();
    Routing routing = roce == null ? mrc.readRouting() : Routing.ECMP;
    SizeConfig sizes = sizes(root.group("sizes"), mtu, routing);
    mistakes.throwIfAny();

    int packet = sizes.dataBytes(mtu);
    // Queues are told in terms of the base RTT, and it does not depend on them.
    Topology wiring = bare.wiring(Routing.ECMP, 0);
    long basePs = wiring.longestRttPs(packet, sizes.controlBytes());
    long baseNs = roce == null ? mrc.readBaseRttNs(basePs) : Math.ceilDiv(basePs, PS_PER_NS);
    long bdp = Figures.bytesIn(baseNs * 1000, bare.hostLink().rateBitsPerSecond());
    QueueReader queues =
        new QueueReader(
            root.group("queues"),
            Figures.queuePackets(bdp, packet),
            packet,
            Math.max(sizes.controlBytes(), sizes.trimmedBytes()),
            roce == null
                ? QueueReader.Defaults.MRC
                : roce.readQueueDefaults(bare.hostLink().rateBitsPerSecond()));
    TopologyConfig config = TopologyReader.withQueues(bare, queues);
    SharedBuffer buffer = queues.readShared();
    queues.end();
    List<QueueConfig> ports = List.copyOf(TopologyReader.queues(config).values());
    long hostLinkRate = config.hostLink().rateBitsPerSecond();
    Transport transport =
        roce == null
            ? new Transport.Mrc(
                mrc.read(
                    routing,
                    config.planes(),
                    config.namedPaths(routing),
                    mtu,
                    baseNs,
                    Figures.hostRate(config),
                    ports))
            : new Transport.Rocev2(
                roce.read(
                    mtu,
                    (int) Math.min(RoceConfig.MAX_CAP_PACKETS, Math.ceilDiv(bdp, packet)),
                    basePs + Figures.wirePs(longest(ports), hostLinkRate)));
    transports.end();
    String refused = config.refuses(transport.routing());
    if (refused != null) {
      transportFields.refuse("routing", "another one here: " + refused);
    }

    int evsPerPlane = transport instanceof Transport.Mrc(var own) ? own.evsPerPlane() : 0;
    JobsReader traffic =
        new JobsReader(
            mistakes,
            config,
            evsPerPlane,
            seed,
            MAX_END_PS,
            folder,
            round -> ideal(round, config, wiring, sizes, transport).endPs());
    traffic.read(root);
    LossReader losses = new LossReader(mistakes, wiring, evsPerPlane);
    losses.read(root);
    FaultReader faults = new FaultReader(mistakes, wiring, evsPerPlane);
    faults.read(root);
    PhaseReader phases = new PhaseReader(mistakes);
    phases.read(root);
    ExpectReader expect = new ExpectReader(mistakes);
    expect.read(root);
    root.has("end");
    root.has("interval");
    root.end();
    mistakes.throwIfAny();

    Figures figures = figures(config, wiring, sizes, transport, basePs, bdp, traffic);
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
    faults.checkCounts(end);
    mistakes.throwIfAny();
    fill(queues.filled(), losses.filled(), expect.filled());
    filled.replace("faults", faults.filled());
    filled.replace("phases", phases.filled());
    return new Scenario(
        name,
        about,
        seed,
        end,
        interval,
        config,
        buffer,
        sizes,
        transports.label(),
        transport,
        traffic.evSets(),
        traffic.traffic(),
        traffic.names(),
        losses.losses(),
        faults.faults(),
        phases.phases(),
        expect.expectations(),
        figures,
        filled);
  }

  private static long longest(List<QueueConfig> ports) {
    return ports.stream().mapToLong(QueueConfig::dataBytes).max().orElse(0);
  }

  /** Every packet that carries an SRH takes its bytes beside what the file says. */
  private static SizeConfig sizes(Fields fields, int mtuBytes, Routing routing) {
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
    int srh = routing == Routing.SRV6_SRH ? Srh.ONE_SEGMENT_BYTES : 0;
    return new SizeConfig(overhead + srh, control + srh, trimmed + srh);
  }

  private static Ideal ideal(
      Traffic traffic,
      TopologyConfig config,
      Topology wiring,
      SizeConfig sizes,
      Transport transport) {
    return new Ideal(
        traffic,
        sizes,
        transport.mtuBytes(),
        wiring,
        Figures.hostRate(config),
        config.hostLink().rateBitsPerSecond());
  }

  private Figures figures(
      TopologyConfig config,
      Topology wiring,
      SizeConfig sizes,
      Transport transport,
      long basePs,
      long bdp,
      JobsReader traffic)
      throws ScenarioException {
    if (traffic.traffic().flows() == 0) {
      mistakes.add(root.place("traffic"), "traffic", "no flow, allowed at least one");
      mistakes.throwIfAny();
    }
    Ideal ideal = ideal(traffic.traffic(), config, wiring, sizes, transport);
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
        config.links(),
        wiring.diameter(),
        basePs,
        bdp,
        ideal.payloadBytes(),
        ideal.packets(),
        ideal.endPs(),
        Estimate.of(traffic.traffic(), wiring, transport));
  }

  private void checkStarts(JobsReader traffic, long endPs) {
    for (Traffic.Job job : traffic.traffic().jobs()) {
      if (job.closesPs() != Traffic.NEVER && job.closesPs() > endPs) {
        mistakes.add(
            root.place("end"),
            "end",
            Quantity.TIME.format(endPs)
                + ", allowed not before a job's time is over, "
                + Quantity.TIME.format(job.closesPs()));
        return;
      }
    }
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
      List<Object> losses,
      SequencedMap<String, Object> expect) {
    SequencedMap<String, Object> read = root.filled();
    read.put("queues", queues);
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
            "transports",
            "traffic",
            "jobs",
            "loss",
            "faults",
            "phases",
            "expect")) {
      if (!EITHER.contains(key) || read.containsKey(key)) {
        filled.put(key, read.getOrDefault(key, ""));
      }
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
    private static final String LINKS = "* for every link, or a name";

    private final Mistakes mistakes;
    private final Topology wiring;
    private final int evsPerPlane;
    private final List<Loss> losses = new ArrayList<>();
    private final List<Object> filled = new ArrayList<>();

    LossReader(Mistakes mistakes, Topology wiring, int evsPerPlane) {
      this.mistakes = mistakes;
      this.wiring = wiring;
      this.evsPerPlane = evsPerPlane;
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
                LINKS + " such as " + wiring.name(0) + " or " + wiring.name(wiring.links() - 1));
          }
          losses.add(new Loss.OnLink(link, fields.ratio("probability", 0)));
        } else {
          if (evsPerPlane == 0) {
            mistakes.add(fields.place(), fields.path("link"), "missing, allowed " + LINKS);
            continue;
          }
          fields.need("ev", "0…" + (evsPerPlane - 1) + "; or link: NAME");
          int host = host(fields);
          int plane = fields.count("plane", 1, 1, wiring.planes());
          int ev = fields.count("ev", 0, 0, evsPerPlane - 1);
          losses.add(new Loss.OnEv(host, plane - 1, ev, fields.ratio("probability", 0)));
        }
        fields.end();
        filled.add(fields.filled());
      }
    }

    private boolean isLink(String name) {
      return name.equals("*") || wiring.linkNamed(name) != Topology.NO_ROUTE;
    }

    private int host(Fields fields) {
      if (!fields.has("host") || "all".equals(fields.single("host"))) {
        fields.filled().put("host", "all");
        return -1;
      }
      return fields.count("host", 0, 0, wiring.hosts() - 1);
    }

    List<Loss> losses() {
      return losses;
    }

    List<Object> filled() {
      return filled;
    }
  }
}
