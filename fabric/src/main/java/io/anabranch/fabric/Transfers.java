package io.anabranch.fabric;

import io.anabranch.engine.CommandResult;
import io.anabranch.fabric.event.EventQueue;
import io.anabranch.fabric.host.Endpoints;
import io.anabranch.fabric.node.Network;
import io.anabranch.fabric.workload.Traffic;
import io.anabranch.fabric.workload.Traffic.TriggerKind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.function.IntConsumer;

/**
 * Runs the traffic: connects pairs, posts writes, fires triggers, and keeps what became of each.
 */
final class Transfers implements Endpoints.Completions, FlowTable {
  private static final int WAITING = 0;
  private static final int RUNNING = 1;
  private static final int DONE = 2;
  private static final int FAILED = 3;
  private static final long MAX_MESSAGE_BYTES = 0xffff_ffffL;

  /** So many that parts do not share a line of a cache. */
  private static final int END_WORDS = 16;

  /** Queue pairs of a source towards a destination with one EV table. */
  private static final class Connection {
    final int source;
    final int destination;
    final int[] qps;
    final long[] postedPackets;
    // Flows of which something is still to be posted, in the order in which they started: each is
    // posted whole before the next, so that a flow's packets are together.
    final ArrayDeque<Integer> unposted = new ArrayDeque<>();
    int turn;

    Connection(int source, int destination, int[] qps) {
      this.source = source;
      this.destination = destination;
      this.qps = qps;
      this.postedPackets = new long[qps.length];
    }
  }

  private final Traffic traffic;
  private final Transport transport;
  private final EventQueue events;
  private final IntConsumer whenComplete;
  private final long messageBytes;
  private final TreeMap<Long, Connection> connections = new TreeMap<>();
  private final List<Connection> inOrder = new ArrayList<>();
  private final Connection[] connectionOf;
  private final byte[] state;
  private final long[] startPs;
  private final long[] finishPs;
  private final long[] postedBytes;
  private final long[] completedBytes;
  private final long[] firstPacket;

  private final int[] byStart;
  private int nextStart;
  private final int[] waitersHead;
  private final int[] waitersNext;
  private final int[] firings;
  private int started;

  // By the part of the network that runs the source: flows that have ended, and when the last did.
  private long[] ends = new long[END_WORDS];

  private Endpoints hosts;

  /**
   * Nothing has started yet.
   *
   * @param whenComplete is told each flow of which its sender knows all acknowledged
   */
  @SuppressWarnings("NullAway.Init")
  Transfers(Traffic traffic, Transport transport, EventQueue events, IntConsumer whenComplete) {
    this.traffic = traffic;
    this.transport = transport;
    this.events = events;
    this.whenComplete = whenComplete;
    messageBytes = messageBytes(transport);
    int n = traffic.flows();
    connectionOf = new Connection[n];
    state = new byte[n];
    startPs = new long[n];
    finishPs = new long[n];
    postedBytes = new long[n];
    completedBytes = new long[n];
    firstPacket = new long[n];
    Arrays.fill(startPs, -1);
    Arrays.fill(finishPs, -1);
    waitersHead = new int[traffic.triggers()];
    waitersNext = new int[n];
    firings = new int[traffic.triggers()];
    Arrays.fill(waitersHead, Traffic.NONE);
    int timed = 0;
    for (int f = n - 1; f >= 0; f--) {
      if (traffic.startPs(f) >= 0) {
        timed++;
      } else {
        waitersNext[f] = waitersHead[traffic.waitsFor(f)];
        waitersHead[traffic.waitsFor(f)] = f;
      }
    }
    byStart = startOrder(traffic, timed);
  }

  /** The size of the messages that flows are written in, but for their last ones. */
  static long messageBytes(Transport transport) {
    return transport.messageBytes() == 0 ? MAX_MESSAGE_BYTES : transport.messageBytes();
  }

  /** Flows that start at a time: by time, then by number. */
  private static int[] startOrder(Traffic traffic, int timed) {
    List<Integer> order = new ArrayList<>(timed);
    for (int f = 0; f < traffic.flows(); f++) {
      if (traffic.startPs(f) >= 0) {
        order.add(f);
      }
    }
    order.sort((a, b) -> Long.compare(traffic.startPs(a), traffic.startPs(b)));
    return order.stream().mapToInt(Integer::intValue).toArray();
  }

  /** Begins: the first flows' time is asked for. */
  void begin(Endpoints over) {
    hosts = over;
    ends = new long[END_WORDS * over.parts()];
    askForNextStart();
  }

  private void askForNextStart() {
    if (nextStart < byStart.length) {
      events.add(traffic.startPs(byStart[nextStart]), Network.WORKLOAD);
    }
  }

  /** Whether a flow runs or is still to be started by time. */
  boolean anyLeft() {
    return nextStart < byStart.length || started > ended();
  }

  /** When the last of the flows that have ended did so. */
  long lastEndPs() {
    long last = 0;
    for (int i = 1; i < ends.length; i += END_WORDS) {
      last = Math.max(last, ends[i]);
    }
    return last;
  }

  /** Flows that have ended, well or not. */
  int ended() {
    long sum = 0;
    for (int i = 0; i < ends.length; i += END_WORDS) {
      sum += ends[i];
    }
    return (int) sum;
  }

  @Override
  public void workload(long nowPs) {
    while (nextStart < byStart.length && traffic.startPs(byStart[nextStart]) <= nowPs) {
      start(byStart[nextStart++], nowPs);
    }
    askForNextStart();
  }

  private void start(int flow, long nowPs) {
    Connection connection = connection(flow, nowPs);
    connectionOf[flow] = connection;
    state[flow] = RUNNING;
    startPs[flow] = nowPs;
    started++;
    connection.unposted.add(flow);
    post(connection, nowPs);
    hosts.kick(connection.source, nowPs);
  }

  private Connection connection(int flow, long nowPs) {
    int source = traffic.source(flow);
    int destination = traffic.destination(flow);
    int table = traffic.evSet(flow) + 1;
    long key = ((long) table << 20 | source) << 20 | destination;
    Connection known = connections.get(key);
    if (known != null) {
      return known;
    }
    int[] qps = new int[transport.qpsPerPair()];
    for (int i = 0; i < qps.length; i++) {
      qps[i] = hosts.connect(source, destination, table, nowPs);
    }
    Connection made = new Connection(source, destination, qps);
    connections.put(key, made);
    inOrder.add(made);
    return made;
  }

  /** Posts as many messages of the flows of a connection as the send queues take. */
  private void post(Connection c, long nowPs) {
    while (!c.unposted.isEmpty()) {
      int flow = c.unposted.element();
      if (state[flow] == RUNNING && !postAll(c, flow, nowPs)) {
        return;
      }
      c.unposted.remove();
    }
  }

  /** Posts what is left of a flow; false: not all of it, the send queue is full. */
  private boolean postAll(Connection c, int flow, long nowPs) {
    long all = traffic.bytes(flow);
    while (postedBytes[flow] < all) {
      if (postedBytes[flow] == 0) {
        firstPacket[flow] = c.postedPackets[c.turn];
      }
      long bytes = Math.min(messageBytes, all - postedBytes[flow]);
      CommandResult result =
          hosts.post(c.source, c.qps[c.turn], flow, postedBytes[flow], bytes, nowPs);
      if (result == CommandResult.QUEUE_FULL) {
        return false;
      }
      if (result == CommandResult.WRONG_STATE) {
        fail(flow, nowPs);
        return true;
      }
      postedBytes[flow] += bytes;
      c.postedPackets[c.turn] += (bytes + transport.mtuBytes() - 1) / transport.mtuBytes();
      c.turn = c.turn + 1 == c.qps.length ? 0 : c.turn + 1;
    }
    return true;
  }

  private void fail(int flow, long nowPs) {
    state[flow] = FAILED;
    end(flow, nowPs);
  }

  private void end(int flow, long nowPs) {
    int i = END_WORDS * hosts.partOf(traffic.source(flow));
    ends[i]++;
    ends[i + 1] = Math.max(ends[i + 1], nowPs);
  }

  @Override
  public void completed(int host, int qp, int flow, boolean success, long bytes, long nowPs) {
    if (state[flow] == RUNNING) {
      if (success) {
        acknowledged(flow, bytes, nowPs);
      } else {
        fail(flow, nowPs);
      }
    }
    // A place in a send queue is free, or never will be again.
    Connection c = connectionOf[flow];
    if (!c.unposted.isEmpty()) {
      post(c, nowPs);
      hosts.kick(host, nowPs);
    }
  }

  private void acknowledged(int flow, long bytes, long nowPs) {
    completedBytes[flow] += bytes;
    if (completedBytes[flow] == traffic.bytes(flow)) {
      state[flow] = DONE;
      finishPs[flow] = nowPs;
      end(flow, nowPs);
      whenComplete.accept(flow);
      int trigger = traffic.fired(flow, 0);
      for (int i = 1; trigger != Traffic.NONE; i++) {
        fire(trigger, nowPs);
        trigger = traffic.fired(flow, i);
      }
    }
  }

  private void fire(int trigger, long nowPs) {
    firings[trigger]++;
    TriggerKind kind = traffic.kind(trigger);
    if (kind == TriggerKind.BARRIER && firings[trigger] < traffic.needed(trigger)) {
      return;
    }
    if (nowPs >= traffic.closesPs(trigger)) {
      return;
    }
    int flow = waitersHead[trigger];
    if (kind == TriggerKind.MULTISHOT) {
      if (flow != Traffic.NONE) {
        waitersHead[trigger] = waitersNext[flow];
        start(flow, nowPs);
      }
      return;
    }
    waitersHead[trigger] = Traffic.NONE;
    while (flow != Traffic.NONE) {
      int next = waitersNext[flow];
      start(flow, nowPs);
      flow = next;
    }
  }

  // ---------------------------------------------------------------- for results

  @Override
  public int count() {
    return state.length;
  }

  @Override
  public long startPs(int flow) {
    return startPs[flow];
  }

  @Override
  public long finishPs(int flow) {
    return finishPs[flow];
  }

  @Override
  public boolean failed(int flow) {
    return state[flow] == FAILED;
  }

  @Override
  public boolean omitted(int flow) {
    return state[flow] == WAITING && traffic.optional(flow) && startPs[traffic.openerOf(flow)] < 0;
  }

  @Override
  public long ackedBytes(int flow) {
    if (state[flow] == DONE) {
      return traffic.bytes(flow);
    }
    if (state[flow] == WAITING) {
      return 0;
    }
    Connection c = connectionOf[flow];
    // Packets cannot be told apart by flow once they are flushed, nor over several queue pairs.
    if (c.qps.length > 1 || state[flow] == FAILED) {
      return completedBytes[flow];
    }
    if (postedBytes[flow] == 0) {
      return 0;
    }
    long acked = hosts.ackedPackets(c.source, c.qps[0]);
    if (acked == Endpoints.UNKNOWN) {
      return completedBytes[flow];
    }
    long packets = Math.max(0, acked - firstPacket[flow]);
    return Math.min(traffic.bytes(flow), packets * transport.mtuBytes());
  }

  /** Tells the windows of all connections, one for each source and destination. */
  void windows(WindowSink sink) {
    for (Connection c : inOrder) {
      long windowBytes = hosts.windowBytes(c.source, c.qps[0]);
      if (windowBytes == Endpoints.UNKNOWN) {
        continue;
      }
      long inflight = 0;
      for (int qp : c.qps) {
        inflight += hosts.inflightBytes(c.source, qp);
      }
      sink.window(c.source, c.destination, windowBytes, inflight);
    }
  }
}
