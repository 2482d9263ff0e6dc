package io.anabranch.engine.endpoint;

import io.anabranch.engine.Command;
import io.anabranch.engine.CommandResult;
import io.anabranch.engine.DropReason;
import io.anabranch.engine.Engine;
import io.anabranch.engine.EngineEvent;
import io.anabranch.engine.Memory;
import io.anabranch.engine.QpSnapshot;
import io.anabranch.engine.QpState;
import io.anabranch.engine.Sink;
import io.anabranch.engine.Status;
import io.anabranch.engine.config.EngineConfig;
import io.anabranch.engine.config.PeerConfig;
import io.anabranch.engine.config.RequestorAttributes;
import io.anabranch.engine.config.ResponderAttributes;
import io.anabranch.engine.endpoint.QueuePair.Place;
import io.anabranch.engine.path.ControlQueue;
import io.anabranch.engine.path.PathSet;
import io.anabranch.engine.path.Planes;
import io.anabranch.engine.path.Route;
import io.anabranch.engine.requestor.Requestor;
import io.anabranch.engine.requestor.SpareArrays;
import io.anabranch.engine.responder.Regions;
import io.anabranch.engine.responder.Responder;
import io.anabranch.engine.timer.DeadlineHeap;
import io.anabranch.engine.timer.Timers;
import io.anabranch.engine.trace.Recorder;
import io.anabranch.engine.trace.TraceEvent;
import io.anabranch.engine.trace.TraceSink;
import io.anabranch.wire.mrc.EndpointOp;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The MRC engine of one NIC. */
public final class MrcEngine implements Engine {
  private static final long STATUS_SPREAD_NS = 1_000;

  private final EngineConfig config;
  private final Memory memory;
  private final Recorder recorder;
  private final SplittableRandom random;
  private final SinkBuffer sink = new SinkBuffer();
  private final Regions regions = new Regions();
  private final Requests requests;
  private final ControlQueue[] queues;
  private final DeadlineHeap deadlines = new DeadlineHeap();
  private final SpareArrays spares = new SpareArrays();
  private final Schedule ready = new Schedule(Place.READY);

  private final IntTable<QueuePair> byNumber = new IntTable<>();
  private final IntTable<Peer> byHandle = new IntTable<>();
  private final PeersByAddress byAddress = new PeersByAddress();
  private final List<@Nullable QueuePair> queuePairs = new ArrayList<>();
  private final List<@Nullable Peer> peers = new ArrayList<>();
  private final int allPorts;
  private int portsUp;

  // A port that had nothing to send need not be asked again until something has changed.
  private long changes;
  private final long[] idleAt;

  /**
   * An engine without peers and queue pairs, all its ports up.
   *
   * @param memory where accepted payload goes
   * @param trace takes trace events; null switches tracing off
   */
  public MrcEngine(EngineConfig config, Memory memory, @Nullable TraceSink trace) {
    this.config = config;
    this.memory = memory;
    this.recorder = new Recorder(trace);
    this.random = new SplittableRandom(config.seed());
    this.requests = new Requests(random.nextInt(1 << 16));
    queues = new ControlQueue[config.ports()];
    for (int p = 0; p < queues.length; p++) {
      queues[p] = new ControlQueue();
    }
    idleAt = new long[config.ports()];
    java.util.Arrays.fill(idleAt, -1);
    allPorts = config.ports() == 32 ? -1 : (1 << config.ports()) - 1;
    portsUp = allPorts;
  }

  // ---------------------------------------------------------------- receiving

  @Override
  public void receive(Frame frame, int port, long nowNs) {
    changes++;
    if (frame.icrcBad()) {
      recorder.drop(DropReason.BAD_ICRC, frame, -1, nowNs);
      return;
    }
    int opcode = frame.opcode();
    if (!Opcode.isMrc(opcode)) {
      recorder.drop(DropReason.UNKNOWN_OPCODE, frame, -1, nowNs);
      return;
    }
    if (!Opcode.isWrite(opcode)) {
      if (frame.trimmed()) {
        recorder.drop(DropReason.TRIMMED_CONTROL, frame, -1, nowNs);
        return;
      }
      if (frame.noBuffer()) {
        recorder.drop(DropReason.NO_PKT_BUFFER, frame, -1, nowNs);
        return;
      }
    }
    if (opcode == Opcode.ENDPOINT_REQUEST) {
      endpointRequest(frame, port, nowNs);
      return;
    }
    if (opcode == Opcode.ENDPOINT_RESPONSE) {
      endpointResponse(frame, port, nowNs);
      return;
    }
    QueuePair q = byNumber.get(frame.destQp());
    Peer peer = q == null ? null : q.peer;
    if (q == null || peer == null) {
      recorder.drop(DropReason.UNKNOWN_QP, frame, frame.destQp(), nowNs);
      return;
    }
    if (!peer.route.isFrom(frame, port)) {
      recorder.drop(DropReason.WRONG_SOURCE, frame, q.number, nowNs);
      return;
    }
    if (Opcode.isWrite(opcode) || opcode == Opcode.PROBE) {
      toResponder(q, peer, frame, port, nowNs);
    } else {
      toRequestor(q, frame, nowNs);
    }
    settle(q, peer, nowNs);
  }

  private void toResponder(QueuePair q, Peer peer, Frame frame, int port, long nowNs) {
    Responder responder = q.responder;
    if (responder == null) {
      recorder.drop(DropReason.UNKNOWN_QP, frame, q.number, nowNs);
      return;
    }
    if (q.state == QpState.ERROR) {
      recorder.drop(DropReason.QP_IN_ERROR, frame, q.number, nowNs);
      responder.onLate(nowNs);
      return;
    }
    if (frame.opcode() == Opcode.PROBE) {
      ResponderAttributes connection = q.connection;
      if (connection == null
          || frame.dpdcid() != (q.number & 0xffff)
          || frame.spdcid() != (connection.peerQp() & 0xffff)) {
        recorder.drop(DropReason.BAD_CONNECTION_ID, frame, q.number, nowNs);
        return;
      }
      responder.onProbe(frame, nowNs);
      peer.dataArrived(nowNs);
      return;
    }
    peer.dataArrived(nowNs);
    int syndrome = responder.onWrite(frame, port, nowNs);
    if (syndrome != 0) {
      error(q, nowNs);
      sink.event(EngineEvent.QP_ACCESS_ERROR, q.number, syndrome);
    }
  }

  private void toRequestor(QueuePair q, Frame frame, long nowNs) {
    Requestor requestor = q.requestor;
    if (requestor == null || q.state != QpState.RTS) {
      DropReason why = q.state == QpState.ERROR ? DropReason.QP_IN_ERROR : DropReason.UNKNOWN_QP;
      recorder.drop(why, frame, q.number, nowNs);
      return;
    }
    switch (frame.opcode()) {
      case Opcode.SACK -> requestor.onSack(frame, nowNs);
      case Opcode.NACK -> requestor.onNack(frame, nowNs);
      default -> requestor.onTransportAck(frame, nowNs);
    }
  }

  /** After anything that may have changed a queue pair: its errors, its turn, its deadline. */
  private void settle(QueuePair q, Peer peer, long nowNs) {
    Requestor requestor = q.requestor;
    if (requestor != null && q.state == QpState.RTS && requestor.failed() != Status.SUCCESS) {
      error(q, nowNs);
      sink.event(EngineEvent.QP_FATAL, q.number, requestor.failed().ordinal());
    }
    if (peer.planes.asideMask() != peer.seenAside) {
      planesLeft(peer, nowNs);
    }
    schedule(q);
    wake(peer);
    deadlines.atMost(q.index << 1, q.timers.earliestNs());
    deadlines.atMost(peer.index << 1 | 1, peer.timers.earliestNs());
  }

  private void schedule(QueuePair q) {
    if (q.place == Place.WAITING && q.peer != null && q.peer.cc.inflightBytes() == 0) {
      q.peer.waiting.remove(q);
    }
    if (q.place == Place.NOWHERE && q.wantsToSend()) {
      ready.add(q);
    }
  }

  /** Gives waiting queue pairs a turn, as many as the window has room for, at least one. */
  private void wake(Peer peer) {
    long room = peer.cc.cwndBytes() - peer.cc.inflightBytes();
    int n = peer.waiting.size();
    while (n-- > 0 && (room > 0 || peer.cc.inflightBytes() == 0)) {
      QueuePair q = peer.waiting.current();
      if (q == null) {
        return;
      }
      peer.waiting.remove(q);
      if (q.wantsToSend()) {
        ready.add(q);
        room -= q.connection == null ? 0 : q.connection.mtuBytes();
      }
    }
  }

  private void planesLeft(Peer peer, long nowNs) {
    int fresh = peer.planes.asideMask() & ~peer.seenAside;
    peer.seenAside = peer.planes.asideMask();
    for (int plane = 0; plane < peer.planes.count(); plane++) {
      if ((fresh >>> plane & 1) != 0) {
        peer.planeAside(plane, nowNs);
        sink.event(EngineEvent.PLANE_LEFT, -1, (long) peer.handle << 32 | plane);
        recorder.event(TraceEvent.PLANE, nowNs, -1 - peer.handle, plane, 0, 0);
        leave(peer, plane, nowNs);
      }
    }
  }

  private void leave(Peer peer, int plane, long nowNs) {
    for (QueuePair q : peer.queuePairs) {
      if (q.requestor != null && q.state == QpState.RTS) {
        q.requestor.planeLeft(plane, nowNs);
        deadlines.atMost(q.index << 1, q.timers.earliestNs());
      }
    }
  }

  /** A plane that was set aside, or whose port was down, is usable again. */
  private void takeBack(Peer peer, int plane, long nowNs) {
    if (peer.planes.aside(plane)) {
      sink.event(EngineEvent.PLANE_BACK, -1, (long) peer.handle << 32 | plane);
      recorder.event(TraceEvent.PLANE, nowNs, -1 - peer.handle, plane, 1, 0);
    }
    peer.planes.takeBack(plane);
    peer.seenAside = peer.planes.asideMask();
    for (QueuePair q : peer.queuePairs) {
      if (q.requestor != null && q.state == QpState.RTS) {
        q.requestor.planeBack(plane, nowNs);
        schedule(q);
      }
    }
  }

  // ---------------------------------------------------------------- endpoint operations

  private void endpointRequest(Frame frame, int port, long nowNs) {
    Peer peer = frame.destQp() == EndpointOp.QP ? byAddress.find(frame, port) : null;
    if (peer == null || frame.op() > EndpointOp.EV_PROBE) {
      recorder.drop(DropReason.BAD_ENDPOINT_REQUEST, frame, -1, nowNs);
      return;
    }
    if (frame.op() == EndpointOp.PORT_STATUS && !portStatus(peer, frame, nowNs)) {
      return;
    }
    Frame answer = peer.route.control(nowNs);
    if (answer == null) {
      recorder.drop(DropReason.CONTROL_QUEUE_FULL, frame, -1, nowNs);
      return;
    }
    answer.opcode(Opcode.ENDPOINT_RESPONSE).destQp(EndpointOp.QP).psn(frame.psn() & 0xffff);
    answer.op(frame.op()).timestamp(frame.timestamp());
  }

  private boolean portStatus(Peer peer, Frame frame, long nowNs) {
    if (!peer.isNewerStatus(frame.psn() & 0xffff)) {
      return true;
    }
    int before = peer.planes.peerUpMask();
    if (!peer.planes.peerPorts(frame.portStatusMask())) {
      recorder.drop(DropReason.BOGUS_PORT_MASK, frame, -1, nowNs);
      return false;
    }
    recorder.event(TraceEvent.PORT_STATUS, nowNs, -1 - peer.handle, frame.portStatusMask(), 0, 0);
    int changed = before ^ peer.planes.peerUpMask();
    for (int plane = 0; plane < peer.planes.count(); plane++) {
      if ((changed >>> plane & 1) != 0) {
        planeChanged(peer, plane, (peer.planes.peerUpMask() >>> plane & 1) != 0, nowNs);
      }
    }
    return true;
  }

  private void planeChanged(Peer peer, int plane, boolean up, long nowNs) {
    if (!up) {
      leave(peer, plane, nowNs);
    } else if (peer.planes.up(plane)) {
      takeBack(peer, plane, nowNs);
    }
  }

  private void endpointResponse(Frame frame, int port, long nowNs) {
    int slot = requests.find(frame.psn() & 0xffff);
    Peer peer = slot < 0 ? null : requests.peer(slot);
    if (peer == null || !peer.route.isFrom(frame, port)) {
      recorder.drop(DropReason.UNKNOWN_ANSWER, frame, -1, nowNs);
      return;
    }
    Requests.Kind kind = requests.kind(slot);
    int expected = kind == Requests.Kind.PORT_STATUS ? EndpointOp.PORT_STATUS : EndpointOp.EV_PROBE;
    if (frame.op() != expected) {
      recorder.drop(DropReason.UNKNOWN_ANSWER, frame, -1, nowNs);
      return;
    }
    if (kind == Requests.Kind.PORT_STATUS) {
      peer.portsTold();
    } else {
      int plane =
          peer.evProbeAnswered(
              frame.psn() & 0xffff, requests.ev(slot), kind, requests.sentNs(slot), nowNs);
      if (plane >= 0) {
        takeBack(peer, plane, nowNs);
      }
    }
    requests.answered(slot);
    deadlines.atMost(peer.index << 1 | 1, peer.timers.earliestNs());
  }

  // ---------------------------------------------------------------- sending

  @Override
  public boolean nextFrame(int port, long nowNs, Frame slot) {
    if ((portsUp >>> port & 1) == 0 || idleAt[port] == changes) {
      return false;
    }
    if (queues[port].poll(slot)) {
      if (slot.opcode() == Opcode.SACK) {
        refresh(slot);
      }
      return true;
    }
    int tried = 0;
    while (tried < ready.size()) {
      QueuePair q = ready.current();
      Requestor requestor = q == null ? null : q.requestor;
      Peer peer = q == null ? null : q.peer;
      if (q == null || requestor == null || peer == null) {
        break;
      }
      switch (requestor.nextFrame(port, nowNs, slot)) {
        case SENT -> {
          ready.advance();
          changes++;
          deadlines.atMost(q.index << 1, q.timers.earliestNs());
          return true;
        }
        case NOT_ON_THIS_PORT -> {
          ready.advance();
          tried++;
        }
        case WINDOW_FULL -> {
          ready.remove(q);
          peer.waiting.add(q);
        }
        case NOTHING -> {
          ready.remove(q);
          // The window that this one does not use is the next one's.
          wake(peer);
        }
      }
    }
    idleAt[port] = changes;
    return false;
  }

  private void refresh(Frame sack) {
    QueuePair q = byNumber.get(sack.payloadRef());
    if (q != null && q.responder != null && q.state != QpState.ERROR) {
      q.responder.refresh(sack);
    }
    sack.payload(0, 0);
  }

  // ---------------------------------------------------------------- time

  @Override
  public long nextDeadlineNs() {
    return deadlines.earliestNs();
  }

  @Override
  public void expire(long nowNs) {
    long lateNs = nowNs - deadlines.earliestNs();
    while (deadlines.earliestNs() <= nowNs) {
      changes++;
      int owner = deadlines.first();
      if ((owner & 1) == 0) {
        QueuePair q = queuePairs.get(owner >> 1);
        if (q == null) {
          deadlines.set(owner, Timers.NEVER);
        } else {
          expire(q, nowNs, lateNs);
          deadlines.set(owner, later(q.timers, nowNs));
        }
      } else {
        Peer peer = peers.get(owner >> 1);
        if (peer == null) {
          deadlines.set(owner, Timers.NEVER);
        } else {
          peer.onTimer(nowNs, lateNs);
          deadlines.set(owner, later(peer.timers, nowNs));
        }
      }
    }
  }

  private static long later(Timers timers, long nowNs) {
    return Math.max(timers.earliestNs(), nowNs + 1);
  }

  private void expire(QueuePair q, long nowNs, long lateNs) {
    if (q.responder != null && q.state != QpState.ERROR) {
      q.responder.onTimer(nowNs);
    }
    if (q.requestor != null && q.state == QpState.RTS) {
      q.requestor.onTimer(nowNs, lateNs);
    }
    if (q.peer != null) {
      settle(q, q.peer, nowNs);
    }
  }

  // ---------------------------------------------------------------- commands

  @Override
  public CommandResult submit(Command command, long nowNs) {
    changes++;
    return switch (command) {
      case Command.PostWrite c -> postWrite(c, nowNs);
      case Command.PostReceive c -> postReceive(c);
      case Command.AddPeer c -> addPeer(c.peer(), c.config(), nowNs);
      case Command.RemovePeer c -> removePeer(c.peer());
      case Command.CreateQp c -> createQp(c);
      case Command.ReadyToReceive c -> readyToReceive(c.qp(), c.attributes());
      case Command.ReadyToSend c -> readyToSend(c.qp(), c.attributes(), nowNs);
      case Command.ErrorQp c -> errorQp(c.qp(), nowNs);
      case Command.DestroyQp c -> destroyQp(c.qp(), nowNs);
      case Command.RegisterRegion c -> registerRegion(c);
      case Command.DeregisterRegion c ->
          regions.remove(c.rKey()) ? CommandResult.OK : CommandResult.NOT_FOUND;
      case Command.GrantMpr c -> grantMpr(c);
      case Command.ReceiverPenalty c -> receiverPenalty(c);
      case Command.SetEvState c -> setEvState(c, nowNs);
    };
  }

  private CommandResult postWrite(Command.PostWrite c, long nowNs) {
    QueuePair q = byNumber.get(c.qp);
    if (q == null) {
      return CommandResult.NOT_FOUND;
    }
    Requestor requestor = q.requestor;
    Peer peer = q.peer;
    if (q.state != QpState.RTS || requestor == null || peer == null) {
      return CommandResult.WRONG_STATE;
    }
    if (c.length < (c.withImmediate ? 0 : 1) || c.length > 0xffff_ffffL) {
      return CommandResult.INVALID;
    }
    if (!requestor.post(c, nowNs)) {
      return CommandResult.QUEUE_FULL;
    }
    peer.resume(nowNs);
    settle(q, peer, nowNs);
    return CommandResult.OK;
  }

  private CommandResult postReceive(Command.PostReceive c) {
    QueuePair q = byNumber.get(c.qp());
    if (q == null) {
      return CommandResult.NOT_FOUND;
    }
    if (q.state == QpState.ERROR) {
      return CommandResult.WRONG_STATE;
    }
    return q.receives.post(c.wrId()) ? CommandResult.OK : CommandResult.QUEUE_FULL;
  }

  private CommandResult addPeer(int handle, PeerConfig peerConfig, long nowNs) {
    if (handle < 0 || peerConfig.ports() > config.ports()) {
      return CommandResult.INVALID;
    }
    if (byHandle.get(handle) != null) {
      return CommandResult.IN_USE;
    }
    Planes planes = new Planes(peerConfig.ports(), config.planeLossLimit());
    for (int p = 0; p < peerConfig.ports(); p++) {
      planes.localPort(p, (portsUp >>> p & 1) != 0);
    }
    Route route = new Route(config, peerConfig, queues, planes);
    int index = freeIndex(peers);
    Peer peer = new Peer(handle, index, config, peerConfig, route, requests, recorder);
    peers.set(index, peer);
    byHandle.put(handle, peer);
    byAddress.add(peer);
    if (portsUp != allPorts) {
      peer.tellPorts(portsUp, nowNs);
      deadlines.atMost(index << 1 | 1, peer.timers.earliestNs());
    }
    return CommandResult.OK;
  }

  private static <T> int freeIndex(List<@Nullable T> list) {
    int index = list.indexOf(null);
    if (index < 0) {
      list.add(null);
      index = list.size() - 1;
    }
    return index;
  }

  private CommandResult removePeer(int handle) {
    Peer peer = byHandle.get(handle);
    if (peer == null) {
      return CommandResult.NOT_FOUND;
    }
    if (!peer.queuePairs.isEmpty()) {
      return CommandResult.IN_USE;
    }
    byHandle.remove(handle);
    byAddress.remove(peer);
    peers.set(peer.index, null);
    deadlines.set(peer.index << 1 | 1, Timers.NEVER);
    requests.forget(peer);
    return CommandResult.OK;
  }

  private CommandResult createQp(Command.CreateQp c) {
    if (c.qp() <= EndpointOp.QP || c.qp() > 0xff_ffff) {
      return CommandResult.INVALID;
    }
    if (byNumber.get(c.qp()) != null) {
      return CommandResult.IN_USE;
    }
    int index = freeIndex(queuePairs);
    QueuePair q = new QueuePair(c.qp(), index, c.config());
    queuePairs.set(index, q);
    byNumber.put(c.qp(), q);
    return CommandResult.OK;
  }

  private CommandResult readyToReceive(int number, ResponderAttributes attributes) {
    QueuePair q = byNumber.get(number);
    Peer peer = byHandle.get(attributes.peer());
    if (q == null || peer == null) {
      return CommandResult.NOT_FOUND;
    }
    if (q.state != QpState.INIT) {
      return CommandResult.WRONG_STATE;
    }
    q.connection = attributes;
    q.peer = peer;
    peer.queuePairs.add(q);
    q.responder =
        new Responder(
            number,
            q.config.domain(),
            config,
            attributes,
            peer.route,
            peer.rtt,
            regions,
            memory,
            q.receives,
            sink,
            q.timers,
            recorder);
    q.state = QpState.RTR;
    return CommandResult.OK;
  }

  private CommandResult readyToSend(int number, RequestorAttributes attributes, long nowNs) {
    QueuePair q = byNumber.get(number);
    if (q == null) {
      return CommandResult.NOT_FOUND;
    }
    Peer peer = q.peer;
    ResponderAttributes connection = q.connection;
    if (q.state != QpState.RTR || peer == null || connection == null) {
      return CommandResult.WRONG_STATE;
    }
    PathSet paths =
        new PathSet(
            peer.config.evs(),
            peer.planes,
            q.config.evMinActive(),
            q.config.evActive(),
            config.probeSuccesses(),
            config.reactive(),
            random.nextLong(),
            number,
            recorder.sink());
    q.requestor =
        new Requestor(
            number,
            connection,
            q.config.sendQueueDepth(),
            config,
            attributes,
            peer.route,
            paths,
            peer.rtt,
            peer.cc,
            sink,
            q.timers,
            recorder,
            spares,
            random.nextInt(1 << 16));
    q.state = QpState.RTS;
    recorder.event(TraceEvent.QP_STATE, nowNs, number, QpState.RTS.ordinal(), 0, 0);
    return CommandResult.OK;
  }

  private CommandResult errorQp(int number, long nowNs) {
    QueuePair q = byNumber.get(number);
    if (q == null) {
      return CommandResult.NOT_FOUND;
    }
    error(q, nowNs);
    return CommandResult.OK;
  }

  /** To ERROR: outstanding sends end first, in order, then posted receives. */
  private void error(QueuePair q, long nowNs) {
    if (q.state == QpState.ERROR) {
      return;
    }
    q.state = QpState.ERROR;
    unschedule(q);
    if (q.requestor != null) {
      q.requestor.flush(nowNs);
    }
    if (q.responder != null) {
      q.responder.flush();
    } else {
      q.receives.flush(q.number, sink);
    }
    if (q.peer != null) {
      wake(q.peer);
    }
    recorder.event(TraceEvent.QP_STATE, nowNs, q.number, QpState.ERROR.ordinal(), 0, 0);
  }

  private void unschedule(QueuePair q) {
    if (q.place == Place.READY) {
      ready.remove(q);
    } else if (q.place == Place.WAITING && q.peer != null) {
      q.peer.waiting.remove(q);
    }
  }

  private CommandResult destroyQp(int number, long nowNs) {
    QueuePair q = byNumber.get(number);
    if (q == null) {
      return CommandResult.NOT_FOUND;
    }
    error(q, nowNs);
    byNumber.remove(number);
    queuePairs.set(q.index, null);
    deadlines.set(q.index << 1, Timers.NEVER);
    if (q.peer != null) {
      q.peer.queuePairs.remove(q);
    }
    return CommandResult.OK;
  }

  private CommandResult registerRegion(Command.RegisterRegion c) {
    if (c.length() < 0 || c.address() < 0 || c.address() + c.length() < 0) {
      return CommandResult.INVALID;
    }
    boolean added =
        regions.add(c.rKey(), c.region(), c.address(), c.length(), c.domain(), c.remoteWrite());
    return added ? CommandResult.OK : CommandResult.IN_USE;
  }

  private CommandResult grantMpr(Command.GrantMpr c) {
    QueuePair q = byNumber.get(c.qp());
    if (q == null || q.responder == null || q.connection == null) {
      return CommandResult.NOT_FOUND;
    }
    int units = c.mprPackets() / ResponderAttributes.MPR_UNIT;
    if (!q.connection.dynamicMpr()
        || c.mprPackets() % ResponderAttributes.MPR_UNIT != 0
        || units < 8
        || units > 255) {
      return CommandResult.INVALID;
    }
    q.responder.grant(c.mprPackets());
    return CommandResult.OK;
  }

  private CommandResult receiverPenalty(Command.ReceiverPenalty c) {
    if (c.penalty() < 0 || c.penalty() > 127) {
      return CommandResult.INVALID;
    }
    for (int i = 0; i < queuePairs.size(); i++) {
      QueuePair q = queuePairs.get(i);
      if (q != null && q.responder != null) {
        q.responder.penalty(c.penalty());
      }
    }
    return CommandResult.OK;
  }

  private CommandResult setEvState(Command.SetEvState c, long nowNs) {
    QueuePair q = byNumber.get(c.qp());
    if (q == null || q.requestor == null || q.peer == null) {
      return CommandResult.NOT_FOUND;
    }
    if (c.evIndex() < 0 || c.evIndex() >= q.peer.config.evs().size()) {
      return CommandResult.INVALID;
    }
    if (c.denied()) {
      q.requestor.paths().deny(c.evIndex(), nowNs);
    } else {
      q.requestor.paths().lift(c.evIndex(), nowNs);
    }
    return CommandResult.OK;
  }

  // ---------------------------------------------------------------- the rest of the seam

  @Override
  public void poll(Sink to) {
    sink.drain(to);
  }

  @Override
  public void portState(int port, boolean up, long nowNs) {
    if (((portsUp >>> port & 1) != 0) == up) {
      return;
    }
    changes++;
    portsUp = up ? portsUp | 1 << port : portsUp & ~(1 << port);
    if (!up) {
      queues[port].clear();
    }
    sink.event(up ? EngineEvent.PORT_ACTIVE : EngineEvent.PORT_DOWN, -1, port);
    recorder.event(TraceEvent.PORT, nowNs, -1, port, up ? 1 : 0, 0);
    for (int i = 0; i < peers.size(); i++) {
      Peer peer = peers.get(i);
      if (peer != null && port < peer.planes.count()) {
        peer.planes.localPort(port, up);
        planeChanged(peer, port, up, nowNs);
        peer.tellPorts(portsUp, nowNs + i * STATUS_SPREAD_NS);
        deadlines.atMost(i << 1 | 1, peer.timers.earliestNs());
      }
    }
  }

  @Override
  public @Nullable QpSnapshot snapshot(int qp) {
    QueuePair q = byNumber.get(qp);
    return q == null ? null : q.snapshot();
  }

  @Override
  public long drops(DropReason reason) {
    return recorder.drops(reason);
  }
}
