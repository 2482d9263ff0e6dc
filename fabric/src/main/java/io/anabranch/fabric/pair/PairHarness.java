package io.anabranch.fabric.pair;

import io.anabranch.engine.Command;
import io.anabranch.engine.CommandResult;
import io.anabranch.engine.Engine;
import io.anabranch.engine.EngineEvent;
import io.anabranch.engine.QpSnapshot;
import io.anabranch.engine.Sink;
import io.anabranch.engine.Status;
import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.engine.trace.TraceEvent;
import io.anabranch.fabric.event.Streams;
import io.anabranch.fabric.pair.PairScenario.Fault;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Runs a {@link PairScenario}: two engines, a port each a plane that sends at a rate, a channel
 * between them, and a checker that watches. Virtual time, one thread, no chance but the seed's.
 *
 * <p>A host takes in all frames that wait before it runs timers, then polls, then asks its idle
 * ports for frames, as a driver does.
 */
public final class PairHarness {
  private static final int PORT_FREE = 0;
  private static final int ARRIVE = 1;
  private static final int TURN = 2;
  private static final int DEADLINE = 3;
  private static final int FAULT = 4;
  private static final int FAULT_END = 5;
  private static final int POST = 6;
  private static final int LIE = 7;
  private static final int ACTION = 8;

  /** Bytes beside UDP length on the wire: IPv6 header, Ethernet header, FCS, preamble, gap. */
  private static final int FRAMING_BYTES = 38;

  private static final int MOST_IDLE_EXPIRIES = 1_000;
  private static final long MOST_EVENTS = 40_000_000;
  private static final int LIES = 60;

  /** Frames that may wait where only headers are kept of what overflows. */
  private static final int MOST_HEADERS = 4096;

  private final PairScenario scenario;
  private final PairPlan plan;
  private final PairChecker checker;
  private final FrameRing ring = new FrameRing();
  private final FrameSlab slab = new FrameSlab();
  private final EventHeap heap = new EventHeap();
  private final PairHost[] hosts = new PairHost[2];
  private final Liar liar;
  private final SplittableRandom order;
  private final Frame frame = new Frame();
  private final Frame copy = new Frame();
  private final long[] words = new long[Frame.WORDS];
  private final Command.PostWrite write = new Command.PostWrite();
  private final List<Runnable> actions = new ArrayList<>();
  private FrameFilter filter = (side, port, f, now) -> 0;
  private PairWatch watch = (side, event, now, qp, a, b, c) -> {};
  private @Nullable LineSink trace;
  private final int[] cut = new int[32];
  private final int[][] oneWay = new int[2][32];
  private final int[][] portsDown = new int[2][32];
  private final int[] silent = new int[2];
  private long nowNs;
  private long events;
  private long framesSent;
  private long framesLost;
  private long completions;
  private long digest = 0x1234_5678_9abc_def0L;
  private int idleExpiries;
  private boolean reported;
  private boolean done;
  private long doneNs;

  /** Takes a line of a trace. */
  @FunctionalInterface
  public interface LineSink {
    /** One line, without its end. */
    void line(String text);
  }

  /** A run of {@code scenario} with engines from {@code factory}. */
  public PairHarness(PairScenario scenario, EngineFactory factory) {
    this.scenario = scenario;
    this.plan = new PairPlan(scenario);
    this.order = Streams.of(scenario.seed(), "order");
    this.checker = new PairChecker(scenario, plan.flows, plan.addresses, plan.tables, ring);
    this.liar = new Liar(scenario, plan);
    for (int s = 0; s < 2; s++) {
      int side = s;
      hosts[side] =
          new PairHost(
              scenario,
              plan,
              side,
              factory,
              (region, offset, f) -> placed(side, region, offset, f),
              (event, now, qp, a, b, c) -> traced(side, event, qp, a, b, c));
      checker.engine(side, hosts[side].engine);
    }
    for (int side = 0; side < 2; side++) {
      PairSetup.connect(scenario, plan, hosts[side].engine, checker, side);
    }
    List<Fault> faults = scenario.faults();
    for (int i = 0; i < faults.size(); i++) {
      heap.push(faults.get(i).atNs(), FAULT, i);
    }
    for (int side = 0; side < 2; side++) {
      for (Flow flow : plan.flows[side]) {
        if (!flow.messages.isEmpty()) {
          heap.push(0, POST, side << 8 | flow.index);
        }
      }
    }
  }

  /** Adds a test's own trouble; before the run. */
  public PairHarness filter(FrameFilter theFilter) {
    this.filter = theFilter;
    checker.disturbed();
    return this;
  }

  /** Lets a test see the trace events of both engines; before the run. */
  public PairHarness watch(PairWatch theWatch) {
    this.watch = theWatch;
    return this;
  }

  /** Hands a side a frame that nobody sent. */
  public void forge(int side, int port, Frame forged) {
    checker.disturbed();
    int slot = slab.take();
    slab.wrap(frame, slot).copy(forged);
    slab.port(slot, side << 5 | port);
    slab.forged(slot, true);
    arrive(slot);
  }

  /** Writes down every frame and trace event; before the run. */
  public PairHarness trace(LineSink sink) {
    this.trace = sink;
    return this;
  }

  /** Does something at a given time; before or during the run. */
  public PairHarness at(long atNs, Runnable action) {
    actions.add(action);
    heap.push(Math.max(atNs, nowNs), ACTION, actions.size() - 1);
    return this;
  }

  /** Virtual time. */
  public long nowNs() {
    return nowNs;
  }

  /** The engine of a side: 0 = A, 1 = B. */
  public Engine engine(int side) {
    return hosts[side].engine;
  }

  /** The EVs that a side sends on. */
  public EvTable evs(int side) {
    return plan.tables[side];
  }

  /** Address of a side's port. */
  public PlaneAddress address(int side, int port) {
    return plan.addresses[side][port];
  }

  /** Local number of a side's {@code index}-th queue pair. */
  public int qp(int side, int index) {
    return plan.flows[side][index].requestorQp;
  }

  /** Snapshot of a side's {@code index}-th queue pair. */
  public QpSnapshot snapshot(int side, int index) {
    QpSnapshot snapshot = engine(side).snapshot(qp(side, index));
    if (snapshot == null) {
      throw new IllegalStateException("no queue pair " + qp(side, index));
    }
    return snapshot;
  }

  /** How often each packet of a flow was sent: by packet, in send order. */
  public int[] copies(int side, int index) {
    Flow flow = plan.flows[side][index];
    return java.util.Arrays.copyOf(flow.copiesOf, flow.sentPackets);
  }

  /** Whether everything is complete. */
  public boolean done() {
    return done;
  }

  /** Runs to the end and returns what it came to. */
  public PairResult run() {
    runUntil(Long.MAX_VALUE);
    return finish();
  }

  /** Steps until everything is complete and quiet, or until {@code untilNs}. */
  public void runUntil(long untilNs) {
    try {
      while (!heap.isEmpty() && heap.firstNs() <= untilNs) {
        if (done && heap.firstNs() > doneNs + quietNs()) {
          return;
        }
        step();
      }
    } catch (InvariantBreach breach) {
      throw breach;
    } catch (RuntimeException | AssertionError e) {
      InvariantBreach breach = checker.breach(Invariant.SEAM, "thrown by an engine: " + e);
      breach.initCause(e);
      throw breach;
    }
    if (!done && untilNs != Long.MAX_VALUE) {
      nowNs = Math.max(nowNs, untilNs);
    }
  }

  private PairResult finish() {
    if (!done) {
      throw checker.breach(Invariant.LIVENESS, "nothing moves any more: " + unfinished());
    }
    checker.quiet();
    checker.end(List.of(hosts[0].memory, hosts[1].memory));
    long packets = 0;
    long again = 0;
    int failed = 0;
    for (Flow[] side : plan.flows) {
      for (Flow flow : side) {
        packets += flow.sentPackets;
        again += flow.retransmitted;
        failed += flow.failed ? 1 : 0;
      }
    }
    return new PairResult(
        scenario.seed(),
        scenario.family(),
        doneNs,
        events,
        framesSent,
        framesLost,
        packets,
        again,
        completions,
        failed,
        digest);
  }

  private long quietNs() {
    long late = Math.max(scenario.toA().reorderNs(), scenario.toB().reorderNs());
    long spike = Math.max(scenario.toA().spikeNs(), scenario.toB().spikeNs());
    long twice = Math.max(scenario.toA().duplicateNs(), scenario.toB().duplicateNs());
    return 20 * scenario.link().delayNs() + late + spike + twice + 200_000;
  }

  private void step() {
    long atNs = heap.firstNs();
    long what = heap.pop();
    int kind = (int) (what >>> 32);
    int argument = (int) what;
    nowNs = atNs;
    checker.now(atNs);
    if (atNs > scenario.limitNs() && !done) {
      throw checker.breach(Invariant.LIVENESS, unfinished());
    }
    if (++events > MOST_EVENTS) {
      throw checker.breach(Invariant.STORM, "more than " + MOST_EVENTS + " events");
    }
    switch (kind) {
      case PORT_FREE -> {
        PairHost host = hosts[argument >> 8];
        host.busy[argument & 255] = false;
        settle(host);
      }
      case ARRIVE -> arrive(argument);
      case TURN -> {
        PairHost host = hosts[argument];
        host.turnAtNs = Engine.NEVER;
        turn(host);
      }
      case DEADLINE -> {
        PairHost host = hosts[argument];
        if (host.deadlineNs == atNs) {
          host.deadlineNs = Engine.NEVER;
          turn(host);
        }
      }
      case FAULT -> fault(argument, true);
      case FAULT_END -> fault(argument, false);
      case POST -> post(plan.flows[argument >> 8][argument & 255]);
      case LIE -> lie(scenario.faults().get(argument));
      default -> {
        actions.get(argument).run();
        settle(hosts[0]);
        settle(hosts[1]);
      }
    }
    if (reported) {
      reported = false;
      checkDone();
    }
  }

  private void checkDone() {
    if (done) {
      return;
    }
    for (int side = 0; side < 2; side++) {
      for (Flow flow : plan.flows[side]) {
        if (!flow.done() && !flow.lied && !hosts[side].dead) {
          return;
        }
      }
    }
    done = true;
    doneNs = nowNs;
  }

  private String unfinished() {
    StringBuilder out = new StringBuilder();
    for (int side = 0; side < 2; side++) {
      for (Flow flow : plan.flows[side]) {
        if (!flow.done() && !flow.lied) {
          out.append("\n  ").append(flow.name()).append(": posted ").append(flow.posted);
          out.append(" of ").append(flow.messages.size());
          out.append(", reported up to ").append(flow.sendCursor);
          out.append(", receives ").append(flow.receivesDone).append(" of ");
          out.append(flow.immediates()).append(", packets sent ").append(flow.sentPackets);
          out.append(", arrived ").append(flow.arrivals).append(", acknowledged ");
          out.append(flow.highestAcked + 1)
              .append(", completed ")
              .append(flow.highestCompleted + 1);
          out.append("\n    ").append(hosts[side].engine.snapshot(flow.requestorQp));
        }
      }
    }
    return out.toString();
  }

  // ---- hosts ----

  private void arrive(int slot) {
    slab.wrap(frame, slot);
    int to = slab.port(slot);
    PairHost host = hosts[to >> 5];
    int port = to & 31;
    boolean swallowed =
        cut[port] > 0
            || oneWay[1 - host.side][port] > 0
            || portsDown[0][port] + portsDown[1][port] > 0
            || silent[1 - host.side] > 0
            || host.dead;
    if (swallowed && !slab.forged(slot)) {
      lose(host.side, port, slot);
      return;
    }
    int bytes = frame.trimmed() ? 128 : Math.max(64, frame.nominalBytes());
    if (host.waitingBytes + bytes > scenario.link().receiveBufferBytes()) {
      overflow(host, port, slot);
      return;
    }
    host.enqueue(slot, bytes);
    if (!host.idle(nowNs)) {
      turnSoon(host);
    }
  }

  private void turnSoon(PairHost host) {
    long turnNs = scenario.link().turnNs();
    if (turnNs == 0) {
      turn(host);
    } else if (host.turnAtNs == Engine.NEVER) {
      host.turnAtNs = (nowNs / turnNs + 1) * turnNs;
      heap.push(host.turnAtNs, TURN, host.side);
    }
  }

  private void lose(int side, int port, int slot) {
    slab.wrap(frame, slot);
    ring.frame(FrameRing.What.DROPPED, side, port, frame, nowNs);
    framesLost++;
    slab.release(slot);
  }

  /** The receive buffer is full: the frame is lost, or only its headers reach the engine. */
  private void overflow(PairHost host, int port, int slot) {
    boolean refuse =
        scenario.link().overflowNack()
            && Opcode.isWrite(frame.opcode())
            && !frame.trimmed()
            && !frame.icrcBad()
            && host.waiting() < MOST_HEADERS;
    if (!refuse) {
      lose(host.side, port, slot);
      return;
    }
    frame.noBuffer(true);
    host.enqueue(slot, 0);
    if (!host.idle(nowNs)) {
      turnSoon(host);
    }
  }

  /** Takes in what waits, then runs timers, then polls and sends. */
  private void turn(PairHost host) {
    if (host.idle(nowNs)) {
      return;
    }
    for (int slot = host.dequeue(); slot >= 0; slot = host.dequeue()) {
      slab.wrap(frame, slot);
      int port = slab.port(slot) & 31;
      ring.frame(FrameRing.What.DELIVERED, host.side, port, frame, nowNs);
      tell(host.side, port, " gets  ", frame);
      if (slab.forged(slot)) {
        checker.deliveredForged(host.side);
      } else {
        checker.delivered(host.side, frame, slab.copy(slot));
      }
      checker.stale(host.side);
      // Unsignaled requests end without a report.
      reported |= frame.opcode() == Opcode.TRANSPORT_ACK;
      host.engine.receive(frame, port, nowNs);
      slab.release(slot);
    }
    long dueNs = host.engine.nextDeadlineNs();
    if (dueNs <= nowNs) {
      checker.stale(host.side);
      host.engine.expire(nowNs);
      if (host.engine.nextDeadlineNs() <= nowNs) {
        if (++idleExpiries > MOST_IDLE_EXPIRIES) {
          throw checker.breach(Invariant.SEAM, "expire does not move the deadline past now");
        }
      } else {
        idleExpiries = 0;
      }
    }
    settle(host);
  }

  /** Polls, asks every idle port for frames, and notes the next deadline. */
  private void settle(PairHost host) {
    if (host.idle(nowNs)) {
      return;
    }
    poll(host);
    int ports = host.busy.length;
    boolean any = true;
    while (any) {
      any = false;
      int start = scenario.link().fixedAskOrder() ? 0 : order.nextInt(ports);
      for (int i = 0; i < ports; i++) {
        int port = (start + i) % ports;
        if (!host.busy[port]) {
          any |= ask(host, port);
        }
      }
    }
    long dueNs = host.engine.nextDeadlineNs();
    if (dueNs < host.deadlineNs) {
      host.deadlineNs = Math.max(dueNs, nowNs);
      heap.push(host.deadlineNs, DEADLINE, host.side);
    }
  }

  private void poll(PairHost host) {
    int side = host.side;
    host.engine.poll(
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
            String text =
                operation + " " + wrId + " " + status + " of qp " + Integer.toHexString(qp);
            ring.note(side, text, nowNs);
            tell(side, text);
            mix(qp * 31L + wrId);
            mix(status.ordinal() * 8L + operation.ordinal() + byteLength * 64);
            completions++;
            reported = true;
            checker.completion(side, qp, wrId, status, operation, byteLength, immediate, solicited);
          }

          @Override
          public void event(EngineEvent event, int qp, long detail) {
            String text = event + " qp " + Integer.toHexString(qp) + " " + detail;
            ring.note(side, text, nowNs);
            tell(side, text);
            mix(event.ordinal() + detail * 16);
            reported = true;
            checker.event(side, event, qp);
          }
        });
  }

  private boolean ask(PairHost host, int port) {
    int slot = slab.take();
    slab.wrap(frame, slot);
    if (!host.engine.nextFrame(port, nowNs, frame)) {
      if (order.nextInt(64) == 0 && host.engine.nextFrame(port, nowNs, frame)) {
        throw checker.breach(Invariant.SEAM, "nextFrame was false, then true without a call");
      }
      slab.release(slot);
      return false;
    }
    ring.frame(FrameRing.What.SENT, host.side, port, frame, nowNs);
    tell(host.side, port, " sends ", frame);
    frame.store(words, 0);
    for (int w = 0; w < Frame.WORDS; w++) {
      mix(words[w] + w);
    }
    mix(nowNs << 5 | port);
    framesSent++;
    slab.copy(slot, checker.sent(host.side, port, frame));
    long bytes = frame.nominalBytes() + (long) FRAMING_BYTES;
    long rate = scenario.link().rateBytesPerSecond();
    long wireNs = Math.max(1, (bytes * 1_000_000_000L + rate - 1) / rate);
    host.busy[port] = true;
    long leavesNs = nowNs + wireNs;
    heap.push(leavesNs, PORT_FREE, host.side << 8 | port);
    // A port that is down is asked as well: no data may come of it.
    long extraNs =
        host.down[port] ? FrameFilter.LOST : filter.delayNs(host.side, port, frame, nowNs);
    if (extraNs == FrameFilter.LOST || !host.out.judge(frame, port, leavesNs)) {
      lose(host.side, port, slot);
      return true;
    }
    leavesNs += extraNs;
    slab.port(slot, 1 - host.side << 5 | port);
    if (host.out.secondDelayNs >= 0) {
      int second = slab.take();
      slab.wrap(frame, slot);
      slab.wrap(copy, second).copy(frame);
      slab.copy(second, slab.copy(slot));
      slab.port(second, slab.port(slot));
      heap.push(leavesNs + host.out.secondDelayNs, ARRIVE, second);
    }
    heap.push(leavesNs + host.out.delayNs, ARRIVE, slot);
    return true;
  }

  // ---- work ----

  private void post(Flow flow) {
    PairHost host = hosts[flow.side];
    int argument = flow.side << 8 | flow.index;
    if (host.dead || flow.failed || flow.posted == flow.messages.size()) {
      return;
    }
    if (host.idle(nowNs)) {
      heap.push(host.stalledUntilNs, POST, argument);
      return;
    }
    long gapNs = scenario.work().postGapNs();
    while (flow.posted < flow.messages.size() && !flow.failed) {
      CommandResult result = submit(host, flow, flow.messages.get(flow.posted));
      if (result == CommandResult.QUEUE_FULL) {
        heap.push(nowNs + Math.max(gapNs, 5_000), POST, argument);
        break;
      }
      if (result != CommandResult.OK) {
        break;
      }
      if (gapNs > 0) {
        heap.push(nowNs + gapNs, POST, argument);
        break;
      }
    }
    settle(host);
  }

  private CommandResult submit(PairHost host, Flow flow, Message m) {
    write.qp = flow.requestorQp;
    write.wrId = m.index();
    write.payloadRef = m.ref();
    write.remoteAddress = m.remoteAddress();
    write.rKey = m.rKey();
    write.length = m.bytes();
    write.withImmediate = m.withImmediate();
    write.immediate = m.immediate();
    write.signaled = m.signaled();
    write.solicited = m.solicited();
    checker.stale(host.side);
    CommandResult result = host.engine.submit(write, nowNs);
    switch (result) {
      case OK -> {
        boolean nothingOpen =
            flow.posted == 0
                || flow.messages.get(flow.posted - 1).lastPacket() <= flow.highestCompleted;
        flow.posted++;
        flow.signaledPosted += m.signaled() ? 1 : 0;
        if (nothingOpen) {
          flow.lastProgressNs = nowNs;
        }
      }
      case QUEUE_FULL -> {
        int open = 0;
        for (int i = flow.posted - 1; i >= 0; i--) {
          open += flow.messages.get(i).lastPacket() > flow.highestCompleted ? 1 : 0;
        }
        if (open < scenario.work().sendQueueDepth()) {
          throw checker.breach(Invariant.SEAM, "queue full with " + open + " requests open");
        }
      }
      default -> {
        if (!flow.mayFail || result != CommandResult.WRONG_STATE) {
          throw checker.breach(Invariant.SEAM, flow.name() + ": post refused, " + result);
        }
        flow.failed = true;
        reported = true;
      }
    }
    return result;
  }

  // ---- trouble ----

  private void fault(int index, boolean begins) {
    Fault fault = scenario.faults().get(index);
    int step = begins ? 1 : -1;
    int side = fault.side();
    int port = fault.port();
    PairHost host = hosts[side];
    ring.note(side, fault.kind() + (begins ? " begins" : " ends"), nowNs);
    tell(side, fault.kind() + (begins ? " begins" : " ends"));
    switch (fault.kind()) {
      case PLANE_CUT -> cut[port] += step;
      case PLANE_ONE_WAY -> oneWay[side][port] += step;
      case SILENCE -> silent[side] += step;
      case MPR_SHRINK -> grant(side, begins ? 8 * 128 : scenario.shape().mprPackets());
      case DENY -> deny(side, port, begins);
      case PORT_DOWN -> {
        portsDown[side][port] += step;
        portState(side, port, portsDown[side][port] == 0);
      }
      case STALL -> {
        if (begins) {
          host.stalledUntilNs = Math.max(host.stalledUntilNs, fault.endNs());
        } else if (!host.idle(nowNs)) {
          host.deadlineNs = Engine.NEVER;
          turn(host);
        }
      }
      case DIE -> {
        host.dead = true;
        reported = true;
      }
      case LIES, POISONED_LIES -> {
        if (begins) {
          for (int i = 0; i < LIES; i++) {
            heap.push(nowNs + order.nextLong(Math.max(1, fault.durationNs())), LIE, index);
          }
        }
      }
    }
    if (begins && fault.endNs() != Long.MAX_VALUE) {
      heap.push(fault.endNs(), FAULT_END, index);
    }
  }

  private void grant(int side, int packets) {
    for (Flow flow : plan.flows[1 - side]) {
      if (!flow.responderFailed && !hosts[side].dead) {
        flow.grantedBefore = flow.grantedPackets;
        flow.grantedPackets = packets;
        PairSetup.order(
            hosts[side].engine, checker, new Command.GrantMpr(flow.responderQp, packets), nowNs);
      }
    }
  }

  private void deny(int side, int port, boolean denied) {
    for (Flow flow : plan.flows[side]) {
      for (int i = 0; i < plan.tables[side].size() && !hosts[side].dead; i += 2) {
        if (plan.tables[side].port(i) == port && !flow.failed) {
          PairSetup.order(
              hosts[side].engine,
              checker,
              new Command.SetEvState(flow.requestorQp, i, denied),
              nowNs);
        }
      }
    }
    checker.stale(side);
    settle(hosts[side]);
  }

  /** Tells an engine about its port; a stalled one hears of it when it wakes. */
  private void portState(int side, int port, boolean up) {
    PairHost host = hosts[side];
    if (host.down[port] == !up) {
      return;
    }
    if (host.idle(nowNs)) {
      if (!host.dead) {
        at(host.stalledUntilNs, () -> portState(side, port, portsDown[side][port] == 0));
      }
      return;
    }
    host.down[port] = !up;
    checker.stale(side);
    checker.paths().portState(side, port, up);
    host.engine.portState(port, up, nowNs);
    settle(host);
  }

  private void lie(Fault fault) {
    boolean poisoned = fault.kind() == Fault.Kind.POISONED_LIES;
    int victim = fault.side();
    int slot = slab.take();
    slab.wrap(frame, slot);
    int port = poisoned ? liar.poisoned(frame, victim) : liar.harmless(frame, victim);
    if (poisoned) {
      plan.flows[0][0].lied = true;
      plan.flows[1][0].lied = true;
      reported = true;
    }
    slab.port(slot, victim << 5 | port);
    slab.forged(slot, true);
    arrive(slot);
  }

  // ---- notes ----

  private void placed(int side, int region, long offset, Frame f) {
    mix(region * 31L + offset + ((long) f.psn() << 32));
    checker.placed(side, region, offset, hosts[side].memory.bytes(region), f);
  }

  private void traced(int side, TraceEvent event, int qp, long a, long b, long c) {
    mix(event.ordinal() + a * 64 + b * 127 + c);
    if (event == TraceEvent.EV_STATE
        || event == TraceEvent.LOST
        || event == TraceEvent.PLANE
        || event == TraceEvent.EXPIRED
        || event == TraceEvent.DROPPED) {
      ring.note(side, event + " " + a + " " + b + " " + c, nowNs);
    }
    if (trace != null) {
      tell(side, event + " qp " + Integer.toHexString(qp) + " " + a + " " + b + " " + c);
    }
    checker.trace(side, event, qp, a, b, c);
    watch.event(side, event, nowNs, qp, a, b, c);
  }

  private void tell(int side, String text) {
    if (trace != null) {
      trace.line(nowNs + (side == 0 ? " A     " : " B     ") + text);
    }
  }

  private void tell(int side, int port, String verb, Frame f) {
    if (trace != null) {
      StringBuilder out = new StringBuilder();
      out.append(nowNs).append(side == 0 ? " A" : " B").append('p').append(port + 1).append(verb);
      FrameText.append(out, f);
      trace.line(out.toString());
    }
  }

  private void mix(long value) {
    digest = Streams.mix(digest ^ value) + 0x9e37_79b9_7f4a_7c15L;
  }
}
