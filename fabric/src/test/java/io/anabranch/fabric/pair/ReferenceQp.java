package io.anabranch.fabric.pair;

import io.anabranch.engine.Command;
import io.anabranch.engine.CommandResult;
import io.anabranch.engine.Engine;
import io.anabranch.engine.EngineEvent;
import io.anabranch.engine.QpSnapshot;
import io.anabranch.engine.QpState;
import io.anabranch.engine.Sink;
import io.anabranch.engine.Status;
import io.anabranch.engine.config.QpConfig;
import io.anabranch.engine.config.RequestorAttributes;
import io.anabranch.engine.config.ResponderAttributes;
import io.anabranch.engine.trace.TraceEvent;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.Mark;
import io.anabranch.wire.mrc.NackReason;
import io.anabranch.wire.mrc.Opcode;
import io.anabranch.wire.mrc.Psn;
import io.anabranch.wire.mrc.Syndrome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One queue pair of the {@link ReferenceEngine}. */
final class ReferenceQp {
  private static final int CE = 3;

  private record Request(
      long wrId,
      int ref,
      long address,
      int rKey,
      long length,
      boolean withImmediate,
      int immediate,
      boolean signaled,
      boolean solicited,
      int first,
      int last,
      int msn,
      int rqMsn,
      int immediates) {}

  private record Arrived(boolean end, boolean immediate, int value, int bytes, boolean solicited) {}

  final int number;
  boolean up;
  long deadlineNs = Engine.NEVER;
  final ArrayDeque<Long> receives = new ArrayDeque<>();
  final long[] sentOn = new long[32];
  @Nullable ResponderAttributes in;
  private @Nullable RequestorAttributes out;
  private final ReferenceEngine engine;
  private final QpConfig config;

  // Requestor.
  private final List<Request> requests = new ArrayList<>();
  private int reported;
  private int sent;
  private int acked;
  private int completed;
  private final BitSet known = new BitSet();
  private final TreeSet<Integer> lost = new TreeSet<>();
  private int[] lastEv = new int[64];
  private int[] sizes = new int[64];
  private int turn;
  private int expiries;
  private long firstStamp = -1;
  private boolean probeDue;
  private int probeId;
  private long packetsSent;
  private long again;
  private boolean broken;

  // Responder.
  private final TreeMap<Integer, Arrived> arrived = new TreeMap<>();
  private final BitSet placed = new BitSet();
  private int prefix;
  private int messagesDone;
  private int lastDone = -1;
  private long rcvdBytes;

  ReferenceQp(ReferenceEngine engine, int number, QpConfig config) {
    this.engine = engine;
    this.number = number;
    this.config = config;
  }

  void start(RequestorAttributes attributes) {
    out = attributes;
    up = true;
  }

  private boolean is(Mutation which) {
    return engine.mutation == which;
  }

  private RequestorAttributes out() {
    if (out == null) {
      throw new IllegalStateException("not ready to send");
    }
    return out;
  }

  private ResponderAttributes in() {
    if (in == null) {
      throw new IllegalStateException("not ready to receive");
    }
    return in;
  }

  CommandResult post(Command.PostWrite w, long nowNs) {
    if (!up) {
      return CommandResult.WRONG_STATE;
    }
    int open = 0;
    for (Request r : requests) {
      open += r.last >= completed ? 1 : 0;
    }
    int room = is(Mutation.REFUSES_WITH_ROOM) ? 1 : config.sendQueueDepth();
    if (open >= room) {
      return CommandResult.QUEUE_FULL;
    }
    int mtu = in().mtuBytes();
    int first = requests.isEmpty() ? 0 : requests.getLast().last + 1;
    int packets = (int) Math.max(1, (w.length + mtu - 1) / mtu);
    int immediates = requests.isEmpty() ? 0 : requests.getLast().immediates;
    requests.add(
        new Request(
            w.wrId,
            w.payloadRef,
            w.remoteAddress,
            w.rKey,
            w.length,
            w.withImmediate,
            w.immediate,
            w.signaled,
            w.solicited,
            first,
            first + packets - 1,
            out().startMsn() + requests.size(),
            out().startMsn() + immediates,
            immediates + (w.withImmediate ? 1 : 0)));
    if (deadlineNs == Engine.NEVER) {
      arm(nowNs);
    }
    if (is(Mutation.COMPLETES_BEFORE_ACK)) {
      complete(requests.getLast(), Status.SUCCESS);
      reported = requests.size();
    }
    return CommandResult.OK;
  }

  private void arm(long nowNs) {
    boolean open = !requests.isEmpty() && completed <= requests.getLast().last;
    deadlineNs = open && up ? nowNs + timeoutNs(expiries + 1) : Engine.NEVER;
  }

  private long timeoutNs(int n) {
    int shift = Math.min(24, out().timeout() + Math.max(0, n - out().linearRetries()));
    return 1024L << shift;
  }

  // ---- sending ----

  private Request requestOf(int seq) {
    for (Request r : requests) {
      if (seq <= r.last) {
        return r;
      }
    }
    throw new IllegalStateException("no request for " + seq);
  }

  private boolean planeReady(int port) {
    if (!engine.usable(port)) {
      return false;
    }
    if (is(Mutation.UNEQUAL_PLANES)) {
      return true;
    }
    for (int p = 0; p < engine.down.length; p++) {
      if (engine.usable(p) && sentOn[port] > sentOn[p] + 4) {
        return false;
      }
    }
    return true;
  }

  boolean next(int port, long nowNs, Frame f) {
    if (probeDue) {
      probeDue = false;
      f.clear();
      engine.envelope(f, port, engine.ev(port, turn++));
      f.opcode(Opcode.PROBE).destQp(in().peerQp()).psn(psn(sent - 1)).ecn(2);
      f.dscp(engine.config.dscp().trimmable()).probeId(probeId).fType(1);
      probeId += is(Mutation.REUSES_PROBE_ID) ? 0 : 1;
      f.spdcid(number).dpdcid(in().peerQp()).timestamp((int) (nowNs >> 7));
      return true;
    }
    if (!planeReady(port)) {
      return false;
    }
    int seq;
    boolean copy = !lost.isEmpty() && (!is(Mutation.NEW_BEFORE_LOST) || sent == posted());
    if (copy) {
      seq = lost.first();
    } else if (is(Mutation.SENDS_AGAIN_FOR_NOTHING) && sent > 4 && sent % 5 == 0 && again < 3) {
      seq = sent - 1;
      copy = true;
    } else if (sent < posted()) {
      seq = sent;
    } else {
      return false;
    }
    Request r = requestOf(seq);
    int mpr = out().mprPackets() + (is(Mutation.BEYOND_MPR) ? 1 : 0);
    if (seq >= acked + mpr || !wimmAllowed(r, seq)) {
      return false;
    }
    int mtu = in().mtuBytes();
    long offset = (long) (seq - r.first) * mtu;
    int length = (int) Math.min(mtu, r.length - offset);
    fill(f, r, seq, offset, length, copy, nowNs);
    long window = engine.windowBytes() + (is(Mutation.BEYOND_WINDOW) ? 4L * mtu : 0);
    boolean open =
        engine.inflightBytes == 0
            || engine.inflightBytes + f.nominalBytes() <= window
            || is(Mutation.HIDES_INFLIGHT);
    if (!open) {
      return false;
    }
    lost.remove(seq);
    int ev = engine.ev(port, turn++);
    if (copy && ev == lastEv[seq] || is(Mutation.BAD_EV_USED) && packetsSent == 3) {
      ev = engine.ev(port, turn++);
    }
    if (copy && is(Mutation.SAME_EV_AGAIN)) {
      ev = lastEv[seq];
      int p = engine.peer().evs().port(indexOf(ev));
      if (p != port) {
        lost.add(seq);
        return false;
      }
    }
    envelope(f, port, ev, copy);
    if (engine.windowBytes() - engine.inflightBytes - f.nominalBytes() < mtu + 200) {
      f.ackRequest(true);
    }
    mutate(f, r, seq, copy);
    if (!copy) {
      if (sent == lastEv.length) {
        lastEv = Arrays.copyOf(lastEv, sent * 2);
        sizes = Arrays.copyOf(sizes, sent * 2);
      }
      sent++;
    } else {
      again++;
    }
    lastEv[seq] = ev;
    sizes[seq] = f.nominalBytes();
    engine.inflightBytes += f.nominalBytes();
    packetsSent++;
    sentOn[port]++;
    if (is(Mutation.BAD_EV_USED) && packetsSent == 3) {
      engine.trace.event(TraceEvent.EV_STATE, nowNs, number, engine.ev(port, turn + 2), 0, 2);
      for (int i = 0; i < 4; i++) {
        for (int p = 0; p < engine.down.length; p++) {
          engine.trace.event(TraceEvent.EV_STATE, nowNs, number, engine.ev(p, turn + i), 0, 2);
        }
      }
    }
    if (copy && is(Mutation.COPIES_GALORE)) {
      lost.add(seq);
      engine.inflightBytes -= f.nominalBytes();
    }
    return true;
  }

  private int indexOf(int ev) {
    var table = engine.peer().evs();
    int i = 0;
    while (table.ev(i) != ev) {
      i++;
    }
    return i;
  }

  private int posted() {
    return requests.isEmpty() ? 0 : requests.getLast().last + 1;
  }

  private boolean wimmAllowed(Request r, int seq) {
    if (!r.withImmediate || seq != r.first || is(Mutation.BEYOND_WIMM)) {
      return true;
    }
    int freed = 0;
    for (Request q : requests) {
      freed = q.last < completed ? q.immediates : freed;
    }
    return r.immediates - freed <= out().maxWimm();
  }

  private int psn(int seq) {
    return Psn.plus(out().startPsn(), seq);
  }

  private void fill(
      Frame f, Request r, int seq, long offset, int length, boolean copy, long nowNs) {
    f.clear();
    boolean last = seq == r.last;
    int opcode = seq == r.first ? Opcode.WRITE_FIRST : Opcode.WRITE_MIDDLE;
    if (last) {
      opcode = (r.first == r.last ? Opcode.WRITE_ONLY : Opcode.WRITE_LAST);
      opcode += r.withImmediate ? 1 : 0;
      f.immediate(r.withImmediate ? r.immediate : 0).solicited(r.solicited);
    }
    f.opcode(opcode).destQp(in().peerQp()).psn(psn(seq)).pKey(0xffff).rtx(copy);
    f.payloadLength(length).padCount(-length & 3).msn(r.msn).rqMsn(r.rqMsn);
    f.virtualAddress(r.address + offset).rKey(r.rKey).dmaLength((int) r.length);
    f.payload(r.ref, offset).ackRequest(last || copy);
    if (engine.config.timestamps()) {
      firstStamp = firstStamp < 0 ? nowNs >> 7 : firstStamp;
      f.timestamped(true).fType(1);
      f.timestamp((int) (is(Mutation.OLD_TIMESTAMP) ? firstStamp : nowNs >> 7));
    }
  }

  private void envelope(Frame f, int port, int ev, boolean copy) {
    engine.envelope(f, port, ev);
    f.dscp(copy ? engine.config.dscp().trimmableRetx() : engine.config.dscp().trimmable());
    f.ecn(2);
  }

  private void mutate(Frame f, Request r, int seq, boolean copy) {
    switch (engine.mutation) {
      case RTX_CLEAR -> f.rtx(false);
      case RTX_ALWAYS -> f.rtx(true);
      case NO_ACK_ON_LAST -> f.ackRequest(f.ackRequest() && (seq != r.last || copy));
      case NO_ACK_ON_COPY -> f.ackRequest(f.ackRequest() && !copy);
      case WRONG_ADDRESS -> f.virtualAddress(f.virtualAddress() + 1);
      case WRONG_DMA_LENGTH -> f.dmaLength(f.payloadLength());
      case WRONG_MSN -> f.msn(f.msn() + (seq > 9 ? 1 : 0));
      case WRONG_RQMSN -> f.rqMsn(f.rqMsn() + (seq > 9 ? 2 : 0));
      case WRONG_OPCODE -> f.opcode(seq == r.last ? f.opcode() : Opcode.WRITE_MIDDLE);
      case WRONG_KEY_ON_COPY -> f.rKey(copy ? 0 : f.rKey());
      case WRONG_PAYLOAD_OFFSET -> f.payload(r.ref, 0);
      case SKIPS_A_PSN -> f.psn(seq > 9 && !copy ? f.psn() + 1 : f.psn());
      case WRONG_DSCP -> f.dscp(engine.config.dscp().control());
      case WRONG_SOURCE_ADDRESS -> f.src(f.srcHi(), f.srcLo() + 1);
      case UNKNOWN_EV -> f.ev(0x1234);
      default -> {}
    }
  }

  // ---- what comes back ----

  void receive(Frame f, int port, long nowNs) {
    switch (f.opcode()) {
      case Opcode.SACK -> sack(f, nowNs);
      case Opcode.NACK -> nack(f);
      case Opcode.TRANSPORT_ACK -> ack(f, nowNs);
      case Opcode.PROBE -> {
        if (!f.trimmed()) {
          answerProbe(f, port);
        }
      }
      default -> {
        if (Opcode.isWrite(f.opcode())) {
          data(f, port);
        }
      }
    }
  }

  private int seqOf(int psn, int startPsn, int near) {
    return near + Psn.ahead(psn, Psn.plus(startPsn, near));
  }

  private void know(int seq) {
    if (seq < 0 || seq >= sent || known.get(seq)) {
      return;
    }
    known.set(seq);
    if (!is(Mutation.SENDS_KNOWN_AGAIN)) {
      if (!lost.remove(seq)) {
        engine.inflightBytes -= sizes[seq];
      }
    } else if (!lost.contains(seq)) {
      engine.inflightBytes -= sizes[seq];
      if (seq % 11 == 5) {
        lost.add(seq);
      }
    }
  }

  private void sack(Frame f, long nowNs) {
    int cack = seqOf(f.cackPsn(), out().startPsn(), sent);
    if (cack >= sent || f.mark() == Mark.RESERVED) {
      return;
    }
    if (cack + f.sackOffset() + 63 - Long.numberOfLeadingZeros(f.sackBitmap()) >= sent) {
      return;
    }
    for (int i = 0; i < 64; i++) {
      if ((f.sackBitmap() >>> i & 1) != 0) {
        know(cack + f.sackOffset() + i);
      }
    }
    progress(cack + 1, nowNs);
  }

  private void progress(int upTo, long nowNs) {
    if (upTo > acked) {
      for (int i = acked; i < upTo; i++) {
        know(i);
      }
      acked = upTo;
      expiries = 0;
      arm(nowNs);
    }
  }

  private void nack(Frame f) {
    int seq = seqOf(f.nackPsn(), out().startPsn(), sent);
    if (seq >= 0 && seq < sent && !known.get(seq) && f.entropy() == lastEv[seq] && lost.add(seq)) {
      engine.inflightBytes -= sizes[seq];
    }
  }

  private void ack(Frame f, long nowNs) {
    int seq = seqOf(f.psn(), out().startPsn(), sent);
    if (seq < 0 || seq >= sent) {
      return;
    }
    if (f.syndrome() != Syndrome.ACK) {
      Status status =
          f.syndrome() == Syndrome.NAK_REMOTE_OPERATION ? Status.REM_OP_ERR : Status.REM_ACCESS_ERR;
      fail(requests.indexOf(requestOf(seq)), status);
      return;
    }
    if (seq + 1 > completed) {
      completed = seq + 1;
      progress(seq + 1, nowNs);
      arm(nowNs);
    }
    while (reported < requests.size() && requests.get(reported).last < completed) {
      int at = reported++;
      if (is(Mutation.NEVER_COMPLETES) && at == requests.size() - 1) {
        continue;
      }
      boolean swap = is(Mutation.COMPLETES_OUT_OF_ORDER) && reported < requests.size();
      if (swap && requests.get(reported).last < completed) {
        complete(requests.get(reported++), Status.SUCCESS);
      }
      Request r = requests.get(at);
      complete(r, is(Mutation.COMPLETES_WITH_FLUSH) ? Status.WR_FLUSH_ERR : Status.SUCCESS);
      if (is(Mutation.COMPLETES_TWICE)) {
        complete(r, Status.SUCCESS);
      }
    }
  }

  private void complete(Request r, Status status) {
    if (!r.signaled && status == Status.SUCCESS && !is(Mutation.REPORTS_UNSIGNALED)) {
      return;
    }
    Sink.Operation op =
        r.withImmediate ? Sink.Operation.WRITE_WITH_IMMEDIATE : Sink.Operation.WRITE;
    long bytes = status == Status.SUCCESS ? r.length : 0;
    long told = is(Mutation.COMPLETES_WITH_WRONG_LENGTH) ? bytes + 1 : bytes;
    engine.reports.add(sink -> sink.completion(number, r.wrId, status, op, told, 0, false));
  }

  private void fail(int failing, Status status) {
    if (broken) {
      return;
    }
    broken = true;
    up = false;
    engine.trace.event(TraceEvent.QP_STATE, 0, number, QpState.ERROR.ordinal(), 0, 0);
    deadlineNs = Engine.NEVER;
    for (int i = reported; i < requests.size(); i++) {
      complete(requests.get(i), i == failing ? status : Status.WR_FLUSH_ERR);
    }
    for (long id : receives) {
      engine.reports.add(sink ->
          sink.completion(
              number,
              id,
              Status.WR_FLUSH_ERR,
              Sink.Operation.RECEIVE_WRITE_WITH_IMMEDIATE,
              0,
              0,
              false));
    }
    for (int i = 0; i < sent; i++) {
      engine.inflightBytes -= known.get(i) || lost.contains(i) ? 0 : sizes[i];
    }
    engine.reports.add(sink -> sink.event(EngineEvent.QP_FATAL, number, 0));
  }

  void expire(long nowNs) {
    if (deadlineNs > nowNs) {
      return;
    }
    RequestorAttributes a = out();
    expiries++;
    engine.trace.event(
        TraceEvent.EXPIRED, nowNs, number, expiries, timeoutNs(expiries), psn(acked));
    int budget = a.linearRetries() + a.exponentialRetries();
    budget += is(Mutation.GIVES_UP_EARLY) ? -2 : is(Mutation.GIVES_UP_LATE) ? 3 : 0;
    if (expiries >= budget && a.exponentialRetries() != RequestorAttributes.FOR_EVER) {
      for (int i = reported; i < requests.size(); i++) {
        if (requests.get(i).last >= completed) {
          fail(i, Status.RETRY_EXC_ERR);
          return;
        }
      }
    }
    for (int i = acked; i < sent; i++) {
      if (!known.get(i) && lost.add(i)) {
        engine.inflightBytes -= sizes[i];
      }
    }
    probeDue = sent > 0;
    arm(nowNs);
  }

  // ---- receiving ----

  private void data(Frame f, int port) {
    int seq = seqOf(f.psn(), in().startPsn(), prefix);
    if (seq < prefix - 2 * in().mprPackets() || seq >= prefix + in().mprPackets()) {
      return;
    }
    boolean seen = seq < prefix || arrived.containsKey(seq);
    if ((f.trimmed() || f.noBuffer()) && (!seen || is(Mutation.NACKS_ARRIVED))) {
      refuse(f, port);
      return;
    }
    if (!seen) {
      boolean end = Opcode.isEnd(f.opcode());
      arrived.put(
          seq,
          new Arrived(
              end, Opcode.hasImmediate(f.opcode()), f.immediate(), f.dmaLength(), f.solicited()));
      rcvdBytes += f.nominalBytes();
      if (!place(f)) {
        control(port)
            .opcode(Opcode.TRANSPORT_ACK)
            .destQp(in().peerQp())
            .psn(f.psn())
            .syndrome(Syndrome.NAK_REMOTE_ACCESS);
        engine.reports.add(sink -> sink.event(EngineEvent.QP_ACCESS_ERROR, number, 0));
        fail(-1, Status.WR_FLUSH_ERR);
        return;
      }
      advance(f, port);
    } else {
      rcvdBytes += is(Mutation.COUNTS_DUPLICATES) ? f.nominalBytes() : 0;
      if (is(Mutation.WRITES_DUPLICATES)) {
        place(f);
      }
      if (seq <= lastDone) {
        transportAck(port);
      }
    }
    if (up) {
      int times = is(Mutation.SACK_STORM) ? 400 : 1;
      for (int i = 0; i < times; i++) {
        sackOut(f, seq, port, -1);
      }
    }
  }

  private Frame control(int port) {
    return engine.control(port, false);
  }

  private void refuse(Frame f, int port) {
    boolean last = f.dscp() == engine.config.dscp().trimmedLastHop();
    int reason = last ? NackReason.TRIMMED_LASTHOP : NackReason.TRIMMED;
    reason = f.noBuffer() ? NackReason.NO_PKT_BUFFER : reason;
    reason = is(Mutation.NACKS_WRONG_REASON) ? NackReason.NO_RESOURCE : reason;
    control(port)
        .opcode(Opcode.NACK)
        .destQp(in().peerQp())
        .psn(f.psn())
        .nackPsn(f.psn())
        .reason(reason)
        .entropy(f.ev())
        .ccType(2)
        .timestamp(f.timestamp())
        .spdcid(number)
        .dpdcid(in().peerQp());
  }

  private boolean place(Frame f) {
    if (f.payloadLength() == 0) {
      return true;
    }
    Command.RegisterRegion region = engine.regions.get(f.rKey());
    if (region == null || !region.remoteWrite() || region.domain() != config.domain()) {
      return false;
    }
    long offset = f.virtualAddress() - region.address();
    if (offset < 0 || offset + f.payloadLength() > region.length()) {
      return false;
    }
    if (is(Mutation.LOSES_A_WRITE) && prefix > 3 && !placed.get(0)) {
      placed.set(0);
      return true;
    }
    long to = is(Mutation.WRITES_OUTSIDE) ? region.length() - 1 : offset;
    to += is(Mutation.WRITES_ELSEWHERE) && offset > 0 ? -1 : 0;
    engine.memory.place(region.region(), to, f);
    return true;
  }

  private void advance(Frame f, int port) {
    boolean complete = false;
    if (is(Mutation.DELIVERS_IMMEDIATE_EARLY) && Opcode.hasImmediate(f.opcode())) {
      deliver(new Arrived(true, true, f.immediate(), f.dmaLength(), f.solicited()));
    }
    while (arrived.containsKey(prefix)) {
      Arrived a = java.util.Objects.requireNonNull(arrived.remove(prefix));
      if (a.end) {
        if (a.immediate && !is(Mutation.DELIVERS_IMMEDIATE_EARLY)) {
          if (receives.isEmpty()) {
            control(port)
                .opcode(Opcode.TRANSPORT_ACK)
                .destQp(in().peerQp())
                .psn(Psn.plus(in().startPsn(), prefix))
                .syndrome(Syndrome.NAK_REMOTE_OPERATION);
            engine.reports.add(sink -> sink.event(EngineEvent.QP_ACCESS_ERROR, number, 0));
            fail(-1, Status.WR_FLUSH_ERR);
            return;
          }
          deliver(a);
        }
        messagesDone++;
        lastDone = prefix;
        complete = true;
      }
      prefix++;
    }
    if (complete) {
      transportAck(port);
    } else if (is(Mutation.ACKS_EARLY) && !arrived.isEmpty()) {
      control(port)
          .opcode(Opcode.TRANSPORT_ACK)
          .destQp(in().peerQp())
          .psn(f.psn())
          .syndrome(Syndrome.ACK)
          .completedMsn(in().startMsn() + messagesDone & 0xffff);
    }
  }

  private void deliver(Arrived a) {
    long id = receives.remove();
    int value = a.value + (is(Mutation.DELIVERS_WRONG_IMMEDIATE) ? 1 : 0);
    int times = is(Mutation.DELIVERS_IMMEDIATE_TWICE) ? 2 : 1;
    for (int i = 0; i < times; i++) {
      engine.reports.add(sink ->
          sink.completion(
              number,
              id,
              Status.SUCCESS,
              Sink.Operation.RECEIVE_WRITE_WITH_IMMEDIATE,
              Integer.toUnsignedLong(a.bytes),
              value,
              a.solicited));
    }
  }

  private void transportAck(int port) {
    int msn = in().startMsn() + messagesDone + (is(Mutation.ACKS_WRONG_MSN) ? 1 : 0);
    int syndrome = is(Mutation.NAKS_FOR_NOTHING) ? Syndrome.NAK_INVALID_REQUEST : Syndrome.ACK;
    control(port)
        .opcode(Opcode.TRANSPORT_ACK)
        .destQp(in().peerQp())
        .psn(Psn.plus(in().startPsn(), lastDone))
        .syndrome(syndrome)
        .completedMsn(msn & 0xffff);
  }

  private void answerProbe(Frame f, int port) {
    if (lastDone >= 0) {
      transportAck(port);
    }
    int id = f.probeId() + (is(Mutation.ANSWERS_UNKNOWN_PROBE) ? 1000 : 0);
    sackOut(f, prefix, port, id);
  }

  private void sackOut(Frame f, int trigger, int port, int probe) {
    long map = 0;
    int from = probe >= 0 ? prefix : Math.max(prefix, trigger - 63);
    for (int i = 0; i < 64; i++) {
      map |= arrived.containsKey(from + i) ? 1L << i : 0;
    }
    int cack = prefix - 1;
    switch (engine.mutation) {
      case SACKS_UNSENT -> map |= 1L << 63;
      case SACKS_UNARRIVED -> map |= 1;
      case HIDES_ARRIVALS -> map &= 0xffff_0000_ffff_0000L;
      case CACK_AHEAD -> cack++;
      case CACK_BEHIND -> cack -= cack > 2 ? 2 : 0;
      default -> {}
    }
    boolean marked = f.ecn() == CE && !is(Mutation.NEVER_MARKS) || is(Mutation.ALWAYS_MARKS);
    int ev = f.ev() + (is(Mutation.REFLECTS_WRONG_EV) ? 1 : 0);
    int stamp = f.timestamp() + (is(Mutation.REFLECTS_WRONG_TIMESTAMP) ? 1 : 0);
    int psn = Psn.plus(in().startPsn(), cack);
    int sender = number + (is(Mutation.WRONG_CONNECTION_ID) ? 1 : 0);
    control(port)
        .opcode(Opcode.SACK)
        .destQp(in().peerQp())
        .psn(psn)
        .cackPsn(psn)
        .entropy(ev)
        .timestamp(stamp)
        .spdcid(sender)
        .dpdcid(in().peerQp())
        .ackPsnOffset(probe >= 0 ? probe : trigger - cack)
        .probeResponse(probe >= 0 ? 1 : 0)
        .mark(marked ? Mark.SKIP_ONCE : Mark.NONE)
        .sackOffset(from - cack)
        .sackBitmap(map)
        .rcvdBytes((int) (rcvdBytes >> 8))
        .oooCount(arrived.size())
        .mpr(in().dynamicMpr() ? in().mprPackets() / 128 : 0);
  }

  QpSnapshot snapshot() {
    int flying = 0;
    long bytes = 0;
    for (int i = acked; i < sent; i++) {
      if (!known.get(i) && !lost.contains(i)) {
        flying++;
        bytes += sizes[i];
      }
    }
    bytes += is(Mutation.DRIFTS) ? 1 : 0;
    bytes = is(Mutation.HIDES_INFLIGHT) ? 0 : bytes;
    List<QpSnapshot.Plane> planes = new ArrayList<>();
    int evs = engine.peer().evs().size() / engine.down.length;
    for (int p = 0; p < engine.down.length; p++) {
      boolean usable = !engine.down[p] && !engine.peerDown[p];
      planes.add(new QpSnapshot.Plane(usable, evs, evs, 0, 0, 0, sentOn[p]));
    }
    return new QpSnapshot(
        up ? QpState.RTS : QpState.ERROR,
        psn(sent),
        psn(acked - 1),
        broken ? 0 : flying,
        broken ? 0 : bytes,
        engine.windowBytes(),
        out().mprPackets(),
        lost.size(),
        Psn.plus(in().startPsn(), prefix - 1),
        messagesDone,
        packetsSent,
        again,
        0,
        0,
        expiries,
        0,
        0,
        planes);
  }
}
