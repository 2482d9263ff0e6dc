package io.anabranch.fabric;

import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.trace.TraceSink;
import io.anabranch.fabric.event.EventQueue;
import io.anabranch.fabric.event.Streams;
import io.anabranch.fabric.fault.Broken;
import io.anabranch.fabric.fault.Costs;
import io.anabranch.fabric.fault.Effect;
import io.anabranch.fabric.fault.FaultCost;
import io.anabranch.fabric.fault.Faults;
import io.anabranch.fabric.fault.Targets;
import io.anabranch.fabric.host.Endpoints;
import io.anabranch.fabric.host.EvLoss;
import io.anabranch.fabric.host.Hosts;
import io.anabranch.fabric.host.JobCounts;
import io.anabranch.fabric.host.TransportConfig;
import io.anabranch.fabric.host.WireCheck;
import io.anabranch.fabric.link.Crossing;
import io.anabranch.fabric.link.DropCause;
import io.anabranch.fabric.link.Packets;
import io.anabranch.fabric.link.Pools;
import io.anabranch.fabric.link.PortWatch;
import io.anabranch.fabric.link.Ports;
import io.anabranch.fabric.link.SharedBuffer;
import io.anabranch.fabric.node.LeastQueue;
import io.anabranch.fabric.node.Network;
import io.anabranch.fabric.node.NodeUnits;
import io.anabranch.fabric.node.Parts;
import io.anabranch.fabric.peer.roce.RoceConfig;
import io.anabranch.fabric.peer.roce.RoceHosts;
import io.anabranch.fabric.topology.Routing;
import io.anabranch.fabric.topology.Topology;
import io.anabranch.wire.mrc.DscpMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/** A running simulation. */
public final class Fabric {
  private final FabricConfig config;
  private final Topology topology;
  private final EventQueue[] events;
  private final Packets[] packets;
  private final Ports[] ports;
  private final Endpoints[] hosts;
  private final Network[] networks;
  private final Crossing[] crossings;
  private final @Nullable Parts cut;
  private final Workers workers;
  private final @Nullable EvTable evTable;
  private final @Nullable JobCounts jobs;
  private final Transfers transfers;
  private final @Nullable Invariants invariants;
  private final @Nullable Faults faults;
  private long reachedPs;

  /**
   * Builds what the configuration says; nothing has run yet.
   *
   * @param traces who takes the engines' trace events; null = nobody
   */
  public Fabric(FabricConfig config, @Nullable HostTraces traces) {
    this(config, traces, null);
  }

  /**
   * Builds what the configuration says; nothing has run yet.
   *
   * @param traces who takes the engines' trace events; null = nobody
   * @param taps who takes packets at ports; null = nobody
   */
  public Fabric(FabricConfig config, @Nullable HostTraces traces, PacketTap.@Nullable Taps taps) {
    this(config, traces, taps, 1, Workers.IN_TURN);
  }

  /**
   * Builds what the configuration says, to be run in parts; nothing has run yet.
   *
   * @param parts at most, 1 … 16: fewer where what is wanted needs all in the order of time or in
   *     one hand ({@link #parts()} tells). The results are the same
   * @param workers run them
   */
  public Fabric(
      FabricConfig config,
      @Nullable HostTraces traces,
      PacketTap.@Nullable Taps taps,
      int parts,
      Workers workers) {
    this.config = config;
    this.workers = workers;
    Routing routing = config.transport().routing();
    topology = config.topology().wiring(routing, config.seed());
    Ports.Kind[] kinds = kinds(topology, config);
    byte[] kindOf = kindOf(topology);
    int n = isPlain(config, kinds) && traces == null && taps == null ? parts : 1;
    cut = n == 1 ? null : new Parts(topology, n);
    events = new EventQueue[n];
    ports = new Ports[n];
    hosts = new Endpoints[n];
    networks = new Network[n];
    crossings = new Crossing[n];
    packets = Packets.shared(routing.usids(), routing == Routing.SRV6_SRH, n);
    invariants = config.check() ? new Invariants(config, topology, packets[0]) : null;
    for (int i = 0; i < n; i++) {
      NodeUnits units = units(config, topology, kinds, taps != null);
      events[i] = events(config, kinds, units);
      PortWatch watch = taps == null ? invariants : tapWatch(taps, routing);
      ports[i] = ports(i, kinds, kindOf, watch);
      if (units != null) {
        units.read(packets[i]);
        if (config.buffer() == null && !adaptive(config)) {
          units.finish(ports[i]);
        }
      }
    }
    transfers =
        new Transfers(
            config.traffic(),
            config.transport(),
            events[0],
            invariants == null ? flow -> {} : invariants::completed);
    jobs = config.traffic().jobs().isEmpty() ? null : new JobCounts(config.traffic());
    Costs costs =
        config.faults().isEmpty()
            ? null
            : new Costs(packets[0], topology.hosts(), topology.planes());
    switch (config.transport()) {
      case Transport.Mrc(TransportConfig mrc) -> {
        EvTable evs = Hosts.evTable(topology, routing, mrc.evsPerPlane(), config.seed());
        evTable = evs;
        Hosts[] all = new Hosts[n];
        for (int i = 0; i < n; i++) {
          all[i] = mrcHosts(i, mrc, evs, traces, costs);
          hosts[i] = all[i];
        }
        if (cut != null) {
          for (Hosts each : all) {
            each.share(all, cut.ofHost());
          }
        }
      }
      case Transport.Rocev2(RoceConfig roce) -> {
        evTable = null;
        hosts[0] =
            new RoceHosts(
                config.seed(),
                events[0],
                packets[0],
                ports[0],
                topology,
                config.sizes(),
                roce,
                invariants == null ? (flow, offset, bytes) -> {} : invariants,
                jobs,
                transfers);
      }
    }
    faults = costs == null ? null : faults(costs);
    for (int i = 0; i < n; i++) {
      networks[i] =
          new Network(
              events[i],
              packets[i],
              ports[i],
              topology,
              hosts[i],
              linkLosses(),
              config.seed(),
              faults);
      if (cut != null) {
        crossings[i] = new Crossing(cut.atEnd(), n, i);
        ports[i].cross(crossings[i]);
      }
    }
    if (adaptive(config)) {
      networks[0].routeBy(new LeastQueue(topology, packets[0], ports[0], config.seed()));
    }
    transfers.begin(hosts[0]);
  }

  /** Whether switches look at their queues as they are at each packet. */
  private static boolean adaptive(FabricConfig config) {
    return config.transport() instanceof Transport.Rocev2(RoceConfig roce) && roce.adaptive();
  }

  /** Whether parts touch nothing in common but what crosses from one to another. */
  private static boolean isPlain(FabricConfig config, Ports.Kind[] kinds) {
    return config.transport() instanceof Transport.Mrc
        && config.traffic().triggers() == 0
        && config.traffic().jobs().isEmpty()
        && config.faults().isEmpty()
        && config.losses().isEmpty()
        && config.buffer() == null
        && !config.wire()
        && !config.check()
        && lookaheadPs(kinds) >= EventQueue.WIDTH_PS;
  }

  private TapWatch tapWatch(PacketTap.Taps taps, Routing routing) {
    return new TapWatch(
        taps,
        events[0],
        packets[0],
        link -> topology.switchFrom(link) == Topology.HOST,
        routing.usids(),
        invariants);
  }

  private Ports ports(int part, Ports.Kind[] kinds, byte[] kindOf, @Nullable PortWatch watch) {
    return new Ports(
        events[part],
        packets[part],
        kinds,
        kindOf,
        config.sizes().trimmedBytes(),
        DscpMap.DEFAULT,
        config.seed(),
        watch,
        pools(config.buffer(), topology));
  }

  private Hosts mrcHosts(
      int part,
      TransportConfig mrc,
      EvTable evs,
      @Nullable HostTraces traces,
      @Nullable Costs costs) {
    return new Hosts(
        config.seed(),
        events[part],
        packets[part],
        ports[part],
        topology,
        config.sizes(),
        mrc,
        evTables(evs),
        evLosses(mrc, evs),
        host -> {
          TraceSink told = traces == null ? null : traces.of(host);
          return costs == null ? told : costs.trace(host, told);
        },
        invariants == null ? (flow, offset, bytes) -> {} : invariants,
        config.wire() ? new WireCheck() : null,
        jobs,
        transfers);
  }

  /**
   * Nodes are run one after another, a link's delay at a time, unless links are too short, someone
   * wants to see all packets in the order of time, or a cable is put where packets get to other
   * nodes at once.
   */
  private static @Nullable NodeUnits units(
      FabricConfig config, Topology topology, Ports.Kind[] kinds, boolean taps) {
    boolean miswired =
        config.faults().stream().anyMatch(fault -> fault.effect() instanceof Effect.Miswired);
    return taps || miswired || lookaheadPs(kinds) < EventQueue.WIDTH_PS
        ? null
        : new NodeUnits(topology, config.traffic().triggers() > 0);
  }

  private static EventQueue events(
      FabricConfig config, Ports.Kind[] kinds, @Nullable NodeUnits units) {
    long tieSeed = config.permuteTies() ? Streams.of(config.seed(), "ties").nextLong() : 0;
    return new EventQueue(
        tieSeed,
        units == null ? EventQueue.ONE : units,
        Math.max(lookaheadPs(kinds), EventQueue.WIDTH_PS));
  }

  private static long lookaheadPs(Ports.Kind[] kinds) {
    long lookaheadPs = Long.MAX_VALUE;
    for (Ports.Kind kind : kinds) {
      lookaheadPs = Math.min(lookaheadPs, kind.link().delayPs() + kind.latencyPs());
    }
    return lookaheadPs;
  }

  private static @Nullable Pools pools(@Nullable SharedBuffer buffer, Topology topology) {
    return buffer == null ? null : new Pools(buffer, topology.switches(), topology::switchFrom);
  }

  private Faults faults(Costs costs) {
    Broken broken =
        new Broken(
            topology,
            config.transport().routing(),
            packets[0],
            ports[0],
            hosts[0],
            costs,
            ev -> ev(ev.plane(), ev.evIndex()),
            config.seed(),
            invariants);
    return new Faults(config.faults(), new Targets(topology), events[0], broken, config.seed());
  }

  private static Ports.Kind[] kinds(Topology topology, FabricConfig config) {
    Ports.Kind[] kinds = new Ports.Kind[topology.kinds()];
    for (int k = 0; k < kinds.length; k++) {
      kinds[k] =
          new Ports.Kind(
              topology.linkOf(k),
              topology.queueOf(k),
              topology.toHost(k),
              topology.switchLatencyPs(k),
              topology.cutThrough(k) ? config.sizes().controlBytes() : Integer.MAX_VALUE);
    }
    return kinds;
  }

  private static byte[] kindOf(Topology topology) {
    byte[] kindOf = new byte[topology.links()];
    for (int link = 0; link < kindOf.length; link++) {
      kindOf[link] = (byte) topology.kind(link);
    }
    return kindOf;
  }

  private List<EvTable> evTables(EvTable common) {
    List<EvTable> tables = new ArrayList<>();
    tables.add(common);
    for (List<Integer> set : config.evSets()) {
      int[] evs = set.stream().mapToInt(common::ev).toArray();
      int[] portOf = set.stream().mapToInt(common::port).toArray();
      tables.add(new EvTable(evs, portOf));
    }
    return tables;
  }

  private List<EvLoss> evLosses(TransportConfig mrc, EvTable common) {
    List<EvLoss> list = new ArrayList<>();
    for (Loss loss : config.losses()) {
      if (loss instanceof Loss.OnEv on) {
        int ev = common.ev(on.plane() * mrc.evsPerPlane() + on.evIndex());
        list.add(new EvLoss(on.host(), on.plane(), ev, on.probability()));
      }
    }
    return list;
  }

  private double @Nullable [] linkLosses() {
    double[] chances = null;
    for (Loss loss : config.losses()) {
      if (loss instanceof Loss.OnLink on) {
        chances = chances == null ? new double[topology.links()] : chances;
        boolean all = on.link().equals("*");
        int first = all ? 0 : topology.linkNamed(on.link());
        if (first == Topology.NO_ROUTE) {
          throw new IllegalArgumentException(
              "link: " + on.link() + ", no link has that name; the first is " + topology.name(0));
        }
        for (int link = first; link < (all ? chances.length : first + 1); link++) {
          chances[link] = 1 - (1 - chances[link]) * (1 - on.probability());
        }
      }
    }
    return chances;
  }

  /**
   * Runs all events before a time, or fewer if all flows have ended.
   *
   * @return whether anything is left to do: flows that have not ended, and time until the end
   */
  public boolean runTo(long untilPs) {
    long until = Math.min(untilPs, config.endPs());
    if (transfers.anyLeft()) {
      run(until, true);
      reachedPs = until;
    }
    if (!transfers.anyLeft()) {
      // So that all nodes end at the same time, and always at the same one.
      reachedPs = transfers.lastEndPs();
      run(Math.min(events[0].windowEndPs(reachedPs), config.endPs()), false);
    }
    if (invariants != null) {
      invariants.conservation(nowPs(), hosts[0].waitingPackets());
    }
    return transfers.anyLeft() && until < config.endPs();
  }

  private void run(long untilPs, boolean whileAnyLeft) {
    if (cut != null) {
      runParts(untilPs, whileAnyLeft);
      return;
    }
    while (networks[0].step(untilPs) && (!whileAnyLeft || transfers.anyLeft())) {
      // Each turn is one event.
    }
  }

  /** Each turn is a window, or what concerns all parts. */
  private void runParts(long untilPs, boolean whileAnyLeft) {
    while (!whileAnyLeft || transfers.anyLeft()) {
      long firstPs = Long.MAX_VALUE;
      for (EventQueue each : events) {
        firstPs = Math.min(firstPs, each.firstPs());
      }
      long forAllPs = events[0].firstForAllPs();
      if (Math.min(firstPs, forAllPs) >= untilPs) {
        return;
      }
      long endPs = Math.min(untilPs, events[0].windowEndPs(firstPs));
      if (firstPs <= forAllPs) {
        endPs = Math.min(endPs - 1, forAllPs) + 1;
        window(endPs);
      }
      if (firstPs > forAllPs || endPs == forAllPs + 1) {
        networks[0].step(forAllPs + 1);
      } else if (endPs == untilPs) {
        return;
      }
    }
  }

  private void window(long endPs) {
    events[0].holdThoseForAll(true);
    workers.run(
        events.length,
        part -> {
          while (networks[part].step(endPs)) {
            // Each turn is one event.
          }
        });
    events[0].holdThoseForAll(false);
    for (Crossing from : crossings) {
      for (int to = 0; to < events.length; to++) {
        from.handOver(to, events[to]);
      }
    }
  }

  /** Simulated time; once all flows have ended, when the last one did. */
  public long nowPs() {
    return reachedPs;
  }

  /** The flows. */
  public FlowTable flows() {
    return transfers;
  }

  /** The links. */
  public LinkTable links() {
    return new PortTable(topology, ports, cut);
  }

  /** Counts of the run so far. */
  public Totals totals() {
    SortedMap<String, Long> dropped = new TreeMap<>();
    for (DropCause cause : DropCause.values()) {
      long drops = sum(i -> ports[i].drops(cause));
      if (drops > 0) {
        dropped.put(cause.name().toLowerCase(Locale.ROOT), drops);
      }
    }
    return new Totals(
        sum(i -> hosts[i].delivered()),
        sum(i -> hosts[i].retransmitted()),
        sum(i -> ports[i].trimmed()),
        dropped,
        sum(i -> ports[i].marked()),
        sum(i -> ports[i].hops()),
        sum(i -> networks[i].taken()));
  }

  private long sum(IntToLongFunction ofPart) {
    long sum = 0;
    for (int i = 0; i < events.length; i++) {
      sum += ofPart.applyAsLong(i);
    }
    return sum;
  }

  /** The parts that the network is run in. */
  public int parts() {
    return events.length;
  }

  /** Counts of the data packets of a job of the traffic; all 0 where there are no jobs. */
  public JobTotals totals(int job) {
    return jobs == null
        ? new JobTotals(0, 0, 0, 0)
        : new JobTotals(
            jobs.delivered(job), jobs.retransmitted(job), jobs.trimmed(job), jobs.marked(job));
  }

  /** Data packets delivered on a plane, counted from 0. */
  public long deliveredOnPlane(int plane) {
    return sum(i -> hosts[i].deliveredOnPlane(plane));
  }

  /** What faults have cost so far, in the order in which they occurred. */
  public List<FaultCost> faults() {
    return faults == null ? List.of() : faults.costs(reachedPs);
  }

  /** Payload bytes written to hosts' memory so far, each once. */
  public long placedBytes() {
    return sum(i -> hosts[i].placedBytes());
  }

  /** Tells the window of every source towards every destination it has sent to. */
  public void windows(WindowSink sink) {
    transfers.windows(sink);
  }

  /** The EV that entry {@code index} of the common profile stands for, as trace events name it. */
  public int ev(int index) {
    if (evTable == null) {
      throw new IllegalStateException("the transport has no EVs");
    }
    return evTable.ev(index);
  }

  private int ev(int plane, int index) {
    if (config.transport() instanceof Transport.Mrc(TransportConfig mrc)) {
      return ev(plane * mrc.evsPerPlane() + index);
    }
    throw new IllegalStateException("the transport has no EVs");
  }
}
