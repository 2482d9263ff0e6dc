package io.anabranch.engine.cc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.anabranch.engine.RttEstimate;
import io.anabranch.engine.config.CcConfig;
import io.anabranch.engine.config.NsccConfig;
import io.anabranch.engine.config.NsccConfig.Gains;
import org.junit.jupiter.api.Test;

/**
 * NSCC's rules one by one (UET 1.0, 3.6.13). Expected values are worked out here from the rules.
 * The network is the one that the reference gains are given for, 100 Gb/s and 12 µs, so a = 1 and
 * BDP = 150,000 bytes.
 */
class NsccTest {
  private static final long RATE = 100_000_000_000L;
  private static final long BASE_NS = 12_000;
  private static final long BDP = 150_000;
  private static final long MAX_WND = 225_000;
  private static final int MTU = 4000;
  private static final long TARGET_TRIM_NS = 9_000;
  private static final long TARGET_NS = 12_000;
  private static final double GAIN = 0.0125;

  /** What the first SACK and then each adjust_period adds: 0.15 MTUs. */
  private static final int ETA = 600;

  private RttEstimate rtt = new RttEstimate(BASE_NS, 0, 10_000_000_000L);
  private long nowNs = 1_000_000;

  private Nscc nscc(boolean trimming, boolean marking) {
    return nscc(NsccConfig.of(RATE, MTU, trimming, marking));
  }

  private Nscc nscc(NsccConfig config) {
    return new Nscc(config, BASE_NS, rtt);
  }

  /** A controller that has taken in one SACK without news, so that its clocks run. */
  private Nscc started(boolean trimming, boolean marking) {
    Nscc cc = nscc(trimming, marking);
    sack(cc, 0, TARGET_NS, true);
    return cc;
  }

  private void sack(Nscc cc, long newBytes, long delayNs, boolean marked) {
    sack(cc, newBytes, delayNs, marked, 0, false);
  }

  private void sack(
      Nscc cc, long newBytes, long delayNs, boolean marked, int penalty, boolean restore) {
    long rttNs = BASE_NS + delayNs;
    rtt.sample(rttNs, nowNs);
    cc.onSack(newBytes, rttNs, marked, penalty, restore, nowNs);
  }

  /** Fills the window with packets of one MTU and asks for one more. */
  private static int fill(Nscc cc) {
    int n = 0;
    while (cc.maySend(MTU)) {
      cc.onSend(MTU);
      n++;
    }
    return n;
  }

  /** A window of that size, by losses. */
  private void shrinkTo(Nscc cc, long cwndBytes) {
    cc.onSend((int) (cc.cwndBytes() - cwndBytes));
    cc.onLoss((int) (cc.cwndBytes() - cwndBytes), nowNs);
    assertThat(cc.cwndBytes()).isEqualTo(cwndBytes);
  }

  // ---------------------------------------------------------------- start and sending

  @Test
  void startsAtOneAndAHalfBdp() {
    assertThat(nscc(true, true).cwndBytes()).isEqualTo(BDP * 3 / 2).isEqualTo(MAX_WND);
  }

  @Test
  void maxWndIsLimitedByConfigurationAndAtLeastOneMtu() {
    NsccConfig config = NsccConfig.of(RATE, MTU, true, true);
    assertThat(nscc(config.withMaxWndBytes(100_000)).cwndBytes()).isEqualTo(100_000);
    assertThat(nscc(config.withMaxWndBytes(1)).cwndBytes()).isEqualTo(MTU);
    Nscc slow = nscc(NsccConfig.of(1_000_000, MTU, true, true));
    assertThat(slow.cwndBytes()).as("1.5 BDP are 2 bytes").isEqualTo(MTU);
  }

  @Test
  void sendsUntilTheWindowIsFull() {
    Nscc cc = nscc(true, true);
    assertThat(fill(cc)).isEqualTo((int) (MAX_WND / MTU));
    assertThat(cc.inflightBytes()).isEqualTo(MAX_WND / MTU * MTU);
    cc.onArrived(MTU);
    assertThat(cc.maySend(MTU)).isTrue();
  }

  @Test
  void withNothingOutstandingOnePacketMayAlwaysGo() {
    Nscc cc = nscc(NsccConfig.of(RATE, MTU, true, true).withMaxWndBytes(1));
    assertThat(cc.maySend(MTU + 100)).isTrue();
    cc.onSend(MTU + 100);
    assertThat(cc.maySend(1)).isFalse();
    cc.onAbandon(MTU + 100);
    assertThat(cc.inflightBytes()).isZero();
    assertThat(cc.maySend(MTU + 100)).isTrue();
  }

  // ---------------------------------------------------------------- increase

  /** inc = fi · new with fi = 5 · MTU; beyond 8 MTUs cwnd grows by inc / cwnd. */
  @Test
  void fairIncreaseWithoutMarkAtOrAboveTarget() {
    Nscc cc = started(true, true);
    shrinkTo(cc, 100_000);
    sack(cc, 8 * MTU, TARGET_TRIM_NS, false);
    assertThat(cc.cwndBytes()).as("not more than 8 MTUs yet").isEqualTo(100_000);
    sack(cc, MTU, TARGET_TRIM_NS, false);
    long inc = 5L * MTU * 9 * MTU;
    assertThat(cc.cwndBytes()).isEqualTo(100_000 + inc / 100_000);
  }

  /** inc = alpha · new · (target − delay) with alpha = 4 · b · MTU / target, b = target / 12 µs. */
  @Test
  void proportionalIncreaseWithoutMarkBelowTarget() {
    for (boolean trimming : new boolean[] {true, false}) {
      rtt = new RttEstimate(BASE_NS, 0, 10_000_000_000L);
      Nscc cc = started(trimming, true);
      shrinkTo(cc, 100_000);
      long delayNs = 3_000;
      sack(cc, 10 * MTU, delayNs, false);
      long target = trimming ? TARGET_TRIM_NS : TARGET_NS;
      double inc = 4.0 * MTU / 12_000 * 10 * MTU * (target - delayNs);
      assertThat(cc.cwndBytes()).isEqualTo((long) (100_000 + inc / 100_000));
    }
  }

  /** eta = 0.15 · MTU comes on top once an adjust_period, which is a base RTT. */
  @Test
  void etaComesOncePerPeriod() {
    Nscc cc = started(true, true);
    shrinkTo(cc, 100_000);
    nowNs += BASE_NS - 1;
    sack(cc, MTU, TARGET_TRIM_NS, false);
    assertThat(cc.cwndBytes()).isEqualTo(100_000);
    nowNs += 1;
    sack(cc, MTU, TARGET_TRIM_NS, false);
    double expected = 100_000 + 5.0 * MTU * 2 * MTU / 100_000 + 0.15 * MTU;
    assertThat(cc.cwndBytes()).isEqualTo((long) expected);
    sack(cc, MTU, TARGET_TRIM_NS, false);
    assertThat(cc.cwndBytes()).isEqualTo((long) expected);
  }

  @Test
  void aMarkBelowTargetChangesNothing() {
    Nscc cc = started(true, true);
    shrinkTo(cc, 100_000);
    sack(cc, 9 * MTU, TARGET_TRIM_NS - 1, true);
    assertThat(cc.cwndBytes()).isEqualTo(100_000);
  }

  /** After a window of bytes below 1 µs of delay: cwnd += new · 0.25, until another signal. */
  @Test
  void fastIncreaseAfterAWindowWithoutDelay() {
    Nscc cc = started(true, true);
    shrinkTo(cc, 50_000);
    sack(cc, 50_000, 999, false);
    double alphaInc = 4.0 * MTU / 12_000 * 50_000 * (TARGET_TRIM_NS - 999);
    double cwnd = 50_000 + alphaInc / 50_000;
    assertThat(cc.cwndBytes()).as("a whole cwnd, not more").isEqualTo((long) cwnd);
    long missing = (long) cwnd - 50_000 + 1;
    sack(cc, missing, 999, false);
    cwnd += missing * 0.25;
    assertThat(cc.cwndBytes()).as("fast now").isEqualTo((long) cwnd);
    sack(cc, 4_000, 0, false);
    cwnd += 1_000;
    assertThat(cc.cwndBytes()).isEqualTo((long) cwnd);
    sack(cc, 4_000, 1_000, false);
    sack(cc, 4_000, 0, false);
    assertThat(cc.cwndBytes()).as("1 µs ended it").isCloseTo((long) cwnd, within(2_000L));
    assertThat(cc.cwndBytes()).isNotEqualTo((long) (cwnd + 1_000));
  }

  @Test
  void neverGrowsBeyondMaxWnd() {
    Nscc cc = started(true, true);
    for (int i = 0; i < 100; i++) {
      nowNs += BASE_NS;
      sack(cc, MAX_WND, 0, false);
    }
    assertThat(cc.cwndBytes()).isEqualTo(MAX_WND);
  }

  /** A sender whose packets return without delay keeps its window however little it sends. */
  @Test
  void anApplicationLimitedSenderKeepsItsWindow() {
    Nscc cc = started(true, true);
    for (int i = 0; i < 100; i++) {
      nowNs += 3 * (BASE_NS + TARGET_TRIM_NS);
      assertThat(cc.maySend(MTU)).isTrue();
      cc.onSend(MTU);
      cc.onArrived(MTU);
      sack(cc, MTU, 2_000, false);
    }
    assertThat(cc.cwndBytes()).isEqualTo(MAX_WND);
  }

  // ---------------------------------------------------------------- decrease

  /** Average delay after n samples of d from 0: d · (1 − (1 − gain)^n). */
  private static double average(double delayNs, int samples) {
    return delayNs * (1 - StrictMath.pow(1 - GAIN, samples));
  }

  /** cwnd ×= 1 − 0.8 · (avg − target) / avg, not before the average exceeds target. */
  @Test
  void multiplicativeDecreaseFollowsTheAverage() {
    Nscc cc = nscc(true, true);
    long delayNs = 30_000;
    int samples = 0;
    while (average((double) delayNs, samples + 1) <= TARGET_TRIM_NS) {
      sack(cc, 0, delayNs, true);
      samples++;
    }
    assertThat(samples).as("0.9875^n = 0.7").isEqualTo(28);
    assertThat(cc.cwndBytes()).isEqualTo(MAX_WND);
    assertThat(cc.averageDelayNs()).isCloseTo(average((double) delayNs, 28), within(1e-6));
    sack(cc, 0, delayNs, true);
    double avg = average((double) delayNs, 29);
    double expected = MAX_WND * (1 - 0.8 * (avg - TARGET_TRIM_NS) / avg);
    assertThat(cc.cwndBytes()).isEqualTo((long) expected);
  }

  @Test
  void multiplicativeDecreaseOncePerBaseRttAndToHalfAtMost() {
    Nscc cc = nscc(true, true);
    shrinkTo(cc, 200_000);
    long delayNs = 100_000;
    int samples = (int) StrictMath.ceil(StrictMath.log(0.75) / StrictMath.log(1 - GAIN));
    for (int i = 0; i < samples; i++) {
      sack(cc, 0, 4 * TARGET_TRIM_NS, true);
    }
    long afterFirst = cc.cwndBytes();
    double avg = average(4.0 * TARGET_TRIM_NS, samples);
    assertThat(avg).isGreaterThan(TARGET_TRIM_NS);
    assertThat(afterFirst).isEqualTo((long) ((200_000 + ETA) * (1 - 0.8 * (avg - 9_000) / avg)));
    for (int i = 0; i < 200; i++) {
      sack(cc, 0, delayNs, true);
    }
    assertThat(cc.cwndBytes()).as("within one base RTT").isEqualTo(afterFirst);
    nowNs += BASE_NS;
    sack(cc, 0, delayNs, true);
    double now = cc.averageDelayNs();
    assertThat(1 - 0.8 * (now - TARGET_TRIM_NS) / now).isLessThan(0.5);
    assertThat(cc.cwndBytes()).isCloseTo(afterFirst / 2 + ETA, within(1L));
    for (int i = 0; i < 100; i++) {
      nowNs += BASE_NS;
      sack(cc, 0, delayNs, true);
    }
    assertThat(cc.cwndBytes()).as("at least one MTU, and eta").isEqualTo(MTU + ETA);
  }

  /** Unmarked samples above target count as a quarter of the base RTT: no decrease by them. */
  @Test
  void unmarkedDelayAboveTargetHardlyCounts() {
    Nscc cc = nscc(true, true);
    for (int i = 0; i < 10; i++) {
      sack(cc, 0, 50_000, false);
    }
    assertThat(cc.averageDelayNs()).isCloseTo(average(BASE_NS / 4.0, 10), within(1e-6));
  }

  /** A SACK without a valid sample stands for the average. */
  @Test
  void withoutASampleTheAverageCounts() {
    Nscc cc = started(true, true);
    shrinkTo(cc, 100_000);
    double avg = average((double) TARGET_NS, 1);
    cc.onSack(9 * MTU, -1, false, 0, false, nowNs);
    assertThat(cc.averageDelayNs()).isCloseTo(avg, within(1e-6));
    double inc = 4.0 * MTU / 12_000 * 9 * MTU * (TARGET_TRIM_NS - avg);
    assertThat(avg).isLessThan(1_000);
    assertThat(cc.cwndBytes()).isEqualTo((long) (100_000 + inc / 100_000));
  }

  /** Where nothing marks, delay at or above target takes the ECN branch. */
  @Test
  void withoutMarkingDelayAloneDecreases() {
    Nscc cc = nscc(false, false);
    shrinkTo(cc, 200_000);
    for (int i = 0; i < 40; i++) {
      sack(cc, 0, 3 * TARGET_NS, false);
    }
    double avg = 0;
    int n = 0;
    while (avg <= TARGET_NS) {
      avg = average(3.0 * TARGET_NS, ++n);
    }
    assertThat(n).isLessThan(40);
    double expected = (200_000 + ETA) * (1 - 0.8 * (avg - TARGET_NS) / avg);
    assertThat(cc.cwndBytes()).isEqualTo((long) expected);
    Nscc marking = nscc(false, true);
    shrinkTo(marking, 200_000);
    for (int i = 0; i < 40; i++) {
      sack(marking, 0, 3 * TARGET_NS, false);
    }
    assertThat(marking.cwndBytes()).isGreaterThanOrEqualTo(200_000);
  }

  // ---------------------------------------------------------------- quick_adapt

  /** The first interval starts with the first event; the next ends base + target later. */
  private void endInterval(long targetNs) {
    nowNs += BASE_NS + targetNs;
  }

  @Test
  void quickAdaptCutsToWhatWasAchieved() {
    Nscc cc = started(false, true);
    fill(cc);
    sack(cc, 20_000, TARGET_NS, true);
    endInterval(TARGET_NS);
    sack(cc, 5_000, 4 * TARGET_NS + 1, true);
    assertThat(cc.cwndBytes()).isEqualTo(25_000);
  }

  @Test
  void quickAdaptWaitsForTheEndOfTheInterval() {
    Nscc cc = started(false, true);
    fill(cc);
    nowNs += BASE_NS + TARGET_NS - 1;
    sack(cc, 20_000, 4 * TARGET_NS + 1, true);
    assertThat(cc.cwndBytes()).isEqualTo(MAX_WND);
    nowNs += 1;
    sack(cc, 0, 4 * TARGET_NS + 1, true);
    assertThat(cc.cwndBytes()).isEqualTo(20_000);
  }

  @Test
  void quickAdaptNeedsATrigger() {
    Nscc cc = started(false, true);
    fill(cc);
    endInterval(TARGET_NS);
    sack(cc, 20_000, 4 * TARGET_NS, true);
    assertThat(cc.cwndBytes()).isEqualTo(MAX_WND);
  }

  /** qa_gate 3: at 1/8 of max_wnd and above it does not act. */
  @Test
  void quickAdaptNeedsLittleAchieved() {
    for (int over = -1; over <= 0; over++) {
      rtt = new RttEstimate(BASE_NS, 0, 10_000_000_000L);
      Nscc cc = started(false, true);
      fill(cc);
      endInterval(TARGET_NS);
      long achieved = MAX_WND / 8 + over;
      sack(cc, achieved, 4 * TARGET_NS + 1, true);
      assertThat(cc.cwndBytes()).isEqualTo(over < 0 ? achieved : MAX_WND);
    }
  }

  @Test
  void quickAdaptLeavesAtLeastOneMtu() {
    Nscc cc = started(false, true);
    fill(cc);
    endInterval(TARGET_NS);
    sack(cc, 1_000, 4 * TARGET_NS + 1, true);
    assertThat(cc.cwndBytes()).isEqualTo(MTU);
  }

  @Test
  void quickAdaptDoesNotJudgeASenderThatTheApplicationHeldBack() {
    Nscc cc = started(false, true);
    assertThat(cc.maySend(MTU)).isTrue();
    cc.onSend(MTU);
    endInterval(TARGET_NS);
    cc.onArrived(MTU);
    sack(cc, MTU, 4 * TARGET_NS + 1, true);
    assertThat(cc.cwndBytes()).isEqualTo(MAX_WND);
  }

  /** A window that stays full through an interval limits it, though nobody asks again. */
  @Test
  void aFullWindowThatNobodyAsksAboutStillLimits() {
    Nscc cc = started(false, true);
    fill(cc);
    endInterval(TARGET_NS);
    sack(cc, 100_000, TARGET_NS, true);
    endInterval(TARGET_NS);
    sack(cc, 8_000, 4 * TARGET_NS + 1, true);
    assertThat(cc.cwndBytes()).isEqualTo(8_000);
  }

  /** A window below the gate is judged too, if it is what held the sender back. */
  @Test
  void aSmallWindowThatHoldsTheSenderBackIsJudged() {
    Nscc cc = started(false, true);
    shrinkTo(cc, 20_000);
    endInterval(TARGET_NS);
    sack(cc, 0, 0, false);
    assertThat(fill(cc)).isEqualTo((20_000 + ETA) / MTU);
    endInterval(TARGET_NS);
    sack(cc, 12_000, 4 * TARGET_NS + 1, true);
    assertThat(cc.cwndBytes()).isEqualTo(12_000);
  }

  /** With trims as the better sign, no delay triggers it. */
  @Test
  void whereTheNetworkTrimsDelayDoesNotTrigger() {
    Nscc cc = started(true, true);
    fill(cc);
    endInterval(TARGET_TRIM_NS);
    sack(cc, 20_000, 1_000_000, false);
    assertThat(cc.cwndBytes()).isEqualTo(MAX_WND);
  }

  /**
   * A trim triggers; what was in flight then is waited for: until so many bytes were acknowledged
   * or refused, marks and trims change nothing.
   */
  @Test
  void afterQuickAdaptWhatWasInFlightIsIgnored() {
    Nscc cc = started(true, true);
    final int sent = fill(cc);
    cc.onArrived(12_000);
    sack(cc, 12_000, TARGET_TRIM_NS, true);
    endInterval(TARGET_TRIM_NS);
    long toIgnore = cc.inflightBytes();
    assertThat(toIgnore).isEqualTo(sent * (long) MTU - 12_000);
    cc.onNack(MTU, true, nowNs);
    assertThat(cc.cwndBytes()).as("achieved; not shrunk as well").isEqualTo(12_000);
    assertThat(cc.inflightBytes()).isEqualTo(toIgnore - MTU);
    long ignored = 0;
    while (ignored + MTU < toIgnore) {
      cc.onNack(MTU, true, nowNs);
      ignored += MTU;
      assertThat(cc.cwndBytes()).isEqualTo(12_000);
    }
    cc.onNack((int) (toIgnore - ignored), true, nowNs);
    assertThat(cc.cwndBytes()).as("ignored = to_ignore").isEqualTo(12_000 - toIgnore + ignored);
  }

  /** Unmarked SACKs are not ignored. */
  @Test
  void whileIgnoringAnUnmarkedSackCounts() {
    Nscc cc = started(true, true);
    fill(cc);
    cc.onArrived(12_000);
    sack(cc, 12_000, TARGET_TRIM_NS, true);
    endInterval(TARGET_TRIM_NS);
    cc.onNack(MTU, true, nowNs);
    assertThat(cc.cwndBytes()).isEqualTo(12_000);
    sack(cc, 9 * MTU, 20_000, true);
    assertThat(cc.cwndBytes()).isEqualTo(12_000);
    sack(cc, 9 * MTU, 20_000, false);
    long inc = 5L * MTU * 9 * MTU;
    assertThat(cc.cwndBytes()).isEqualTo(12_000 + inc / 12_000 + ETA);
  }

  /** to_ignore counts what the event that acts takes off: here a SACK of 5,000 bytes. */
  @Test
  void toIgnoreIsInflightBeforeTheEvent() {
    Nscc cc = started(false, true);
    int sent = fill(cc);
    endInterval(TARGET_NS);
    cc.onArrived(2 * MTU);
    sack(cc, 2 * MTU, 4 * TARGET_NS + 1, true);
    assertThat(cc.cwndBytes()).isEqualTo(2 * MTU);
    for (int i = 0; i < sent - 1; i++) {
      sack(cc, MTU, 0, true);
    }
    endInterval(TARGET_NS);
    cc.onNack(MTU, true, nowNs);
    assertThat(cc.cwndBytes()).as("sent - 1 and the NACK's own reach it").isEqualTo(MTU);
  }

  // ---------------------------------------------------------------- NACK and loss

  @Test
  void aTrimShrinksByItsSizeAndCountsAsADelayOfTheToldRtt() {
    Nscc cc = nscc(true, true);
    fill(cc);
    long inflight = cc.inflightBytes();
    cc.onNack(MTU, true, nowNs);
    assertThat(cc.cwndBytes()).isEqualTo(MAX_WND - MTU);
    assertThat(cc.inflightBytes()).isEqualTo(inflight - MTU);
    assertThat(cc.averageDelayNs()).isEqualTo(GAIN * BASE_NS);
  }

  @Test
  void anotherNackShrinksByItsSizeAndTellsNoDelay() {
    Nscc cc = started(true, true);
    fill(cc);
    double before = cc.averageDelayNs();
    endInterval(TARGET_TRIM_NS);
    cc.onNack(MTU, false, nowNs);
    assertThat(cc.cwndBytes()).isEqualTo(MAX_WND - MTU);
    assertThat(cc.averageDelayNs()).isEqualTo(before);
  }

  @Test
  void aLossShrinksByItsSizeDownToOneMtu() {
    Nscc cc = nscc(true, true);
    int sent = fill(cc);
    for (int i = 1; i <= sent; i++) {
      cc.onLoss(MTU, nowNs);
      assertThat(cc.cwndBytes()).isEqualTo(Math.max(MTU, MAX_WND - (long) i * MTU));
    }
    assertThat(cc.inflightBytes()).isZero();
  }

  /** A refusal of the receiver's triggers; an inferred loss, likely a path's, does not. */
  @Test
  void aNackTriggersQuickAdaptAtTheIntervalsEndAndALossDoesNot() {
    for (boolean nack : new boolean[] {true, false}) {
      rtt = new RttEstimate(BASE_NS, 0, 10_000_000_000L);
      Nscc cc = started(true, true);
      fill(cc);
      if (nack) {
        cc.onNack(MTU, false, nowNs);
      } else {
        cc.onLoss(MTU, nowNs);
      }
      endInterval(TARGET_TRIM_NS);
      sack(cc, 9_000, TARGET_TRIM_NS - 1, true);
      assertThat(cc.cwndBytes()).isEqualTo(nack ? 9_000 : MAX_WND - MTU + ETA);
    }
  }

  // ---------------------------------------------------------------- the receiver's penalty

  /** Penalty 64 of 128 takes half of each acknowledged byte: a window acknowledged halves it. */
  @Test
  void penaltyHalvesTheWindowPerWindowAcknowledged() {
    Nscc cc = started(true, true);
    fill(cc);
    long window = cc.inflightBytes();
    long left = window;
    while (left > 0) {
      int packets = (int) Math.min(4, left / MTU);
      long bytes = (long) packets * MTU;
      for (int i = 0; i < packets; i++) {
        cc.onArrived(MTU);
        left -= MTU;
      }
      sack(cc, bytes, 0, false, 64, false);
      while (cc.maySend(MTU)) {
        cc.onSend(MTU);
      }
    }
    assertThat(cc.cwndBytes()).isCloseTo(window / 2, within((long) MTU));
  }

  @Test
  void penaltyTakesNoMoreThanInflightAndLeavesOneMtu() {
    Nscc cc = started(true, true);
    for (int i = 0; i < 10; i++) {
      cc.onSend(MTU);
    }
    cc.onArrived(MTU);
    sack(cc, MTU, 0, false, 1, false);
    assertThat(cc.cwndBytes()).isEqualTo(10 * MTU - (MTU >> 7));
    for (int i = 0; i < 9; i++) {
      cc.onArrived(MTU);
      sack(cc, MTU, 0, false, 127, false);
    }
    assertThat(cc.cwndBytes()).isEqualTo(MTU);
  }

  @Test
  void restoreReturnsTheSavedWindowOnce() {
    Nscc cc = started(true, true);
    shrinkTo(cc, 100_000);
    for (int i = 0; i < 20; i++) {
      cc.onSend(MTU);
    }
    sack(cc, 0, TARGET_NS, true, 64, false);
    sack(cc, 40_000, TARGET_NS, true, 64, true);
    assertThat(cc.cwndBytes()).as("min of inflight 80,000, less 20,000").isEqualTo(60_000);
    sack(cc, 0, TARGET_NS, true, 0, true);
    assertThat(cc.cwndBytes()).isEqualTo(100_000);
    sack(cc, 0, TARGET_NS, true, 1, false);
    assertThat(cc.cwndBytes()).isEqualTo(80_000);
    sack(cc, 0, TARGET_NS, true, 0, false);
    sack(cc, 0, TARGET_NS, true, 0, true);
    assertThat(cc.cwndBytes()).as("without the flag it is forgotten").isEqualTo(80_000);
  }

  @Test
  void nothingIncreasesDuringAPenalty() {
    Nscc cc = started(true, true);
    for (int i = 0; i < 10; i++) {
      cc.onSend(MTU);
    }
    for (int i = 0; i < 50; i++) {
      nowNs += BASE_NS;
      sack(cc, 100, i % 2 == 0 ? 0 : TARGET_TRIM_NS, false, 1, false);
    }
    assertThat(cc.cwndBytes()).isLessThanOrEqualTo(10L * MTU + 100);
  }

  // ---------------------------------------------------------------- the base RTT

  /**
   * A pair that is closer than told: max_wnd follows, target does not, as in uet-htsim; increases
   * follow the RTT at target, 15 of 21 us.
   */
  @Test
  void aShorterRttShrinksMaxWnd() {
    Nscc cc = nscc(true, true);
    rtt.sample(6_000, nowNs);
    cc.onSack(0, 6_000, false, 0, false, nowNs);
    assertThat(cc.baseRttNs()).isEqualTo(6_000);
    assertThat(cc.cwndBytes()).isEqualTo(MAX_WND / 2);
    shrinkTo(cc, 50_000);
    rtt.sample(6_000 + TARGET_TRIM_NS, nowNs);
    cc.onSack(9 * MTU, 6_000 + TARGET_TRIM_NS, false, 0, false, nowNs);
    long inc = 5L * MTU * 9 * MTU * 15 / 21;
    assertThat(cc.cwndBytes()).as("fair: at target").isEqualTo(50_000 + inc / 50_000);
  }

  /** The first sample may be queueing already: the told RTT bounds the base. */
  @Test
  void theToldRttBoundsTheBase() {
    Nscc cc = nscc(true, true);
    sack(cc, 0, 100_000, true);
    assertThat(cc.baseRttNs()).isEqualTo(BASE_NS);
    assertThat(cc.maxWndBytes()).isEqualTo(MAX_WND);
  }

  @Test
  void aFloorHoldsTheBaseUp() {
    Nscc cc = nscc(NsccConfig.of(RATE, MTU, true, true).withRtt(BASE_NS, true, 1));
    rtt.sample(6_000, nowNs);
    cc.onSack(0, 6_000, false, 0, false, nowNs);
    assertThat(cc.baseRttNs()).isEqualTo(BASE_NS);
    assertThat(cc.cwndBytes()).isEqualTo(MAX_WND);
  }

  @Test
  void whereTheToldRttIsAGuessAllFollowsTheMeasuredOne() {
    Nscc cc = nscc(NsccConfig.of(RATE, MTU, false, true).withRtt(1_000, false, 1));
    rtt.sample(48_000, nowNs);
    cc.onSack(0, 48_000, true, 0, false, nowNs);
    assertThat(cc.maxWndBytes()).isEqualTo(4 * MAX_WND);
    rtt.sample(500, nowNs);
    cc.onSack(0, 500, true, 0, false, nowNs);
    assertThat(cc.baseRttNs()).isEqualTo(1_000);
    assertThat(cc.maxWndBytes()).isEqualTo(MAX_WND / 12);
  }

  /** A guess of 12 µs over a floor of 2 µs: the window starts at the floor's max_wnd. */
  @Test
  void whereTheToldRttIsAGuessTheWindowStartsAtTheFloors() {
    Nscc cc = nscc(NsccConfig.of(RATE, MTU, false, false).withRtt(2_000, false, 1));
    assertThat(cc.cwndBytes()).isEqualTo(MAX_WND / 6);
    assertThat(cc.maxWndBytes()).isEqualTo(MAX_WND);
  }

  /** Delay shows a cut only an RTT later: without marks the next one waits for the smoothed RTT. */
  @Test
  void withoutMarkingCutsAreARealRttApart() {
    Nscc cc = nscc(false, false);
    long delayNs = 20 * BASE_NS;
    for (int i = 0; i < 200 && cc.cwndBytes() == MAX_WND; i++) {
      sack(cc, 0, delayNs, false);
    }
    long cut = cc.cwndBytes();
    assertThat(cut).isLessThan(MAX_WND);
    assertThat(rtt.smoothedNs()).isEqualTo(BASE_NS + delayNs);
    nowNs += BASE_NS + delayNs - 1;
    sack(cc, 0, delayNs, false);
    assertThat(cc.cwndBytes()).isGreaterThanOrEqualTo(cut);
    nowNs += 1;
    sack(cc, 0, delayNs, false);
    assertThat(cc.cwndBytes()).isLessThan(cut);
  }

  /** Three samples count as one, their minimum. */
  @Test
  void aBatchOfSamplesCountsAsItsMinimum() {
    Nscc cc = nscc(NsccConfig.of(RATE, MTU, false, false).withRtt(0, true, 3));
    sack(cc, 0, 90_000, false);
    sack(cc, 0, 7_000, false);
    assertThat(cc.averageDelayNs()).isZero();
    sack(cc, 0, 50_000, false);
    assertThat(cc.averageDelayNs()).isCloseTo(GAIN * 7_000, within(1e-6));
  }

  // ---------------------------------------------------------------- the others, configuration

  @Test
  void controllersAreMadeAsConfigured() {
    assertThat(CongestionControl.of(new CcConfig.FixedWindow(5), 1, rtt))
        .isInstanceOf(FixedWindow.class);
    assertThat(CongestionControl.of(NsccConfig.of(RATE, MTU, true, true), BASE_NS, rtt).cwndBytes())
        .isEqualTo(MAX_WND);
    CongestionControl none = CongestionControl.of(new CcConfig.Unlimited(), 1, rtt);
    none.onSend(1 << 30);
    none.onSend(1 << 30);
    assertThat(none.maySend(1 << 30)).isTrue();
    assertThat(none.inflightBytes()).isEqualTo(1L << 31);
    none.onArrived(1 << 30);
    none.onLoss(1 << 29, 0);
    none.onNack(1 << 28, true, 0);
    none.onAbandon(1 << 28);
    assertThat(none.inflightBytes()).isZero();
  }

  @Test
  void configurationOutOfRangeIsRefused() {
    NsccConfig c = NsccConfig.of(RATE, MTU, true, true);
    assertRefused(() -> NsccConfig.of(999_999, MTU, true, true), "rateBitsPerSecond");
    assertRefused(() -> c.withMtuBytes(255), "mtuBytes: 255, allowed 256…8192");
    assertRefused(() -> c.withMaxWndBytes(0), "maxWndBytes");
    assertRefused(() -> c.withRtt(-1, true, 1), "baseFloorNs");
    assertRefused(() -> c.withRtt(0, true, 65), "delayBatch: 65, allowed 1…64");
    Gains g = Gains.of(true);
    assertRefused(
        () ->
            new Gains(
                Double.NaN,
                g.targetRtts(),
                g.referenceBdpBytes(),
                g.referenceRttNs(),
                g.alpha(),
                g.fi(),
                g.fiScale(),
                g.eta(),
                g.fastDelayNs(),
                g.gamma(),
                g.maxMdJump(),
                g.adjustPeriodRtts(),
                g.adjustMtus(),
                g.qaGate(),
                g.qaThresholdTargets(),
                g.delayGain(),
                g.unmarkedRtts()),
        "maxWndBdps");
  }

  private static void assertRefused(Runnable what, String message) {
    assertThat(org.assertj.core.api.Assertions.catchThrowable(what::run))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
