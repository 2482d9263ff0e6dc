package io.anabranch.engine.responder;

import io.anabranch.engine.DropReason;
import io.anabranch.engine.Memory;
import io.anabranch.engine.RttEstimate;
import io.anabranch.engine.Sink;
import io.anabranch.engine.config.EngineConfig;
import io.anabranch.engine.config.ResponderAttributes;
import io.anabranch.engine.path.Route;
import io.anabranch.engine.timer.TimerName;
import io.anabranch.engine.timer.Timers;
import io.anabranch.engine.trace.Recorder;
import io.anabranch.engine.trace.TraceEvent;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.Mark;
import io.anabranch.wire.mrc.NackReason;
import io.anabranch.wire.mrc.Opcode;
import io.anabranch.wire.mrc.Psn;
import io.anabranch.wire.mrc.Syndrome;

/**
 * The responder's rules (mrc-protocol, Responder 1 to 11) for one queue pair: takes data packets
 * and reliability probes, places payload, and makes SACKs, NACKs and transport ACKs.
 */
public final class Responder {
  private static final int MIN_COUNTED_BYTES = 1024;
  private static final int NACK_CC_TYPE = 2;
  private static final int ECN_CE = 3;

  private final int qp;
  private final int domain;
  private final EngineConfig config;
  private final ResponderAttributes attributes;
  private final Route route;
  private final RttEstimate rtt;
  private final Regions regions;
  private final Memory memory;
  private final Sink sink;
  private final Timers timers;
  private final Recorder recorder;
  private final ReceiveQueue receives;
  private final Arrivals arrivals = new Arrivals();

  private int mprPackets;
  private int windowPackets;
  private boolean started;
  private long receivedBytes;
  private int bytesSinceSack;
  private long completed;
  private long completedSeq = -1;
  private boolean ackDue;
  private long extraWindowEndNs = Long.MIN_VALUE;
  private int extrasSent;
  private int penalty;
  private boolean restoreCwnd;
  private long sacksSent;

  // What the next SACK reflects: the packet that triggered it, or the last that arrived.
  private long triggerSeq;
  private int triggerEv;
  private int triggerTimestamp;
  private boolean triggerMarked;

  // The NAK that ended the queue pair, repeated to late packets.
  private int nakSyndrome;
  private int nakPsn;
  private long failedSeq = Long.MAX_VALUE;
  private long lastNakNs = Long.MIN_VALUE;

  /** A responder that has received nothing. */
  public Responder(
      int qp,
      int domain,
      EngineConfig config,
      ResponderAttributes attributes,
      Route route,
      RttEstimate rtt,
      Regions regions,
      Memory memory,
      ReceiveQueue receives,
      Sink sink,
      Timers timers,
      Recorder recorder) {
    this.qp = qp;
    this.domain = domain;
    this.config = config;
    this.attributes = attributes;
    this.route = route;
    this.rtt = rtt;
    this.regions = regions;
    this.memory = memory;
    this.receives = receives;
    this.sink = sink;
    this.timers = timers;
    this.recorder = recorder;
    this.mprPackets = attributes.mprPackets();
    this.windowPackets = mprPackets;
    receives.expect(attributes.startMsn(), attributes.maxWimm());
  }

  private int psnOf(long seq) {
    return Psn.plus(attributes.startPsn(), (int) seq);
  }

  private int cackPsn() {
    return psnOf(arrivals.nextSeq() - 1);
  }

  /**
   * Takes a data packet from the peer.
   *
   * @return 0, or the AETH syndrome with which the queue pair goes to ERROR
   */
  public int onWrite(Frame frame, int port, long nowNs) {
    long next = arrivals.nextSeq();
    long seq = next - 1 + Psn.ahead(frame.psn(), cackPsn());
    if (next - 1 - seq > Math.min(2L * windowPackets, Short.MAX_VALUE)) {
      recorder.drop(DropReason.STALE_PSN, frame, qp, nowNs);
      return 0;
    }
    if (arrivals.has(seq)) {
      recorder.drop(DropReason.DUPLICATE, frame, qp, nowNs);
      if (seq < 0) {
        return 0;
      }
      trigger(seq, frame);
      ackDue |= seq < next && completed > 0;
      report(nowNs);
      return 0;
    }
    if (frame.trimmed()) {
      recorder.drop(DropReason.TRIMMED, frame, qp, nowNs);
      boolean lastHop = frame.dscp() == config.dscp().trimmedLastHop();
      nack(frame, lastHop ? NackReason.TRIMMED_LASTHOP : NackReason.TRIMMED, nowNs);
      return 0;
    }
    if (seq >= next + windowPackets) {
      recorder.drop(DropReason.PSN_OUT_OF_WINDOW, frame, qp, nowNs);
      nack(frame, NackReason.PSN_OOR_WINDOW, nowNs);
      return 0;
    }
    if (frame.noBuffer()) {
      recorder.drop(DropReason.NO_PKT_BUFFER, frame, qp, nowNs);
      nack(frame, NackReason.NO_PKT_BUFFER, nowNs);
      return 0;
    }
    if (!lengthFits(frame)) {
      recorder.drop(DropReason.BAD_LENGTH, frame, qp, nowNs);
      return 0;
    }
    return accept(frame, seq, port, nowNs);
  }

  /** Every packet but a message's last carries exactly the path MTU (mrc-wire, Encapsulation). */
  private boolean lengthFits(Frame frame) {
    int payload = frame.payloadLength();
    int opcode = frame.opcode();
    long message = frame.dmaLength() & 0xffff_ffffL;
    if (payload > message) {
      return false;
    }
    if (!Opcode.isEnd(opcode)) {
      return payload == attributes.mtuBytes();
    }
    if (payload > attributes.mtuBytes()) {
      return false;
    }
    return payload > 0 || opcode == Opcode.WRITE_ONLY_IMM && message == 0;
  }

  private int accept(Frame frame, long seq, int port, long nowNs) {
    int opcode = frame.opcode();
    boolean end = Opcode.isEnd(opcode);
    boolean immediate = Opcode.hasImmediate(opcode);
    arrivals.add(seq, end, frame.ackRequest(), immediate);
    receivedBytes += frame.nominalBytes();
    bytesSinceSack += Math.max(MIN_COUNTED_BYTES, frame.payloadLength());
    recorder.event(TraceEvent.ARRIVED, nowNs, qp, frame.psn(), frame.ev(), port);

    int syndrome = place(frame);
    if (syndrome == 0 && immediate) {
      syndrome = stash(frame);
    }
    if (syndrome != 0) {
      failAt(seq, syndrome);
    }
    boolean urgentSack = !started || frame.ecn() == ECN_CE || frame.rtx() || frame.ackRequest();
    started = true;
    long before = completed;
    int advanced = advance();
    urgentSack |= (advanced & SACK_DUE) != 0;
    final boolean urgentAck = (advanced & ACK_DUE) != 0;
    ackDue |= completed != before;
    trigger(seq, frame);
    if (nakSyndrome != 0) {
      sendNak(nowNs);
      ackDue = false;
      report(nowNs);
      return nakSyndrome;
    }
    // A SACK for bytes alone would only be overtaken by events while others wait for the port.
    boolean enough = bytesSinceSack >= config.sackBytes() && !route.backlogged();
    if (urgentAck) {
      sendAck(nowNs);
    }
    if (urgentSack || enough) {
      report(nowNs);
    }
    if (bytesSinceSack > 0 && timers.deadlineNs(TimerName.DELAYED_SACK) == Timers.NEVER) {
      timers.set(TimerName.DELAYED_SACK, nowNs + rtt.baseNs());
    }
    return 0;
  }

  private int place(Frame frame) {
    int bytes = frame.payloadLength();
    if (bytes == 0) {
      return 0;
    }
    int region = regions.find(frame.rKey());
    if (region < 0 || !regions.allows(region, domain, frame.virtualAddress(), bytes)) {
      return Syndrome.NAK_REMOTE_ACCESS;
    }
    memory.place(regions.region(region), regions.offset(region, frame.virtualAddress()), frame);
    return 0;
  }

  private int stash(Frame frame) {
    boolean kept =
        receives.stash(
            frame.rqMsn(), frame.immediate(), frame.dmaLength() & 0xffff_ffffL, frame.solicited());
    return kept ? 0 : Syndrome.NAK_INVALID_REQUEST;
  }

  private static final int SACK_DUE = 1;
  private static final int ACK_DUE = 2;

  /**
   * Moves cack over the filled prefix, completes messages and delivers immediates in order. Nothing
   * from a failed packet on completes, though it arrived.
   */
  private int advance() {
    int due = 0;
    int run = arrivals.run();
    while (run > 0) {
      long ends = arrivals.endsUnder(run);
      long acks = arrivals.acksUnder(run);
      long immediates = arrivals.immediatesUnder(run);
      long base = arrivals.nextSeq();
      for (long rest = ends; rest != 0; rest &= rest - 1) {
        int bit = Long.numberOfTrailingZeros(rest);
        if (base + bit >= failedSeq) {
          break;
        }
        if ((immediates >>> bit & 1) != 0 && !deliver(base + bit)) {
          break;
        }
        completed++;
        completedSeq = base + bit;
        due |= (acks >>> bit & 1) != 0 ? ACK_DUE : 0;
      }
      due |= acks != 0 ? SACK_DUE : 0;
      arrivals.pass(run);
      run = arrivals.run();
    }
    return due;
  }

  private boolean deliver(long seq) {
    if (!receives.stashed()) {
      failAt(seq, Syndrome.NAK_INVALID_REQUEST);
      return false;
    }
    if (receives.posted() == 0) {
      failAt(seq, Syndrome.NAK_REMOTE_OPERATION);
      return false;
    }
    receives.deliver(qp, sink);
    return true;
  }

  private void failAt(long seq, int syndrome) {
    failedSeq = seq;
    nakPsn = psnOf(seq);
    nakSyndrome = syndrome;
  }

  private void trigger(long seq, Frame frame) {
    triggerSeq = seq;
    triggerEv = frame.ev();
    triggerTimestamp = frame.timestamped() ? frame.timestamp() : 0;
    triggerMarked = frame.ecn() == ECN_CE;
  }

  /** Takes a reliability probe: repeats the transport ACK and answers with the oldest hole. */
  public void onProbe(Frame frame, long nowNs) {
    if (completed > 0) {
      sendAck(nowNs);
    }
    long word = arrivals.nextSeq() >>> 6;
    sack(word, true, frame.probeId(), frame.ev(), frame.timestamp(), frame.ecn() == ECN_CE, nowNs);
    extras(nowNs);
  }

  /** Runs the delayed SACK. */
  public void onTimer(long nowNs) {
    if (timers.due(TimerName.DELAYED_SACK, nowNs)) {
      timers.stop(TimerName.DELAYED_SACK);
      if (ackDue) {
        sendAck(nowNs);
      }
      if (bytesSinceSack > 0 || arrivals.anyDirty()) {
        report(nowNs);
      }
    }
  }

  /** SACKs the trigger's word, then the other words with unreported arrivals. */
  private void report(long nowNs) {
    if (ackDue) {
      sendAck(nowNs);
    }
    if (sack(
        arrivals.wordFor(triggerSeq),
        false,
        0,
        triggerEv,
        triggerTimestamp,
        triggerMarked,
        nowNs)) {
      bytesSinceSack = 0;
      timers.stop(TimerName.DELAYED_SACK);
      extras(nowNs);
    } else {
      timers.set(TimerName.DELAYED_SACK, nowNs + rtt.baseNs());
    }
  }

  private void extras(long nowNs) {
    if (nowNs >= extraWindowEndNs) {
      extraWindowEndNs = nowNs + rtt.baseNs();
      extrasSent = 0;
    }
    while (arrivals.anyDirty() && extrasSent < config.extraSacks()) {
      long word = arrivals.firstDirty();
      if (word < 0 || !sack(word, false, 0, triggerEv, triggerTimestamp, triggerMarked, nowNs)) {
        break;
      }
      extrasSent++;
    }
    if (arrivals.anyDirty() && timers.deadlineNs(TimerName.DELAYED_SACK) == Timers.NEVER) {
      timers.set(TimerName.DELAYED_SACK, nowNs + rtt.baseNs());
    }
  }

  private boolean sack(
      long word, boolean probe, int probeId, int ev, int timestamp, boolean marked, long nowNs) {
    Frame frame = route.control(nowNs);
    if (frame == null) {
      return false;
    }
    frame.opcode(Opcode.SACK).destQp(attributes.peerQp());
    frame.mark(marked ? Mark.SKIP_ONCE : Mark.NONE).probeResponse(probe ? 1 : 0);
    frame.entropy(ev).spdcid(qp).dpdcid(attributes.peerQp()).timestamp(timestamp);
    // Of use to refresh() only; a control frame has no payload.
    frame.payload(qp, 0);
    if (probe) {
      frame.ackPsnOffset(probeId);
    }
    long bitmap = fill(frame, word, triggerSeq);
    sacksSent++;
    recorder.event(TraceEvent.SACK_SENT, nowNs, qp, frame.cackPsn(), psnOf(triggerSeq), bitmap);
    return true;
  }

  /** What a SACK says of arrivals, as of now. */
  private long fill(Frame frame, long word, long trigger) {
    long cackSeq = arrivals.nextSeq() - 1;
    long bitmap = arrivals.report(word);
    frame.psn(cackPsn()).cackPsn(cackPsn());
    if (frame.probeResponse() == 0) {
      frame.ackPsnOffset((int) (trigger - cackSeq));
    }
    frame.sackOffset((int) ((word << 6) - cackSeq)).sackBitmap(bitmap);
    frame.mpr(attributes.dynamicMpr() ? mprPackets / ResponderAttributes.MPR_UNIT : 0);
    frame.oooCount(arrivals.beyond()).rcvdBytes((int) (receivedBytes >>> 8));
    frame.rcvCwndPenalty(penalty).restoreCwnd(restoreCwnd ? 1 : 0);
    return bitmap;
  }

  /** Brings a SACK that waited for its port up to date, at the moment it leaves. */
  public void refresh(Frame sack) {
    long next = arrivals.nextSeq();
    long cackSeq = next - 1 + Psn.ahead(sack.cackPsn(), cackPsn());
    long word = Math.max(cackSeq + sack.sackOffset() >> 6, next >>> 6);
    long trigger = cackSeq + sack.ackPsnOffset();
    if (sack.probeResponse() != 0 || trigger - (next - 1) >= Short.MIN_VALUE) {
      fill(sack, word, trigger);
    }
  }

  private void nack(Frame cause, int reason, long nowNs) {
    Frame frame = route.control(nowNs);
    if (frame == null) {
      recorder.drop(DropReason.CONTROL_QUEUE_FULL, cause, qp, nowNs);
      return;
    }
    frame.opcode(Opcode.NACK).destQp(attributes.peerQp()).psn(cause.psn()).nackPsn(cause.psn());
    frame.reason(reason).entropy(cause.ev()).spdcid(qp).dpdcid(attributes.peerQp());
    frame.ccType(NACK_CC_TYPE).timestamp(cause.timestamped() ? cause.timestamp() : 0);
    recorder.event(TraceEvent.NACK_SENT, nowNs, qp, cause.psn(), cause.ev(), reason);
  }

  private void sendAck(long nowNs) {
    if (transportAck(psnOf(completedSeq), Syndrome.ACK, nowNs)) {
      ackDue = false;
    }
  }

  private void sendNak(long nowNs) {
    if (transportAck(nakPsn, nakSyndrome, nowNs)) {
      lastNakNs = nowNs;
    }
  }

  private boolean transportAck(int psn, int syndrome, long nowNs) {
    Frame frame = route.control(nowNs);
    if (frame == null) {
      return false;
    }
    int msn = (int) (attributes.startMsn() + completed) & 0xffff;
    frame.opcode(Opcode.TRANSPORT_ACK).destQp(attributes.peerQp()).psn(psn);
    frame.syndrome(syndrome).completedMsn(msn);
    recorder.event(TraceEvent.ACK_SENT, nowNs, qp, psn, msn, syndrome);
    return true;
  }

  /**
   * A packet for a queue pair in ERROR: the NAK that ended it is repeated, at most once an RTT, so
   * that a lost NAK does not become "retry exceeded" at the peer.
   */
  public void onLate(long nowNs) {
    if (nakSyndrome != 0 && (lastNakNs == Long.MIN_VALUE || nowNs - lastNakNs >= rtt.baseNs())) {
      sendNak(nowNs);
    }
  }

  /** Nothing more will be received; posted receives end with WR_FLUSH_ERR. */
  public void flush() {
    timers.stop(TimerName.DELAYED_SACK);
    arrivals.clear();
    receives.flush(qp, sink);
  }

  /** The window granted from now on; packets already under way within the old one are taken. */
  public void grant(int packets) {
    mprPackets = packets;
    windowPackets = Math.max(windowPackets, packets);
  }

  /**
   * How far the receiving host is behind: rcv_cwnd_pen of the next SACKs.
   *
   * @param value 0 … 127; back at 0 the requestor may restore its window
   */
  public void penalty(int value) {
    restoreCwnd = value == 0 && penalty > 0 || value == 0 && restoreCwnd;
    penalty = value;
  }

  /** Every PSN up to this one has arrived. */
  public int receivedCackPsn() {
    return cackPsn();
  }

  /** Messages complete in order. */
  public long completedMessages() {
    return completed;
  }

  /** SACKs made. */
  public long sacksSent() {
    return sacksSent;
  }
}
