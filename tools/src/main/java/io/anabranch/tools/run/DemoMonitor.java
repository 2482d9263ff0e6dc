package io.anabranch.tools.run;

import io.anabranch.engine.trace.TraceEvent;
import io.anabranch.net.device.Packet;
import io.anabranch.net.fault.FaultKind;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/** Listens to both endpoints of a demonstration while it runs. */
final class DemoMonitor {
  final ArrivalLog arrivals = new ArrivalLog();
  final ArrivalLog swallowed = new ArrivalLog();
  private final AtomicLongArray sent;
  private final AtomicLongArray arrived;
  private final AtomicLong retransmitted = new AtomicLong();
  private final AtomicLong lost = new AtomicLong();
  private final AtomicInteger aside = new AtomicInteger();
  private final AtomicInteger everAside = new AtomicInteger();

  DemoMonitor(int planes) {
    sent = new AtomicLongArray(planes);
    arrived = new AtomicLongArray(planes);
  }

  /** What comes from now on counts; nothing is under way. */
  void begin() {
    arrivals.skip();
    swallowed.skip();
    retransmitted.set(0);
  }

  /** Packets that have arrived since then. */
  int arrived() {
    return arrivals.size();
  }

  /** The sender's trace, on the sender's thread. */
  void sender(TraceEvent event, long nowNs, int qp, long a, long b, long c) {
    switch (event) {
      case SENT -> {
        sent.incrementAndGet((int) (c >> 1));
        if ((c & 1) != 0) {
          retransmitted.incrementAndGet();
        }
      }
      case LOST -> lost.incrementAndGet();
      case PLANE -> {
        // Told for the peer by number, and once more for the queue pair that noticed.
        int bit = 1 << a;
        if (b == 0) {
          everAside.accumulateAndGet(bit, (x, y) -> x | y);
          aside.accumulateAndGet(bit, (x, y) -> x | y);
        } else {
          aside.accumulateAndGet(~bit, (x, y) -> x & y);
        }
      }
      default -> {}
    }
  }

  /** The receiver's trace, on the receiver's thread. */
  void receiver(TraceEvent event, long nowNs, int qp, long a, long b, long c) {
    if (event == TraceEvent.ARRIVED) {
      arrivals.add(nowNs, (int) a, (int) c);
      arrived.incrementAndGet((int) c);
    }
  }

  /** What the sender's fault device hits, on the sender's thread. */
  void hit(FaultKind kind, boolean isSent, Packet packet, long nowNs) {
    if (kind == FaultKind.BLACKHOLE && isSent && packet.isData()) {
      swallowed.add(nowNs, packet.psn(), packet.port);
    }
  }

  long sent(int plane) {
    return sent.get(plane);
  }

  long arrived(int plane) {
    return arrived.get(plane);
  }

  long retransmitted() {
    return retransmitted.get();
  }

  long lost() {
    return lost.get();
  }

  boolean aside(int plane) {
    return (aside.get() >>> plane & 1) != 0;
  }

  int everAsideMask() {
    return everAside.get();
  }
}
