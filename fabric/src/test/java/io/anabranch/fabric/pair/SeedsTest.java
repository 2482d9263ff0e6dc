package io.anabranch.fabric.pair;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Fixed seeds of every family against the real engine. {@code -Danabranch.seeds=N} runs N of each
 * family, {@code -Danabranch.seeds.from=K} begins with the K-th: rotating seeds outside CI.
 */
class SeedsTest {
  private static final long SEEDS = Long.getLong("anabranch.seeds", 120);
  private static final long FROM = Long.getLong("anabranch.seeds.from", 0);
  private static final int MOST_SHOWN = 3;

  @ParameterizedTest
  @EnumSource(PairFamily.class)
  void everyInvariantHolds(PairFamily family) {
    List<String> breaches = new ArrayList<>();
    for (long n = FROM; n < FROM + SEEDS; n++) {
      InvariantBreach breach = Replay.run(family.seed(n), null).breach();
      if (breach != null) {
        breaches.add(String.valueOf(breach.getMessage()));
      }
    }
    assertThat(breaches.stream().limit(MOST_SHOWN))
        .as("%d of %d seeds of %s", breaches.size(), SEEDS, family)
        .isEmpty();
  }

  /**
   * Seeds of long runs that once showed something. 695836: a forged PSN one beyond the window was
   * within it by the end of the turn in which it waited.
   */
  @ParameterizedTest
  @ValueSource(longs = {350_279, 405_307, 509_548, 542_203, 695_836})
  void seedsThatOnceShowedSomethingHold(long seed) {
    assertThat(Replay.run(seed, null).breach()).isNull();
  }

  @ParameterizedTest
  @EnumSource(PairFamily.class)
  void theSameSeedGivesTheSameRun(PairFamily family) {
    for (long n = 0; n < 3; n++) {
      PairResult first = Replay.run(family.seed(n), null).result();
      PairResult second = Replay.run(family.seed(n), line -> {}).result();
      assertThat(first).isNotNull().isEqualTo(second);
    }
  }
}
