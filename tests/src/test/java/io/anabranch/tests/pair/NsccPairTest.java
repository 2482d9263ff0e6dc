package io.anabranch.tests.pair;

import static io.anabranch.tests.pair.Pair.A;
import static io.anabranch.tests.pair.Pair.B;
import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.engine.Command;
import io.anabranch.engine.CommandResult;
import io.anabranch.engine.config.NsccConfig;
import io.anabranch.fabric.pair.PairScenario.Knobs;
import io.anabranch.wire.mrc.Opcode;
import io.anabranch.wire.mrc.Psn;
import org.junit.jupiter.api.Test;

/** NSCC between two engines on an undisturbed link, as far as it takes both. */
class NsccPairTest {
  private static final long RATE = 40_000_000_000L;

  /** 1.5 BDPs of 40 Gb/s and 12 us. */
  private static final long MAX_WND = 90_000;

  private static final int MTU = 1024;

  /** What a packet counts as: payload, UDP length's headers and extensions, 40. */
  private static final int LEAST_NOMINAL = MTU + 40 + 8 + 12;

  private static final int MOST_NOMINAL = LEAST_NOMINAL + 64;
  private static final int SACK_BYTES = 16 << 10;
  private static final long PENALTY_NS = 400_000;

  private static Knobs knobs() {
    Knobs k = Pair.knobs();
    k.windowBytes = 1 << 20;
    k.nscc = NsccConfig.of(RATE, MTU, true, true);
    return k;
  }

  private static long cwnd(Pair pair) {
    return pair.harness.snapshot(A, 0).cwndBytes();
  }

  private static int acked(Pair pair, int from) {
    return Psn.ahead(pair.harness.snapshot(A, 0).cackPsn(), from);
  }

  /**
   * Penalty 64 of 128: half of every byte acknowledged goes, and what was not in flight at once.
   */
  @Test
  void aReceiversPenaltyHalvesTheWindowPerWindowAcknowledged() {
    Pair pair = new Pair(knobs());
    int[] sacks = {0};
    pair.trouble((side, port, f, now) -> {
      sacks[0] += f.opcode() == Opcode.SACK ? 1 : 0;
      return 0;
    });
    pair.harness.at(PENALTY_NS, () -> penalise(pair, 64));
    pair.harness.runUntil(PENALTY_NS);
    // max_wnd follows the least RTT, which is at least twice 5 us.
    long maxWnd = cwnd(pair);
    assertThat(maxWnd).isBetween(MAX_WND * 10 / 12, MAX_WND);
    long nowNs = PENALTY_NS;
    while (cwnd(pair) >= maxWnd) {
      pair.harness.runUntil(nowNs += 100);
    }
    // One SACK has been taken in: counted from there.
    long windowBytes = cwnd(pair);
    int from = pair.harness.snapshot(A, 0).cackPsn();
    int before = sacks[0];
    while (acked(pair, from) * (long) LEAST_NOMINAL < windowBytes) {
      pair.harness.runUntil(nowNs += 100);
    }
    long ackedBytes = acked(pair, from) * (long) MOST_NOMINAL;
    assertThat(cwnd(pair)).isLessThanOrEqualTo((windowBytes + SACK_BYTES) / 2);
    // The sender stops up to a packet below its window, which the next SACK makes of it.
    long slack = (sacks[0] - before + 1L) * MOST_NOMINAL;
    assertThat(cwnd(pair))
        .as("after %s SACKs", sacks[0] - before)
        .isGreaterThanOrEqualTo(windowBytes - ackedBytes / 2 - slack);
  }

  /** It ends at one packet at a time, and grows again when the penalty is gone. */
  @Test
  void aPenaltyThatStaysLeavesOnePacketAndOneThatGoesIsGrownOutOf() {
    Pair pair = new Pair(knobs());
    pair.harness.at(PENALTY_NS, () -> penalise(pair, 127));
    pair.harness.at(2 * PENALTY_NS, () -> penalise(pair, 0));
    pair.harness.runUntil(2 * PENALTY_NS);
    assertThat(cwnd(pair)).isEqualTo(MTU);
    pair.harness.runUntil(4 * PENALTY_NS);
    assertThat(cwnd(pair)).isGreaterThan(MAX_WND / 2);
    pair.harness.run();
    assertThat(pair.harness.done()).isTrue();
  }

  private static void penalise(Pair pair, int penalty) {
    assertThat(
            pair.harness
                .engine(B)
                .submit(new Command.ReceiverPenalty(penalty), pair.harness.nowNs()))
        .isEqualTo(CommandResult.OK);
  }

  /** A sender with less to send than the window allows keeps the window. */
  @Test
  void aSenderThatTheApplicationLimitsKeepsItsWindow() {
    Knobs k = knobs();
    k.messages = 200;
    k.minBytes = 4096;
    k.maxBytes = 4096;
    k.postGapNs = 20_000;
    Pair pair = new Pair(k);
    for (int us = 100; us < 4000; us += 100) {
      pair.harness.runUntil(us * 1000L);
      assertThat(cwnd(pair)).isBetween(MAX_WND - 200, MAX_WND);
    }
    pair.harness.run();
    assertThat(pair.harness.done()).isTrue();
  }
}
