package io.anabranch.fabric.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SpanTest {
  @Test
  void aFixedOneIsWhatItIs() {
    assertThat(new Span.Fixed(17).draw(new SplittableRandom(1))).isEqualTo(17);
  }

  /**
   * Of n draws the mean has a standard error of mean / √n; e^−1 of all are longer than the mean.
   */
  @Test
  void anExponentialOneHasItsMeanAndItsTail() {
    int n = 100_000;
    long mean = 1_000_000;
    SplittableRandom random = new SplittableRandom(7);
    double sum = 0;
    int longer = 0;
    for (int i = 0; i < n; i++) {
      long length = new Span.Exponential(mean).draw(random);
      assertThat(length).isPositive();
      sum += length;
      longer += length > mean ? 1 : 0;
    }
    assertThat(sum / n).isBetween(mean * (1 - 4 / Math.sqrt(n)), mean * (1 + 4 / Math.sqrt(n)));
    double share = Math.exp(-1);
    double error = 4 * Math.sqrt(share * (1 - share) / n);
    assertThat((double) longer / n).isBetween(share - error, share + error);
  }
}
