package io.anabranch.engine.requestor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BitmapsTest {
  @Test
  void theLowestBitIsFoundWhereverItIs() {
    SplittableRandom random = new SplittableRandom(4);
    for (int bit = 0; bit < 64; bit++) {
      assertThat(Bitmaps.lowest(1L << bit)).isEqualTo(bit);
      for (int i = 0; i < 20; i++) {
        long above = bit == 63 ? 0 : random.nextLong() << bit + 1;
        assertThat(Bitmaps.lowest(above | 1L << bit)).isEqualTo(bit);
      }
    }
  }
}
