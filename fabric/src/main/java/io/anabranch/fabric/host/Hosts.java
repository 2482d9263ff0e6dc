package io.anabranch.fabric.host;

import io.anabranch.engine.Command;
import io.anabranch.engine.CommandResult;
import io.anabranch.engine.Engine;
import io.anabranch.engine.EngineEvent;
import io.anabranch.engine.QpSnapshot;
import io.anabranch.engine.Sink;
import io.anabranch.engine.Status;
import io.anabranch.engine.config.CcConfig;
import io.anabranch.engine.config.EngineConfig;
import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.config.NsccConfig;
import io.anabranch.engine.config.PeerConfig;
import io.anabranch.engine.config.QpConfig;
import io.anabranch.engine.config.RequestorAttributes;
import io.anabranch.engine.config.ResponderAttributes;
import io.anabranch.engine.endpoint.MrcEngine;
import io.anabranch.engine.trace.TraceSink;
import io.anabranch.fabric.event.EventQueue;
import io.anabranch.fabric.event.Streams;
import io.anabranch.fabric.link.Packets;
import io.anabranch.fabric.link.Ports;
import io.anabranch.fabric.link.SizeConfig;
import io.anabranch.fabric.node.Network;
import io.anabranch.fabric.topology.Routing;
import io.anabranch.fabric.topology.Topology;
import io.anabranch.wire.mrc.DscpMap;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.Opcode;
import io.anabranch.wire.mrc.Psn;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * All hosts: one engine a NIC, made when the first flow touches it, asked for a frame whenever a
 * port of its falls idle, and woken by one event at its deadline.
 */
public final class Hosts implements Endpoints.WithEvs {
  private static final int DOMAIN = 1;
  private static final int R_KEY = 1;
  private static final int SEND_QUEUE_DEPTH = 4096;
  private static final int PS_PER_NS = 1000;
  private static final int MAX_WIMM = 32;

  private final EventQueue events;
  private final Packets packets;
  private final Ports ports;
  private final Topology topology;
  private final SizeConfig sizes;
  private final TransportConfig transport;
  private final List<EvTable> evTables;
  private final List<EvLoss> evLosses;
  private final TreeSet<Long> portsDown = new TreeSet<>();
  private final IntFunction<@Nullable TraceSink> traces;
  private final Placement memory;
  private final @Nullable WireCheck wire;
  private final @Nullable JobCounts jobs;
  private final int planes;
  private final long seed;
  private @Nullable Nic[] nics;

  // Where the network is run in parts, all of them, and by host the one that runs it.
  private Hosts[] parts = {this};
  private byte[] partOf = new byte[0];

  private final Frame view = new Frame();
  private final Command.PostWrite post = new Command.PostWrite();
  private final Completions completions;
  private final Sink sink;
  private long delivered;
  private long retransmitted;
  private final long[] deliveredOnPlane;
  private @Nullable ResendWatch resends;
  private @Nullable EvLossWatch evLossWatch;
  private int completingHost;
  private final EndedWrites ended = new EndedWrites();
  private boolean telling;

  /**
   * Hosts without connections.
   *
   * @param evTables the EV tables that peers may use; the first is the common one
   * @param traces who takes a host's trace events
   * @param placed is told what is written to memory
   * @param wire takes each packet through its encoding; null = packets stay as they are
   * @param jobs counts by job; null = there are none
   */
  public Hosts(
      long seed,
      EventQueue events,
      Packets packets,
      Ports ports,
      Topology topology,
      SizeConfig sizes,
      TransportConfig transport,
      List<EvTable> evTables,
      List<EvLoss> evLosses,
      IntFunction<@Nullable TraceSink> traces,
      PlacementWatch placed,
      @Nullable WireCheck wire,
      @Nullable JobCounts jobs,
      Completions completions) {
    this.seed = seed;
    this.events = events;
    this.packets = packets;
    this.ports = ports;
    this.topology = topology;
    this.sizes = sizes;
    this.transport = transport;
    this.evTables = List.copyOf(evTables);
    this.evLosses = new ArrayList<>(evLosses);
    this.traces = traces;
    this.memory = new Placement(placed);
    this.wire = wire;
    this.jobs = jobs;
    this.completions = completions;
    planes = topology.planes();
    nics = new Nic[topology.hosts()];
    deliveredOnPlane = new long[planes];
    sink =
        new Sink() {
          @Override
          public void completion(
              int qp,
              long wrId,
              Status status,
              Operation operation,
              long byteLength,
              int immediate,
              boolean solicited) {
            ended.add(completingHost, qp, (int) wrId, status == Status.SUCCESS, (int) byteLength);
          }

          @Override
          public void event(EngineEvent event, int qp, long detail) {
            // Planes and errors show in the results of the flows that they touch.
          }
        };
  }

  /** The network is run in parts: hosts are shared, each run by one of them. */
  public void share(Hosts[] all, byte[] partOfHost) {
    nics = all[0].nics;
    parts = all.clone();
    partOf = partOfHost;
  }

  @Override
  public int parts() {
    return parts.length;
  }

  @Override
  public int partOf(int host) {
    return parts.length == 1 ? 0 : partOf[host];
  }

  private Hosts runner(int host) {
    return parts.length == 1 ? this : parts[partOf[host]];
  }

  private Nic nic(int host) {
    Nic nic = nics[host];
    return nic != null ? nic : runner(host).make(host);
  }

  private Nic make(int host) {
    Nic nic = nics[host];
    if (nic == null) {
      long own = Streams.of(seed, "host " + host).nextLong();
      EngineConfig config =
          EngineConfig.fabric(HostAddress.of(host, planes), own)
              .withSackBytes(transport.sackBytes())
              .withReactive(transport.reactive())
              .withReverseProbes(transport.reverseProbes());
      nic = new Nic(host, new MrcEngine(config, memory, traces.apply(host)));
      must(
          nic.engine.submit(
              new Command.RegisterRegion(R_KEY, 0, 0, Long.MAX_VALUE, DOMAIN, true), 0));
      nics[host] = nic;
      for (int plane = 0; plane < planes && !portsDown.isEmpty(); plane++) {
        if (portsDown.contains(port(host, plane))) {
          nic.engine.portState(plane, false, 0);
        }
      }
    }
    return nic;
  }

  private static void must(CommandResult result) {
    if (result != CommandResult.OK) {
      throw new IllegalStateException("engine refused a command: " + result);
    }
  }

  // ---------------------------------------------------------------- connections

  @Override
  public int connect(int source, int destination, int table, long nowPs) {
    long nowNs = nowPs / PS_PER_NS;
    Nic from = nic(source);
    Nic to = nic(destination);
    int fromPeer = peer(from, destination, table, nowNs);
    int toPeer = peer(to, source, table, nowNs);
    int fromQp = from.newQp();
    int toQp = to.newQp();
    to.senderOf(toQp, fromQp);
    SplittableRandom random =
        new SplittableRandom(Streams.mix(seed ^ Streams.mix((long) source << 24 | fromQp)));
    int psn = random.nextInt(1 << 24);
    int reversePsn = random.nextInt(1 << 24);
    QpConfig config =
        new QpConfig(DOMAIN, SEND_QUEUE_DEPTH, 0, 1, transport.activeEvsPerPlane() * planes);
    create(from, fromQp, config, fromPeer, toQp, reversePsn, nowNs);
    create(to, toQp, config, toPeer, fromQp, psn, nowNs);
    must(
        from.engine.submit(
            new Command.ReadyToSend(
                fromQp,
                new RequestorAttributes(
                    psn,
                    0,
                    transport.mprPackets(),
                    false,
                    MAX_WIMM,
                    transport.timeout(),
                    transport.linearRetries(),
                    transport.exponentialRetries())),
            nowNs));
    return fromQp;
  }

  private void create(Nic nic, int qp, QpConfig config, int peer, int peerQp, int psn, long nowNs) {
    must(nic.engine.submit(new Command.CreateQp(qp, config), nowNs));
    must(
        nic.engine.submit(
            new Command.ReadyToReceive(
                qp,
                new ResponderAttributes(
                    peer,
                    peerQp,
                    psn,
                    0,
                    transport.mtuBytes(),
                    transport.mprPackets(),
                    false,
                    MAX_WIMM)),
            nowNs));
  }

  private int peer(Nic nic, int host, int table, long nowNs) {
    int handle = table * nics.length + host;
    if (!nic.peers.get(handle)) {
      nic.peers.set(handle);
      PeerConfig config =
          new PeerConfig(
              HostAddress.of(host, planes), evTables.get(table), rttNs(nic.host, host), cc());
      must(nic.engine.submit(new Command.AddPeer(handle, config), nowNs));
    }
    return handle;
  }

  /**
   * What is told of a pair's RTT: its own, so that a first sample behind other packets is not taken
   * for it; at most the network's.
   */
  private long rttNs(int source, int destination) {
    int data = sizes.dataBytes(transport.mtuBytes());
    long ps = topology.baseRttPs(source, destination, data, sizes.controlBytes());
    return Math.min(transport.baseRttNs(), (ps + PS_PER_NS - 1) / PS_PER_NS);
  }

  /** Targets and gains follow the network's RTT, whatever the pair's. */
  private CcConfig cc() {
    return transport.cc() instanceof NsccConfig nscc && nscc.networkRttNs() == 0
        ? nscc.withNetworkRttNs(transport.baseRttNs())
        : transport.cc();
  }

  @Override
  public CommandResult post(int host, int qp, int flow, long offset, long bytes, long nowPs) {
    return runner(host).postOwn(host, qp, flow, offset, bytes, nowPs);
  }

  private CommandResult postOwn(int host, int qp, int flow, long offset, long bytes, long nowPs) {
    post.qp = qp;
    post.wrId = flow;
    post.payloadRef = flow;
    post.remoteAddress = FlowAddress.of(flow, offset);
    post.rKey = R_KEY;
    post.length = bytes;
    CommandResult result = nic(host).engine.submit(post, nowPs / PS_PER_NS);
    if (result != CommandResult.QUEUE_FULL && result != CommandResult.WRONG_STATE) {
      must(result);
    }
    return result;
  }

  @Override
  public void kick(int host, long nowPs) {
    runner(host).settle(nic(host), nowPs);
  }

  // ---------------------------------------------------------------- faults

  private long port(int host, int plane) {
    return (long) host * planes + plane;
  }

  @Override
  public void portState(int host, int plane, boolean up, long nowPs) {
    if (up) {
      portsDown.remove(port(host, plane));
    } else {
      portsDown.add(port(host, plane));
    }
    Nic nic = nics[host];
    if (nic != null) {
      nic.engine.portState(plane, up, nowPs / PS_PER_NS);
      settle(nic, nowPs);
    }
  }

  @Override
  public int senderOf(int host, int qp) {
    return nic(host).senderOf(qp);
  }

  @Override
  public void watchResends(ResendWatch watch) {
    resends = watch;
  }

  @Override
  public void watchEvLosses(EvLossWatch watch) {
    evLossWatch = watch;
  }

  @Override
  public void beginLoss(EvLoss loss) {
    evLosses.add(loss);
  }

  @Override
  public void endLoss(EvLoss loss) {
    evLosses.remove(loss);
  }

  @Override
  public long placedBytes() {
    return memory.bytes();
  }

  // ---------------------------------------------------------------- events

  @Override
  public void receive(int host, int plane, int packet, long nowPs) {
    Nic nic = nic(host);
    packets.wrap(view, packet);
    if (Opcode.isWrite(view.opcode())) {
      if (!view.trimmed()) {
        delivered++;
        deliveredOnPlane[plane]++;
      }
      if (jobs != null) {
        jobs.arrived(view);
      }
    }
    if (wire != null) {
      wire.pass(view);
    }
    nic.engine.receive(view, plane, nowPs / PS_PER_NS);
    packets.release(packet);
    settle(nic, nowPs);
  }

  @Override
  public void portFree(int host, int plane, long nowPs) {
    Nic nic = nic(host);
    pull(nic, plane, nowPs);
    wakeLater(nic, nowPs);
  }

  @Override
  public void timer(int host, long nowPs) {
    Nic nic = nic(host);
    if (nic.wakePs != nowPs) {
      return;
    }
    nic.wakePs = Nic.NEVER;
    nic.engine.expire(nowPs / PS_PER_NS);
    settle(nic, nowPs);
  }

  @Override
  public void workload(long nowPs) {
    completions.workload(nowPs);
  }

  private void settle(Nic nic, long nowPs) {
    for (int plane = 0; plane < planes; plane++) {
      if (!ports.busy(topology.hostLink(nic.host, plane), nowPs)) {
        pull(nic, plane, nowPs);
      }
    }
    wakeLater(nic, nowPs);
    completingHost = nic.host;
    nic.engine.poll(sink);
    if (!telling) {
      telling = true;
      while (ended.next()) {
        completions.completed(
            ended.host(), ended.qp(), ended.flow(), ended.success(), ended.bytes(), nowPs);
      }
      telling = false;
    }
  }

  private void wakeLater(Nic nic, long nowPs) {
    long deadlineNs = nic.engine.nextDeadlineNs();
    if (deadlineNs != Engine.NEVER) {
      long atPs = Math.max(nowPs + 1, deadlineNs * PS_PER_NS);
      if (atPs < nic.wakePs) {
        nic.wakePs = atPs;
        events.add(atPs, Network.TIMER + nic.host);
      }
    }
  }

  private void pull(Nic nic, int plane, long nowPs) {
    int packet = packets.take();
    packets.wrap(view, packet);
    if (!nic.engine.nextFrame(plane, nowPs / PS_PER_NS, view)) {
      packets.release(packet);
      return;
    }
    int link = topology.hostLink(nic.host, plane);
    describe(nic, plane, packet, nowPs);
    ports.send(link, packet, nowPs);
    ports.awaitFree(link);
  }

  private void describe(Nic nic, int plane, int packet, long nowPs) {
    boolean data = Opcode.isWrite(view.opcode());
    int bytes = data ? sizes.dataBytes(view.payloadLength()) : sizes.controlBytes();
    int flags = data ? Packets.DATA : 0;
    if (view.dscp() == DscpMap.DEFAULT.control()) {
      flags |= Packets.CONTROL;
    }
    int destination = HostAddress.hostOf(view.dstLo());
    if (data && view.rtx()) {
      retransmitted++;
      if (jobs != null) {
        jobs.sentAgain(view);
      }
      if (resends != null) {
        resends.resent(destination, view.destQp(), view.psn());
      }
    }
    Routing routing = transport.routing();
    int hash = routing == Routing.ECMP ? FlowHash.of(view) : view.ev() & PATH_MASK;
    packets.describe(packet, bytes, flags, hash, topology.destination(destination, plane));
    if (routing.usids()) {
      // Hosts with fewer EVs than paths take the next few each, so that together they meet all.
      long path = (long) nic.host * transport.evsPerPlane() + hash;
      topology.segments(packets, packet, nic.host, destination, plane, path);
    }
    if (!evLosses.isEmpty() && (flags & Packets.CONTROL) == 0) {
      loseByEv(nic, plane, packet, nowPs);
    }
  }

  /** Where an EV names a path, these bits do. */
  private static final int PATH_MASK = (1 << Topology.PATH_BITS) - 1;

  private void loseByEv(Nic nic, int plane, int packet, long nowPs) {
    if (nic.evChance == null) {
      nic.evChance = Streams.of(seed, "ev loss " + nic.host);
    }
    for (int i = 0; i < evLosses.size(); i++) {
      EvLoss loss = evLosses.get(i);
      if ((loss.host() < 0 || loss.host() == nic.host)
          && loss.plane() == plane
          && loss.ev() == view.ev()
          && nic.evChance.nextDouble() < loss.probability()) {
        Network.lose(packets, packet);
        if (evLossWatch != null) {
          evLossWatch.lost(loss, packet, nowPs);
        }
        return;
      }
    }
  }

  // ---------------------------------------------------------------- EVs

  /**
   * The common EV table: for ECMP values drawn from the seed; for structured EVs entry k of a plane
   * names its path k by the uplink of each tier; for SRv6 it is the number k, and names path h · n
   * + k of host h, n being the EVs of a plane.
   */
  public static EvTable evTable(Topology topology, Routing routing, int perPlane, long seed) {
    int planes = topology.planes();
    if (routing == Routing.ECMP) {
      return EvTable.spread(planes, perPlane, Streams.of(seed, "evs").nextLong());
    }
    int[] evs = new int[planes * perPlane];
    int[] portOf = new int[planes * perPlane];
    for (int p = 0; p < planes; p++) {
      for (int i = 0; i < perPlane; i++) {
        int path = routing == Routing.STRUCTURED ? topology.structuredEv(i) : i;
        if (path > PATH_MASK) {
          throw new IllegalArgumentException(
              "evsPerPlane: path " + i + " needs more bits than an EV has for it, allowed 14");
        }
        evs[p * perPlane + i] = p << 16 | 0xc000 | path;
        portOf[p * perPlane + i] = p;
      }
    }
    return new EvTable(evs, portOf);
  }

  // ---------------------------------------------------------------- for results

  @Override
  public long delivered() {
    return delivered;
  }

  @Override
  public long deliveredOnPlane(int plane) {
    return deliveredOnPlane[plane];
  }

  @Override
  public long retransmitted() {
    return retransmitted;
  }

  @Override
  public long ackedPackets(int host, int qp) {
    QpSnapshot snapshot = snapshot(host, qp);
    if (snapshot == null) {
      return UNKNOWN;
    }
    // Packets of the queue pair: those posted, less those beyond cack.
    long nextSeq = snapshot.packetsSent() - snapshot.retransmitted();
    return nextSeq - (Psn.ahead(snapshot.nextPsn(), snapshot.cackPsn()) - 1);
  }

  @Override
  public long windowBytes(int host, int qp) {
    QpSnapshot snapshot = snapshot(host, qp);
    return snapshot == null ? UNKNOWN : snapshot.cwndBytes();
  }

  @Override
  public long inflightBytes(int host, int qp) {
    QpSnapshot snapshot = snapshot(host, qp);
    return snapshot == null ? 0 : snapshot.inflightBytes();
  }

  private @Nullable QpSnapshot snapshot(int host, int qp) {
    Nic nic = nics[host];
    return nic == null ? null : nic.engine.snapshot(qp);
  }
}
