package io.anabranch.fabric.peer.roce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** The reaction point by the equations of Zhu et al., SIGCOMM 2015. */
class DcqcnTest {
  private static final double LINE = 40e9;
  private static final double G = 1.0 / 256;
  private static final double AI = 40e6;
  private static final double HAI = 400e6;
  private static final long T_PS = 55_000_000;
  private static final int B = 10_000_000;
  private static final int F = 5;

  private final Dcqcn dcqcn =
      new Dcqcn(
          new DcqcnConfig(G, T_PS, T_PS, B, F, (long) AI, (long) HAI, 10_000_000, 50_000_000),
          (long) LINE);

  // As the equations have them.
  private double target;
  private double rate;

  DcqcnTest() {
    dcqcn.add(0);
  }

  private void rateIs(double expected) {
    assertThat(dcqcn.rate(0)).isCloseTo(expected, within(1.0));
  }

  @Test
  void lineRateUntilTheFirstCnp() {
    dcqcn.advance(0, 1_000_000_000_000L);
    dcqcn.sent(0, 100 * B);
    rateIs(LINE);
  }

  @Test
  void theFirstCnpHalvesTheRateSinceAlphaBeginsAtOne() {
    dcqcn.cnp(0, 1000);
    rateIs(LINE / 2);
    assertThat(dcqcn.target(0)).isEqualTo(LINE);
    assertThat(dcqcn.alpha(0)).isEqualTo(1.0);
  }

  @Test
  void alphaDecaysEachPeriodWithoutCnpAndRisesWithOne() {
    dcqcn.cnp(0, 0);
    dcqcn.advance(0, 10 * T_PS + 1);
    double decayed = Math.pow(1 - G, 10);
    assertThat(dcqcn.alpha(0)).isCloseTo(decayed, within(1e-12));
    double rate = dcqcn.rate(0);
    dcqcn.cnp(0, 10 * T_PS + 2);
    rateIs(rate * (1 - decayed / 2));
    assertThat(dcqcn.alpha(0)).isCloseTo((1 - G) * decayed + G, within(1e-12));
    // From then on the period runs anew.
    dcqcn.advance(0, 11 * T_PS + 1);
    assertThat(dcqcn.alpha(0)).isCloseTo((1 - G) * decayed + G, within(1e-12));
  }

  @Test
  void fastRecoveryHalvesTheDifferenceFiveTimes() {
    dcqcn.cnp(0, 0);
    for (int step = 1; step <= F; step++) {
      dcqcn.advance(0, step * T_PS - 1);
      rateIs(LINE - LINE / 2 / (1 << step - 1));
      dcqcn.advance(0, step * T_PS);
      rateIs(LINE - LINE / 2 / (1 << step));
    }
  }

  @Test
  void thenTheTargetIsRaisedByOneStepEach() {
    raisedByTheTimer(F + 20);
  }

  /** Steps of the timer alone, after two cuts in a row: they leave a target below line rate. */
  private void raisedByTheTimer(int steps) {
    dcqcn.cnp(0, 0);
    dcqcn.cnp(0, 1);
    target = LINE / 2;
    rate = LINE / 4;
    for (int step = 1; step <= steps; step++) {
      dcqcn.advance(0, 1 + step * T_PS);
      raised(step > F ? AI : 0);
    }
  }

  private void raised(double by) {
    target += by;
    rate = (target + rate) / 2;
    rateIs(rate);
  }

  @Test
  void theByteCounterCountsAsTheTimerDoesAndBothTogetherAreHyperIncrease() {
    raisedByTheTimer(F + 3);
    for (int step = 1; step <= F + 3; step++) {
      dcqcn.sent(0, B - 1);
      rateIs(rate);
      dcqcn.sent(0, 1);
      raised(step > F ? HAI : AI);
    }
  }

  @Test
  void aCnpBeginsRecoveryAnew() {
    dcqcn.cnp(0, 0);
    dcqcn.advance(0, 3 * T_PS);
    dcqcn.sent(0, B - 1);
    dcqcn.cnp(0, 3 * T_PS + 7);
    double rate = dcqcn.rate(0);
    dcqcn.sent(0, 1);
    dcqcn.advance(0, 4 * T_PS + 6);
    rateIs(rate);
    dcqcn.advance(0, 4 * T_PS + 7);
    rateIs((rate + dcqcn.target(0)) / 2);
  }

  @Test
  void neverBelowTheLeastRate() {
    for (int i = 0; i < 1000; i++) {
      dcqcn.cnp(0, i);
    }
    rateIs(10e6);
  }
}
