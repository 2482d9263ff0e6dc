package io.anabranch.engine.endpoint;

import io.anabranch.engine.RttEstimate;
import io.anabranch.engine.cc.CongestionControl;
import io.anabranch.engine.config.EngineConfig;
import io.anabranch.engine.config.PeerConfig;
import io.anabranch.engine.endpoint.QueuePair.Place;
import io.anabranch.engine.path.Planes;
import io.anabranch.engine.path.Route;
import io.anabranch.engine.timer.TimerName;
import io.anabranch.engine.timer.Timers;
import io.anabranch.engine.trace.Recorder;
import io.anabranch.engine.trace.TraceEvent;
import io.anabranch.wire.mrc.EndpointOp;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.Opcode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A remote endpoint and what its queue pairs share: RTT, congestion controller, planes, the EV
 * probes that keep the reverse path fresh and bring set-aside planes back, and port status updates.
 */
final class Peer {
  private static final int NONE = -1;
  private static final int MAX_LEVEL = 3;
  private static final long LEVEL_DECAY_NS = 60_000_000_000L;
  private static final int QUICK_STATUS_COPIES = 3;
  private static final long MAX_STATUS_SPACING_NS = 1_000_000_000L;

  final int handle;
  final int index;
  final PeerConfig config;
  final Planes planes;
  final Route route;
  final RttEstimate rtt;
  final CongestionControl cc;
  final Timers timers = new Timers();
  final List<QueuePair> queuePairs = new ArrayList<>();
  final Schedule waiting = new Schedule(Place.WAITING);

  private final EngineConfig engine;
  private final Requests requests;
  private final Recorder recorder;

  /** Planes set aside that the engine has already dealt with. */
  int seenAside;

  private long lastDataNs = Long.MIN_VALUE;
  private long lastReverseNs = Long.MIN_VALUE;
  private final int[] reverseId;
  private final long[] reverseFailNs;

  private final int[] planeId;
  private final long[] planeNextNs;
  private final long[] planeFailNs;
  private final int[] planeSuccesses;
  private final int[] planeLevel;
  private final long[] planeAsideNs;

  private int lastStatusId = NONE;
  private boolean statusDue;
  private int statusCopies;
  private int statusMask;

  Peer(
      int handle,
      int index,
      EngineConfig engine,
      PeerConfig config,
      Route route,
      Requests requests,
      Recorder recorder) {
    this.handle = handle;
    this.index = index;
    this.engine = engine;
    this.config = config;
    this.route = route;
    this.planes = route.planes();
    this.requests = requests;
    this.recorder = recorder;
    this.rtt = new RttEstimate(config.initialRttNs(), engine.rttFloorNs(), engine.rttWindowNs());
    this.cc = CongestionControl.of(config.cc(), config.initialRttNs(), rtt);
    int ports = config.ports();
    reverseId = filled(ports);
    reverseFailNs = new long[ports];
    planeId = filled(ports);
    planeNextNs = new long[ports];
    planeFailNs = new long[ports];
    planeSuccesses = new int[ports];
    planeLevel = new int[ports];
    planeAsideNs = new long[ports];
  }

  private static int[] filled(int n) {
    int[] a = new int[n];
    Arrays.fill(a, NONE);
    return a;
  }

  private long spacingNs() {
    return Math.max(rtt.smoothedNs(), engine.minProbeSpacingNs());
  }

  private long patienceNs() {
    return 3 * rtt.smoothedNs() + 2 * spacingNs();
  }

  private boolean busy() {
    for (int i = 0; i < queuePairs.size(); i++) {
      if (queuePairs.get(i).busy()) {
        return true;
      }
    }
    return false;
  }

  // ---------------------------------------------------------------- the reverse path

  /** Data arrived from the peer: the way back must be fresh. */
  void dataArrived(long nowNs) {
    lastDataNs = nowNs;
    if (engine.reverseProbes() && timers.deadlineNs(TimerName.REVERSE_PROBE) == Timers.NEVER) {
      boolean recent = lastReverseNs != Long.MIN_VALUE && nowNs - lastReverseNs < spacingNs();
      timers.set(TimerName.REVERSE_PROBE, recent ? lastReverseNs + spacingNs() : nowNs);
    }
  }

  private void reverseTimer(long nowNs) {
    boolean waitingForAnswers = false;
    for (int p = 0; p < reverseId.length; p++) {
      if (reverseId[p] != NONE) {
        if (reverseFailNs[p] <= nowNs) {
          reverseId[p] = NONE;
          planes.unproven(p);
        } else {
          waitingForAnswers = true;
        }
      }
    }
    boolean receiving = lastDataNs > lastReverseNs;
    boolean provenByData = planes.latestProofNs() > nowNs - spacingNs() && busy();
    int mask = planes.usableMask();
    if (receiving && !provenByData && mask != 0) {
      int plane = planes.turn(mask);
      if (reverseId[plane] == NONE) {
        int id = evProbe(route.anyEv(plane), Requests.Kind.REVERSE, nowNs);
        if (id >= 0) {
          reverseId[plane] = id;
          reverseFailNs[plane] = nowNs + patienceNs();
        }
      }
      lastReverseNs = nowNs;
    }
    if (receiving || waitingForAnswers) {
      timers.set(TimerName.REVERSE_PROBE, nowNs + Math.max(1, spacingNs()));
    } else {
      timers.stop(TimerName.REVERSE_PROBE);
    }
  }

  /** Sends an EV probe; −1 when the port's queue is full. */
  private int evProbe(int evIndex, Requests.Kind kind, long nowNs) {
    Frame f = route.probe(evIndex);
    if (f == null) {
      return NONE;
    }
    int id = requests.sent(this, evIndex, kind, nowNs);
    f.opcode(Opcode.ENDPOINT_REQUEST).destQp(EndpointOp.QP).psn(id).op(EndpointOp.EV_PROBE);
    f.timestamp((int) (nowNs >>> 7) & 0xffff).fType(1);
    recorder.event(
        TraceEvent.EV_PROBE_SENT, nowNs, -1 - handle, id, f.ev(), config.evs().port(evIndex));
    return id;
  }

  /**
   * An EV probe was answered.
   *
   * @return the plane that may be used again because of it, or −1
   */
  int evProbeAnswered(int requestId, int evIndex, Requests.Kind kind, long sentNs, long nowNs) {
    int plane = config.evs().port(evIndex);
    rtt.sample(nowNs - sentNs, nowNs);
    route.rtt(rtt.smoothedNs());
    recorder.event(
        TraceEvent.EV_PROBE_ANSWERED,
        nowNs,
        -1 - handle,
        requestId,
        nowNs - sentNs,
        config.evs().ev(evIndex));
    planes.proven(plane, evIndex, nowNs);
    if (kind == Requests.Kind.REVERSE) {
      if (reverseId[plane] == requestId) {
        reverseId[plane] = NONE;
      }
      return NONE;
    }
    if (planeId[plane] != requestId || !planes.aside(plane)) {
      return NONE;
    }
    planeId[plane] = NONE;
    planes.arrived(plane, sentNs, nowNs);
    if (++planeSuccesses[plane] >= engine.probeSuccesses()) {
      return plane;
    }
    timers.set(TimerName.PLANE_PROBE, Math.max(nowNs, planeNextNs[plane]));
    return NONE;
  }

  // ---------------------------------------------------------------- planes set aside

  /** A plane was set aside: it will be probed. */
  void planeAside(int plane, long nowNs) {
    long minutes = (nowNs - planeAsideNs[plane]) / LEVEL_DECAY_NS;
    boolean first = planeAsideNs[plane] == 0;
    planeLevel[plane] = first ? 0 : Math.clamp(planeLevel[plane] + 1 - minutes, 0, MAX_LEVEL);
    planeAsideNs[plane] = Math.max(1, nowNs);
    planeId[plane] = NONE;
    planeSuccesses[plane] = 0;
    planeNextNs[plane] = nowNs + spacingNs();
    resume(nowNs);
  }

  /** Work was posted or a plane set aside: probing of planes set aside goes on. */
  void resume(long nowNs) {
    if (planes.asideMask() == 0) {
      return;
    }
    long next = Timers.NEVER;
    for (int p = 0; p < planeId.length; p++) {
      if (planes.aside(p)) {
        next = Math.min(next, planeId[p] == NONE ? planeNextNs[p] : planeFailNs[p]);
      }
    }
    timers.set(TimerName.PLANE_PROBE, Math.max(nowNs, next));
  }

  private void planeTimer(long nowNs) {
    timers.stop(TimerName.PLANE_PROBE);
    if (!busy()) {
      return;
    }
    for (int p = 0; p < planeId.length; p++) {
      if (!planes.aside(p) || !planes.up(p)) {
        continue;
      }
      if (planeId[p] != NONE && planeFailNs[p] <= nowNs) {
        planeId[p] = NONE;
        planeSuccesses[p] = 0;
      }
      if (planeId[p] == NONE && planeNextNs[p] <= nowNs) {
        planeId[p] = evProbe(route.anyEv(p), Requests.Kind.PLANE, nowNs);
        planeNextNs[p] = nowNs + Math.max(1, spacingNs() << planeLevel[p]);
        planeFailNs[p] = nowNs + patienceNs();
      }
      long next = planeId[p] == NONE ? planeNextNs[p] : planeFailNs[p];
      timers.set(TimerName.PLANE_PROBE, Math.min(timers.deadlineNs(TimerName.PLANE_PROBE), next));
    }
  }

  // ---------------------------------------------------------------- port status

  /**
   * A local port changed: the peer is told until it answers.
   *
   * @param mask ports that are up
   * @param atNs when to tell first; spreads the updates to many peers
   */
  void tellPorts(int mask, long atNs) {
    statusMask = mask;
    statusDue = true;
    statusCopies = 0;
    timers.set(TimerName.PORT_STATUS, atNs);
  }

  /** The peer has answered a port status update. */
  void portsTold() {
    statusDue = false;
    timers.stop(TimerName.PORT_STATUS);
  }

  /**
   * Whether a port status update is newer than the last taken in: request ids count up, and an
   * older one that was held up must not overrule. The answer to it is the same.
   */
  boolean isNewerStatus(int requestId) {
    if (lastStatusId != NONE && (short) (requestId - lastStatusId) <= 0) {
      return false;
    }
    lastStatusId = requestId;
    return true;
  }

  private void statusTimer(long nowNs) {
    timers.stop(TimerName.PORT_STATUS);
    if (!statusDue) {
      return;
    }
    Frame f = route.control(nowNs);
    if (f != null) {
      int id = requests.sent(this, 0, Requests.Kind.PORT_STATUS, nowNs);
      f.opcode(Opcode.ENDPOINT_REQUEST).destQp(EndpointOp.QP).psn(id).op(EndpointOp.PORT_STATUS);
      f.portStatusMask(statusMask).timestamp((int) (nowNs >>> 7) & 0xffff).fType(1);
      statusCopies++;
    }
    int doublings = Math.max(0, statusCopies - QUICK_STATUS_COPIES);
    long spacing = Math.max(1, spacingNs() << Math.min(20, doublings));
    timers.set(TimerName.PORT_STATUS, nowNs + Math.min(spacing, MAX_STATUS_SPACING_NS));
  }

  // ---------------------------------------------------------------- timers

  /** Runs the timers that are due. */
  void onTimer(long nowNs, long lateNs) {
    if (lateNs > spacingNs()) {
      // This host was away: answers may be waiting behind the call that is to come.
      for (int p = 0; p < reverseFailNs.length; p++) {
        reverseFailNs[p] += lateNs;
        planeFailNs[p] += lateNs;
      }
    }
    if (timers.due(TimerName.REVERSE_PROBE, nowNs)) {
      reverseTimer(nowNs);
    }
    if (timers.due(TimerName.PLANE_PROBE, nowNs)) {
      planeTimer(nowNs);
    }
    if (timers.due(TimerName.PORT_STATUS, nowNs)) {
      statusTimer(nowNs);
    }
  }
}
