package io.anabranch.engine.requestor;

import io.anabranch.engine.path.PathSet;
import io.anabranch.engine.path.Planes;
import io.anabranch.engine.path.Route;
import io.anabranch.engine.trace.Recorder;
import io.anabranch.engine.trace.TraceEvent;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.Opcode;

/** Sends reliability probes: they take no PSN and no window, but a send number like any copy. */
final class Prober {
  private final int qp;
  private final int peerQp;
  private final Route route;
  private final PathSet paths;
  private final Probes probes;
  private final LossDetector losses;
  private final Recorder recorder;
  private long probesSent;

  Prober(
      int qp,
      int peerQp,
      Route route,
      PathSet paths,
      Probes probes,
      LossDetector losses,
      Recorder recorder) {
    this.qp = qp;
    this.peerQp = peerQp;
    this.route = route;
    this.paths = paths;
    this.probes = probes;
    this.losses = losses;
    this.recorder = recorder;
  }

  long probesSent() {
    return probesSent;
  }

  /** Asks on the oldest hole's EV ({@code evIndex}, or −1 without one) and on another plane. */
  void ask(int evIndex, long nowNs) {
    Planes planes = route.planes();
    int asked = 0;
    if (evIndex >= 0 && planes.usable(route.evs().port(evIndex))) {
      probe(evIndex, nowNs);
      asked = 1 << route.evs().port(evIndex);
    }
    int others = planes.usableMask() & ~asked;
    if (others != 0) {
      int plane = planes.turn(others);
      int other = paths.next(plane, -1, nowNs);
      probe(other >= 0 ? other : route.anyEv(plane), nowNs);
    }
  }

  /** Sends one probe; its id, or −1 when the port's queue is full. */
  int probe(int evIndex, long nowNs) {
    Frame f = route.probe(evIndex);
    if (f == null) {
      return -1;
    }
    int id = probes.sent(evIndex, losses.nextNumber(), nowNs);
    f.opcode(Opcode.PROBE).destQp(peerQp).probeId(id).spdcid(qp).dpdcid(peerQp);
    f.timestamp((int) (nowNs >>> 7) & 0xffff).fType(1);
    probesSent++;
    recorder.event(TraceEvent.PROBE_SENT, nowNs, qp, id, f.ev(), route.evs().port(evIndex));
    return id;
  }
}
