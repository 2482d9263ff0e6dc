package io.anabranch.wire;

import java.util.SplittableRandom;

/** Runs a property for fixed seeds and names the seed that breaks it. */
public final class Seeds {
  private static final long FIRST = 0x0A4A_B4A4_C400_0000L;

  private Seeds() {}

  /** A property of whatever a random stream leads to. */
  @FunctionalInterface
  public interface Property {
    /** Checks the property; throws when it does not hold. */
    void check(SplittableRandom random) throws Exception;
  }

  /**
   * Checks {@code property} for {@code count} seeds. To look at one alone, call {@link #one} with
   * the seed of the failure's message.
   */
  public static void each(int count, Property property) {
    for (int i = 0; i < count; i++) {
      one(FIRST + i, property);
    }
  }

  /** Checks {@code property} for one seed. */
  public static void one(long seed, Property property) {
    try {
      property.check(new SplittableRandom(seed));
    } catch (Exception | AssertionError e) {
      throw new AssertionError("seed 0x%x: %s".formatted(seed, e), e);
    }
  }
}
