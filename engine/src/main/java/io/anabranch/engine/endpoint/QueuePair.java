package io.anabranch.engine.endpoint;

import io.anabranch.engine.QpSnapshot;
import io.anabranch.engine.QpState;
import io.anabranch.engine.config.QpConfig;
import io.anabranch.engine.config.ResponderAttributes;
import io.anabranch.engine.path.EvState;
import io.anabranch.engine.path.PathSet;
import io.anabranch.engine.requestor.Requestor;
import io.anabranch.engine.responder.ReceiveQueue;
import io.anabranch.engine.responder.Responder;
import io.anabranch.engine.timer.Timers;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One queue pair: its two halves, its timers and its place in the schedule. */
final class QueuePair {
  /** Where it stands in the schedule. */
  enum Place {
    NOWHERE,
    READY,
    WAITING
  }

  final int number;
  final int index;
  final QpConfig config;
  final Timers timers = new Timers();
  final ReceiveQueue receives;
  QpState state = QpState.INIT;
  @Nullable ResponderAttributes connection;
  @Nullable Peer peer;
  @Nullable Requestor requestor;
  @Nullable Responder responder;

  Place place = Place.NOWHERE;
  @Nullable QueuePair next;
  @Nullable QueuePair previous;

  QueuePair(int number, int index, QpConfig config) {
    this.number = number;
    this.index = index;
    this.config = config;
    this.receives = new ReceiveQueue(config.receiveQueueDepth());
  }

  boolean wantsToSend() {
    return state == QpState.RTS && requestor != null && requestor.wantsToSend();
  }

  boolean busy() {
    return state == QpState.RTS
        && requestor != null
        && (requestor.outstanding() || requestor.wantsToSend());
  }

  QpSnapshot snapshot() {
    Requestor r = requestor;
    Responder s = responder;
    Peer p = peer;
    return new QpSnapshot(
        state,
        r == null ? 0 : r.nextPsn(),
        r == null ? 0 : r.cackPsn(),
        r == null ? 0 : r.inflightPackets(),
        r == null ? 0 : r.inflightBytes(),
        p == null ? 0 : p.cc.cwndBytes(),
        r == null ? 0 : r.mprPackets(),
        r == null ? 0 : r.lostPackets(),
        s == null ? 0 : s.receivedCackPsn(),
        s == null ? 0 : s.completedMessages(),
        r == null ? 0 : r.packetsSent(),
        r == null ? 0 : r.retransmitted(),
        s == null ? 0 : s.sacksSent(),
        r == null ? 0 : r.probesSent(),
        r == null ? 0 : r.expiriesInAll(),
        r == null ? 0 : r.spuriousLosses(),
        r == null ? 0 : r.paths().demotions(),
        r == null || p == null ? List.of() : planes(r, p));
  }

  private static List<QpSnapshot.Plane> planes(Requestor r, Peer p) {
    PathSet paths = r.paths();
    List<QpSnapshot.Plane> list = new ArrayList<>();
    for (int plane = 0; plane < p.planes.count(); plane++) {
      list.add(
          new QpSnapshot.Plane(
              p.planes.usable(plane) && paths.hasActive(plane),
              paths.activeCount(plane),
              paths.count(plane, EvState.GOOD),
              paths.count(plane, EvState.SKIP),
              paths.count(plane, EvState.ASSUMED_BAD),
              paths.count(plane, EvState.DENIED),
              r.sentOnPlane(plane)));
    }
    return List.copyOf(list);
  }
}
