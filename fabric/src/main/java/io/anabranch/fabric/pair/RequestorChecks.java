package io.anabranch.fabric.pair;

import io.anabranch.engine.QpSnapshot;
import io.anabranch.fabric.pair.PairScenario.Fault;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.NackReason;
import io.anabranch.wire.mrc.Opcode;
import io.anabranch.wire.mrc.Psn;
import io.anabranch.wire.mrc.Syndrome;

/**
 * Watches a requestor: every data packet and probe it sends, given what was posted and what it was
 * told.
 */
final class RequestorChecks {
  /**
   * Copies of a packet beyond those that the responder was heard to refuse; a bound on storms. Each
   * refusal is answered by one copy, a round trip later, for as long as there is no room.
   */
  private static final int MOST_COPIES = 400;

  /** UDP length + 40 exceeds the payload by at most this (IPv6, UDP, BTH, all extensions, ICRC). */
  static final int MOST_OVERHEAD_BYTES = 40 + 8 + 12 + 28 + 3 + 4;

  private final PairChecker checker;
  private final PairScenario scenario;

  RequestorChecks(PairChecker checker) {
    this.checker = checker;
    this.scenario = checker.scenario();
  }

  /**
   * A data packet leaves.
   *
   * @return the number of the copy
   */
  int data(Flow flow, Frame f, int port) {
    int packet = flow.packet(f.psn());
    if (packet < 0 || packet > flow.sentPackets) {
      throw fail(
          Invariant.PSN_ORDER, flow, f, "expected " + flow.psn(flow.sentPackets) + " or a copy");
    }
    boolean first = packet == flow.sentPackets;
    if (first && packet >= flow.postedPackets()) {
      throw fail(Invariant.PSN_ORDER, flow, f, "nothing was posted for it");
    }
    if (first == f.rtx()) {
      throw fail(Invariant.RTX_FLAG, flow, f, first ? "first copy" : "copy before it");
    }
    Message message = flow.messageOf(packet);
    headers(flow, message, packet, f);
    checker.paths().dataSent(flow, f, port);
    if (f.dscp() != (first ? checker.dscp().trimmable() : checker.dscp().trimmableRetx())
        || f.ecn() != PairChecker.ECT0) {
      throw fail(Invariant.ENVELOPE, flow, f, "dscp " + f.dscp() + ", ecn " + f.ecn());
    }
    mpr(flow, packet, f);
    if (first) {
      immediates(flow, message, packet, f);
    } else {
      retransmission(flow, packet, f);
    }
    if (!f.ackRequest() && (!first || packet == message.lastPacket())) {
      throw fail(Invariant.ACK_REQUEST, flow, f, first ? "last of its message" : "copy");
    }
    int copy = flow.copy(packet, f.ev(), port, f.timestamp());
    if (!first) {
      flow.retransmitted++;
    }
    window(flow, f, first);
    return copy;
  }

  private void headers(Flow flow, Message m, int packet, Frame f) {
    int place = packet - m.firstPacket();
    boolean last = packet == m.lastPacket();
    int mtu = scenario.shape().mtuBytes();
    long offset = (long) place * mtu;
    int length = (int) Math.min(mtu, m.bytes() - offset);
    int opcode;
    if (last) {
      int plain = m.packets() == 1 ? Opcode.WRITE_ONLY : Opcode.WRITE_LAST;
      opcode = plain + (m.withImmediate() ? 1 : 0);
    } else {
      opcode = place == 0 ? Opcode.WRITE_FIRST : Opcode.WRITE_MIDDLE;
    }
    require(flow, f, "opcode", f.opcode(), opcode);
    require(flow, f, "payload length", f.payloadLength(), length);
    require(flow, f, "pad", f.padCount(), -length & 3);
    if (m.bytes() > 0) {
      require(flow, f, "address", f.virtualAddress(), m.remoteAddress() + offset);
      require(flow, f, "R_Key", f.rKey(), m.rKey());
    }
    require(flow, f, "DMA length", Integer.toUnsignedLong(f.dmaLength()), m.bytes());
    require(flow, f, "MSN", f.msn(), flow.startMsn + m.index() & 0xffff);
    // A WRITE with Immediate carries its own count; between two, either neighbour's, but one only.
    int count = flow.startMsn + m.immediatesBefore() & 0xffff;
    if (packet == m.firstPacket() && packet == flow.sentPackets) {
      boolean before = !m.withImmediate() && f.rqMsn() == (count - 1 & 0xffff);
      flow.rqMsnOf[m.index()] = before ? count - 1 & 0xffff : count;
    }
    require(flow, f, "RQMSN", f.rqMsn(), flow.rqMsnOf[m.index()]);
    if (last && m.withImmediate()) {
      require(flow, f, "immediate", f.immediate(), m.immediate());
    }
    if (last) {
      require(flow, f, "SE", f.solicited() ? 1 : 0, m.solicited() ? 1 : 0);
    }
    require(flow, f, "payload handle", f.payloadRef(), m.ref());
    require(flow, f, "payload offset", f.payloadOffset(), offset);
    if (f.timestamped()) {
      require(flow, f, "FTYPE", f.fType(), 1);
      require(flow, f, "TSR", f.tsr(), 0);
      require(flow, f, "timestamp", f.timestamp(), (int) (checker.nowNs() >> 7) & 0xffff);
    } else if (scenario.shape().timestamps()) {
      throw fail(Invariant.HEADERS, flow, f, "no TSETH");
    }
    if (f.migration() || f.trimmed() || f.icrcBad()) {
      throw fail(Invariant.HEADERS, flow, f, "flags that no sender sets");
    }
  }

  private void require(Flow flow, Frame f, String field, long is, long shall) {
    if (is != shall) {
      throw fail(Invariant.HEADERS, flow, f, field + " " + is + ", expected " + shall);
    }
  }

  private void mpr(Flow flow, int packet, Frame f) {
    int mpr = flow.mprPackets;
    if (checker.nowNs() - flow.mprChangedNs < checker.graceNs()) {
      mpr = Math.max(mpr, flow.mprBefore);
    }
    if (packet > flow.highestAcked + mpr) {
      throw fail(
          Invariant.MPR_LIMIT, flow, f, "cack " + flow.psn(flow.highestAcked) + ", MPR " + mpr);
    }
  }

  private void immediates(Flow flow, Message message, int packet, Frame f) {
    if (!message.withImmediate() || packet != message.firstPacket()) {
      return;
    }
    int freed = 0;
    for (int i = message.index() - 1; i >= 0; i--) {
      Message before = flow.messages.get(i);
      if (before.lastPacket() <= flow.highestCompleted) {
        freed = before.immediatesBefore() + (before.withImmediate() ? 1 : 0);
        break;
      }
    }
    int flying = message.immediatesBefore() - freed + 1;
    if (flying > scenario.shape().maxWimm()) {
      throw fail(Invariant.WIMM_LIMIT, flow, f, flying + " in flight");
    }
  }

  private void retransmission(Flow flow, int packet, Frame f) {
    if (flow.known[packet]) {
      throw fail(Invariant.RETRANSMIT_KNOWN, flow, f, "a delivered SACK reported it");
    }
    if (checker.undisturbed()) {
      throw fail(Invariant.RETRANSMIT_SPURIOUS, flow, f, "copy " + (flow.copiesOf[packet] + 1));
    }
    if (flow.copiesOf[packet] - flow.refusalsOf[packet] >= MOST_COPIES) {
      throw fail(Invariant.COPIES_BOUNDED, flow, f, flow.copiesOf[packet] + " copies before it");
    }
  }

  private void window(Flow flow, Frame f, boolean first) {
    QpSnapshot own = checker.refresh(flow.side, flow.index);
    if (own == null) {
      throw fail(Invariant.SEAM, flow, f, "no snapshot");
    }
    long inflight = checker.inflightBytes(flow.side);
    boolean alone = checker.outstandingPackets(flow.side) == 1;
    if (inflight > own.cwndBytes() + MOST_OVERHEAD_BYTES && !alone) {
      throw fail(Invariant.WINDOW, flow, f, "inflight " + inflight + ", window " + own.cwndBytes());
    }
    if (own.cwndBytes() > scenario.shape().windowBytes()) {
      throw fail(Invariant.WINDOW, flow, f, "window " + own.cwndBytes() + " beyond the bound");
    }
    flow.outsideInflight += f.nominalBytes();
    if (first) {
      flow.unknownBytes += f.nominalBytes();
      flow.packetBytes[flow.sentPackets - 1] = f.nominalBytes();
    }
    if (checker.undisturbed()) {
      long outside = 0;
      int flying = 0;
      for (int i = 0; i < scenario.shape().qps(); i++) {
        Flow other = checker.flow(flow.side, i);
        if (other.failed) {
          continue;
        }
        outside += Math.min(other.outsideInflight - 256, other.unknownBytes);
        flying += other.sentPackets - 1 - other.highestAcked;
      }
      if (outside > scenario.shape().windowBytes() + MOST_OVERHEAD_BYTES && flying > 1) {
        throw fail(Invariant.WINDOW, flow, f, outside + " bytes out, seen from outside");
      }
    }
    if (first
        && own.lostPackets() > 0
        && checker.paths().activeEvs(flow) > 1
        && !scenario.has(Fault.Kind.MPR_SHRINK)) {
      throw fail(
          Invariant.RETRANSMIT_FIRST, flow, f, "while " + own.lostPackets() + " lost ones wait");
    }
    if (!f.ackRequest() && own.cwndBytes() - inflight < scenario.shape().mtuBytes()) {
      throw fail(
          Invariant.ACK_REQUEST,
          flow,
          f,
          "inflight " + inflight + " of " + own.cwndBytes() + " leaves less than an MTU");
    }
    int last = flow.copyBefore[flow.copies - 1];
    boolean samePath =
        last != Flow.NONE
            && flow.copyEv[last] == f.ev()
            && flow.copyPort[last] == flow.copyPort[flow.copies - 1];
    if (samePath && checker.paths().activeEvs(flow) > 1) {
      throw fail(Invariant.EV_REUSE, flow, f, "the copy before it went there too");
    }
    checker.paths().skip(flow, f);
    checker.paths().share(flow, own, f);
  }

  /** A reliability probe leaves. */
  int probe(Flow flow, Frame f) {
    if (f.spdcid() != (flow.requestorQp & 0xffff) || f.dpdcid() != (flow.responderQp & 0xffff)) {
      throw fail(Invariant.ENVELOPE, flow, f, "connection ids");
    }
    if (f.dscp() != checker.dscp().trimmable() || f.ecn() != PairChecker.ECT0) {
      throw fail(Invariant.ENVELOPE, flow, f, "dscp " + f.dscp() + ", ecn " + f.ecn());
    }
    if (flow.probeInUse(f.probeId())) {
      throw fail(Invariant.PROBE_TRUTH, flow, f, "the id is in use");
    }
    return flow.probe(f.probeId(), f.ev(), f.timestamp());
  }

  /** A true SACK reaches the requestor. */
  void sackDelivered(Flow flow, Frame f) {
    int cack = flow.packet(f.cackPsn());
    learn(flow, cack);
    int trigger = cack + f.ackPsnOffset();
    if (f.probeResponse() == 0 && flow.sent(trigger)) {
      know(flow, trigger);
    }
    long map = f.sackBitmap();
    int base = cack + f.sackOffset();
    for (; map != 0; map &= map - 1) {
      int packet = base + Long.numberOfTrailingZeros(map);
      if (flow.sent(packet)) {
        know(flow, packet);
      }
    }
    if (f.mpr() != 0 && scenario.shape().dynamicMpr() && cack >= flow.highestAcked) {
      int mpr = f.mpr() * 128;
      if (mpr != flow.mprPackets) {
        flow.mprBefore = Math.max(mpr, flow.mprPackets);
        flow.mprChangedNs = checker.nowNs();
        flow.mprPackets = mpr;
      }
    }
    int advance = f.rcvdBytes() - flow.reportedUnits & Psn.MASK;
    if (advance < 1 << 23) {
      flow.outsideInflight -= advance * 256L;
      flow.reportedUnits = f.rcvdBytes();
    }
    if (flow.highestAcked == flow.sentPackets - 1) {
      flow.outsideInflight = 0;
    }
  }

  /** A true transport ACK reaches the requestor. */
  void ackDelivered(Flow flow, Frame f) {
    int packet = flow.packet(f.psn());
    if (f.syndrome() == Syndrome.ACK && flow.sent(packet)) {
      flow.highestCompleted = Math.max(flow.highestCompleted, packet);
      learn(flow, packet);
    } else if (f.syndrome() != Syndrome.ACK) {
      // A NAK counts the messages that were complete before the one that failed.
      int complete = f.completedMsn() - flow.startMsn & 0xffff;
      if (complete > 0 && complete <= flow.posted) {
        int last = flow.messages.get(complete - 1).lastPacket();
        flow.highestCompleted = Math.max(flow.highestCompleted, last);
      }
    }
  }

  /** A true NACK reaches the requestor. */
  void nackDelivered(Flow flow, Frame f) {
    if (f.reason() == NackReason.UNEXP_EVENT && !flow.mayFail) {
      throw fail(Invariant.NACK_TRUTH, flow, f, "nothing unexpected happened");
    }
    int packet = flow.packet(f.nackPsn());
    if (f.reason() == NackReason.NO_PKT_BUFFER && flow.sent(packet)) {
      flow.refused(packet, f.entropy());
    }
  }

  private static void know(Flow flow, int packet) {
    if (!flow.known[packet]) {
      flow.known[packet] = true;
      flow.unknownBytes -= flow.packetBytes[packet];
    }
  }

  private void learn(Flow flow, int upTo) {
    for (int p = flow.highestAcked + 1; p <= upTo && p < flow.sentPackets; p++) {
      know(flow, p);
    }
    if (upTo > flow.highestAcked) {
      flow.highestAcked = upTo;
      flow.lastProgressNs = checker.nowNs();
    }
  }

  private InvariantBreach fail(Invariant invariant, Flow flow, Frame f, String text) {
    StringBuilder out = new StringBuilder(flow.name()).append(": ");
    FrameText.append(out, f);
    return checker.breach(invariant, out.append(": ").append(text).toString());
  }
}
