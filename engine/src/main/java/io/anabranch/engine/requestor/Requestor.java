package io.anabranch.engine.requestor;

import io.anabranch.engine.Command.PostWrite;
import io.anabranch.engine.DropReason;
import io.anabranch.engine.RttEstimate;
import io.anabranch.engine.Sink;
import io.anabranch.engine.Status;
import io.anabranch.engine.cc.CongestionControl;
import io.anabranch.engine.config.EngineConfig;
import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.config.RequestorAttributes;
import io.anabranch.engine.config.ResponderAttributes;
import io.anabranch.engine.path.PathSet;
import io.anabranch.engine.path.Planes;
import io.anabranch.engine.path.Route;
import io.anabranch.engine.requestor.LossDetector.Which;
import io.anabranch.engine.timer.TimerName;
import io.anabranch.engine.timer.Timers;
import io.anabranch.engine.trace.Recorder;
import io.anabranch.engine.trace.TraceEvent;
import io.anabranch.engine.trace.TraceEvent.LossCause;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.Mark;
import io.anabranch.wire.mrc.NackReason;
import io.anabranch.wire.mrc.Opcode;
import io.anabranch.wire.mrc.Psn;
import io.anabranch.wire.mrc.Syndrome;

/**
 * The requestor's rules (mrc-protocol, Requestor and Path selection) for one queue pair: which
 * packet goes next and by which EV, what acknowledgements mean, when to retransmit, probe, complete
 * and give up.
 */
public final class Requestor implements LossDetector.Outcome {
  /** Answers of {@link #nextFrame}. */
  public enum Next {
    /** The slot holds a packet. */
    SENT,
    /** Something waits, but this port may not take it. */
    NOT_ON_THIS_PORT,
    /** The destination's window is full. */
    WINDOW_FULL,
    /** Nothing waits, or MPR or the limit of immediates stands in the way. */
    NOTHING
  }

  private static final int RCVD_BYTES_UNIT = 256;

  private final int qp;
  private final int peerQp;
  private final int mtuBytes;
  private final EngineConfig config;
  private final RequestorAttributes attributes;
  private final Route route;
  private final Planes planes;
  private final EvTable evs;
  private final PathSet paths;
  private final RttEstimate rtt;
  private final CongestionControl cc;
  private final Sink sink;
  private final Timers timers;
  private final Recorder recorder;
  private final SendQueue queue;
  private final Copies copies;
  private final LossDetector losses;
  private final Bitmaps bitmaps;
  private final Probes probes;
  private final Prober prober;
  private final PlaneBalance balance;
  private int mprPackets;
  // The highest cack that the responder has told: una may be ahead by what only bitmaps have shown.
  private long toldSeq = -1;
  private long sendingMessage;
  private int wimmsInflight;
  private long inflightBytes;
  private int lastRcvdBytes;
  private long receivedBytes;
  private long sentBytes;
  private boolean windowFull;

  private final RetryTimer retry;
  private final Silence silence;
  private final PathSet.LossSink pathLosses = this::pathLost;
  private long lastSackNs = Long.MIN_VALUE;
  private final LeftPlanes left;
  private long packetsSent;
  private long retransmitted;

  // Time of the call in progress, for what the loss detector decides in it.
  private long nowNs;
  private Status failed = Status.SUCCESS;

  /** A requestor that has sent nothing. */
  public Requestor(
      int qp,
      ResponderAttributes connection,
      int sendQueueDepth,
      EngineConfig config,
      RequestorAttributes attributes,
      Route route,
      PathSet paths,
      RttEstimate rtt,
      CongestionControl cc,
      Sink sink,
      Timers timers,
      Recorder recorder,
      SpareArrays spares,
      int firstProbeId) {
    this.qp = qp;
    this.peerQp = connection.peerQp();
    this.mtuBytes = connection.mtuBytes();
    this.config = config;
    this.attributes = attributes;
    this.route = route;
    this.planes = route.planes();
    this.evs = route.evs();
    this.paths = paths;
    this.rtt = rtt;
    this.cc = cc;
    this.sink = sink;
    this.timers = timers;
    this.recorder = recorder;
    this.queue = new SendQueue(sendQueueDepth, mtuBytes, attributes.startMsn());
    this.copies = new Copies(evs, spares);
    this.losses = new LossDetector(copies, spares, evs, config, this);
    this.bitmaps = new Bitmaps(copies, losses);
    this.probes = new Probes(firstProbeId);
    this.prober = new Prober(qp, peerQp, route, paths, probes, losses, recorder);
    this.retry = new RetryTimer(attributes);
    this.silence = new Silence(config, rtt, cc, timers);
    this.mprPackets = attributes.mprPackets();
    balance = new PlaneBalance(planes, paths, evs);
    left = new LeftPlanes(planes.count());
  }

  private int psnOf(long seq) {
    return Psn.plus(attributes.startPsn(), (int) seq);
  }

  /** The sequence number of a PSN near {@code near}. */
  private long seqOf(int psn, long near) {
    return near + Psn.ahead(psn, psnOf(near));
  }

  // ---------------------------------------------------------------- sending

  /** Posts a write; false when the send queue is full. */
  public boolean post(PostWrite write, long atNs) {
    if (!queue.post(write)) {
      return false;
    }
    if (paths.nextTestNs() != Timers.NEVER) {
      armTests(atNs);
    }
    return true;
  }

  /** Whether something is to be sent that only the window or a port may hold up. */
  public boolean wantsToSend() {
    return mayRetransmit() || maySendNew();
  }

  /** Whether the congestion window held it up when it was last asked. */
  public boolean windowFull() {
    return windowFull;
  }

  private boolean mayRetransmit() {
    return copies.lostCount() > 0 && copies.lowestLost() <= toldSeq + mprPackets;
  }

  private boolean maySendNew() {
    long seq = copies.next();
    if (seq >= queue.endSeq() || seq > toldSeq + mprPackets) {
      return false;
    }
    return seq != queue.firstSeq(sendingMessage)
        || !queue.hasImmediate(sendingMessage)
        || wimmsInflight < attributes.maxWimm();
  }

  /** Chooses the next packet for a port that can send, and fills it in. */
  public Next nextFrame(int port, long atNs, Frame slot) {
    boolean again = mayRetransmit();
    if (!again && !maySendNew()) {
      windowFull = false;
      return Next.NOTHING;
    }
    long seq = again ? copies.lowestLost() : copies.next();
    if (!balance.eligible(port, again ? copies.ev(seq) : -1)) {
      return Next.NOT_ON_THIS_PORT;
    }
    long message = again ? queue.messageOf(seq) : sendingMessage;
    int bytes = nominalBytes(message, seq);
    windowFull = !cc.maySend(bytes);
    if (windowFull) {
      return Next.WINDOW_FULL;
    }
    int evIndex = paths.next(port, again ? copies.ev(seq) : -1, atNs);
    if (evIndex < 0) {
      if (!again || balance.planesInUse() > 1) {
        return Next.NOT_ON_THIS_PORT;
      }
      evIndex = paths.next(port, -1, atNs);
      if (evIndex < 0) {
        return Next.NOT_ON_THIS_PORT;
      }
    }
    send(slot, port, message, seq, evIndex, bytes, again, atNs);
    return Next.SENT;
  }

  private void send(
      Frame slot,
      int port,
      long message,
      long seq,
      int evIndex,
      int bytes,
      boolean again,
      long atNs) {
    slot.clear();
    queue.describe(message, seq, slot);
    route.address(slot, port, evs.ev(evIndex));
    route.dataClass(slot, again);
    slot.psn(psnOf(seq)).destQp(peerQp).rtx(again);
    if (config.timestamps()) {
      slot.timestamped(true).timestamp(LossDetector.stamp(atNs)).fType(1);
    }
    boolean hadNothing = !outstanding();
    copies.sent(seq, evIndex, losses.nextNumber(), atNs);
    cc.onSend(bytes);
    inflightBytes += bytes;
    balance.sent(port);
    packetsSent++;
    if (again) {
      retransmitted++;
    } else {
      sentBytes += bytes;
      if (seq == queue.firstSeq(sendingMessage) && queue.hasImmediate(sendingMessage)) {
        wimmsInflight++;
      }
      if (seq == queue.lastSeq(sendingMessage)) {
        sendingMessage++;
      }
    }
    boolean last = Opcode.isEnd(slot.opcode());
    slot.ackRequest(
        last || again || !wantsToSend() || !cc.maySend(queue.fullBytes(config.timestamps())));
    if (hadNothing) {
      silence.begin(atNs);
      retry.restart(atNs);
    } else if (again && seq == copies.una()) {
      retry.resent(atNs);
    }
    armTimers(atNs);
    recorder.event(
        TraceEvent.SENT, atNs, qp, slot.psn(), slot.ev(), (long) port << 1 | (again ? 1 : 0));
  }

  private int nominalBytes(long message, long seq) {
    return queue.nominalBytes(message, seq, config.timestamps());
  }

  // ---------------------------------------------------------------- acknowledgements

  /** Takes a SACK. */
  public void onSack(Frame f, long atNs) {
    nowNs = atNs;
    if (f.dpdcid() != (qp & 0xffff) || f.spdcid() != (peerQp & 0xffff)) {
      recorder.drop(DropReason.BAD_CONNECTION_ID, f, qp, atNs);
      return;
    }
    long una = copies.una();
    long cackSeq = seqOf(f.cackPsn(), una - 1);
    long bitmap = f.sackBitmap();
    long first = cackSeq + f.sackOffset();
    boolean probe = f.probeResponse() != 0;
    long trigger = probe ? cackSeq : cackSeq + f.ackPsnOffset();
    int advance = Psn.ahead(f.rcvdBytes(), lastRcvdBytes);
    boolean bytesFit =
        advance <= 0 || receivedBytes + ((long) advance << 8) <= sentBytes + RCVD_BYTES_UNIT - 1;
    if (!bytesFit || !bitmaps.plausible(f, cackSeq, first, trigger, mprPackets)) {
      recorder.drop(DropReason.BOGUS_SACK, f, qp, atNs);
      return;
    }
    int probeSlot = probe ? probes.find(f.ackPsnOffset() & 0xffff) : -1;
    if (probe && probeSlot < 0) {
      recorder.drop(DropReason.UNKNOWN_ANSWER, f, qp, atNs);
    }
    silence.heard(atNs);
    lastSackNs = atNs;
    boolean stale = advance < 0 || cackSeq < una - 1 || bitmaps.contradicts(first, bitmap, cackSeq);
    if (advance > 0) {
      lastRcvdBytes = f.rcvdBytes();
      receivedBytes += (long) advance << 8;
    }
    if (attributes.dynamicMpr() && f.mpr() > 0 && advance >= 0 && cackSeq >= toldSeq) {
      mprPackets = f.mpr() * ResponderAttributes.MPR_UNIT;
    }
    told(cackSeq, atNs);
    recorder.event(
        TraceEvent.SACK_RECEIVED, atNs, qp, f.cackPsn(), (long) Math.max(0, advance) << 8, bitmap);
    final long rttNs = probe ? probeAnswered(probeSlot, f, atNs) : triggered(trigger, f, atNs);
    bitmaps.acknowledgeUpTo(cackSeq, atNs);
    bitmaps.acknowledge(first, bitmap, atNs);
    losses.overtake();
    if (!stale) {
      bitmaps.cover(first, bitmap, cackSeq);
    }
    losses.sweep(rtt.baseNs(), atNs);
    concludeLosses(atNs);
    advanceUna(atNs);
    cc.onSack(
        (long) Math.max(0, advance) << 8,
        rttNs,
        f.mark() == Mark.SKIP_ONCE,
        f.rcvCwndPenalty(),
        f.restoreCwnd() != 0,
        atNs);
    recorder.event(TraceEvent.WINDOW, atNs, qp, cc.cwndBytes(), cc.inflightBytes(), 0);
  }

  private void told(long cackSeq, long atNs) {
    if (cackSeq > toldSeq) {
      toldSeq = cackSeq;
      retry.progress(atNs);
    }
  }

  private void advanceUna(long atNs) {
    long una = copies.una();
    long seq = una;
    while (seq < copies.next() && copies.acknowledged(seq)) {
      seq++;
    }
    if (seq > una) {
      copies.advance(seq);
      retry.progress(atNs);
    }
  }

  /** The packet that triggered a SACK: which copy it was, its RTT, and what its path is told. */
  private long triggered(long seq, Frame f, long atNs) {
    if (!copies.held(seq) || copies.count(seq) == 0) {
      return -1;
    }
    Which which = losses.which(seq, f.entropy(), f.timestamp());
    if (which == Which.UNKNOWN) {
      losses.arrived(seq, which, atNs);
      return -1;
    }
    int evIndex = which == Which.LATEST ? copies.ev(seq) : copies.previousEv(seq);
    final long sentNs = which == Which.LATEST ? copies.sentNs(seq) : copies.previousSentNs(seq);
    final boolean fresh = !copies.acknowledged(seq);
    if (fresh) {
      losses.arrived(seq, which, atNs);
    }
    if (f.mark() == Mark.SKIP_ONCE) {
      paths.skip(evIndex, atNs, rtt.smoothedNs());
    } else if (f.mark() == Mark.ALWAYS_SKIP) {
      paths.demote(evIndex, atNs, spacingNs());
    }
    return fresh ? sample(atNs - sentNs, atNs) : -1;
  }

  private long sample(long rttNs, long atNs) {
    rtt.sample(rttNs, atNs);
    route.rtt(rtt.smoothedNs());
    recorder.event(TraceEvent.RTT, atNs, qp, rttNs, rtt.baseNs(), rtt.smoothedNs());
    return rttNs;
  }

  private long probeAnswered(int slot, Frame f, long atNs) {
    if (slot < 0) {
      return -1;
    }
    int evIndex = probes.ev(slot);
    long sentNs = probes.sentNs(slot);
    int probeId = f.ackPsnOffset() & 0xffff;
    losses.probeArrived(evIndex, probes.number(slot), sentNs);
    probes.answered(slot);
    int plane = evs.port(evIndex);
    planes.arrived(plane, sentNs, atNs);
    planes.proven(plane, evIndex, atNs);
    paths.probeAnswered(evIndex, probeId, atNs);
    armTests(atNs);
    recorder.event(TraceEvent.PROBE_ANSWERED, atNs, qp, probeId, atNs - sentNs, evs.ev(evIndex));
    return sample(atNs - sentNs, atNs);
  }

  /** Takes a NACK. */
  public void onNack(Frame f, long atNs) {
    nowNs = atNs;
    if (f.dpdcid() != (qp & 0xffff) || f.spdcid() != (peerQp & 0xffff)) {
      recorder.drop(DropReason.BAD_CONNECTION_ID, f, qp, atNs);
      return;
    }
    long seq = seqOf(f.nackPsn(), copies.una());
    if (seq >= copies.next() || f.psn() != f.nackPsn()) {
      recorder.drop(DropReason.BOGUS_NACK, f, qp, atNs);
      return;
    }
    if (f.reason() == NackReason.UNEXP_EVENT && seq >= copies.una()) {
      fail(Status.GENERAL_ERR, queue.messageOf(seq), atNs);
      return;
    }
    boolean counts =
        seq >= copies.una()
            && copies.is(seq, Copies.INFLIGHT)
            && losses.which(seq, f.entropy(), f.timestamp()) == Which.LATEST;
    if (!counts) {
      recorder.drop(DropReason.OLD_NACK, f, qp, atNs);
      return;
    }
    silence.heard(atNs);
    recorder.event(TraceEvent.NACK_RECEIVED, atNs, qp, f.nackPsn(), f.entropy(), f.reason());
    int evIndex = copies.ev(seq);
    int bytes = nominalBytes(queue.messageOf(seq), seq);
    copies.lose(seq);
    inflightBytes -= bytes;
    boolean trimmed = f.reason() == NackReason.TRIMMED || f.reason() == NackReason.TRIMMED_LASTHOP;
    cc.onNack(bytes, trimmed, atNs);
    // Its headers came through: the path works.
    planes.arrived(evs.port(evIndex), copies.sentNs(seq), atNs);
    if (f.reason() == NackReason.TRIMMED) {
      paths.skip(evIndex, atNs, rtt.smoothedNs());
    } else if (!trimmed) {
      paths.receiverFull(copies.sentNs(seq), spacingNs());
    }
    recorder.event(
        TraceEvent.LOST, atNs, qp, f.nackPsn(), evs.ev(evIndex), LossCause.NACK.ordinal());
  }

  /** Takes a transport ACK or NAK (D1). */
  public void onTransportAck(Frame f, long atNs) {
    nowNs = atNs;
    long seq = seqOf(f.psn(), copies.una());
    if (seq >= copies.next() || seq < -1) {
      recorder.drop(DropReason.BOGUS_ACK, f, qp, atNs);
      return;
    }
    int done = (short) (f.completedMsn() - (int) (attributes.startMsn() + queue.head()));
    if (done > sendingMessage - queue.head()
        || f.syndrome() == Syndrome.ACK
            && done > 0
            && queue.lastSeq(queue.head() + done - 1) > seq) {
      recorder.drop(DropReason.BOGUS_ACK, f, qp, atNs);
      return;
    }
    silence.heard(atNs);
    recorder.event(TraceEvent.ACK_RECEIVED, atNs, qp, f.psn(), f.completedMsn(), f.syndrome());
    if (f.syndrome() == Syndrome.ACK && done > 0) {
      told(seq, atNs);
    }
    if (done > 0) {
      bitmaps.acknowledgeUpTo(queue.lastSeq(queue.head() + done - 1), atNs);
      for (int i = 0; i < done; i++) {
        complete(Status.SUCCESS, atNs);
      }
      losses.overtake();
      losses.sweep(rtt.baseNs(), atNs);
      concludeLosses(atNs);
      advanceUna(atNs);
      retry.progress(atNs);
    }
    if (f.syndrome() != Syndrome.ACK) {
      Status status =
          switch (f.syndrome()) {
            case Syndrome.NAK_INVALID_REQUEST -> Status.REM_INV_REQ_ERR;
            case Syndrome.NAK_REMOTE_ACCESS -> Status.REM_ACCESS_ERR;
            case Syndrome.NAK_REMOTE_OPERATION -> Status.REM_OP_ERR;
            default -> Status.GENERAL_ERR;
          };
      fail(status, Math.max(queue.head(), queue.messageOf(seq)), atNs);
    }
  }

  private void complete(Status status, long atNs) {
    if (queue.hasImmediate(queue.head()) && queue.head() < sendingMessage) {
      wimmsInflight--;
    }
    recorder.event(TraceEvent.COMPLETED, atNs, qp, queue.head(), status.ordinal(), 0);
    queue.complete(qp, status, sink);
  }

  // ---------------------------------------------------------------- what the detector decides

  @Override
  public void landed(long seqOrNot, int evIndex, long sentNs) {
    if (seqOrNot >= 0) {
      int bytes = nominalBytes(queue.messageOf(seqOrNot), seqOrNot);
      inflightBytes -= bytes;
      cc.onArrived(bytes);
    }
    if (evIndex >= 0) {
      int plane = evs.port(evIndex);
      planes.arrived(plane, sentNs, nowNs);
      planes.proven(plane, evIndex, nowNs);
      paths.arrived(evIndex, nowNs, rtt.smoothedNs());
    }
  }

  @Override
  public void lost(long seq, int evIndex, long sentNs, LossCause cause) {
    int bytes = nominalBytes(queue.messageOf(seq), seq);
    copies.lose(seq);
    inflightBytes -= bytes;
    cc.onLoss(bytes, nowNs);
    recorder.event(TraceEvent.LOST, nowNs, qp, psnOf(seq), evs.ev(evIndex), cause.ordinal());
    int plane = evs.port(evIndex);
    // An expiry blames the path only if a SACK came that could have shown the copy.
    boolean pathMayBeAtFault =
        cause != LossCause.PORT_DOWN
            && planes.usable(plane)
            && (cause != LossCause.TIMEOUT
                || lastSackNs > sentNs + rtt.smoothedNs() + rtt.baseNs());
    if (pathMayBeAtFault) {
      paths.lost(evIndex, sentNs, nowNs, spacingNs());
    }
  }

  private void concludeLosses(long atNs) {
    paths.conclude(atNs, spacingNs(), pathLosses);
    armTests(atNs);
  }

  private void pathLost(int evIndex, long sentNs) {
    int plane = evs.port(evIndex);
    if (planes.usable(plane) && planes.lost(plane, evIndex, sentNs)) {
      planes.setAside(plane);
      recorder.event(TraceEvent.PLANE, nowNs, qp, plane, 0, 0);
    }
  }

  private long spacingNs() {
    return Math.max(rtt.smoothedNs(), config.minProbeSpacingNs());
  }

  // ---------------------------------------------------------------- planes

  /** A plane was left: what is in flight on it counts as lost one RTT later. */
  public void planeLeft(int plane, long atNs) {
    paths.planeLeft(atNs);
    left.leave(plane, atNs, atNs + rtt.smoothedNs());
    timers.set(TimerName.PLANE_LOSS, left.nextNs());
  }

  /** A plane is usable again; its EVs come back with it. */
  public void planeBack(int plane, long atNs) {
    paths.planeBack(plane, atNs);
  }

  private void losePlanes(long atNs) {
    for (long seq = copies.una(); seq < copies.next(); seq++) {
      if (copies.is(seq, Copies.INFLIGHT)
          && left.isLost(evs.port(copies.ev(seq)), copies.sentNs(seq), atNs)) {
        lost(seq, copies.ev(seq), copies.sentNs(seq), LossCause.PORT_DOWN);
      }
    }
    left.done(atNs);
    timers.set(TimerName.PLANE_LOSS, left.nextNs());
  }

  // ---------------------------------------------------------------- timers

  /** Whether anything was sent that has not completed. */
  public boolean outstanding() {
    return toldSeq + 1 < copies.next() || queue.head() < sendingMessage;
  }

  private void armTimers(long atNs) {
    if (attributes.timeout() > 0 && timers.deadlineNs(TimerName.ACK) == Timers.NEVER) {
      timers.set(TimerName.ACK, retry.dueNs());
    }
    silence.arm(atNs);
  }

  private void armTests(long atNs) {
    long next = paths.nextTestNs();
    timers.set(TimerName.EV_TEST, next == Timers.NEVER ? next : Math.max(next, atNs));
  }

  /**
   * Runs the timers that are due.
   *
   * @param lateNs how long after its deadline the engine was called: the silence of that time was
   *     this host's own
   */
  public void onTimer(long atNs, long lateNs) {
    nowNs = atNs;
    boolean late = lateNs > retry.timeoutNs() / 2 && attributes.timeout() > 0;
    if (late) {
      retry.extend(lateNs);
      silence.wasAway(atNs);
      paths.extend(lateNs);
    }
    if (timers.due(TimerName.PLANE_LOSS, atNs)) {
      losePlanes(atNs);
    }
    if (timers.due(TimerName.ACK, atNs)) {
      ackTimer(atNs);
    }
    if (timers.due(TimerName.SILENCE, atNs)) {
      silenceTimer(atNs);
    }
    if (timers.due(TimerName.EV_TEST, atNs)) {
      testPaths(atNs);
    }
  }

  private void ackTimer(long atNs) {
    if (!outstanding()) {
      timers.stop(TimerName.ACK);
      return;
    }
    if (retry.dueNs() > atNs) {
      timers.set(TimerName.ACK, retry.dueNs());
      return;
    }
    recorder.event(
        TraceEvent.EXPIRED,
        atNs,
        qp,
        retry.expiries() + 1L,
        retry.timeoutNs(),
        psnOf(copies.una()));
    long endedNs = atNs - retry.timeoutNs();
    if (!retry.expire()) {
      fail(Status.RETRY_EXC_ERR, queue.head(), atNs);
      return;
    }
    long una = copies.una();
    if (una < copies.next()) {
      if (copies.is(una, Copies.INFLIGHT)) {
        lost(una, copies.ev(una), copies.sentNs(una), LossCause.TIMEOUT);
      } else {
        makeRoom(una, endedNs);
      }
      concludeLosses(atNs);
    } else {
      prober.ask(-1, atNs);
    }
    retry.restart(atNs);
    timers.set(TimerName.ACK, retry.dueNs());
  }

  /**
   * The oldest packet waits to be sent again, but the window has shrunk below what is in flight,
   * and nothing more arrives of that: copies sent until {@code endedNs} count as lost until there
   * is room. Answers to probes show no more than the oldest hole.
   */
  private void makeRoom(long una, long endedNs) {
    int bytes = nominalBytes(queue.messageOf(una), una);
    for (long seq = una; seq < copies.next() && !cc.maySend(bytes); seq++) {
      if (copies.is(seq, Copies.INFLIGHT) && copies.sentNs(seq) <= endedNs) {
        lost(seq, copies.ev(seq), copies.sentNs(seq), LossCause.TIMEOUT);
      }
    }
  }

  /** Nothing heard for too long: ask on the oldest hole's EV and on another plane. */
  private void silenceTimer(long atNs) {
    if (!outstanding()) {
      if (silence.isOver(atNs)) {
        copies.release();
        losses.release();
      }
      return;
    }
    if (silence.expire(atNs)) {
      long una = copies.una();
      if (una < copies.next() && copies.is(una, Copies.LOST)) {
        makeRoom(una, atNs - rtt.smoothedNs() - rtt.baseNs());
        concludeLosses(atNs);
      }
      prober.ask(una < copies.next() ? copies.ev(una) : -1, atNs);
    }
  }

  private void testPaths(long atNs) {
    if (!outstanding() && !wantsToSend()) {
      timers.stop(TimerName.EV_TEST);
      return;
    }
    long patienceNs = 3 * rtt.smoothedNs() + 2 * spacingNs();
    int evIndex = paths.dueTest(atNs);
    while (evIndex >= 0) {
      int id = prober.probe(evIndex, atNs);
      if (id < 0) {
        timers.set(TimerName.EV_TEST, atNs + spacingNs());
        return;
      }
      paths.testSent(evIndex, id, atNs, spacingNs(), patienceNs);
      evIndex = paths.dueTest(atNs);
    }
    armTests(atNs);
  }

  // ---------------------------------------------------------------- the end

  /** Why the queue pair must go to ERROR, or SUCCESS. */
  public Status failed() {
    return failed;
  }

  private void fail(Status status, long message, long atNs) {
    failed = status;
    flush(status, message, atNs);
  }

  /** Ends all outstanding work with WR_FLUSH_ERR, in order. */
  public void flush(long atNs) {
    flush(Status.WR_FLUSH_ERR, -1, atNs);
  }

  private void flush(Status status, long failing, long atNs) {
    while (!queue.empty()) {
      complete(queue.head() == failing ? status : Status.WR_FLUSH_ERR, atNs);
    }
    sendingMessage = queue.tail();
    wimmsInflight = 0;
    cc.onAbandon(inflightBytes);
    inflightBytes = 0;
    copies.clear();
    toldSeq = copies.next() - 1;
    timers.stop(TimerName.ACK);
    timers.stop(TimerName.SILENCE);
    timers.stop(TimerName.PLANE_LOSS);
    timers.stop(TimerName.EV_TEST);
  }

  // ---------------------------------------------------------------- for snapshots

  /** PSN the next new packet will have. */
  public int nextPsn() {
    return psnOf(copies.next());
  }

  /** Every PSN up to this one is acknowledged. */
  public int cackPsn() {
    return psnOf(copies.una() - 1);
  }

  /** Copies in flight. */
  public int inflightPackets() {
    return copies.inflightCount();
  }

  /** Bytes of the copies in flight. */
  public long inflightBytes() {
    return inflightBytes;
  }

  /** The maximum PSN range in force. */
  public int mprPackets() {
    return mprPackets;
  }

  /** Packets to be sent again. */
  public int lostPackets() {
    return copies.lostCount();
  }

  /** Data packets sent, copies included. */
  public long packetsSent() {
    return packetsSent;
  }

  /** Copies among them. */
  public long retransmitted() {
    return retransmitted;
  }

  /** Reliability probes sent. */
  public long probesSent() {
    return prober.probesSent();
  }

  /** ACK timer expiries. */
  public long expiriesInAll() {
    return retry.expiriesInAll();
  }

  /** Copies counted as lost that had arrived. */
  public long spuriousLosses() {
    return losses.spurious();
  }

  /** Data packets sent on a plane. */
  public long sentOnPlane(int plane) {
    return balance.sentOn(plane);
  }

  /** The queue pair's EVs. */
  public PathSet paths() {
    return paths;
  }
}
