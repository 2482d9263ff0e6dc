package io.anabranch.tests.pair;

import io.anabranch.engine.endpoint.MrcEngine;
import io.anabranch.engine.trace.TraceEvent;
import io.anabranch.engine.trace.TraceEvent.LossCause;
import io.anabranch.fabric.pair.PairHarness;
import io.anabranch.fabric.pair.PairScenario;
import io.anabranch.fabric.pair.PairScenario.Knobs;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Two engines for one named test: A writes to B over four planes, and everything is written down.
 */
final class Pair {
  static final int A = 0;
  static final int B = 1;

  /** Codes of EV states in the trace, in the order of the specification. */
  static final int GOOD = 0;

  static final int SKIP = 1;
  static final int ASSUMED_BAD = 2;
  static final int DENIED = 3;

  /** One trace event. */
  record Seen(int side, TraceEvent event, long atNs, int qp, long a, long b, long c) {}

  /** One data packet or probe that A sent. */
  record Sent(long atNs, int port, int ev, int psn, boolean rtx, int opcode) {}

  final List<Seen> seen = new ArrayList<>();
  final List<Sent> sent = new ArrayList<>();
  final PairHarness harness;
  private final List<Trouble> troubles = new ArrayList<>();

  /** Changes, delays or takes frames: see {@code FrameFilter}; 0 = goes on to the next. */
  interface Trouble {
    long delayNs(int side, int port, Frame frame, long nowNs);
  }

  Pair(Knobs knobs) {
    harness = new PairHarness(knobs.build(), MrcEngine::new);
    harness.watch(
        (side, event, now, qp, a, b, c) -> seen.add(new Seen(side, event, now, qp, a, b, c)));
    harness.filter(this::filter);
  }

  /** The usual set-up: 4 planes of 10 Gb/s, RTT 12 µs, one large write. */
  static Knobs knobs() {
    Knobs k = PairScenario.knobs(20_26);
    k.planes = 4;
    k.evsPerPlane = 24;
    k.evActive = 64;
    k.messages = 1;
    k.minBytes = 4 << 20;
    k.maxBytes = 4 << 20;
    k.immediatePercent = 0;
    k.timeout = 12;
    return k;
  }

  private long filter(int side, int port, Frame frame, long nowNs) {
    if (side == A && (Opcode.isWrite(frame.opcode()) || frame.opcode() == Opcode.PROBE)) {
      sent.add(new Sent(nowNs, port, frame.ev(), frame.psn(), frame.rtx(), frame.opcode()));
    }
    for (Trouble trouble : troubles) {
      long delayNs = trouble.delayNs(side, port, frame, nowNs);
      if (delayNs != 0) {
        return delayNs;
      }
    }
    return 0;
  }

  /** Writes nothing down: for long runs. */
  void quiet() {
    harness.watch((side, event, now, qp, a, b, c) -> {});
    harness.filter((side, port, frame, now) -> 0);
  }

  /** An empty frame from B to A on a port, as B would address it. */
  Frame fromB(int port) {
    Frame f = new Frame();
    var from = harness.address(B, port);
    var to = harness.address(A, port);
    f.src(from.hi(), from.lo()).dst(to.hi(), to.lo()).dstPort(to.udpPort());
    f.ev(harness.evs(B).ev(port * harness.evs(B).size() / 4)).dscp(46).pKey(0xffff);
    return f.destQp(harness.qp(A, 0));
  }

  Pair trouble(Trouble trouble) {
    troubles.add(trouble);
    return this;
  }

  /** Loses the first {@code n} frames of a side that fit. */
  Pair lose(int side, int n, Predicate<Frame> which) {
    int[] left = {n};
    return trouble(
        (from, port, frame, now) -> from == side && which.test(frame) && left[0]-- > 0 ? -1 : 0);
  }

  /** Changes the first {@code n} frames of a side that fit. */
  Pair change(int side, int n, Predicate<Frame> which, java.util.function.Consumer<Frame> how) {
    int[] left = {n};
    return trouble((from, port, frame, now) -> {
      if (from == side && which.test(frame) && left[0]-- > 0) {
        how.accept(frame);
      }
      return 0;
    });
  }

  static boolean isWrite(Frame frame) {
    return Opcode.isWrite(frame.opcode());
  }

  /** A's first packet after a while, when the window is full and RTTs are known. */
  static Predicate<Frame> packet(int psn) {
    return frame -> isWrite(frame) && frame.psn() == psn && !frame.rtx();
  }

  List<Seen> events(int side, TraceEvent event) {
    return seen.stream().filter(s -> s.side == side && s.event == event).toList();
  }

  /** EV state changes of A: a = EV, b = before, c = after. */
  List<Seen> states(int ev) {
    return events(A, TraceEvent.EV_STATE).stream().filter(s -> (int) s.a == ev).toList();
  }

  List<Seen> losses(LossCause cause) {
    return events(A, TraceEvent.LOST).stream().filter(s -> s.c == cause.ordinal()).toList();
  }

  long demotions() {
    return events(A, TraceEvent.EV_STATE).stream().filter(s -> s.c == ASSUMED_BAD).count();
  }

  /** The EV of A's first copy of a packet. */
  int evOf(int psn) {
    return sent.stream()
        .filter(s -> s.psn == psn && s.opcode != Opcode.PROBE)
        .findFirst()
        .orElseThrow()
        .ev;
  }

  /** When A last sent a packet before a time. */
  long lastSent(int psn, long beforeNs) {
    return sent.stream()
        .filter(s -> s.psn == psn && s.opcode != Opcode.PROBE && s.atNs < beforeNs)
        .mapToLong(Sent::atNs)
        .max()
        .orElseThrow();
  }

  int portOfEv(int ev) {
    var evs = harness.evs(A);
    for (int i = 0; i < evs.size(); i++) {
      if (evs.ev(i) == ev) {
        return evs.port(i);
      }
    }
    throw new IllegalArgumentException("no EV " + ev);
  }

  /** Data packets that A sent on each plane in a span of time. */
  long[] perPlane(long fromNs, long toNs) {
    long[] n = new long[8];
    for (Sent s : sent) {
      if (s.opcode != Opcode.PROBE && s.atNs >= fromNs && s.atNs < toNs) {
        n[s.port]++;
      }
    }
    return n;
  }
}
