package io.anabranch.tests.pair;

import static io.anabranch.tests.pair.Pair.A;
import static io.anabranch.tests.pair.Pair.ASSUMED_BAD;
import static io.anabranch.tests.pair.Pair.B;
import static io.anabranch.tests.pair.Pair.DENIED;
import static io.anabranch.tests.pair.Pair.GOOD;
import static io.anabranch.tests.pair.Pair.SKIP;
import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.engine.Command;
import io.anabranch.engine.CommandResult;
import io.anabranch.engine.QpSnapshot;
import io.anabranch.engine.trace.TraceEvent;
import io.anabranch.engine.trace.TraceEvent.LossCause;
import io.anabranch.fabric.pair.PairScenario.Fault;
import io.anabranch.fabric.pair.PairScenario.Knobs;
import io.anabranch.tests.pair.Pair.Seen;
import io.anabranch.tests.pair.Pair.Sent;
import io.anabranch.wire.mrc.DscpMap;
import io.anabranch.wire.mrc.EndpointOp;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.Mark;
import io.anabranch.wire.mrc.NackReason;
import io.anabranch.wire.mrc.Opcode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** One test for each row of the table in mrc-protocol, Path selection, and for what it lists. */
class PathSelectionTest {
  private static final int CE = 3;
  private static final long RTT_NS = 12_000;

  /** A packet in the middle of the run, when the window is full and RTTs are known. */
  private static final int SOME = 600;

  private static List<Integer> transitions(Pair pair, int ev) {
    return pair.states(ev).stream().map(s -> (int) s.c()).toList();
  }

  @Test
  void sackWithSkipOnceBypassesTheEvForARotation() {
    Pair pair = new Pair(Pair.knobs());
    pair.change(A, 1, Pair.packet(SOME), f -> f.ecn(CE));
    pair.harness.run();
    int ev = pair.evOf(SOME);
    assertThat(transitions(pair, ev)).containsExactly(SKIP, GOOD);
    assertThat(pair.events(A, TraceEvent.EV_STATE)).as("no other EV").hasSize(2);
  }

  @Test
  void nackTrimmedBypassesTheEvForARotation() {
    Pair pair = new Pair(Pair.knobs());
    pair.change(A, 1, Pair.packet(SOME), f -> trim(f, DscpMap.DEFAULT.trimmed()));
    pair.harness.run();
    assertThat(transitions(pair, pair.evOf(SOME))).containsExactly(SKIP, GOOD);
    assertThat(pair.harness.copies(A, 0)[SOME]).isEqualTo(2);
  }

  private static void trim(Frame f, int dscp) {
    f.trimmed(true).dscp(dscp);
  }

  @Test
  void nackTrimmedLastHopLeavesThePathAlone() {
    Pair pair = new Pair(Pair.knobs());
    pair.change(A, 20, Pair::isWrite, f -> trim(f, DscpMap.DEFAULT.trimmedLastHop()));
    pair.harness.run();
    assertThat(pair.events(B, TraceEvent.NACK_SENT)).isNotEmpty();
    assertThat(pair.events(A, TraceEvent.EV_STATE)).isEmpty();
  }

  @Test
  void nackNoPacketBufferLeavesThePathAlone() {
    Pair pair = new Pair(Pair.knobs());
    pair.change(A, 20, f -> Pair.isWrite(f) && f.psn() >= SOME, f -> f.noBuffer(true));
    pair.harness.run();
    assertThat(pair.events(A, TraceEvent.NACK_RECEIVED)).isNotEmpty();
    assertThat(pair.events(A, TraceEvent.EV_STATE)).isEmpty();
  }

  @Test
  void nackOutOfWindowLeavesThePathAlone() {
    Pair pair = new Pair(Pair.knobs());
    pair.harness.at(300_000, () -> forgeNack(pair, NackReason.PSN_OOR_WINDOW));
    pair.harness.run();
    assertThat(pair.events(A, TraceEvent.EV_STATE)).isEmpty();
  }

  private static void forgeNack(Pair pair, int reason) {
    Sent last = pair.sent.getLast();
    Frame f = pair.fromB(last.port());
    f.opcode(Opcode.NACK).psn(last.psn()).nackPsn(last.psn()).reason(reason).ccType(2);
    f.entropy(last.ev()).spdcid(pair.harness.qp(B, 0)).dpdcid(pair.harness.qp(A, 0));
    pair.harness.forge(A, last.port(), f);
  }

  @Test
  void aCopyOvertakenOnItsEvIsLostAndABackupReplacesTheEv() {
    Knobs k = Pair.knobs();
    // Few EVs: each comes round again soon, before the reorder window ends.
    k.evActive = 4;
    k.evsPerPlane = 3;
    Pair pair = new Pair(k);
    pair.lose(A, 1, Pair.packet(SOME));
    pair.harness.run();
    assertDemotedAndReplaced(pair, LossCause.LATER_ON_EV);
  }

  @Test
  void aCopyOvertakenByTheReorderWindowIsLostAndABackupReplacesTheEv() {
    Knobs k = Pair.knobs();
    k.evsPerPlane = 200;
    k.evActive = 600;
    Pair pair = new Pair(k);
    pair.lose(A, 1, Pair.packet(SOME));
    pair.harness.run();
    assertDemotedAndReplaced(pair, LossCause.REORDER);
  }

  private static void assertDemotedAndReplaced(Pair pair, LossCause cause) {
    int ev = pair.evOf(SOME);
    Seen lost = pair.events(A, TraceEvent.LOST).getFirst();
    assertThat(lost.a()).isEqualTo(SOME);
    assertThat(lost.c()).isEqualTo(cause.ordinal());
    assertThat(transitions(pair, ev)).startsWith(ASSUMED_BAD);
    // Reaction: about 2.3 RTT after the loss (reorder + one RTT).
    long sentNs = pair.sent.stream().filter(s -> s.psn() == SOME).findFirst().orElseThrow().atNs();
    assertThat(lost.atNs() - sentNs).isLessThan(4 * RTT_NS);
    // A backup of the same plane stepped in: the plane keeps its number in rotation.
    QpSnapshot snapshot = pair.harness.snapshot(A, 0);
    for (QpSnapshot.Plane plane : snapshot.planes()) {
      assertThat(plane.active()).isEqualTo(snapshot.planes().getFirst().active());
    }
  }

  @Test
  void aLostTailIsFoundByAProbe() {
    Knobs k = Pair.knobs();
    k.minBytes = 1_048_576;
    k.maxBytes = 1_048_576;
    Pair pair = new Pair(k);
    int last = 1023;
    pair.lose(A, 1, Pair.packet(last));
    pair.harness.run();
    Seen lost = pair.events(A, TraceEvent.LOST).getFirst();
    assertThat(lost.a()).isEqualTo(last);
    assertThat(lost.c()).isEqualTo(LossCause.PROBE.ordinal());
    assertThat(transitions(pair, pair.evOf(last))).startsWith(ASSUMED_BAD);
    assertThat(pair.harness.snapshot(A, 0).expiries()).isZero();
  }

  @Test
  void sackWithAlwaysSkipDemotesTheEv() {
    Pair pair = new Pair(Pair.knobs());
    int[] marked = {0};
    pair.change(
        B,
        1,
        f -> f.opcode() == Opcode.SACK && f.cackPsn() >= SOME && f.cackPsn() < 1 << 20,
        f -> {
          f.mark(Mark.ALWAYS_SKIP);
          marked[0] = f.entropy();
        });
    pair.harness.run();
    assertThat(transitions(pair, marked[0])).startsWith(ASSUMED_BAD);
    assertThat(pair.demotions()).isEqualTo(1);
  }

  @Test
  void threeAnsweredProbesBringAnEvBackAndTwiceAsManyTheNextTime() {
    Knobs k = Pair.knobs();
    k.minBytes = 16 << 20;
    k.maxBytes = 16 << 20;
    // No backups, so that the EV is in rotation as soon as it is back.
    k.evsPerPlane = 16;
    Pair pair = new Pair(k);
    pair.lose(A, 1, Pair.packet(SOME));
    // The second loss on the same EV, once it is back.
    boolean[] again = {true};
    pair.trouble((side, port, f, now) -> {
      if (side == A
          && again[0]
          && Pair.isWrite(f)
          && f.psn() > SOME
          && now > 100_000
          && f.ev() == pair.evOf(SOME)
          && transitions(pair, f.ev()).contains(GOOD)) {
        again[0] = false;
        return -1;
      }
      return 0;
    });
    pair.harness.run();
    int ev = pair.evOf(SOME);
    List<Seen> states = pair.states(ev);
    assertThat(states.stream().map(Seen::c)).startsWith(2L, 0L, 2L, 0L);
    assertThat(answered(pair, ev, states.get(0).atNs(), states.get(1).atNs())).isEqualTo(3);
    assertThat(answered(pair, ev, states.get(2).atNs(), states.get(3).atNs())).isEqualTo(6);
  }

  private static long answered(Pair pair, int ev, long fromNs, long toNs) {
    return pair.events(A, TraceEvent.PROBE_ANSWERED).stream()
        .filter(s -> (int) s.c() == ev && s.atNs() > fromNs && s.atNs() <= toNs)
        .count();
  }

  @Test
  void aMarkedProbeCountsAsASuccess() {
    Knobs k = Pair.knobs();
    k.minBytes = 8 << 20;
    k.maxBytes = 8 << 20;
    Pair pair = new Pair(k);
    pair.lose(A, 1, Pair.packet(SOME));
    pair.change(A, 1000, f -> f.opcode() == Opcode.PROBE, f -> f.ecn(CE));
    pair.harness.run();
    int ev = pair.evOf(SOME);
    List<Seen> states = pair.states(ev);
    assertThat(states.stream().map(Seen::c)).startsWith(2L, 0L);
    assertThat(answered(pair, ev, states.get(0).atNs(), states.get(1).atNs())).isEqualTo(3);
  }

  @Test
  void anUnansweredProbeBeginsTheTestAnew() {
    Knobs k = Pair.knobs();
    k.minBytes = 8 << 20;
    k.maxBytes = 8 << 20;
    Pair pair = new Pair(k);
    pair.lose(A, 1, Pair.packet(SOME));
    int[] probes = {0};
    pair.trouble((side, port, f, now) ->
        side == A && f.opcode() == Opcode.PROBE && f.ev() == pair.evOf(SOME) && ++probes[0] == 3
            ? -1
            : 0);
    pair.harness.run();
    int ev = pair.evOf(SOME);
    List<Seen> states = pair.states(ev);
    assertThat(states.stream().map(Seen::c)).startsWith(2L, 0L);
    assertThat(answered(pair, ev, states.get(0).atNs(), states.get(1).atNs())).isEqualTo(2 + 3);
  }

  @Test
  void theControllerDeniesAndLifts() {
    Pair pair = new Pair(Pair.knobs());
    int ev = pair.harness.evs(A).ev(0);
    pair.harness.at(200_000, () -> deny(pair, true));
    pair.harness.at(500_000, () -> deny(pair, false));
    pair.harness.run();
    assertThat(transitions(pair, ev)).containsExactly(DENIED, GOOD);
    assertThat(pair.sent.stream().filter(s -> s.ev() == ev && s.port() == 0))
        .noneMatch(s -> s.atNs() > 200_000 && s.atNs() < 500_000)
        .anyMatch(s -> s.atNs() <= 200_000);
  }

  private static void deny(Pair pair, boolean denied) {
    CommandResult result =
        pair.harness
            .engine(A)
            .submit(new Command.SetEvState(pair.harness.qp(A, 0), 0, denied), pair.harness.nowNs());
    assertThat(result).isEqualTo(CommandResult.OK);
  }

  @Test
  void thePeersPortStatusTakesAPlaneOutAndBack() {
    Knobs k = Pair.knobs();
    k.fault(200_000, Fault.Kind.PORT_DOWN, B, 2, 300_000);
    Pair pair = new Pair(k);
    pair.harness.run();
    List<Seen> told = pair.events(A, TraceEvent.PORT_STATUS);
    assertThat(told.getFirst().a()).isEqualTo(0b1011);
    assertThat(told.getLast().a()).isEqualTo(0b1111);
    assertThat(pair.perPlane(told.getFirst().atNs(), told.getLast().atNs())[2]).isZero();
    assertThat(pair.perPlane(told.getLast().atNs(), Long.MAX_VALUE)[2]).isPositive();
  }

  @Test
  void aLostPortIsLeftAtOnceAndItsCopiesCountAsLostOneRttLater() {
    Knobs k = Pair.knobs();
    k.fault(200_000, Fault.Kind.PORT_DOWN, A, 3, 300_000);
    Pair pair = new Pair(k);
    pair.harness.run();
    assertThat(pair.perPlane(200_000, 500_000)[3]).isZero();
    assertThat(pair.perPlane(500_001, Long.MAX_VALUE)[3]).isPositive();
    List<Seen> lost = pair.losses(LossCause.PORT_DOWN);
    assertThat(lost).isNotEmpty();
    for (Seen s : lost) {
      assertThat(s.atNs()).isBetween(200_000 + RTT_NS / 2, 200_000 + 4 * RTT_NS);
    }
  }

  @Test
  void aPortStatusUpdateIsRepeatedUntilAnswered() {
    Knobs k = Pair.knobs();
    k.fault(200_000, Fault.Kind.PORT_DOWN, A, 3, 10_000_000);
    Pair pair = new Pair(k);
    pair.lose(
        B, 1000, f -> f.opcode() == Opcode.ENDPOINT_RESPONSE && f.op() == EndpointOp.PORT_STATUS);
    List<Long> times = new ArrayList<>();
    pair.trouble((side, port, f, now) -> {
      if (side == A && f.opcode() == Opcode.ENDPOINT_REQUEST && f.op() == EndpointOp.PORT_STATUS) {
        times.add(now);
      }
      return 0;
    });
    pair.harness.run();
    // At once, then per RTT three times, then backing off.
    assertThat(times.size()).isBetween(5, 40);
    assertThat(times.getFirst()).isBetween(200_000L, 200_000 + RTT_NS / 2);
    for (int i = 1; i < times.size(); i++) {
      long gapNs = times.get(i) - times.get(i - 1);
      if (i <= 3) {
        assertThat(gapNs).isBetween(RTT_NS / 2, 2 * RTT_NS);
      } else {
        assertThat(gapNs).isGreaterThan((times.get(i - 1) - times.get(i - 2)) * 3 / 2);
      }
    }
  }

  @Test
  void aMaskWithoutACommonPortIsIgnored() {
    Pair pair = new Pair(Pair.knobs());
    pair.harness.at(
        200_000,
        () -> {
          Frame f = pair.fromB(1);
          f.opcode(Opcode.ENDPOINT_REQUEST).destQp(EndpointOp.QP).op(EndpointOp.PORT_STATUS);
          f.portStatusMask(0xf0);
          pair.harness.forge(A, 1, f);
        });
    pair.harness.run();
    assertThat(pair.harness.engine(A).drops(io.anabranch.engine.DropReason.BOGUS_PORT_MASK))
        .isEqualTo(1);
    assertThat(Arrays.stream(pair.perPlane(250_000, Long.MAX_VALUE)).limit(4)).allMatch(n -> n > 0);
  }

  @Test
  void planesAreLoadedEquallyWhateverTheOrderOfAsking() {
    Knobs k = Pair.knobs();
    k.fixedAskOrder = true;
    // Less than what keeps the ports busy: without balance the first port would take it all.
    k.windowBytes = 8 << 10;
    Pair pair = new Pair(k);
    pair.harness.run();
    long[] n = pair.perPlane(0, Long.MAX_VALUE);
    for (int p = 1; p < 4; p++) {
      assertThat(Math.abs(n[p] - n[0])).isLessThanOrEqualTo(8);
    }
  }

  /** Pair harness seed 509548: copies that may not go where the last went leave one plane only. */
  @Test
  void copiesThatCannotUseAPlanesOnlyEvGoRoundItAndThePlaneCatchesUp() {
    Knobs k = Pair.knobs();
    k.planes = 2;
    k.evsPerPlane = 1;
    k.evActive = 4;
    Pair pair = new Pair(k);
    int refused = 60;
    pair.change(
        A,
        refused,
        f -> Pair.isWrite(f) && f.psn() >= 100 && pair.portOfEv(f.ev()) == 1,
        f -> f.noBuffer(true));
    // All are refused at once, before anything newer is known: then no path is to blame.
    long[] toldNs = {Long.MAX_VALUE / 2};
    pair.trouble((side, port, f, now) -> {
      if (side == A) {
        return 0;
      }
      boolean nack = f.opcode() == Opcode.NACK;
      toldNs[0] = nack ? Math.min(toldNs[0], now + 6 * RTT_NS) : toldNs[0];
      long untilNs = nack ? toldNs[0] : toldNs[0] + RTT_NS;
      return toldNs[0] - now > 6 * RTT_NS ? 0 : Math.max(0, untilNs - now);
    });
    pair.harness.run();
    List<Sent> copies = pair.sent.stream().filter(Sent::rtx).toList();
    assertThat(copies).hasSize(refused).allMatch(s -> s.port() == 0);
    long[] n = pair.perPlane(0, Long.MAX_VALUE);
    assertThat(Math.abs(n[0] - n[1])).isLessThanOrEqualTo(2);
    assertThat(pair.demotions()).isZero();
  }

  @Test
  void theActiveSetIsAsLargeAsAskedFor() {
    Knobs k = Pair.knobs();
    k.evActive = 16;
    Pair pair = new Pair(k);
    pair.harness.run();
    Set<Integer> used = new HashSet<>();
    pair.sent.forEach(s -> used.add(s.ev()));
    assertThat(used).hasSize(16);
  }

  @Test
  void rotationsHaveAnOrderOfTheirOwn() {
    Knobs k = Pair.knobs();
    k.planes = 1;
    k.evsPerPlane = 8;
    k.evActive = 8;
    Pair pair = new Pair(k);
    pair.harness.run();
    Set<List<Integer>> orders = new HashSet<>();
    for (int i = 0; i + 8 <= 800; i += 8) {
      List<Integer> order = pair.sent.subList(i, i + 8).stream().map(Sent::ev).toList();
      assertThat(new HashSet<>(order)).as("each EV once a rotation").hasSize(8);
      orders.add(order);
    }
    assertThat(orders.size()).isGreaterThan(90);
  }

  @Test
  void belowTheMinimumNoMoreEvsGoBad() {
    Knobs k = Pair.knobs();
    k.planes = 1;
    k.evsPerPlane = 4;
    k.evActive = 4;
    k.evMinActive = 4;
    Pair pair = new Pair(k);
    for (int i = 0; i < 8; i++) {
      pair.lose(A, 1, Pair.packet(SOME + 40 * i));
    }
    pair.harness.run();
    for (int at = 0; at < pair.seen.size(); at++) {
      Seen s = pair.seen.get(at);
      assertThat(s.event() == TraceEvent.EV_STATE && s.c() == ASSUMED_BAD).isFalse();
    }
  }

  @Test
  void allEvsInSkipStillCarryTraffic() {
    Knobs k = Pair.knobs();
    k.toB.mark = 1;
    Pair pair = new Pair(k);
    assertThat(pair.harness.run().retransmitted()).isZero();
    long[] n = pair.perPlane(0, Long.MAX_VALUE);
    assertThat(Arrays.stream(n).limit(4).min().orElseThrow()).isGreaterThan(900);
  }
}
