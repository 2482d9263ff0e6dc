package io.anabranch.fabric.link;

import io.anabranch.fabric.event.EventQueue;
import io.anabranch.fabric.event.Streams;
import io.anabranch.wire.mrc.DscpMap;
import io.anabranch.wire.mrc.Frame;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Every directed link with the port that feeds it: two queues, the packet being serialised, the
 * packets on the wire. The control class goes strictly first. An idle port sends at once, without
 * an event of its own. While something waits, a {@link #FREE} event is due; but where each switch
 * is a unit and its ports share nothing, what has left a port is only found out when the next
 * packet comes to it, and at the end of the switch's turn, which saves half of all events.
 *
 * <p>A link's state is made when it is first used, so that memory and time follow the traffic and
 * not the size of the network. One array, {@value #WORDS} words a link, the first eight of them
 * used at every hop; where a link's begin is {@code slotOf}, and the first record stays empty, for
 * links not used so far:
 *
 * <pre>
 *  0  when the port is free, in ps          8  state of the port's chance
 *  1  data queue: head, tail                9  most data bytes that ever waited
 *  2  control queue: head, tail            10  packets trimmed
 *  3  data bytes, control bytes            11  packets marked
 *  4  wire: head, tail, if watched         12  packets dropped
 *  5  next in the list of busy ports (32), kind (8), flags (8)
 *  6  packets sent                          7  bytes sent
 *                                          13  link (32), switch where buffers are shared (32)
 * </pre>
 */
public final class Ports {
  /** Event: a port is free and something waits. The event's target is this plus the link. */
  public static final int FREE = 0;

  /** Event: a packet reaches the end of a link. */
  public static final int ARRIVE = 1 << 28;

  /** Event: a switch's busy ports are looked at. The event's target is this plus the switch. */
  public static final int WAKE = (2 << 28) + (1 << 27);

  private static final int WORDS = 16;
  private static final int FREE_AT = 0;
  private static final int DATA = 1;
  private static final int CONTROL = 2;
  private static final int BYTES = 3;
  private static final int WIRE = 4;
  private static final int MISC = 5;
  private static final int SENT_PACKETS = 6;
  private static final int SENT_BYTES = 7;
  private static final int CHANCE = 8;
  private static final int PEAK = 9;
  private static final int TRIMMED = 10;
  private static final int MARKED = 11;
  private static final int DROPPED = 12;
  private static final int ENDS = 13;
  private static final long EMPTY = Fifos.EMPTY;
  private static final long FREE_DUE = 1;
  private static final long BUSY = 2;
  private static final long NEVER = Long.MAX_VALUE;
  private static final long LOW = 0xffff_ffffL;
  private static final int CE = 3;
  private static final int FIRST_CAPACITY = 256;
  private static final int MAX_KINDS = 256;

  private final EventQueue events;
  private final Packets packets;
  private final int trimmedBytes;
  private final DscpMap dscp;
  private final @Nullable PortWatch watch;
  private final @Nullable Pools pools;
  private final int links;
  private final byte[] kindOf;
  private final int[] slotOf;
  private final long stream;
  private long[] state = new long[FIRST_CAPACITY * WORDS];
  private int used = WORDS;
  private final Fifos lists = new Fifos();
  private Kind[] kinds;
  private final Frame frame = new Frame();
  private final long[] drops = new long[DropCause.values().length];
  private long trimmed;
  private long marked;

  // By switch, when ports tell late: the first busy port's slot, and when it asked to be woken.
  private int[] firstBusy = new int[0];
  private long[] wakePs = new long[0];
  private @Nullable IntUnaryOperator switchFrom;

  private boolean wires;
  private @Nullable Crossing crossing;

  // Of the packet that arrived last.
  private long entry;

  /**
   * What all ports and links of a kind have in common.
   *
   * @param link rate and delay
   * @param queue the port's queues; null = a host's port, which holds none
   * @param toHost whether the link ends at a host
   * @param latencyPs added at the far end
   * @param headBytes what must have arrived before it counts as arrived; {@code Integer.MAX_VALUE}
   *     = all
   */
  public record Kind(
      LinkConfig link, @Nullable QueueConfig queue, boolean toHost, long latencyPs, int headBytes) {
    private static final long PS_BITS = 8_000_000_000_000L;

    /** Time that a number of bytes takes on the link, rounded up. */
    long serialisationPs(int bytes) {
      return (bytes * PS_BITS + link.rateBitsPerSecond() - 1) / link.rateBitsPerSecond();
    }
  }

  private long[] psPerByte;
  private long[] flightPs;
  private int[] headBytes;

  // By the kinds that links begin with: what nodes they join never changes.
  private final boolean[] toHost;
  private final boolean[] fromHost;

  /**
   * All ports idle, all queues empty.
   *
   * @param kindOf each link's kind; not to be changed afterwards
   * @param seed of the ports' chance, one stream a port
   * @param watch is told everything; null = nobody
   * @param pools buffers that ports share; null = each queue has its own
   */
  public Ports(
      EventQueue events,
      Packets packets,
      Kind[] kinds,
      byte[] kindOf,
      int trimmedBytes,
      DscpMap dscp,
      long seed,
      @Nullable PortWatch watch,
      @Nullable Pools pools) {
    this.events = events;
    this.packets = packets;
    this.kinds = kinds.clone();
    this.trimmedBytes = trimmedBytes;
    this.dscp = dscp;
    this.watch = watch;
    this.pools = pools;
    this.kindOf = kindOf;
    links = kindOf.length;
    slotOf = new int[links];
    stream = Streams.of(seed, "ports").nextLong();
    psPerByte = new long[kinds.length];
    flightPs = new long[kinds.length];
    headBytes = new int[kinds.length];
    toHost = new boolean[kinds.length];
    fromHost = new boolean[kinds.length];
    for (int k = 0; k < kinds.length; k++) {
      derive(k);
      toHost[k] = kinds[k].toHost();
      fromHost[k] = kinds[k].queue() == null;
    }
  }

  /**
   * From now on switches' ports have no events of their own: {@link #finish} must be called at the
   * end of each of a switch's turns. Not where ports share buffers.
   *
   * @param from the switch whose port feeds a link
   */
  public void tellLate(int switches, IntUnaryOperator from) {
    if (pools != null || used > WORDS) {
      throw new IllegalStateException("ports share buffers, or were used already");
    }
    switchFrom = from;
    firstBusy = new int[switches];
    wakePs = new long[switches];
    Arrays.fill(wakePs, NEVER);
  }

  /** What ends in another part of the network goes there. */
  public void cross(Crossing by) {
    crossing = by;
  }

  private void derive(int k) {
    long rate = kinds[k].link().rateBitsPerSecond();
    psPerByte[k] = Kind.PS_BITS % rate == 0 ? Kind.PS_BITS / rate : 0;
    flightPs[k] = kinds[k].link().delayPs() + kinds[k].latencyPs();
    headBytes[k] = kinds[k].headBytes();
  }

  private long serialisationPs(int kind, int bytes) {
    long each = psPerByte[kind];
    return each != 0 ? each * bytes : kinds[kind].serialisationPs(bytes);
  }

  /** Where a link's state begins. */
  private int slot(int link) {
    int s = slotOf[link];
    return s != 0 ? s : open(link);
  }

  private int open(int link) {
    if (used == state.length) {
      if (state.length > Integer.MAX_VALUE / 2) {
        throw new IllegalStateException("more than " + used / WORDS + " links in use");
      }
      state = Arrays.copyOf(state, 2 * state.length);
    }
    int s = used;
    used += WORDS;
    slotOf[link] = s;
    state[s + DATA] = EMPTY;
    state[s + CONTROL] = EMPTY;
    state[s + WIRE] = EMPTY;
    state[s + MISC] = (long) kindOf[link] << 8;
    state[s + CHANCE] = Streams.mix(stream + link);
    state[s + ENDS] = (long) link << 32;
    if (pools != null && kinds[kindOf[link]].queue() != null) {
      state[s + ENDS] |= pools.switchOf(link);
    } else if (switchFrom != null && kinds[kindOf[link]].queue() != null) {
      state[s + ENDS] |= switchFrom.applyAsInt(link);
    }
    return s;
  }

  private int kind(int s) {
    return (int) (state[s + MISC] >>> 8) & 0xff;
  }

  /** Whether a link ends at a host. */
  public boolean toHost(int link) {
    return toHost[kindOf[link]];
  }

  /** Whether the port that feeds a link is a host's. */
  public boolean fromHost(int link) {
    return fromHost[kindOf[link]];
  }

  /** Whether a port is sending. */
  public boolean busy(int link, long nowPs) {
    return state[slotOf[link] + FREE_AT] > nowPs;
  }

  /** A busy port is to have a {@link #FREE} event when it is free. */
  public void awaitFree(int link) {
    int s = slot(link);
    if ((state[s + MISC] & FREE_DUE) == 0) {
      state[s + MISC] |= FREE_DUE;
      events.add(state[s + FREE_AT], FREE + link);
    }
  }

  /** A {@link #FREE} event of a host's port was taken. */
  public void freed(int link) {
    int s = slot(link);
    state[s + MISC] &= ~FREE_DUE;
  }

  /** Sends a packet on an idle port. */
  public void send(int link, int packet, long nowPs) {
    start(link, slot(link), packets.entry(packet), packets.route(packet), nowPs, false);
  }

  private void start(int link, int s, long of, long to, long nowPs, boolean waited) {
    int kind = kind(s);
    int bytes = Packets.bytesOf(of);
    long end = nowPs + serialisationPs(kind, bytes);
    state[s + FREE_AT] = end;
    state[s + SENT_PACKETS]++;
    state[s + SENT_BYTES] += bytes;
    if (wires) {
      state[s + WIRE] = lists.add(state[s + WIRE], of, to);
    }
    int head = headBytes[kind];
    long arrival = bytes <= head ? end : nowPs + serialisationPs(kind, head);
    if (crossing != null && crossing.leaves(link)) {
      crossing.add(link, arrival + flightPs[kind], ARRIVE + link, of, to);
    } else {
      events.add(arrival + flightPs[kind], ARRIVE + link, of, to);
    }
    if (watch != null) {
      watch.started(link, Packets.packetOf(of), waited, nowPs, end);
    }
  }

  /** The packet of the {@link #ARRIVE} event taken last has reached the end of its link. */
  public int arrived(int link) {
    entry = events.a();
    if (wires) {
      int s = slot(link);
      state[s + WIRE] = lists.removeFirst(state[s + WIRE]);
    }
    int packet = Packets.packetOf(entry);
    packets.look(packet, events.b());
    return packet;
  }

  /** The flags with which the packet of {@link #arrived} was sent. */
  public int arrivedFlags() {
    return Packets.flagsOf(entry);
  }

  /** A packet is handed to the host at the end of a link. */
  public void delivered(int link, int packet) {
    if (watch != null) {
      watch.delivered(link, packet);
    }
  }

  /** Puts a packet into a switch's egress port. */
  public void enqueue(int link, int packet, long nowPs) {
    enqueue(link, packets.entry(packet), packets.route(packet), nowPs);
  }

  /** Puts the packet of {@link #arrived} into a switch's egress port. */
  public void forward(int link, long nowPs) {
    enqueue(link, entry, packets.lookedRoute(), nowPs);
  }

  private void enqueue(int link, long of, long to, long nowPs) {
    int s = slot(link);
    long misc = state[s + MISC];
    if ((misc & BUSY) != 0) {
      catchUp(link, s, nowPs);
    }
    if (state[s + FREE_AT] <= nowPs && (misc & FREE_DUE) == 0) {
      start(link, s, of, to, nowPs, false);
      return;
    }
    if ((of & Packets.CONTROL) != 0) {
      queueControl(link, s, of, to);
    } else {
      queueData(link, s, of, to);
    }
    if (switchFrom == null) {
      awaitFree(link);
    } else if ((misc & BUSY) == 0) {
      int node = node(s);
      state[s + MISC] = (long) firstBusy[node] << 32 | misc & LOW | BUSY;
      firstBusy[node] = s;
    }
  }

  /** Sends what has left a busy port until a time. */
  private void catchUp(int link, int s, long untilPs) {
    while (state[s + FREE_AT] <= untilPs && waits(s)) {
      next(link, s, state[s + FREE_AT]);
    }
  }

  private boolean waits(int s) {
    return state[s + CONTROL] != EMPTY || state[s + DATA] != EMPTY;
  }

  /**
   * A switch's turn ends: what leaves its ports before a time leaves them now. If something still
   * waits there will be an event for the switch.
   */
  public void finish(int node, long endPs) {
    int s = firstBusy[node];
    int kept = 0;
    long nextPs = NEVER;
    while (s != 0) {
      int following = (int) (state[s + MISC] >>> 32);
      int link = (int) (state[s + ENDS] >>> 32);
      catchUp(link, s, endPs - 1);
      if (waits(s)) {
        state[s + MISC] = (long) kept << 32 | state[s + MISC] & LOW;
        kept = s;
        nextPs = Math.min(nextPs, state[s + FREE_AT]);
      } else {
        state[s + MISC] &= LOW & ~BUSY;
      }
      s = following;
    }
    firstBusy[node] = kept;
    if (wakePs[node] < endPs) {
      wakePs[node] = NEVER;
    }
    nextPs = Math.max(nextPs, endPs);
    if (nextPs < wakePs[node]) {
      wakePs[node] = nextPs;
      events.add(nextPs, WAKE + node);
    }
  }

  private void queueControl(int link, int s, long of, long to) {
    int packet = Packets.packetOf(of);
    int bytes = Packets.bytesOf(of);
    long queued = (state[s + BYTES] & LOW) + bytes;
    QueueConfig queue = queue(s);
    if (queued > queue.controlBytes() || pools != null && bytes > pools.freeBytes(node(s))) {
      drop(link, packet, DropCause.CONTROL_QUEUE_FULL);
      return;
    }
    hold(s, bytes);
    state[s + BYTES] += bytes;
    state[s + CONTROL] = lists.add(state[s + CONTROL], of, to);
    if (watch != null) {
      watch.queued(link, packet, true, queued);
    }
  }

  private int node(int s) {
    return (int) state[s + ENDS];
  }

  /** Bytes come into a port's queues, or leave them. */
  private void hold(int s, int bytes) {
    if (pools != null) {
      pools.take(node(s), bytes);
    }
  }

  /**
   * Whether a data queue may hold so much.
   *
   * @param queuedBytes the arriving packet counted as queued
   * @param freedBytes that will be free by then
   */
  private boolean fits(int s, QueueConfig queue, long queuedBytes, int bytes, int freedBytes) {
    return queuedBytes <= queue.dataBytes()
        && (pools == null
            || pools.admits(pools.freeBytes(node(s)) + freedBytes, queuedBytes, bytes));
  }

  private QueueConfig queue(int s) {
    QueueConfig queue = kinds[kind(s)].queue();
    if (queue == null) {
      throw new IllegalStateException("nothing may wait at a host's port");
    }
    return queue;
  }

  private void queueData(int link, int s, long of, long to) {
    int packet = Packets.packetOf(of);
    int bytes = Packets.bytesOf(of);
    QueueConfig queue = queue(s);
    long queued = (state[s + BYTES] >>> 32) + bytes;
    if (!fits(s, queue, queued, bytes, 0)) {
      if (queue.overflow() == Overflow.DROP) {
        drop(link, packet, DropCause.DATA_QUEUE_FULL);
        return;
      }
      // Taking out a newest packet that is smaller makes no room.
      long list = state[s + DATA];
      int room = list == EMPTY ? 0 : Packets.bytesOf(lists.last(list));
      if (list == EMPTY
          || !fits(s, queue, queued - room, bytes, room - trimmedBytes)
          || chance(s) < queue.trimArriving()) {
        trim(link, s, packet, to);
        return;
      }
      removeNewest(link, s);
      queued = (state[s + BYTES] >>> 32) + bytes;
    }
    state[s + DATA] = lists.add(state[s + DATA], of, to);
    hold(s, bytes);
    state[s + BYTES] += (long) bytes << 32;
    if (queued > state[s + PEAK]) {
      state[s + PEAK] = queued;
    }
    if (watch != null) {
      watch.queued(link, packet, false, queued);
    }
  }

  /** Takes out the newest data packet and trims it. */
  private void removeNewest(int link, int s) {
    long of = lists.last(state[s + DATA]);
    long to = lists.lastOther(state[s + DATA]);
    state[s + DATA] = lists.removeLast(state[s + DATA]);
    int packet = Packets.packetOf(of);
    hold(s, -Packets.bytesOf(of));
    state[s + BYTES] -= (long) Packets.bytesOf(of) << 32;
    if (watch != null) {
      watch.unqueued(link, packet);
    }
    trim(link, s, packet, to);
  }

  private void trim(int link, int s, int packet, long to) {
    packets.trim(packet, trimmedBytes);
    boolean lastHop = kinds[kind(s)].toHost();
    packets.wrap(frame, packet).trimmed(true);
    frame.dscp(lastHop ? dscp.trimmedLastHop() : dscp.trimmed());
    state[s + TRIMMED]++;
    trimmed++;
    queueControl(link, s, packets.entry(packet), to);
  }

  /** A switch's port is free: the next packet leaves. */
  public void free(int link, long nowPs) {
    int s = slot(link);
    state[s + MISC] &= ~FREE_DUE;
    if (waits(s)) {
      next(link, s, nowPs);
      if (waits(s)) {
        awaitFree(link);
      }
    }
  }

  private void next(int link, int s, long nowPs) {
    boolean control = state[s + CONTROL] != EMPTY;
    int list = s + (control ? CONTROL : DATA);
    long of = lists.first(state[list]);
    long to = lists.firstOther(state[list]);
    state[list] = lists.removeFirst(state[list]);
    int bytes = Packets.bytesOf(of);
    hold(s, -bytes);
    if (control) {
      state[s + BYTES] -= bytes;
    } else {
      state[s + BYTES] -= (long) bytes << 32;
      mark(s, Packets.packetOf(of));
    }
    start(link, s, of, to, nowPs, true);
  }

  private void mark(int s, int packet) {
    QueueConfig queue = queue(s);
    EcnRamp ecn = queue.ecn();
    if (ecn == null) {
      return;
    }
    long left = state[s + BYTES] >>> 32;
    if (left <= ecn.lowBytes()) {
      return;
    }
    if (left < ecn.highBytes()
        && chance(s) * (ecn.highBytes() - ecn.lowBytes()) >= ecn.most() * (left - ecn.lowBytes())) {
      return;
    }
    packets.wrap(frame, packet);
    if (frame.ecn() != 0) {
      frame.ecn(CE);
      state[s + MARKED]++;
      marked++;
    }
  }

  /** The next number of a port's own chance, in [0, 1). */
  private double chance(int s) {
    state[s + CHANCE] += Streams.STEP;
    return Streams.unit(state[s + CHANCE]);
  }

  /** Drops a packet at a link or the port that feeds it. */
  public void drop(int link, int packet, DropCause cause) {
    drops[cause.ordinal()]++;
    int s = slot(link); // may move the array
    state[s + DROPPED]++;
    if (watch != null) {
      watch.dropped(packet, cause);
    }
    packets.release(packet);
  }

  // ---------------------------------------------------------------- for faults

  /** From now on it is known what is on a link, for {@link #flagWire}. */
  public void watchWires() {
    wires = true;
  }

  /** Sets a flag on every packet that is on a link, the one being serialised too. */
  public void flagWire(int link, int flag) {
    long wire = state[slotOf[link] + WIRE];
    if (slotOf[link] == 0) {
      return;
    }
    for (int at = Fifos.head(wire); at >= 0; at = lists.next(wire, at)) {
      packets.flag(Packets.packetOf(lists.at(at)), flag);
    }
  }

  /**
   * Takes the next packet out of a switch port's queues, to be dropped; or {@link Packets#NONE}.
   */
  public int takeQueued(int link) {
    int s = slotOf[link];
    if (s == 0 || !waits(s)) {
      return Packets.NONE;
    }
    boolean control = state[s + CONTROL] != EMPTY;
    int list = s + (control ? CONTROL : DATA);
    long of = lists.first(state[list]);
    state[list] = lists.removeFirst(state[list]);
    int packet = Packets.packetOf(of);
    hold(s, -Packets.bytesOf(of));
    state[s + BYTES] -= (long) Packets.bytesOf(of) << (control ? 0 : 32);
    if (watch != null) {
      watch.unqueued(link, packet);
    }
    return packet;
  }

  /** What a link is like now. */
  public Kind kindOf(int link) {
    return kinds[kind(slot(link))];
  }

  /**
   * Makes a link another from now on; what is being serialised keeps its time. Where packets would
   * overtake those on the wire, the port pauses for the difference of the delays.
   */
  public void kindOf(int link, Kind kind, long nowPs) {
    int s = slot(link);
    int k = 0;
    while (k < kinds.length && !kinds[k].equals(kind)) {
      k++;
    }
    if (k == kinds.length) {
      if (k == MAX_KINDS) {
        throw new IllegalStateException("more than " + MAX_KINDS + " kinds of links");
      }
      kinds = Arrays.copyOf(kinds, k + 1);
      psPerByte = Arrays.copyOf(psPerByte, k + 1);
      flightPs = Arrays.copyOf(flightPs, k + 1);
      headBytes = Arrays.copyOf(headBytes, k + 1);
      kinds[k] = kind;
      derive(k);
    }
    long sooner = flightPs[kind(s)] - flightPs[k];
    state[s + MISC] = state[s + MISC] & ~(0xffL << 8) | (long) k << 8;
    if (sooner > 0 && state[s + WIRE] != EMPTY) {
      state[s + FREE_AT] = Math.max(nowPs, state[s + FREE_AT]) + sooner;
      if (switchFrom == null || kind.queue() == null) {
        awaitFree(link);
      }
    }
  }

  /** Whether a port that was to be free now pauses for longer; its event comes again then. */
  public boolean pauses(int link, long nowPs) {
    long freeAt = state[slot(link) + FREE_AT];
    if (freeAt <= nowPs) {
      return false;
    }
    events.add(freeAt, FREE + link);
    return true;
  }

  /** Whether a packet arrives at the end of a link only once all of it is there. */
  public boolean arrivesWhole(int link, int packet) {
    return packets.bytes(packet) <= kindOf(link).headBytes();
  }

  /** Time from a packet's last bit on a link until it counts as arrived. */
  public long flightPs(int link) {
    return flightPs[kind(slot(link))];
  }

  // ---------------------------------------------------------------- for results

  /** Links in all. */
  public int links() {
    return links;
  }

  /** How many links were used so far. */
  public int usedLinks() {
    return used / WORDS - 1;
  }

  /** A link that was used, {@code place} counted from 0 in the order of first use. */
  public int usedLink(int place) {
    return (int) (state[(place + 1) * WORDS + ENDS] >>> 32);
  }

  /** Packets dropped for a cause. */
  public long drops(DropCause cause) {
    return drops[cause.ordinal()];
  }

  /** Packets trimmed in all. */
  public long trimmed() {
    return trimmed;
  }

  /** Packets marked in all. */
  public long marked() {
    return marked;
  }

  /** Packets put on a link. */
  public long sentPackets(int link) {
    return state[slotOf[link] + SENT_PACKETS];
  }

  /** Bytes put on a link. */
  public long sentBytes(int link) {
    return state[slotOf[link] + SENT_BYTES];
  }

  /** Data bytes that wait. */
  public long queuedBytes(int link) {
    return state[slotOf[link] + BYTES] >>> 32;
  }

  /** The most data bytes that ever waited. */
  public long peakBytes(int link) {
    return state[slotOf[link] + PEAK];
  }

  /** Packets trimmed at a port. */
  public long trimmed(int link) {
    return state[slotOf[link] + TRIMMED];
  }

  /** Packets marked at a port. */
  public long marked(int link) {
    return state[slotOf[link] + MARKED];
  }

  /** Packets dropped at a port or on its link. */
  public long dropped(int link) {
    return state[slotOf[link] + DROPPED];
  }

  /** Packets serialised on all links. */
  public long hops() {
    long sum = 0;
    for (int s = WORDS; s < used; s += WORDS) {
      sum += state[s + SENT_PACKETS];
    }
    return sum;
  }
}
