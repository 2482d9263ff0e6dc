package io.anabranch.fabric.pair;

import io.anabranch.engine.Engine;
import io.anabranch.engine.EngineEvent;
import io.anabranch.engine.QpSnapshot;
import io.anabranch.engine.QpState;
import io.anabranch.engine.Sink;
import io.anabranch.engine.Status;
import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.engine.trace.TraceEvent;
import io.anabranch.fabric.pair.PairScenario.Fault;
import io.anabranch.wire.mrc.DscpMap;
import io.anabranch.wire.mrc.EndpointOp;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.Opcode;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outside observer. It sees every frame as an engine sends it and as one reaches the other,
 * every post, completion and write to memory, and keeps its own account of what is true.
 *
 * <p>Where it must know what an engine thinks (its window, the state of an EV) it takes the
 * snapshot or the trace; everything else follows from the frames alone.
 */
public final class PairChecker {
  static final int ECT0 = 2;
  static final int CE = 3;

  /** Extra SACKs and probe answers are bounded per RTT; this many frames an RTT are no storm. */
  private static final long STORM_PER_RTT = 64;

  private final PairScenario scenario;
  private final Flow[][] flows;
  private final PlaneAddress[][] addresses;
  private final FrameRing ring;
  private final PathChecks paths;
  private final RequestorChecks requestor;
  private final ResponderChecks responder;
  private final CompletionChecks completions;
  private final @Nullable Engine[] engines = new Engine[2];
  private final long[][] inflight;
  private final int[][] outstanding;
  private final boolean[][] fresh;
  private final long[] answersSent = new long[2];
  private final long[] requestsSent = new long[2];
  private final long[] framesDelivered = new long[2];
  private final BitSet[] endpointIds = {new BitSet(1 << 18), new BitSet(1 << 18)};
  private long nowNs;
  private boolean disturbed;
  private boolean forged;

  PairChecker(
      PairScenario scenario,
      Flow[][] flows,
      PlaneAddress[][] addresses,
      EvTable[] tables,
      FrameRing ring) {
    this.scenario = scenario;
    this.flows = flows;
    this.addresses = addresses;
    this.ring = ring;
    int qps = scenario.shape().qps();
    this.inflight = new long[2][qps];
    this.outstanding = new int[2][qps];
    this.fresh = new boolean[2][qps];
    this.paths = new PathChecks(this, tables);
    this.requestor = new RequestorChecks(this);
    this.responder = new ResponderChecks(this);
    this.completions = new CompletionChecks(this);
  }

  void engine(int side, Engine engine) {
    engines[side] = engine;
  }

  PairScenario scenario() {
    return scenario;
  }

  PathChecks paths() {
    return paths;
  }

  DscpMap dscp() {
    return DscpMap.DEFAULT;
  }

  long nowNs() {
    return nowNs;
  }

  void now(long ns) {
    nowNs = ns;
  }

  /** A test adds trouble of its own. */
  void disturbed() {
    disturbed = true;
  }

  /** Whether nothing at all gives cause to send a packet twice. */
  boolean undisturbed() {
    return !disturbed && scenario.undisturbed();
  }

  /** How long a SACK made before a change may still be on its way. */
  long graceNs() {
    return 20 * scenario.link().delayNs() + scenario.toA().reorderNs() + scenario.toB().reorderNs();
  }

  Flow flow(int side, int index) {
    return flows[side][index];
  }

  int indexOfQp(int side, int qp) {
    for (Flow flow : flows[side]) {
      if (flow.requestorQp == qp) {
        return flow.index;
      }
    }
    return -1;
  }

  InvariantBreach breach(Invariant invariant, String what) {
    return new InvariantBreach(
        invariant, scenario.seed(), scenario.family().name(), nowNs, what, ring.dump());
  }

  /** Something that can change a side's windows happened. */
  void stale(int side) {
    java.util.Arrays.fill(fresh[side], false);
  }

  /** Takes a new snapshot of a queue pair. */
  @Nullable QpSnapshot refresh(int side, int index) {
    Engine engine = engines[side];
    QpSnapshot snapshot = engine == null ? null : engine.snapshot(flows[side][index].requestorQp);
    if (snapshot != null) {
      inflight[side][index] = snapshot.inflightBytes();
      outstanding[side][index] = snapshot.outstandingPackets();
      fresh[side][index] = true;
      paths.learn(side, index, snapshot);
    }
    return snapshot;
  }

  long inflightBytes(int side) {
    long sum = 0;
    for (int i = 0; i < flows[side].length; i++) {
      if (!fresh[side][i]) {
        refresh(side, i);
      }
      sum += inflight[side][i];
    }
    return sum;
  }

  int outstandingPackets(int side) {
    int sum = 0;
    for (int packets : outstanding[side]) {
      sum += packets;
    }
    return sum;
  }

  /**
   * A frame leaves an engine.
   *
   * @return the number of the data copy or probe, or {@link FrameSlab#NO_COPY}
   */
  int sent(int side, int port, Frame f) {
    PlaneAddress from = addresses[side][port];
    PlaneAddress to = addresses[1 - side][port];
    if (f.srcHi() != from.hi()
        || f.srcLo() != from.lo()
        || f.dstHi() != to.hi()
        || f.dstLo() != to.lo()
        || f.dstPort() != to.udpPort()) {
      throw breach(Invariant.ENVELOPE, text(side, f) + "addresses or port");
    }
    paths.envelope(side, f, port);
    int opcode = f.opcode();
    if (Opcode.isWrite(opcode)) {
      Flow flow = flowTo(side, f);
      return flow.lied ? FrameSlab.NO_COPY : requestor.data(flow, f, port);
    }
    if (opcode == Opcode.PROBE) {
      requestsSent[side]++;
      storm(side, f);
      Flow flow = flowTo(side, f);
      return flow.lied ? FrameSlab.NO_COPY : requestor.probe(flow, f);
    }
    if (opcode == Opcode.ENDPOINT_REQUEST) {
      requestsSent[side]++;
      storm(side, f);
      if (f.destQp() != EndpointOp.QP) {
        throw breach(Invariant.ENVELOPE, text(side, f) + "not to the endpoint's QP");
      }
      return FrameSlab.NO_COPY;
    }
    answersSent[side]++;
    storm(side, f);
    if (f.dscp() != dscp().control() || f.ecn() != 0) {
      throw breach(Invariant.ENVELOPE, text(side, f) + "dscp " + f.dscp() + ", ecn " + f.ecn());
    }
    switch (opcode) {
      case Opcode.SACK, Opcode.NACK, Opcode.TRANSPORT_ACK -> answer(flowBack(side, f), f);
      case Opcode.ENDPOINT_RESPONSE -> endpointResponse(side, f);
      default -> throw breach(Invariant.ENVELOPE, text(side, f) + "no opcode of MRC");
    }
    return FrameSlab.NO_COPY;
  }

  private void answer(Flow flow, Frame f) {
    if (flow.lied) {
      return;
    }
    switch (f.opcode()) {
      case Opcode.SACK -> responder.sack(flow, f);
      case Opcode.NACK -> responder.nack(flow, f);
      default -> responder.ack(flow, f);
    }
  }

  private void endpointResponse(int side, Frame f) {
    boolean asked = endpointIds[side].get(f.psn() & 0xffff | f.op() << 16);
    if (!asked && !lies()) {
      throw breach(Invariant.PROBE_TRUTH, text(side, f) + "answers no request that arrived");
    }
  }

  private void storm(int side, Frame f) {
    long rtts = nowNs / Math.max(1, 2 * scenario.link().delayNs()) + 1;
    long most = 4 * framesDelivered[side] + STORM_PER_RTT * rtts * scenario.shape().qps();
    if (answersSent[side] > most) {
      throw breach(Invariant.STORM, text(side, f) + answersSent[side] + " answers so far");
    }
    long data = 0;
    for (Flow flow : flows[side]) {
      data += flow.copies;
    }
    // At most every path of every queue pair is tested once an RTT.
    long evs = (long) scenario.shape().evsPerPlane() * scenario.shape().planes();
    if (requestsSent[side] > 4 * data + (evs + STORM_PER_RTT) * rtts * scenario.shape().qps()) {
      throw breach(Invariant.STORM, text(side, f) + requestsSent[side] + " requests so far");
    }
  }

  /** The flow that a data packet or probe out of {@code side} belongs to. */
  private Flow flowTo(int side, Frame f) {
    for (Flow flow : flows[side]) {
      if (flow.responderQp == f.destQp()) {
        return flow;
      }
    }
    throw breach(Invariant.ENVELOPE, text(side, f) + "no such queue pair");
  }

  /** The flow that an answer out of {@code side} is about. */
  private Flow flowBack(int side, Frame f) {
    for (Flow flow : flows[1 - side]) {
      if (flow.requestorQp == f.destQp()) {
        return flow;
      }
    }
    throw breach(Invariant.ENVELOPE, text(side, f) + "no such queue pair");
  }

  /** A frame that an engine sent is about to be handed to the other side, {@code side}. */
  void delivered(int side, Frame f, int copy) {
    framesDelivered[side]++;
    if (f.icrcBad()) {
      return;
    }
    switch (f.opcode()) {
      case Opcode.SACK, Opcode.NACK, Opcode.TRANSPORT_ACK -> {
        Flow flow = flowBack(1 - side, f);
        if (!flow.lied && !flow.inError) {
          answerDelivered(flow, f);
        }
      }
      case Opcode.ENDPOINT_REQUEST -> {
        endpointIds[side].set(f.psn() & 0xffff | f.op() << 16);
        if (f.op() == EndpointOp.PORT_STATUS) {
          paths.portStatus(side, f.psn() & 0xffff, f.portStatusMask());
        }
      }
      case Opcode.ENDPOINT_RESPONSE -> {}
      default -> {
        Flow flow = flowTo(1 - side, f);
        if (flow.lied || copy == FrameSlab.NO_COPY) {
          return;
        }
        if (f.opcode() == Opcode.PROBE) {
          responder.probeDelivered(flow, f);
        } else {
          responder.dataDelivered(flow, f, copy);
        }
      }
    }
  }

  private void answerDelivered(Flow flow, Frame f) {
    switch (f.opcode()) {
      case Opcode.SACK -> requestor.sackDelivered(flow, f);
      case Opcode.NACK -> requestor.nackDelivered(flow, f);
      default -> requestor.ackDelivered(flow, f);
    }
  }

  /** Whether forged frames may have been handed to an engine. */
  boolean lies() {
    return forged;
  }

  /** A forged frame is about to be handed to {@code side}: it excuses answers, nothing else. */
  void deliveredForged(int side) {
    forged = true;
    framesDelivered[side]++;
  }

  /** An engine of {@code side} writes payload. */
  void placed(int side, int region, long offset, long regionBytes, Frame f) {
    if (offset < 0 || offset + f.payloadLength() > regionBytes) {
      throw breach(Invariant.MEMORY, text(side, f) + "offset " + offset + " of " + regionBytes);
    }
    Flow flow = null;
    for (Flow candidate : flows[1 - side]) {
      flow = candidate.responderQp == f.destQp() ? candidate : flow;
    }
    if (flow == null || flow.region != region) {
      throw breach(Invariant.MEMORY, text(side, f) + "region " + region);
    }
    if (!flow.lied) {
      responder.placed(flow, offset, f);
    }
  }

  void completion(
      int side,
      int qp,
      long wrId,
      Status status,
      Sink.Operation operation,
      long byteLength,
      int immediate,
      boolean solicited) {
    completions.completion(side, qp, wrId, status, operation, byteLength, immediate, solicited);
  }

  void event(int side, EngineEvent event, int qp) {
    completions.event(side, event, qp);
  }

  /** An engine of {@code side} traces what it does. */
  void trace(int side, TraceEvent event, int qp, long a, long b, long c) {
    switch (event) {
      case EV_STATE -> {
        int index = indexOfQp(side, qp);
        if (index >= 0) {
          paths.evState(side, index, (int) a, (int) c);
        }
      }
      case PLANE -> paths.plane(side, (int) a, b != 0);
      case QP_STATE -> {
        int index = indexOfQp(side, qp);
        if (index >= 0 && a == QpState.ERROR.ordinal()) {
          flows[side][index].inError = true;
        }
      }
      case EXPIRED -> {
        int index = indexOfQp(side, qp);
        if (index >= 0) {
          expired(flows[side][index], (int) a, b);
        }
      }
      default -> {}
    }
  }

  private void expired(Flow flow, int inARow, long timeoutNs) {
    PairScenario.Shape shape = scenario.shape();
    long linear = shape.linearRetries();
    boolean endless = shape.exponentialRetries() == 25;
    if (!endless && inARow > linear + shape.exponentialRetries() + 1) {
      throw breach(Invariant.RETRY_BUDGET, flow.name() + ": expiry " + inARow + " in a row");
    }
    long elapsed = interval(inARow);
    if (timeoutNs != elapsed && timeoutNs != interval(inARow + 1)) {
      throw breach(
          Invariant.RETRY_BUDGET,
          flow.name() + ": expiry " + inARow + " with a timeout of " + timeoutNs + " ns");
    }
    if (inARow > 1 && inARow == flow.lastExpiryCount + 1) {
      long since = nowNs - flow.lastExpiryNs;
      if (since < elapsed) {
        throw breach(
            Invariant.RETRY_BUDGET,
            flow.name() + ": expiry " + inARow + " only " + since + " ns after the last");
      }
    }
    flow.lastExpiryCount = inARow;
    flow.lastExpiryNs = nowNs;
  }

  /** The timeout that ends with the {@code n}-th expiry in a row. */
  private long interval(int n) {
    PairScenario.Shape shape = scenario.shape();
    int doublings = Math.max(0, n - shape.linearRetries());
    return 1024L << Math.min(24, shape.timeout() + doublings);
  }

  /** A request of a flow towards a dead peer failed. */
  void budgetSpent(Flow flow, Status status, int request) {
    String who = flow.name() + ", request " + request + ": ";
    if (status != Status.RETRY_EXC_ERR) {
      throw breach(Invariant.COMPLETION_STATUS, who + status + ", not RETRY_EXC_ERR");
    }
    PairScenario.Shape shape = scenario.shape();
    long budget = 0;
    for (int n = 1; n <= shape.linearRetries() + shape.exponentialRetries(); n++) {
      budget += interval(n);
    }
    long next = interval(shape.linearRetries() + shape.exponentialRetries() + 1);
    long took = nowNs - flow.lastProgressNs;
    // The timer runs from the oldest unacknowledged send, which may precede the last progress.
    long least = budget - shape.timeoutNs();
    // Queue pairs that share a window wait for each other's copies before they can send again.
    long shared = (shape.qps() - 1) * (budget + next);
    long most =
        budget
            + next
            + shared
            + shape.timeoutNs()
            + 100 * shape.initialRttNs()
            + scenario.work().postGapNs() * 2
            + scenario.link().turnNs() * 64;
    if (took < least || took > most) {
      throw breach(
          Invariant.RETRY_BUDGET,
          who + "failed " + took + " ns after progress, allowed " + least + " to " + most);
    }
  }

  /** Everything is acknowledged and nothing on its way. */
  void quiet() {
    for (int side = 0; side < 2; side++) {
      for (int i = 0; i < flows[side].length; i++) {
        Flow flow = flows[side][i];
        if (flow.failed || flow.mayFail || flow.lied || flow.highestAcked < flow.sentPackets - 1) {
          continue;
        }
        QpSnapshot snapshot = refresh(side, i);
        if (snapshot == null
            || snapshot.inflightBytes() != 0
            || snapshot.outstandingPackets() != 0
            || snapshot.lostPackets() != 0) {
          throw breach(Invariant.INFLIGHT_DRIFT, flow.name() + " when quiet: " + snapshot);
        }
      }
    }
  }

  /** The run is over: what is in memory, and in what proportion was it sent? */
  void end(List<PairMemory> memories) {
    for (int side = 0; side < 2; side++) {
      PairMemory memory = memories.get(1 - side);
      for (Flow flow : flows[side]) {
        memory(flow, memory);
        if (!flow.lied) {
          copies(flow);
        }
        if (!flow.done() && !flow.lied && !scenario.has(Fault.Kind.DIE)) {
          throw breach(Invariant.COMPLETION_ONCE, flow.name() + " ends with requests unreported");
        }
      }
      for (int region = flows[side].length; region < memory.regions(); region++) {
        untouched(memory, region, -PairMemory.guardBytes(), Long.MAX_VALUE, "forbidden region");
      }
    }
  }

  private void memory(Flow flow, PairMemory memory) {
    long from = -PairMemory.guardBytes();
    boolean exact = !flow.lied;
    for (Message m : flow.messages) {
      if (m.poisoned() && scenario.work().poison() != PairScenario.Poison.NO_RECEIVE) {
        continue;
      }
      if (exact) {
        untouched(memory, flow.region, from, m.regionOffset(), flow.name());
      }
      from = m.regionOffset() + m.bytes();
      boolean whole = m.index() < flow.posted && m.lastPacket() <= flow.highestCompleted;
      if (whole && exact) {
        long wrong = memory.firstWrong(flow.region, m.regionOffset(), m.ref(), m.bytes());
        if (wrong >= 0) {
          throw breach(
              Invariant.MEMORY, flow.name() + ", message " + m.index() + ": wrong at " + wrong);
        }
      }
    }
    long end = memory.bytes(flow.region);
    boolean poisoned = flow.messages.stream().anyMatch(Message::poisoned);
    untouched(memory, flow.region, poisoned || !exact ? end : from, Long.MAX_VALUE, flow.name());
  }

  private void untouched(PairMemory memory, int region, long from, long to, String whose) {
    long limit = Math.min(to, memory.bytes(region) + PairMemory.guardBytes());
    long touched = memory.firstTouched(region, from, limit);
    if (touched < limit) {
      throw breach(Invariant.MEMORY, whose + ": touched at " + touched + " outside any message");
    }
  }

  private void copies(Flow flow) {
    boolean chanceOnly =
        !disturbed && scenario.faults().isEmpty() && scenario.healNs() == Long.MAX_VALUE;
    ChannelModel there = scenario.channelFrom(flow.side);
    ChannelModel back = scenario.channelFrom(1 - flow.side);
    boolean orderly =
        there.reorder() == 0
            && there.spike() == 0
            && back.reorder() == 0
            && back.spike() == 0
            && scenario.link().turnNs() == 0;
    double loss = there.dataLoss(scenario.shape().planes());
    double answersLost = back.dataLoss(scenario.shape().planes());
    if (!chanceOnly || !orderly || loss > 0.5 || answersLost > 0.35 || back.controlLoss() > 0.35) {
      return;
    }
    // Expected copies are 1 / (1 - loss); lost answers make some of them needless, and on slow
    // links a long packet looks lost when a short one on another plane overtakes it.
    double factor = scenario.evenTimes() ? 1.6 : 3;
    double most = factor / (1 - loss) * flow.sentPackets + 48;
    if (flow.copies > most) {
      throw breach(
          Invariant.COPIES_BOUNDED,
          flow.name()
              + ": "
              + flow.copies
              + " copies of "
              + flow.sentPackets
              + " packets at loss "
              + loss);
    }
  }

  private static String text(int side, Frame f) {
    StringBuilder out = new StringBuilder(side == 0 ? "A: " : "B: ");
    FrameText.append(out, f);
    return out.append(": ").toString();
  }
}
