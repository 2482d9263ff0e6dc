package io.anabranch.fabric.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Random traffic has the moments of the distributions it is drawn from. Bounds are five standard
 * deviations of each estimate, by closed form.
 */
class RandomTrafficTest {
  private static final int DRAWS = 200_000;
  private static final long NEVER = RandomPairs.Until.NEVER;

  private static double[] draw(FlowSizes sizes) {
    SplittableRandom random = new SplittableRandom(7);
    return IntStream.range(0, DRAWS).mapToDouble(i -> sizes.next(random)).toArray();
  }

  private static double mean(double[] values) {
    return Arrays.stream(values).sum() / values.length;
  }

  private static double variance(double[] values) {
    double mean = mean(values);
    return Arrays.stream(values).map(v -> (v - mean) * (v - mean)).sum() / values.length;
  }

  /** Five standard deviations of the mean of so many draws. */
  private static double bound(double deviation, int draws) {
    return 5 * deviation / Math.sqrt(draws);
  }

  @Test
  void exponentialSizesHaveTheirMeanAndItsSquareAsVariance() {
    double[] sizes = draw(new FlowSizes.Exponential(1e6));
    assertThat(mean(sizes)).isCloseTo(1e6, within(bound(1e6, DRAWS)));
    // The fourth central moment is 9 mean^4, so that of the variance's estimate is 8 mean^4.
    assertThat(variance(sizes)).isCloseTo(1e12, within(bound(Math.sqrt(8) * 1e12, DRAWS)));
  }

  @Test
  void uniformSizesReachTheirEnds() {
    double[] sizes = draw(new FlowSizes.Uniform(1, 6));
    assertThat(Arrays.stream(sizes).distinct().sorted())
        .containsExactly(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
    assertThat(mean(sizes)).isCloseTo(3.5, within(bound(Math.sqrt(35.0 / 12), DRAWS)));
    assertThat(new FlowSizes.Uniform(1, 6).meanBytes()).isEqualTo(3.5);
  }

  @Test
  void logarithmsOfLognormalSizesAreNormal() {
    double sigma = 1.5;
    double[] logs =
        Arrays.stream(draw(new FlowSizes.LogNormal(1e7, sigma))).map(StrictMath::log).toArray();
    double mu = StrictMath.log(1e7) - sigma * sigma / 2;
    assertThat(mean(logs)).isCloseTo(mu, within(bound(sigma, DRAWS)));
    double variance = sigma * sigma;
    assertThat(variance(logs)).isCloseTo(variance, within(bound(Math.sqrt(2) * variance, DRAWS)));
    long below = Arrays.stream(logs).filter(v -> v < mu - sigma).count();
    // Of a normal distribution 15.8655 % are more than a deviation below the mean.
    double share = 0.158655;
    double deviation = Math.sqrt(share * (1 - share));
    assertThat(below / (double) DRAWS).isCloseTo(share, within(bound(deviation, DRAWS)));
  }

  @Test
  void anEmpiricalDistributionIsAStraightLineBetweenItsPoints() {
    FlowSizes.Empirical sizes =
        new FlowSizes.Empirical(
            List.of(
                new FlowSizes.Point(100, 0.25),
                new FlowSizes.Point(300, 0.25),
                new FlowSizes.Point(700, 0.75),
                new FlowSizes.Point(700, 0.9),
                new FlowSizes.Point(1000, 1)));
    // 0.25 · 100 + 0.5 · 500 + 0.15 · 700 + 0.1 · 850
    assertThat(sizes.meanBytes()).isCloseTo(465, within(1e-9));
    double[] drawn = draw(sizes);
    double deviation = 300;
    assertThat(mean(drawn)).isCloseTo(465, within(bound(deviation, DRAWS)));
    check(drawn, 100, 0.25);
    check(drawn, 299, 0.25);
    check(drawn, 500, 0.5);
    check(drawn, 699, 0.75);
    check(drawn, 700, 0.9);
    check(drawn, 850, 0.95);
    assertThat(Arrays.stream(drawn).filter(v -> v > 1000)).isEmpty();
    assertThat(Arrays.stream(drawn).filter(v -> v > 100 && v < 300)).isEmpty();
  }

  /** Sizes are whole: half a byte of the line's slope beside the five deviations. */
  private static void check(double[] drawn, double bytes, double share) {
    double is = Arrays.stream(drawn).filter(v -> v <= bytes).count();
    assertThat(is / drawn.length).isCloseTo(share, within(bound(0.5, drawn.length) + 0.00125));
  }

  @Test
  void wrongDistributionsAreRefused() {
    assertThatThrownBy(() -> new FlowSizes.Empirical(List.of(new FlowSizes.Point(10, 0.9))))
        .hasMessageContaining("the last point");
    assertThatThrownBy(() ->
            new FlowSizes.Empirical(
                List.of(new FlowSizes.Point(10, 0.5), new FlowSizes.Point(9, 1))))
        .hasMessageContaining("bytes: 9, allowed 10…");
    assertThatThrownBy(() -> new FlowSizes.Uniform(2, 1)).hasMessageContaining("at least min, 2");
    assertThatThrownBy(() -> new FlowSizes.LogNormal(10, 6)).hasMessageContaining("allowed 0…5");
    assertThatThrownBy(() -> new FlowSizes.Exponential(0)).hasMessageContaining("allowed 1…");
    assertThatThrownBy(() ->
            new RandomPairs(
                List.of(0, 1),
                new FlowSizes.Fixed(1),
                1,
                1,
                "x",
                0,
                new RandomPairs.Until(NEVER, NEVER, NEVER)))
        .hasMessageContaining("until: never");
  }

  private static Traffic pairs(int hosts, FlowSizes sizes, RandomPairs.Until until, long seed) {
    Traffic traffic = new Traffic();
    List<Integer> who = IntStream.range(0, hosts).boxed().toList();
    new RandomPairs(who, sizes, 1000, seed, "arrivals", 5_000, until).addTo(traffic);
    return traffic;
  }

  @Test
  void arrivalsAreAPoissonProcess() {
    long windows = 20_000;
    long windowPs = 10_000;
    Traffic traffic =
        pairs(
            4,
            new FlowSizes.Fixed(1),
            new RandomPairs.Until(5_000 + windows * windowPs, NEVER, NEVER),
            3);
    // A mean of 10 a window of 10 mean gaps: so is the variance, whose estimate has that of
    // (mean + 2 mean²) by closed form.
    double[] counts = new double[(int) windows];
    double[] gaps = new double[traffic.flows()];
    long before = 5_000;
    for (int f = 0; f < traffic.flows(); f++) {
      long at = traffic.startPs(f);
      counts[(int) ((at - 5_000) / windowPs)]++;
      gaps[f] = at - before;
      before = at;
    }
    assertThat(mean(counts)).isCloseTo(10, within(bound(Math.sqrt(10), (int) windows)));
    assertThat(variance(counts)).isCloseTo(10, within(bound(Math.sqrt(210), (int) windows)));
    int n = gaps.length;
    assertThat(mean(gaps)).isCloseTo(1000, within(bound(1000, n)));
    assertThat(variance(gaps)).isCloseTo(1e6, within(bound(Math.sqrt(8) * 1e6, n)));
    long longer = Arrays.stream(gaps).filter(gap -> gap > 1000).count();
    double share = Math.exp(-1);
    assertThat(longer / (double) n)
        .isCloseTo(share, within(bound(Math.sqrt(share * (1 - share)), n) + 0.0005));
  }

  @Test
  void allPairsAreAsLikelyAndNoneIsOfOneHost() {
    int hosts = 5;
    Traffic traffic =
        pairs(hosts, new FlowSizes.Fixed(1), new RandomPairs.Until(NEVER, DRAWS, NEVER), 4);
    assertThat(traffic.flows()).isEqualTo(DRAWS);
    double[][] pairs = new double[hosts][hosts];
    for (int f = 0; f < DRAWS; f++) {
      pairs[traffic.source(f)][traffic.destination(f)]++;
    }
    double share = 1.0 / 20;
    double bound = bound(Math.sqrt(share * (1 - share)), DRAWS);
    for (int a = 0; a < hosts; a++) {
      for (int b = 0; b < hosts; b++) {
        assertThat(pairs[a][b] / DRAWS).isCloseTo(a == b ? 0 : share, within(a == b ? 0 : bound));
      }
    }
  }

  @Test
  void arrivalsEndWithTheFlowThatReachesThePayload() {
    Traffic traffic =
        pairs(3, new FlowSizes.Fixed(300), new RandomPairs.Until(NEVER, NEVER, 1000), 1);
    assertThat(traffic.flows()).isEqualTo(4);
  }

  @Test
  void theSameSeedDrawsTheSameAndAnotherDoesNot() {
    RandomPairs.Until until = new RandomPairs.Until(NEVER, 50, NEVER);
    FlowSizes sizes = new FlowSizes.Exponential(1000);
    Traffic one = pairs(8, sizes, until, 1);
    Traffic same = pairs(8, sizes, until, 1);
    Traffic other = pairs(8, sizes, until, 2);
    int differs = 0;
    for (int f = 0; f < 50; f++) {
      assertThat(same.startPs(f)).isEqualTo(one.startPs(f));
      assertThat(same.bytes(f)).isEqualTo(one.bytes(f));
      assertThat(same.source(f)).isEqualTo(one.source(f));
      differs += other.startPs(f) == one.startPs(f) ? 0 : 1;
    }
    assertThat(differs).isGreaterThan(40);
  }
}
