package io.anabranch.tests.pair;

import static io.anabranch.tests.pair.Pair.A;
import static io.anabranch.tests.pair.Pair.B;
import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.engine.DropReason;
import io.anabranch.engine.trace.TraceEvent;
import io.anabranch.fabric.pair.PairResult;
import io.anabranch.fabric.pair.PairScenario.Knobs;
import io.anabranch.tests.pair.Pair.Sent;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.Mark;
import io.anabranch.wire.mrc.NackReason;
import io.anabranch.wire.mrc.Opcode;
import io.anabranch.wire.mrc.Psn;
import io.anabranch.wire.mrc.Syndrome;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** The traps that mrc-protocol lists, as far as they show outside. */
class TrapsTest {
  private static final long WHEN_NS = 300_000;
  private static final long RTT_NS = 12_000;

  /** Hands A a forged frame in the middle of a run and returns the run. */
  private static Pair lie(DropReason expected, BiConsumer<Pair, Frame> forge) {
    Pair pair = new Pair(Pair.knobs());
    long[] before = {0};
    pair.harness.at(
        WHEN_NS,
        () -> {
          before[0] = pair.harness.engine(A).drops(expected);
          Frame f = pair.fromB(0);
          forge.accept(pair, f);
          pair.harness.forge(A, 0, f);
          assertThat(pair.harness.engine(A).drops(expected)).isEqualTo(before[0] + 1);
        });
    PairResult result = pair.harness.run();
    assertThat(result.retransmitted()).as("a lie changes nothing").isZero();
    assertThat(pair.events(A, TraceEvent.EV_STATE)).isEmpty();
    return pair;
  }

  private static Frame sack(Pair pair, Frame f, int cack) {
    f.opcode(Opcode.SACK).psn(cack).cackPsn(cack).entropy(f.ev());
    return f.spdcid(pair.harness.qp(B, 0)).dpdcid(pair.harness.qp(A, 0));
  }

  private static int acked(Pair pair) {
    return pair.harness.snapshot(A, 0).cackPsn();
  }

  private static int next(Pair pair) {
    return pair.harness.snapshot(A, 0).nextPsn();
  }

  @Test
  void aSackForPsnsNeverSent() {
    lie(DropReason.BOGUS_SACK, (pair, f) -> sack(pair, f, Psn.plus(next(pair), 5)));
  }

  @Test
  void aBitmapBeyondWhatWasSent() {
    lie(
        DropReason.BOGUS_SACK,
        (pair, f) -> sack(pair, f, acked(pair)).sackOffset(30_000).sackBitmap(1));
  }

  @Test
  void aReservedMark() {
    lie(DropReason.BOGUS_SACK, (pair, f) -> sack(pair, f, acked(pair)).mark(Mark.RESERVED));
  }

  @Test
  void connectionIdsOfAnother() {
    lie(
        DropReason.BAD_CONNECTION_ID,
        (pair, f) -> sack(pair, f, Psn.plus(next(pair), -1)).spdcid(0x1111));
  }

  @Test
  void anAddressOfAnother() {
    lie(
        DropReason.WRONG_SOURCE,
        (pair, f) -> sack(pair, f, Psn.plus(next(pair), -1)).src(f.srcHi(), f.srcLo() + 7));
  }

  @Test
  void aQueuePairThatIsNotThere() {
    lie(DropReason.UNKNOWN_QP, (pair, f) -> sack(pair, f, acked(pair)).destQp(0x70_0000));
  }

  @Test
  void aTransportAckForPsnsNeverSent() {
    lie(
        DropReason.BOGUS_ACK,
        (pair, f) ->
            f.opcode(Opcode.TRANSPORT_ACK).psn(Psn.plus(next(pair), 3)).syndrome(Syndrome.ACK));
  }

  @Test
  void aNakForPsnsNeverSent() {
    lie(
        DropReason.BOGUS_ACK,
        (pair, f) ->
            f.opcode(Opcode.TRANSPORT_ACK)
                .psn(Psn.plus(next(pair), 3))
                .syndrome(Syndrome.NAK_REMOTE_ACCESS));
  }

  @Test
  void aNackForPsnsNeverSent() {
    lie(DropReason.BOGUS_NACK, (pair, f) -> nack(pair, f, Psn.plus(next(pair), 3)));
  }

  private static Frame nack(Pair pair, Frame f, int psn) {
    f.opcode(Opcode.NACK).psn(psn).nackPsn(psn).reason(NackReason.TRIMMED).ccType(2);
    f.entropy(f.ev()).spdcid(pair.harness.qp(B, 0)).dpdcid(pair.harness.qp(A, 0));
    return f;
  }

  @Test
  void aNackForWhatHasArrived() {
    lie(DropReason.OLD_NACK, (pair, f) -> nack(pair, f, acked(pair)));
  }

  @Test
  void anAnswerThatNobodyAskedFor() {
    lie(
        DropReason.UNKNOWN_ANSWER,
        (pair, f) -> f.opcode(Opcode.ENDPOINT_RESPONSE).destQp(2).psn(0x1234));
  }

  @Test
  void aWrongIcrc() {
    lie(DropReason.BAD_ICRC, (pair, f) -> sack(pair, f, Psn.plus(next(pair), -1)).icrcBad(true));
  }

  @Test
  void anOpcodeOfNobody() {
    lie(DropReason.UNKNOWN_OPCODE, (pair, f) -> f.opcode(0x55));
  }

  @Test
  void aNackForAnOlderCopyChangesNothing() {
    Pair pair = new Pair(Pair.knobs());
    int psn = 600;
    pair.lose(A, 1, Pair.packet(psn));
    boolean[] done = {false};
    pair.trouble((side, port, f, now) -> {
      if (side == A && Pair.isWrite(f) && f.psn() == psn && f.rtx() && !done[0]) {
        done[0] = true;
        pair.harness.at(
            now + 1_000,
            () -> {
              Sent first = pair.sent.stream().filter(s -> s.psn() == psn).findFirst().orElseThrow();
              Frame n = nack(pair, pair.fromB(0), psn).entropy(first.ev());
              pair.harness.forge(A, 0, n.timestamp((int) (first.atNs() >> 7)));
            });
      }
      return 0;
    });
    pair.harness.run();
    assertThat(pair.harness.engine(A).drops(DropReason.OLD_NACK)).isEqualTo(1);
    assertThat(pair.harness.copies(A, 0)[psn]).isEqualTo(2);
  }

  @Test
  void everyCounterWraps() {
    Knobs k = Pair.knobs();
    // 4.4 GB: rcvd_bytes passes 2^24 · 256 bytes; the clock passes 2^16 · 128 ns many times.
    k.messages = 70;
    k.minBytes = 63 << 20;
    k.maxBytes = 63 << 20;
    k.immediatePercent = 100;
    k.virtual = true;
    k.mtuBytes = 8192;
    k.windowBytes = 1 << 20;
    k.rateBytesPerSecond = 50_000_000_000L;
    k.startPsn = (1 << 24) - 300_000;
    k.startMsn = (1 << 16) - 35;
    k.toB.loss = 0.0005;
    Pair pair = new Pair(k);
    pair.quiet();
    PairResult result = pair.harness.run();
    assertThat(result.dataPackets() * 8192L).isGreaterThan(1L << 32);
    assertThat(result.completions()).isEqualTo(140);
  }

  /** Pair harness seed 405307: una moves over packets that only bitmaps have shown. */
  @Test
  void noPsnBeyondTheToldCackAndMprThoughBitmapsShowWhatCameBefore() {
    Knobs k = Pair.knobs();
    k.minBytes = 16 << 20;
    k.maxBytes = 16 << 20;
    Pair pair = new Pair(k);
    long heldNs = 3_000_000;
    int[] first = {-1};
    pair.trouble((side, port, f, now) -> {
      if (side == A && Pair.isWrite(f) && first[0] < 0) {
        first[0] = f.psn();
      }
      if (side == A || now > heldNs || first[0] < 0) {
        return 0;
      }
      if (f.opcode() == Opcode.SACK) {
        tellLess(f, Psn.plus(first[0], -1));
      }
      return f.opcode() == Opcode.TRANSPORT_ACK ? -1 : 0;
    });
    pair.harness.run();
    int mpr = pair.harness.snapshot(A, 0).mprPackets();
    int farthest = 0;
    for (Sent s : pair.sent) {
      if (s.atNs() <= heldNs && Opcode.isWrite(s.opcode())) {
        farthest = Math.max(farthest, Psn.ahead(s.psn(), first[0]));
      }
    }
    assertThat(farthest).as("packets cack + 1 … cack + MPR").isEqualTo(mpr - 1);
    assertThat(pair.harness.snapshot(A, 0).cackPsn())
        .as("all told in the end")
        .isEqualTo(next(pair) - 1 & 0xff_ffff);
  }

  /**
   * What was sent has all arrived and is known to; but cack, which opens the window, was not told.
   */
  @Test
  void probesAskForCackWhenBitmapsHaveShownAllThatWasSent() {
    Knobs k = Pair.knobs();
    k.minBytes = 16 << 20;
    k.maxBytes = 16 << 20;
    Pair pair = new Pair(k);
    long shownNs = 2_000_000;
    long heldNs = 3_000_000;
    int told = Psn.plus(k.startPsn, -1);
    Frame latest = new Frame();
    int[] on = {0};
    pair.trouble((side, port, f, now) -> {
      if (side == A || now > heldNs) {
        return 0;
      }
      if (f.opcode() == Opcode.SACK) {
        tellLess(f, told);
        if (f.probeResponse() == 0) {
          latest.copy(f);
          on[0] = port;
        }
      }
      return f.opcode() == Opcode.TRANSPORT_ACK ? -1 : 0;
    });
    Runnable show =
        () -> {
          for (int i = 0; i < k.mprPackets / 64; i++) {
            Frame f = new Frame().copy(latest).sackOffset(1 + 64 * i).sackBitmap(-1L);
            pair.harness.forge(A, on[0], f);
          }
        };
    // The first time opens the congestion window for what is left below cack + 1 + MPR.
    pair.harness.at(shownNs - 20 * RTT_NS, show);
    pair.harness.at(shownNs, show);
    pair.harness.at(
        shownNs + RTT_NS,
        () -> {
          assertThat(next(pair)).isEqualTo(Psn.plus(k.startPsn, k.mprPackets));
          assertThat(acked(pair)).isEqualTo(Psn.plus(k.startPsn, k.mprPackets - 1));
        });
    pair.harness.run();
    assertThat(pair.sent)
        .anyMatch(
            s -> s.opcode() == Opcode.PROBE && s.atNs() > shownNs + RTT_NS && s.atNs() < heldNs);
    Sent onward =
        pair.sent.stream()
            .filter(s -> s.psn() == Psn.plus(k.startPsn, k.mprPackets))
            .findFirst()
            .orElseThrow();
    assertThat(onward.atNs()).isGreaterThan(heldNs);
  }

  /** A SACK that names an older cack and the same packets. */
  private static void tellLess(Frame f, int told) {
    int late = Psn.ahead(f.cackPsn(), told);
    if (f.probeResponse() == 0) {
      f.ackPsnOffset(f.ackPsnOffset() + late);
    }
    f.sackOffset(f.sackOffset() + late).psn(told).cackPsn(told);
  }
}
