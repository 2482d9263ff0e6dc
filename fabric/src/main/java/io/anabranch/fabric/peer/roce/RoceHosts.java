package io.anabranch.fabric.peer.roce;

import io.anabranch.engine.CommandResult;
import io.anabranch.fabric.event.EventQueue;
import io.anabranch.fabric.event.Streams;
import io.anabranch.fabric.event.TimeHeap;
import io.anabranch.fabric.host.EndedWrites;
import io.anabranch.fabric.host.Endpoints;
import io.anabranch.fabric.host.FlowAddress;
import io.anabranch.fabric.host.FlowHash;
import io.anabranch.fabric.host.HostAddress;
import io.anabranch.fabric.host.JobCounts;
import io.anabranch.fabric.host.PlacementWatch;
import io.anabranch.fabric.link.Packets;
import io.anabranch.fabric.link.Ports;
import io.anabranch.fabric.link.SizeConfig;
import io.anabranch.fabric.node.Network;
import io.anabranch.fabric.topology.Topology;
import io.anabranch.wire.mrc.Frame;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * All hosts, with RoCEv2 NICs. A queue pair belongs to one port of either host; its number is the
 * same at both ends, and its state is made when it is connected, so that memory follows the
 * traffic. A port sends control packets first, then takes the queue pairs that may send in turn, a
 * packet each; one whose rate holds it back waits for its time.
 */
public final class RoceHosts implements Endpoints {
  private static final int PSN_MASK = 0xff_ffff;
  private static final int RETH_BYTES = 16;
  private static final int IMMEDIATE_BYTES = 4;
  private static final int ECT_0 = 2;
  private static final int CE = 3;
  private static final int NONE = -1;
  private static final long NEVER = Long.MAX_VALUE;
  private static final double BIT_PS = 8e12;

  // Of a queue pair: it is in its port's list; it waits for its time; a timeout is in the alarms.
  private static final int LISTED = 1;
  private static final int PACED = 2;
  private static final int TIMED = 4;

  private final EventQueue events;
  private final Packets packets;
  private final Ports ports;
  private final Topology topology;
  private final SizeConfig sizes;
  private final RoceConfig config;
  private final PlacementWatch placed;
  private final @Nullable JobCounts jobs;
  private final Completions completions;
  private final int planes;
  private final SplittableRandom chance;
  private final Frame view = new Frame();
  private final EndedWrites ended = new EndedWrites();
  private boolean telling;
  private @Nullable ResendWatch resends;

  // By port of a host: planes · host + plane.
  private final int[] firstReady;
  private final int[] lastReady;
  private final int[] firstControl;
  private final int[] lastControl;
  private final boolean[] down;

  // By host.
  private final @Nullable TimeHeap[] alarms;
  private final long[] wakePs;
  private final int[] nextPlane;

  // By queue pair.
  private final Requestors requestors;
  private final Responders responders;
  private final Messages messages;
  private final @Nullable Dcqcn dcqcn;
  private int qps;
  private int[] source = new int[16];
  private int[] destination = new int[16];
  private byte[] plane = new byte[16];
  private int[] udpPort = new int[16];
  private int[] hashThere = new int[16];
  private int[] hashBack = new int[16];
  private int[] firstPsn = new int[16];
  private byte[] state = new byte[16];
  private int[] nextReady = new int[16];
  private long[] sendPs = new long[16];
  private long[] address = new long[16];

  /** By packet: the next one in a port's list of control packets. */
  private int[] nextControl = new int[256];

  private long delivered;
  private long retransmitted;
  private long placedBytes;
  private long cnps;
  private int waiting;
  private final long[] deliveredOnPlane;

  /**
   * Hosts without connections.
   *
   * @param placed is told what is written to memory
   * @param jobs counts by job; null = there are none
   */
  public RoceHosts(
      long seed,
      EventQueue events,
      Packets packets,
      Ports ports,
      Topology topology,
      SizeConfig sizes,
      RoceConfig config,
      PlacementWatch placed,
      @Nullable JobCounts jobs,
      Completions completions) {
    this.events = events;
    this.packets = packets;
    this.ports = ports;
    this.topology = topology;
    this.sizes = sizes;
    this.config = config;
    this.placed = placed;
    this.jobs = jobs;
    this.completions = completions;
    planes = topology.planes();
    chance = Streams.of(seed, "roce");
    int hosts = topology.hosts();
    firstReady = filled(hosts * planes);
    lastReady = filled(hosts * planes);
    firstControl = filled(hosts * planes);
    lastControl = filled(hosts * planes);
    down = new boolean[hosts * planes];
    alarms = new TimeHeap[hosts];
    wakePs = new long[hosts];
    Arrays.fill(wakePs, NEVER);
    nextPlane = new int[hosts];
    deliveredOnPlane = new long[planes];
    requestors = new Requestors(config);
    responders = new Responders(config);
    messages = new Messages(config.mtuBytes());
    long rate = topology.linkOf(topology.kind(topology.hostLink(0, 0))).rateBitsPerSecond();
    dcqcn = config.dcqcn() == null ? null : new Dcqcn(config.dcqcn(), rate);
  }

  private static int[] filled(int n) {
    int[] array = new int[n];
    Arrays.fill(array, NONE);
    return array;
  }

  // ---------------------------------------------------------------- connections

  @Override
  public int connect(int from, int to, int table, long nowPs) {
    int qp = qps++;
    if (qp > PSN_MASK) {
      throw new IllegalStateException("more than " + PSN_MASK + " queue pairs");
    }
    room();
    source[qp] = from;
    destination[qp] = to;
    plane[qp] = (byte) nextPlane[from];
    nextPlane[from] = nextPlane[from] + 1 == planes ? 0 : nextPlane[from] + 1;
    // The dynamic ports, as NICs use them for RoCEv2.
    udpPort[qp] = 0xc000 | chance.nextInt(1 << 14);
    firstPsn[qp] = chance.nextInt(PSN_MASK + 1);
    requestors.add(qp);
    responders.add(qp);
    messages.add(qp);
    if (dcqcn != null) {
      dcqcn.add(qp);
    }
    hashThere[qp] = hash(qp, from, to);
    hashBack[qp] = hash(qp, to, from);
    return qp;
  }

  private void room() {
    if (qps <= source.length) {
      return;
    }
    int n = 2 * source.length;
    source = Arrays.copyOf(source, n);
    destination = Arrays.copyOf(destination, n);
    plane = Arrays.copyOf(plane, n);
    udpPort = Arrays.copyOf(udpPort, n);
    hashThere = Arrays.copyOf(hashThere, n);
    hashBack = Arrays.copyOf(hashBack, n);
    firstPsn = Arrays.copyOf(firstPsn, n);
    state = Arrays.copyOf(state, n);
    nextReady = Arrays.copyOf(nextReady, n);
    sendPs = Arrays.copyOf(sendPs, n);
    address = Arrays.copyOf(address, n);
  }

  private int hash(int qp, int from, int to) {
    Frame frame = new Frame();
    addresses(frame, qp, from, to);
    return FlowHash.of(frame);
  }

  private void addresses(Frame frame, int qp, int from, int to) {
    frame.src(HostAddress.hi(plane[qp]), HostAddress.lo(from));
    frame.dst(HostAddress.hi(plane[qp]), HostAddress.lo(to));
    frame.dstPort(HostAddress.UDP_PORT).ev(udpPort[qp]).destQp(qp);
  }

  @Override
  public CommandResult post(int host, int qp, int flow, long offset, long bytes, long nowPs) {
    if (requestors.failed(qp)) {
      return CommandResult.WRONG_STATE;
    }
    if (messages.count(qp) == Messages.DEPTH) {
      return CommandResult.QUEUE_FULL;
    }
    messages.post(qp, requestors.end(qp), flow, offset, bytes);
    requestors.post(qp, messages.packetsOf(bytes));
    ready(qp);
    return CommandResult.OK;
  }

  @Override
  public void kick(int host, long nowPs) {
    for (int p = 0; p < planes; p++) {
      offer(host * planes + p, nowPs);
    }
    wakeLater(host, nowPs);
  }

  // ---------------------------------------------------------------- sending

  private int port(int qp, int host) {
    return host * planes + plane[qp];
  }

  private int link(int port) {
    return topology.hostLink(port / planes, port % planes);
  }

  /** Puts a queue pair that has something to send into its port's list. */
  private void ready(int qp) {
    if ((state[qp] & (LISTED | PACED)) == 0 && requestors.hasNext(qp)) {
      state[qp] |= LISTED;
      append(port(qp, source[qp]), qp);
    }
  }

  private void append(int port, int qp) {
    nextReady[qp] = NONE;
    if (firstReady[port] == NONE) {
      firstReady[port] = qp;
    } else {
      nextReady[lastReady[port]] = qp;
    }
    lastReady[port] = qp;
  }

  /** Something may be there to be sent. */
  private void offer(int port, long nowPs) {
    if (firstControl[port] == NONE && firstReady[port] == NONE || down[port]) {
      return;
    }
    int link = link(port);
    if (ports.busy(link, nowPs)) {
      ports.awaitFree(link);
    } else {
      pull(port, link, nowPs);
    }
  }

  @Override
  public void portFree(int host, int onPlane, long nowPs) {
    int port = host * planes + onPlane;
    int link = link(port);
    // Another packet may have been given to it at this instant.
    if (!down[port] && !ports.busy(link, nowPs)) {
      pull(port, link, nowPs);
    }
    wakeLater(host, nowPs);
  }

  private void pull(int port, int link, long nowPs) {
    int packet = firstControl[port];
    if (packet != NONE) {
      firstControl[port] = nextControl[packet];
      waiting--;
    } else {
      int qp = nextToSend(port, nowPs);
      if (qp == NONE) {
        return;
      }
      packet = data(qp, nowPs);
      if (requestors.hasNext(qp)) {
        append(port, qp);
      } else {
        state[qp] &= ~LISTED;
      }
    }
    ports.send(link, packet, nowPs);
    if (firstControl[port] != NONE || firstReady[port] != NONE) {
      ports.awaitFree(link);
    }
  }

  /** Takes the first queue pair out of a port's list that may send now. */
  private int nextToSend(int port, long nowPs) {
    while (true) {
      int qp = firstReady[port];
      if (qp == NONE) {
        return NONE;
      }
      firstReady[port] = nextReady[qp];
      if (!requestors.hasNext(qp)) {
        state[qp] &= ~LISTED;
      } else if (sendPs[qp] > nowPs) {
        state[qp] = (byte) (state[qp] & ~LISTED | PACED);
        pace(qp);
      } else {
        return qp;
      }
    }
  }

  /** Wakes a queue pair at its time, or sooner when its rate will have been raised. */
  private void pace(int qp) {
    long atPs = sendPs[qp];
    if (dcqcn != null) {
      atPs = Math.min(atPs, dcqcn.nextStepPs(qp));
    }
    alarms(source[qp]).add(atPs, qp << 1);
  }

  private TimeHeap alarms(int host) {
    TimeHeap own = alarms[host];
    if (own == null) {
      own = new TimeHeap();
      alarms[host] = own;
    }
    return own;
  }

  /** Makes the next packet of a queue pair. */
  private int data(int qp, long nowPs) {
    final long sequence = requestors.take(qp, nowPs);
    messages.find(qp, sequence);
    boolean first = sequence == messages.first();
    boolean last = sequence == messages.end() - 1;
    int payload = messages.payloadBytes(sequence);
    boolean everyReth = config.recovery() instanceof Recovery.SelectiveRepeat;
    boolean immediate = last && config.immediate();
    long within = (sequence - messages.first()) * config.mtuBytes();
    int packet = packets.take();
    packets.wrap(view, packet).clear();
    addresses(view, qp, source[qp], destination[qp]);
    view.opcode(RcOpcode.write(first, last, immediate)).psn(psn(qp, sequence)).ecn(ECT_0);
    view.payloadLength(payload);
    view.payload(messages.flow(), 0);
    int bytes = sizes.dataBytes(payload) + (immediate ? IMMEDIATE_BYTES : 0);
    if (first || everyReth || config.reorderPackets() > 0) {
      view.virtualAddress(FlowAddress.of(messages.flow(), messages.offset() + within));
      bytes += RETH_BYTES;
    }
    packets.describe(
        packet,
        bytes,
        Packets.DATA,
        hashThere[qp],
        topology.destination(destination[qp], plane[qp]));
    if (requestors.isCopy(qp, sequence)) {
      resent(qp);
    }
    timeLater(qp);
    spend(qp, bytes, nowPs);
    return packet;
  }

  private void resent(int qp) {
    retransmitted++;
    if (jobs != null) {
      jobs.sentAgain(view);
    }
    if (resends != null) {
      resends.resent(destination[qp], qp, view.psn());
    }
  }

  /** The rate limiter: when the queue pair may send next. */
  private void spend(int qp, int bytes, long nowPs) {
    if (dcqcn != null) {
      dcqcn.advance(qp, nowPs);
      dcqcn.sent(qp, bytes);
      if (!dcqcn.atLineRate(qp)) {
        sendPs[qp] = nowPs + (long) Math.ceil(bytes * BIT_PS / dcqcn.rate(qp));
      }
    }
  }

  /** What is left until a queue pair may send again is shorter or longer at another rate. */
  private void rescale(int qp, double before, long nowPs) {
    if (dcqcn != null && sendPs[qp] > nowPs && dcqcn.rate(qp) != before) {
      sendPs[qp] = nowPs + (long) Math.ceil((sendPs[qp] - nowPs) * (before / dcqcn.rate(qp)));
    }
  }

  private int psn(int qp, long sequence) {
    return (int) (firstPsn[qp] + sequence) & PSN_MASK;
  }

  /** The sequence number of a PSN, the one nearest to another. */
  private long sequence(int qp, int psn, long near) {
    int ahead = psn - psn(qp, near) << 8 >> 8;
    return near + ahead;
  }

  // ---------------------------------------------------------------- receiving

  @Override
  public void receive(int host, int onPlane, int packet, long nowPs) {
    packets.wrap(view, packet);
    int qp = view.destQp();
    int opcode = view.opcode();
    if (RcOpcode.isWrite(opcode)) {
      dataArrived(qp, onPlane, opcode, nowPs);
      packets.release(packet);
    } else {
      int psn = view.psn();
      int syndrome = view.syndrome();
      int other = (int) view.virtualAddress();
      packets.release(packet);
      if (opcode == RcOpcode.CNP) {
        notified(qp, nowPs);
      } else {
        answered(qp, psn, syndrome, other, nowPs);
      }
      offer(port(qp, host), nowPs);
    }
    wakeLater(host, nowPs);
    tell(nowPs);
  }

  private void dataArrived(int qp, int onPlane, int opcode, long nowPs) {
    delivered++;
    deliveredOnPlane[onPlane]++;
    if (jobs != null) {
      jobs.arrived(view);
    }
    boolean notifies =
        view.ecn() == CE && dcqcn != null && responders.notifies(qp, nowPs, dcqcn.cnpIntervalPs());
    long sequence = sequence(qp, view.psn(), responders.due(qp));
    int what = responders.arrived(qp, sequence, RcOpcode.isEnd(opcode));
    if ((what & Responders.TAKEN) != 0) {
      if (view.virtualAddress() != 0 || RcOpcode.isStart(opcode)) {
        address[qp] = view.virtualAddress();
      }
      int payload = view.payloadLength();
      placedBytes += payload;
      placed.placed(FlowAddress.flow(address[qp]), FlowAddress.offset(address[qp]), payload);
      address[qp] += payload;
    }
    int port = port(qp, destination[qp]);
    if (notifies) {
      cnps++;
      control(qp, port, RcOpcode.CNP, destination[qp], source[qp]);
      queue(port, nowPs);
    }
    int answer = what & ~Responders.TAKEN;
    if (answer != Responders.QUIET) {
      control(qp, port, RcOpcode.ACKNOWLEDGE, destination[qp], source[qp]);
      boolean nak = answer == Responders.NAK;
      view.psn(psn(qp, nak ? responders.due(qp) : responders.due(qp) - 1));
      view.syndrome(nak ? RcOpcode.NAK_SEQUENCE_ERROR : 0);
      view.virtualAddress(psn(qp, sequence));
      queue(port, nowPs);
    }
  }

  private int made;

  /** Makes a control packet; it is {@link #view} until it is queued. */
  private void control(int qp, int port, int opcode, int from, int to) {
    made = packets.take();
    packets.wrap(view, made).clear();
    addresses(view, qp, from, to);
    view.opcode(opcode);
    packets.describe(
        made,
        sizes.controlBytes(),
        Packets.CONTROL,
        hashBack[qp],
        topology.destination(to, port % planes));
  }

  /** Sends the packet made last, or puts it in line. */
  private void queue(int port, long nowPs) {
    if (made >= nextControl.length) {
      nextControl = Arrays.copyOf(nextControl, Math.max(made + 1, 2 * nextControl.length));
    }
    nextControl[made] = NONE;
    if (firstControl[port] == NONE) {
      firstControl[port] = made;
    } else {
      nextControl[lastControl[port]] = made;
    }
    lastControl[port] = made;
    waiting++;
    offer(port, nowPs);
  }

  private void notified(int qp, long nowPs) {
    if (dcqcn == null) {
      return;
    }
    dcqcn.advance(qp, nowPs);
    double before = dcqcn.rate(qp);
    dcqcn.cnp(qp, nowPs);
    rescale(qp, before, nowPs);
  }

  /** An ACK names the last packet that has arrived, a NAK the one that is missing. */
  private void answered(int qp, int psn, int syndrome, int other, long nowPs) {
    boolean nak = syndrome == RcOpcode.NAK_SEQUENCE_ERROR;
    long una = requestors.una(qp);
    long before = sequence(qp, psn, una) + (nak ? 0 : 1);
    if (requestors.acknowledged(qp, before, nowPs)) {
      complete(qp);
    }
    if (nak && !requestors.missing(qp, before, sequence(qp, other, una), nowPs)) {
      fail(qp);
    }
    timeLater(qp);
    ready(qp);
  }

  private void complete(int qp) {
    while (messages.count(qp) > 0) {
      messages.oldest(qp);
      if (messages.end() > requestors.una(qp)) {
        return;
      }
      ended.add(source[qp], qp, messages.flow(), true, (int) messages.bytes());
      messages.removeOldest(qp);
    }
  }

  /** No retry is left: everything that was posted ends in error, and nothing more is sent. */
  private void fail(int qp) {
    requestors.fail(qp);
    while (messages.count(qp) > 0) {
      messages.oldest(qp);
      ended.add(source[qp], qp, messages.flow(), false, 0);
      messages.removeOldest(qp);
    }
  }

  private void tell(long nowPs) {
    if (telling) {
      return;
    }
    telling = true;
    while (ended.next()) {
      completions.completed(
          ended.host(), ended.qp(), ended.flow(), ended.success(), ended.bytes(), nowPs);
    }
    telling = false;
  }

  // ---------------------------------------------------------------- time

  /** A timeout is among the alarms while there is one; it may come too soon, and then goes back. */
  private void timeLater(int qp) {
    if ((state[qp] & TIMED) == 0 && requestors.deadlinePs(qp) != NEVER) {
      state[qp] |= TIMED;
      alarms(source[qp]).add(requestors.deadlinePs(qp), qp << 1 | 1);
    }
  }

  private void wakeLater(int host, long nowPs) {
    TimeHeap own = alarms[host];
    if (own == null) {
      return;
    }
    long atPs = own.firstPs();
    if (atPs < wakePs[host]) {
      wakePs[host] = Math.max(atPs, nowPs + 1);
      events.add(wakePs[host], Network.TIMER + host);
    }
  }

  @Override
  public void timer(int host, long nowPs) {
    TimeHeap own = alarms[host];
    if (wakePs[host] != nowPs || own == null) {
      return;
    }
    wakePs[host] = NEVER;
    while (own.firstPs() <= nowPs) {
      int id = own.take();
      if ((id & 1) == 0) {
        paced(id >> 1, nowPs);
      } else {
        timed(id >> 1, nowPs);
      }
    }
    for (int p = 0; p < planes; p++) {
      offer(host * planes + p, nowPs);
    }
    wakeLater(host, nowPs);
    tell(nowPs);
  }

  private void paced(int qp, long nowPs) {
    if (dcqcn != null && sendPs[qp] > nowPs) {
      double before = dcqcn.rate(qp);
      dcqcn.advance(qp, nowPs);
      rescale(qp, before, nowPs);
      if (sendPs[qp] > nowPs) {
        pace(qp);
        return;
      }
    }
    state[qp] &= ~PACED;
    ready(qp);
  }

  private void timed(int qp, long nowPs) {
    state[qp] &= ~TIMED;
    if (requestors.deadlinePs(qp) <= nowPs) {
      if (requestors.timedOut(qp, nowPs)) {
        ready(qp);
      } else {
        fail(qp);
      }
    }
    timeLater(qp);
  }

  @Override
  public void workload(long nowPs) {
    completions.workload(nowPs);
  }

  // ---------------------------------------------------------------- faults and results

  @Override
  public void portState(int host, int onPlane, boolean up, long nowPs) {
    int port = host * planes + onPlane;
    down[port] = !up;
    offer(port, nowPs);
    wakeLater(host, nowPs);
  }

  @Override
  public int senderOf(int host, int qp) {
    return qp;
  }

  @Override
  public void watchResends(ResendWatch watch) {
    resends = watch;
  }

  @Override
  public long ackedPackets(int host, int qp) {
    return requestors.failed(qp) ? UNKNOWN : requestors.una(qp);
  }

  @Override
  public long windowBytes(int host, int qp) {
    return requestors.mostUnderWay() * config.mtuBytes();
  }

  @Override
  public long inflightBytes(int host, int qp) {
    return requestors.underWay(qp) * config.mtuBytes();
  }

  @Override
  public int waitingPackets() {
    return waiting;
  }

  @Override
  public long placedBytes() {
    return placedBytes;
  }

  @Override
  public long delivered() {
    return delivered;
  }

  @Override
  public long deliveredOnPlane(int onPlane) {
    return deliveredOnPlane[onPlane];
  }

  @Override
  public long retransmitted() {
    return retransmitted;
  }

  /** CNPs sent by all notification points. */
  public long cnps() {
    return cnps;
  }
}
