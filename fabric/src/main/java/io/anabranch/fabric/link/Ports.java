package io.anabranch.fabric.link;

import io.anabranch.fabric.event.EventQueue;
import io.anabranch.fabric.event.Streams;
import io.anabranch.wire.mrc.DscpMap;
import io.anabranch.wire.mrc.Frame;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Every directed link with the port that feeds it: two queues, the packet being serialised, the
 * packets on the wire. The control class goes strictly first. An idle port sends at once, without
 * an event of its own; a {@link #FREE} event is due only while something waits.
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
 *  4  wire: head, tail                     12  packets dropped
 *  5  before the data tail (32), kind (8), flags (8)
 *  6  packets sent                          7  bytes sent
 *                                          13  link (32), switch where buffers are shared (32)
 * </pre>
 */
public final class Ports {
  /** Event: a port is free and something waits. The event's target is this plus the link. */
  public static final int FREE = 0;

  /** Event: a packet reaches the end of a link. */
  public static final int ARRIVE = 1 << 28;

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
  private static final long EMPTY = -1L;
  private static final long FREE_DUE = 1;
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
  private Kind[] kinds;
  private final Frame frame = new Frame();
  private final long[] drops = new long[DropCause.values().length];
  private long trimmed;
  private long marked;

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
    for (int k = 0; k < kinds.length; k++) {
      derive(k);
    }
  }

  private void derive(int k) {
    long rate = kinds[k].link().rateBitsPerSecond();
    psPerByte[k] = Kind.PS_BITS % rate == 0 ? Kind.PS_BITS / rate : 0;
    flightPs[k] = kinds[k].link().delayPs() + kinds[k].latencyPs();
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
    }
    return s;
  }

  private int kind(int s) {
    return (int) (state[s + MISC] >>> 8) & 0xff;
  }

  /** Whether a link ends at a host. */
  public boolean toHost(int link) {
    return kinds[kind(slot(link))].toHost();
  }

  /** Whether the port that feeds a link is a host's. */
  public boolean fromHost(int link) {
    return kinds[kind(slot(link))].queue() == null;
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
    start(link, slot(link), packet, nowPs, false);
  }

  private void start(int link, int s, int packet, long nowPs, boolean waited) {
    int kind = kind(s);
    int bytes = packets.bytes(packet);
    long end = nowPs + serialisationPs(kind, bytes);
    state[s + FREE_AT] = end;
    state[s + SENT_PACKETS]++;
    state[s + SENT_BYTES] += bytes;
    long wire = state[s + WIRE];
    packets.next(packet, Packets.NONE);
    if (wire == EMPTY) {
      state[s + WIRE] = (long) packet << 32 | packet;
    } else {
      packets.next((int) wire, packet);
      state[s + WIRE] = wire & ~LOW | packet;
    }
    int head = kinds[kind].headBytes();
    long arrival = bytes <= head ? end : nowPs + serialisationPs(kind, head);
    events.add(arrival + flightPs[kind], ARRIVE + link);
    if (watch != null) {
      watch.started(link, packet, waited, nowPs, end);
    }
  }

  /** Takes the packet that has reached the end of a link. */
  public int arrived(int link) {
    int s = slot(link);
    long wire = state[s + WIRE];
    int packet = (int) (wire >> 32);
    int next = packets.next(packet);
    state[s + WIRE] = next == Packets.NONE ? EMPTY : (long) next << 32 | wire & LOW;
    return packet;
  }

  /** A packet is handed to the host at the end of a link. */
  public void delivered(int link, int packet) {
    if (watch != null) {
      watch.delivered(link, packet);
    }
  }

  /** Puts a packet into a switch's egress port. */
  public void enqueue(int link, int packet, long nowPs) {
    int s = slot(link);
    if (state[s + FREE_AT] <= nowPs && (state[s + MISC] & FREE_DUE) == 0) {
      start(link, s, packet, nowPs, false);
      return;
    }
    if ((packets.flags(packet) & Packets.CONTROL) != 0) {
      queueControl(link, s, packet);
    } else {
      queueData(link, s, packet);
    }
    awaitFree(link);
  }

  private void queueControl(int link, int s, int packet) {
    int bytes = packets.bytes(packet);
    long queued = (state[s + BYTES] & LOW) + bytes;
    QueueConfig queue = queue(s);
    if (queued > queue.controlBytes() || pools != null && bytes > pools.freeBytes(node(s))) {
      drop(link, packet, DropCause.CONTROL_QUEUE_FULL);
      return;
    }
    hold(s, bytes);
    state[s + BYTES] += bytes;
    append(s + CONTROL, packet);
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

  private void append(int list, int packet) {
    long ends = state[list];
    packets.next(packet, Packets.NONE);
    if (ends == EMPTY) {
      state[list] = (long) packet << 32 | packet;
    } else {
      packets.next((int) ends, packet);
      state[list] = ends & ~LOW | packet;
    }
  }

  private void queueData(int link, int s, int packet) {
    int bytes = packets.bytes(packet);
    QueueConfig queue = queue(s);
    long queued = (state[s + BYTES] >>> 32) + bytes;
    if (!fits(s, queue, queued, bytes, 0)) {
      if (queue.overflow() == Overflow.DROP) {
        drop(link, packet, DropCause.DATA_QUEUE_FULL);
        return;
      }
      // Taking out a newest packet that is smaller makes no room.
      int newest = (int) state[s + DATA];
      int room = newest == Packets.NONE ? 0 : packets.bytes(newest);
      if (newest == Packets.NONE
          || !fits(s, queue, queued - room, bytes, room - trimmedBytes)
          || chance(s) < queue.trimArriving()) {
        trim(link, s, packet);
        return;
      }
      trim(link, s, removeNewest(link, s));
      queued = (state[s + BYTES] >>> 32) + bytes;
    }
    long ends = state[s + DATA];
    // What stands before the tail, so that the newest packet can be taken out again.
    state[s + MISC] = (long) (int) ends << 32 | state[s + MISC] & LOW;
    append(s + DATA, packet);
    hold(s, bytes);
    state[s + BYTES] += (long) bytes << 32;
    if (queued > state[s + PEAK]) {
      state[s + PEAK] = queued;
    }
    if (watch != null) {
      watch.queued(link, packet, false, queued);
    }
  }

  /** Takes out the newest data packet; the one before it is known, since one is added next. */
  private int removeNewest(int link, int s) {
    long ends = state[s + DATA];
    int tail = (int) ends;
    int head = (int) (ends >> 32);
    if (tail == head) {
      state[s + DATA] = EMPTY;
    } else {
      int before = (int) (state[s + MISC] >> 32);
      packets.next(before, Packets.NONE);
      state[s + DATA] = ends & ~LOW | before;
    }
    hold(s, -packets.bytes(tail));
    state[s + BYTES] -= (long) packets.bytes(tail) << 32;
    if (watch != null) {
      watch.unqueued(link, tail);
    }
    return tail;
  }

  private void trim(int link, int s, int packet) {
    packets.trim(packet, trimmedBytes);
    boolean lastHop = kinds[kind(s)].toHost();
    packets.wrap(frame, packet).trimmed(true);
    frame.dscp(lastHop ? dscp.trimmedLastHop() : dscp.trimmed());
    state[s + TRIMMED]++;
    trimmed++;
    queueControl(link, s, packet);
  }

  /** A switch's port is free: the next packet leaves. */
  public void free(int link, long nowPs) {
    int s = slot(link);
    state[s + MISC] &= ~FREE_DUE;
    int packet;
    if (state[s + CONTROL] != EMPTY) {
      packet = removeOldest(s + CONTROL);
      hold(s, -packets.bytes(packet));
      state[s + BYTES] -= packets.bytes(packet);
    } else if (state[s + DATA] != EMPTY) {
      packet = removeOldest(s + DATA);
      hold(s, -packets.bytes(packet));
      state[s + BYTES] -= (long) packets.bytes(packet) << 32;
      mark(s, packet);
    } else {
      return;
    }
    start(link, s, packet, nowPs, true);
    if (state[s + CONTROL] != EMPTY || state[s + DATA] != EMPTY) {
      awaitFree(link);
    }
  }

  private int removeOldest(int list) {
    long ends = state[list];
    int head = (int) (ends >> 32);
    int next = packets.next(head);
    state[list] = next == Packets.NONE ? EMPTY : (long) next << 32 | ends & LOW;
    return head;
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
        && chance(s) * (ecn.highBytes() - ecn.lowBytes()) >= left - ecn.lowBytes()) {
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

  /** Sets a flag on every packet that is on a link, the one being serialised too. */
  public void flagWire(int link, int flag) {
    int s = slotOf[link];
    int packet = s == 0 ? Packets.NONE : (int) (state[s + WIRE] >> 32);
    while (packet != Packets.NONE) {
      packets.flag(packet, flag);
      packet = packets.next(packet);
    }
  }

  /**
   * Takes the next packet out of a switch port's queues, to be dropped; or {@link Packets#NONE}.
   */
  public int takeQueued(int link) {
    int s = slotOf[link];
    boolean control = state[s + CONTROL] != EMPTY;
    if (s == 0 || !control && state[s + DATA] == EMPTY) {
      return Packets.NONE;
    }
    int packet = removeOldest(s + (control ? CONTROL : DATA));
    hold(s, -packets.bytes(packet));
    state[s + BYTES] -= (long) packets.bytes(packet) << (control ? 0 : 32);
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
      kinds[k] = kind;
      derive(k);
    }
    long sooner = flightPs[kind(s)] - flightPs[k];
    state[s + MISC] = state[s + MISC] & ~(0xffL << 8) | (long) k << 8;
    if (sooner > 0 && state[s + WIRE] != EMPTY) {
      state[s + FREE_AT] = Math.max(nowPs, state[s + FREE_AT]) + sooner;
      awaitFree(link);
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
