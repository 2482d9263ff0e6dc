package io.anabranch.fabric.pair;

import io.anabranch.fabric.pair.PairScenario.Fault;
import io.anabranch.fabric.pair.PairScenario.Poison;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.Mark;
import io.anabranch.wire.mrc.NackReason;
import io.anabranch.wire.mrc.Opcode;
import io.anabranch.wire.mrc.Psn;
import io.anabranch.wire.mrc.Syndrome;

/** Watches a responder: what reached it, what it wrote, and whether it tells the truth about it. */
final class ResponderChecks {
  private final PairChecker checker;
  private final PairScenario scenario;

  /** Counts everything that any responder was handed, so that before and after have a meaning. */
  private int clock;

  ResponderChecks(PairChecker checker) {
    this.checker = checker;
    this.scenario = checker.scenario();
  }

  /** A true data packet is about to be handed to the responder. */
  void dataDelivered(Flow flow, Frame f, int copy) {
    int packet = flow.copyPacket[copy];
    clock++;
    boolean bare = f.trimmed() || f.noBuffer();
    if (bare && !flow.arrived(packet)) {
      boolean last = f.dscp() == checker.dscp().trimmedLastHop();
      int how = last ? Flow.TRIMMED_LAST_HOP : Flow.TRIMMED;
      flow.copyState[copy] |= (byte) (f.trimmed() ? how : Flow.REFUSED);
      return;
    }
    if (!flow.arrived(packet)) {
      flow.arrivals++;
      flow.arrivedFirst[packet] = clock;
      flow.rcvdBytes += f.nominalBytes();
      while (flow.arrived(flow.prefix + 1) && flow.prefix + 1 < flow.sentPackets) {
        flow.prefix++;
      }
      while (flow.completeMessages < flow.posted
          && flow.messages.get(flow.completeMessages).lastPacket() <= flow.prefix) {
        flow.completeMessages++;
      }
    }
    if ((flow.copyState[copy] & (Flow.ARRIVED | Flow.REPEATED)) == 0) {
      flow.copyArrival[copy] = clock;
      flow.copyPrefix[copy] = flow.prefix;
      flow.copyRcvd[copy] = flow.rcvdBytes;
    }
    int marked = f.ecn() == PairChecker.CE ? Flow.ARRIVED_MARKED : Flow.ARRIVED_CLEAN;
    flow.copyState[copy] |= (byte) ((bare ? Flow.REPEATED : Flow.ARRIVED) | marked);
  }

  /** A true probe is about to be handed to the responder. */
  void probeDelivered(Flow flow, Frame f) {
    int n = flow.probe(f.probeId());
    clock++;
    if (n == Flow.NONE || f.trimmed()) {
      return;
    }
    if ((flow.probeState[n] & Flow.ARRIVED) == 0) {
      flow.probeArrival[n] = clock;
      flow.probePrefix[n] = flow.prefix;
      flow.probeRcvd[n] = flow.rcvdBytes;
    }
    int marked = f.ecn() == PairChecker.CE ? Flow.ARRIVED_MARKED : Flow.ARRIVED_CLEAN;
    flow.probeState[n] |= Flow.ARRIVED | marked;
  }

  /** Payload is about to be written. */
  void placed(Flow flow, long offset, Frame f) {
    int packet = flow.packet(f.psn());
    if (f.payloadRef() == PairMemory.GARBAGE) {
      if (!flow.mayFail) {
        throw fail(Invariant.MEMORY, flow, f, "a forged packet is written");
      }
      return;
    }
    if (!flow.sent(packet) || f.trimmed() || f.icrcBad()) {
      throw fail(Invariant.MEMORY, flow, f, "written though it was never sent whole");
    }
    Message message = flow.messageOf(packet);
    if (offset != message.regionOffset() + f.payloadOffset() || f.payloadRef() != message.ref()) {
      throw fail(Invariant.MEMORY, flow, f, "written at " + offset);
    }
    if (flow.placed[packet]) {
      throw fail(Invariant.WRITTEN_TWICE, flow, f, "at " + offset);
    }
    flow.placed[packet] = true;
  }

  /** A SACK leaves the responder. */
  void sack(Flow flow, Frame f) {
    ids(flow, f);
    if (f.psn() != f.cackPsn()) {
      throw fail(Invariant.SACK_TRUTH, flow, f, "BTH.PSN differs from cack");
    }
    int arrival;
    int prefix;
    long rcvd;
    int marks;
    int cack = flow.packet(f.cackPsn());
    if (f.probeResponse() != 0) {
      int n = flow.probe(f.ackPsnOffset() & 0xffff);
      if (n == Flow.NONE || (flow.probeState[n] & Flow.ARRIVED) == 0) {
        throw fail(Invariant.PROBE_TRUTH, flow, f, "no such probe arrived");
      }
      if (flow.probeEv[n] != f.entropy() || flow.probeStamp[n] != f.timestamp()) {
        throw fail(Invariant.SACK_REFLECTION, flow, f, "not the probe's EV or timestamp");
      }
      arrival = flow.probeArrival[n];
      prefix = flow.probePrefix[n];
      rcvd = flow.probeRcvd[n];
      marks = flow.probeState[n];
    } else {
      int trigger = cack + f.ackPsnOffset();
      if (!flow.sent(trigger) || !flow.arrived(trigger)) {
        throw fail(Invariant.SACK_TRUTH, flow, f, "its trigger never arrived");
      }
      boolean stamped = scenario.shape().timestamps();
      int copy = flow.reflected(trigger, f.entropy(), f.timestamp(), stamped);
      if (copy == Flow.NONE) {
        // A forged copy of what had arrived is acknowledged again: nothing tells it from a true one.
        if (!scenario.has(Fault.Kind.LIES)) {
          throw fail(Invariant.SACK_REFLECTION, flow, f, "no such EV or timestamp arrived");
        }
        copy = flow.anyArrived(trigger);
        marks = Flow.ARRIVED_CLEAN | Flow.ARRIVED_MARKED;
      } else {
        marks = flow.marks(trigger, flow.copyEv[copy], f.timestamp(), stamped);
      }
      arrival = flow.copyArrival[copy];
      prefix = flow.copyPrefix[copy];
      rcvd = flow.copyRcvd[copy];
    }
    // What is refused has arrived, but a queue pair on its way to ERROR need not count it.
    if (cack > flow.prefix || cack < prefix && !flow.mayFail) {
      throw fail(
          Invariant.SACK_TRUTH, flow, f, "cack should be " + flow.psn(flow.prefix));
    }
    bitmap(flow, f, cack, arrival);
    if (!between(f.rcvdBytes(), rcvd, flow.rcvdBytes)) {
      throw fail(
          Invariant.RCVD_BYTES,
          flow,
          f,
          "arrived " + rcvd + " to " + flow.rcvdBytes + " bytes");
    }
    if (cack == flow.prefix && f.oooCount() > flow.arrivals - (flow.prefix + 1)) {
      throw fail(Invariant.SACK_TRUTH, flow, f, "ooo_count " + f.oooCount());
    }
    boolean truth =
        switch (f.mark()) {
          case Mark.NONE -> (marks & Flow.ARRIVED_CLEAN) != 0;
          case Mark.SKIP_ONCE -> (marks & Flow.ARRIVED_MARKED) != 0;
          default -> false;
        };
    if (!truth) {
      throw fail(Invariant.MARK_TRUTH, flow, f, "M of a packet that came otherwise");
    }
    int mpr = scenario.shape().dynamicMpr() ? flow.grantedPackets / 128 : 0;
    int before = scenario.shape().dynamicMpr() ? flow.grantedBefore / 128 : 0;
    if (f.mpr() != mpr && f.mpr() != before) {
      throw fail(Invariant.SACK_TRUTH, flow, f, "MPR " + f.mpr() + ", granted " + mpr);
    }
  }

  private void bitmap(Flow flow, Frame f, int cack, int arrival) {
    for (int i = 0; i < 64; i++) {
      int packet = cack + f.sackOffset() + i;
      boolean bit = (f.sackBitmap() >>> i & 1) != 0;
      if (packet < 0) {
        continue;
      }
      boolean arrived = packet < flow.sentPackets && flow.arrived(packet);
      if (bit && !arrived) {
        throw fail(Invariant.SACK_TRUTH, flow, f, "bit " + i + " never arrived");
      }
      if (!bit && arrived && packet > cack && flow.arrivedFirst[packet] < arrival) {
        throw fail(Invariant.SACK_TRUTH, flow, f, "bit " + i + " hides an arrival");
      }
    }
  }

  private static boolean between(int units, long fewest, long most) {
    int low = (int) (fewest >> 8) & Psn.MASK;
    int span = (int) ((most >> 8) - (fewest >> 8));
    return (units - low & Psn.MASK) <= span;
  }

  /** A NACK leaves the responder. */
  void nack(Flow flow, Frame f) {
    ids(flow, f);
    int packet = flow.packet(f.nackPsn());
    if (f.psn() != f.nackPsn() || f.ccType() != 2) {
      throw fail(Invariant.NACK_TRUTH, flow, f, "BTH.PSN " + f.psn() + ", cc_type " + f.ccType());
    }
    if (flow.mayFail && f.reason() == NackReason.UNEXP_EVENT) {
      return;
    }
    boolean lies = scenario.has(Fault.Kind.LIES) || scenario.has(Fault.Kind.POISONED_LIES);
    if (f.reason() == NackReason.PSN_OOR_WINDOW && lies) {
      return;
    }
    if (!flow.sent(packet)) {
      throw fail(Invariant.NACK_TRUTH, flow, f, "never sent");
    }
    int states = flow.states(packet, f.entropy());
    boolean truth =
        switch (f.reason()) {
          case NackReason.TRIMMED -> (states & Flow.TRIMMED) != 0;
          case NackReason.TRIMMED_LASTHOP -> (states & Flow.TRIMMED_LAST_HOP) != 0;
          case NackReason.NO_PKT_BUFFER -> (states & Flow.REFUSED) != 0;
          default -> false;
        };
    if (!truth && !lies) {
      throw fail(Invariant.NACK_TRUTH, flow, f, "no copy on that EV came so");
    }
  }

  /** A transport ACK or NAK leaves the responder. */
  void ack(Flow flow, Frame f) {
    int packet = flow.packet(f.psn());
    if (f.syndrome() != Syndrome.ACK) {
      boolean expected =
          switch (f.syndrome()) {
            case Syndrome.NAK_REMOTE_ACCESS -> poison() && !noReceive();
            case Syndrome.NAK_REMOTE_OPERATION -> noReceive();
            default -> false;
          };
      if (!flow.mayFail || !expected && !scenario.has(Fault.Kind.POISONED_LIES)) {
        throw fail(Invariant.ACK_TRUTH, flow, f, "nothing deserved a NAK");
      }
      int counted = f.completedMsn() - flow.startMsn & 0xffff;
      if (counted > flow.completeMessages) {
        throw fail(Invariant.ACK_TRUTH, flow, f, "MSN of " + counted + " complete messages");
      }
      return;
    }
    if (!flow.sent(packet) || packet > flow.prefix) {
      throw fail(
          Invariant.ACK_TRUTH, flow, f, "arrived in order up to " + flow.psn(flow.prefix));
    }
    int complete = 0;
    while (complete < flow.completeMessages
        && flow.messages.get(complete).lastPacket() <= packet) {
      complete++;
    }
    int expected = flow.startMsn + complete & 0xffff;
    if (f.completedMsn() != expected) {
      throw fail(Invariant.ACK_TRUTH, flow, f, "expected MSN " + expected);
    }
    for (int i = flow.ackChecked; i < complete; i++) {
      Message message = flow.messages.get(i);
      if (message.poisoned() || !flow.placed(message)) {
        throw fail(Invariant.ACK_TRUTH, flow, f, "message " + i + " is not in memory");
      }
      flow.ackChecked = i + 1;
    }
  }

  private boolean poison() {
    return scenario.work().poison() != Poison.NONE;
  }

  private boolean noReceive() {
    return scenario.work().poison() == Poison.NO_RECEIVE;
  }

  private void ids(Flow flow, Frame f) {
    if (f.spdcid() != (flow.responderQp & 0xffff) || f.dpdcid() != (flow.requestorQp & 0xffff)) {
      throw fail(Invariant.ENVELOPE, flow, f, "connection ids");
    }
  }

  private InvariantBreach fail(Invariant invariant, Flow flow, Frame f, String text) {
    StringBuilder out = new StringBuilder("to ").append(flow.name()).append(": ");
    FrameText.append(out, f);
    if (Opcode.isMrc(f.opcode())) {
      out.append(": ");
    }
    return checker.breach(invariant, out.append(text).toString());
  }
}
