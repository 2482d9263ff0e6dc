package io.anabranch.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Numbers that a stranger must not guess. */
class NumberSourceTest {
  private final NumberSource numbers = new NumberSource();

  /** Of n independent draws from 2^24 or more values, this few are neighbours of the one before. */
  private static void assertNotSequential(IntSupplier draw, int bits) {
    int close = 0;
    int before = draw.getAsInt();
    int[] ones = new int[bits];
    int n = 2000;
    for (int i = 0; i < n; i++) {
      int next = draw.getAsInt();
      close += Math.abs((long) next - before) <= 64 ? 1 : 0;
      before = next;
      for (int b = 0; b < bits; b++) {
        ones[b] += next >>> b & 1;
      }
    }
    assertThat(close).isLessThan(10);
    for (int b = 0; b < bits; b++) {
      // 1000 ± 7 standard deviations of 22.
      assertThat(ones[b]).as("bit " + b).isBetween(840, 1160);
    }
  }

  @Test
  void qpNumbersPsnsAndKeysAreSpreadOverTheirWholeRange() {
    assertNotSequential(numbers::qpNumber, 24);
    assertNotSequential(numbers::startPsn, 24);
    assertNotSequential(numbers::key, 32);
  }

  @Test
  void theGeneratorIsSecure() throws ReflectiveOperationException {
    Set<Class<?>> generators = new HashSet<>();
    for (Field field : NumberSource.class.getDeclaredFields()) {
      if (RandomGenerator.class.isAssignableFrom(field.getType())) {
        field.setAccessible(true);
        Object generator = field.get(numbers);
        assertThat(generator).isNotNull();
        if (generator != null) {
          generators.add(generator.getClass());
        }
      }
    }
    assertThat(generators).containsExactly(SecureRandom.class);
    assertThat(Random.class).isNotIn(generators);
  }

  @Test
  void numbersInUseAreUnique() {
    Set<Integer> qps = new HashSet<>();
    Set<Integer> keys = new HashSet<>();
    for (int i = 0; i < 20_000; i++) {
      int qp = numbers.qpNumber();
      assertThat(qp).isBetween(3, 0xff_ffff);
      assertThat(qps.add(qp)).isTrue();
      assertThat(keys.add(numbers.key())).isTrue();
    }
  }

  @Test
  void qpNumbersRestBeforeTheyAreUsedAgain() {
    int first = numbers.qpNumber();
    numbers.restQpNumber(first);
    for (int i = 0; i < NumberSource.RESTING - 1; i++) {
      int next = numbers.qpNumber();
      assertThat(next).isNotEqualTo(first);
      assertThat(numbers.inUseOrResting(first)).isTrue();
      numbers.restQpNumber(next);
    }
    numbers.restQpNumber(numbers.qpNumber());
    assertThat(numbers.inUseOrResting(first)).isFalse();
  }
}
