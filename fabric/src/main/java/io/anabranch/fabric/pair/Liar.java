package io.anabranch.fabric.pair;

import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.fabric.event.Streams;
import io.anabranch.wire.mrc.DscpMap;
import io.anabranch.wire.mrc.EndpointOp;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.Mark;
import io.anabranch.wire.mrc.NackReason;
import io.anabranch.wire.mrc.Opcode;
import io.anabranch.wire.mrc.Psn;
import io.anabranch.wire.mrc.Syndrome;
import java.util.SplittableRandom;

/**
 * Forges frames as a broken or hostile network would. Those of {@link #harmless} must change
 * nothing; those of {@link #poisoned} may bring down the queue pair they name, and nothing else.
 */
final class Liar {
  private static final int FAR = 20_000;

  private final PairScenario scenario;
  private final PairPlan plan;
  private final SplittableRandom random;

  Liar(PairScenario scenario, PairPlan plan) {
    this.scenario = scenario;
    this.plan = plan;
    this.random = Streams.of(scenario.seed(), "liar");
  }

  /** Fills {@code f} with a lie for {@code victim} and returns the port it comes in on. */
  int harmless(Frame f, int victim) {
    int q = random.nextInt(plan.flows[0].length);
    int port = random.nextInt(scenario.shape().planes());
    // Answers lie about what the victim sent, data lies to it as responder.
    if (random.nextBoolean()) {
      answer(f, plan.flows[victim][q], port);
    } else {
      data(f, plan.flows[1 - victim][q], port);
    }
    return port;
  }

  private void envelope(Frame f, int victim, int port, boolean data) {
    PlaneAddress from = plan.addresses[1 - victim][port];
    PlaneAddress to = plan.addresses[victim][port];
    f.clear().src(from.hi(), from.lo()).dst(to.hi(), to.lo()).dstPort(to.udpPort());
    f.dscp(data ? DscpMap.DEFAULT.trimmable() : DscpMap.DEFAULT.control());
    f.ecn(data ? PairChecker.ECT0 : 0).pKey(0xffff);
    f.ev(plan.tables[1 - victim].ev(random.nextInt(plan.tables[1 - victim].size())));
    f.payload(PairMemory.GARBAGE, 0);
  }

  private void wrongSource(Frame f, int victim, int port) {
    PlaneAddress from = plan.addresses[1 - victim][port];
    f.src(from.hi() ^ 1L << random.nextInt(64), from.lo());
  }

  private void answer(Frame f, Flow flow, int port) {
    int victim = flow.side;
    envelope(f, victim, port, false);
    int acked = flow.psn(flow.highestAcked);
    int beyond = Psn.plus(flow.startPsn, flow.sentPackets + random.nextInt(FAR));
    f.opcode(Opcode.SACK).destQp(flow.requestorQp);
    f.spdcid(flow.responderQp).dpdcid(flow.requestorQp);
    f.psn(acked).cackPsn(acked).entropy(f.ev()).rcvdBytes(flow.reportedUnits);
    switch (random.nextInt(15)) {
      case 0 -> f.psn(beyond).cackPsn(beyond);
      case 1 ->
          f.sackOffset(Math.min(30_000, flow.sentPackets - flow.highestAcked + random.nextInt(99)))
              .sackBitmap(-1L);
      case 2 -> f.sackOffset(random.nextBoolean() ? 32_767 : -32_768).sackBitmap(-1L);
      case 3 -> f.mark(Mark.RESERVED).psn(last(flow)).cackPsn(last(flow));
      case 4 -> {
        f.psn(last(flow)).cackPsn(last(flow));
        wrongSource(f, victim, port);
      }
      case 5 -> f.destQp(0x70_0000 + random.nextInt(1 << 16));
      case 6 -> f.spdcid(flow.responderQp ^ 0x5555).psn(last(flow)).cackPsn(last(flow));
      case 7 -> ack(f, flow, beyond, Syndrome.ACK);
      case 8 -> ack(f, flow, beyond, Syndrome.NAK_REMOTE_ACCESS);
      case 9 -> nack(f, beyond, NackReason.TRIMMED);
      case 10 -> nack(f, acked, reason());
      case 11 -> {
        f.clear();
        envelope(f, victim, port, false);
        int[] masks = {0, 0x8000_0000, -1 << scenario.shape().planes()};
        f.opcode(Opcode.ENDPOINT_REQUEST).destQp(EndpointOp.QP).op(EndpointOp.PORT_STATUS);
        f.psn(random.nextInt(1 << 16)).portStatusMask(masks[random.nextInt(3)]);
      }
      case 12 -> {
        f.clear();
        envelope(f, victim, port, false);
        f.opcode(Opcode.ENDPOINT_RESPONSE).destQp(EndpointOp.QP).op(random.nextInt(4));
        f.psn(random.nextInt(1 << 16));
      }
      case 13 -> f.probeResponse(1).ackPsnOffset(random.nextInt(1 << 16));
      default -> garbage(f, victim, port);
    }
  }

  private int reason() {
    int[] reasons = {
      NackReason.TRIMMED,
      NackReason.TRIMMED_LASTHOP,
      NackReason.NO_BITMAP,
      NackReason.NO_PKT_BUFFER,
      NackReason.NO_RESOURCE,
      NackReason.PSN_OOR_WINDOW,
      0x55
    };
    return reasons[random.nextInt(reasons.length)];
  }

  private static int last(Flow flow) {
    return flow.psn(flow.sentPackets - 1);
  }

  private static void ack(Frame f, Flow flow, int psn, int syndrome) {
    f.opcode(Opcode.TRANSPORT_ACK).psn(psn).entropy(0).spdcid(0).dpdcid(0);
    f.syndrome(syndrome).completedMsn(flow.startMsn + flow.posted & 0xffff);
  }

  private static void nack(Frame f, int psn, int reason) {
    int entropy = f.entropy();
    f.opcode(Opcode.NACK).psn(psn).cackPsn(0).rcvdBytes(0);
    f.nackPsn(psn).reason(reason).ccType(2).entropy(entropy);
  }

  private void garbage(Frame f, int victim, int port) {
    f.clear();
    envelope(f, victim, port, random.nextBoolean());
    f.opcode(random.nextInt(256)).psn(random.nextInt()).destQp(random.nextInt() | 0x80_0000);
    f.virtualAddress(random.nextLong()).rKey(random.nextInt()).dmaLength(random.nextInt());
    f.msn(random.nextInt()).rqMsn(random.nextInt()).immediate(random.nextInt());
    f.sackBitmap(random.nextLong()).rcvdBytes(random.nextInt()).payloadLength(random.nextInt());
    f.trimmed(random.nextInt(4) == 0).icrcBad(random.nextInt(4) == 0);
    if (f.opcode() == Opcode.ENDPOINT_REQUEST) {
      f.op(3);
    }
  }

  /** A packet that looks as if it might come next, with bytes that nobody posted. */
  private void data(Frame f, Flow flow, int port) {
    int victim = 1 - flow.side;
    envelope(f, victim, port, true);
    int next = Psn.plus(flow.startPsn, flow.prefix + 1 + random.nextInt(64));
    int mpr = scenario.shape().mprPackets();
    f.opcode(Opcode.WRITE_ONLY).destQp(flow.responderQp).psn(next);
    f.rKey(plan.keys[victim][flow.region]).dmaLength(64).payloadLength(64);
    f.virtualAddress(plan.regionAddress[victim][flow.region]);
    f.msn(flow.startMsn + flow.completeMessages).rqMsn(flow.startMsn).ackRequest(true);
    switch (random.nextInt(9)) {
      case 0 -> wrongSource(f, victim, port);
      case 1 -> f.destQp(0x70_0000 + random.nextInt(1 << 16));
      case 2 -> f.psn(Psn.plus(flow.startPsn, flow.prefix - 2 * mpr - 1 - random.nextInt(FAR)));
      // Beyond the window that there will be when all that was sent so far has arrived before it.
      case 3 -> f.psn(Psn.plus(flow.startPsn, flow.sentPackets + mpr + random.nextInt(FAR)));
      case 4 -> {
        f.psn(Psn.plus(flow.startPsn, flow.prefix - random.nextInt(mpr)));
        f.rtx(true);
      }
      case 5 -> f.icrcBad(true);
      case 6 -> f.opcode(0xC0 + random.nextInt(6));
      case 7 -> {
        f.clear();
        envelope(f, victim, port, true);
        f.opcode(Opcode.ENDPOINT_REQUEST).destQp(EndpointOp.QP).op(EndpointOp.EV_PROBE);
        f.psn(random.nextInt(1 << 16));
        if (random.nextBoolean()) {
          wrongSource(f, victim, port);
        }
      }
      default -> garbage(f, victim, port);
    }
  }

  /** Fills {@code f} with a lie as if from QP 0's own peer and returns the port it comes in on. */
  int poisoned(Frame f, int victim) {
    int port = random.nextInt(scenario.shape().planes());
    if (random.nextBoolean()) {
      poisonedAnswer(f, plan.flows[victim][0], port);
    } else {
      poisonedData(f, plan.flows[1 - victim][0], port);
    }
    return port;
  }

  private void poisonedAnswer(Frame f, Flow flow, int port) {
    envelope(f, flow.side, port, false);
    int some = Psn.plus(flow.startPsn, flow.sentPackets - 1 - random.nextInt(32));
    f.opcode(Opcode.SACK).destQp(flow.requestorQp);
    f.spdcid(flow.responderQp).dpdcid(flow.requestorQp).entropy(f.ev());
    f.psn(some).cackPsn(some).rcvdBytes(random.nextInt());
    switch (random.nextInt(6)) {
      case 0 -> f.mark(random.nextInt(4)).mpr(random.nextInt(256));
      case 1 -> f.sackOffset(random.nextInt(200) - 100).sackBitmap(random.nextLong());
      case 2 -> ack(f, flow, some, Syndrome.ACK);
      case 3 -> ack(f, flow, some, random.nextInt(256));
      case 4 -> nack(f, some, reason());
      default -> nack(f, some, NackReason.UNEXP_EVENT);
    }
  }

  private void poisonedData(Frame f, Flow flow, int port) {
    int victim = 1 - flow.side;
    envelope(f, victim, port, true);
    int mtu = scenario.shape().mtuBytes();
    long base = plan.regionAddress[victim][flow.region];
    long bytes = plan.regionBytes[victim][flow.region];
    f.opcode(Opcode.WRITE_FIRST + random.nextInt(6)).destQp(flow.responderQp);
    f.psn(Psn.plus(flow.startPsn, flow.prefix + 1 + random.nextInt(16)));
    f.rKey(plan.keys[victim][flow.region]).dmaLength((int) bytes).payloadLength(mtu);
    f.virtualAddress(base + random.nextLong(bytes)).msn(flow.startMsn + flow.completeMessages);
    f.rqMsn(random.nextInt()).immediate(random.nextInt()).ackRequest(random.nextBoolean());
    f.rtx(random.nextBoolean());
    switch (random.nextInt(7)) {
      case 0 -> f.rKey(random.nextInt());
      case 1 -> f.virtualAddress(base + bytes - 1 - random.nextInt(mtu));
      case 2 -> f.virtualAddress(base - 1 - random.nextInt(mtu));
      case 3 -> f.virtualAddress(-1L - random.nextInt(mtu));
      case 4 -> f.payloadLength(random.nextInt(1 << 16));
      case 5 -> f.dmaLength(random.nextInt());
      default -> f.rKey(PairPlan.KEY_NO_RIGHTS);
    }
  }
}
