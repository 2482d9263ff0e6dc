package io.anabranch.engine.config;

/** Range checks whose message names field, value and allowed range. */
public final class Check {
  private Check() {}

  /** Returns {@code value} if it is in {@code min … max}. */
  public static long range(String field, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(field + ": " + value + ", allowed " + min + "…" + max);
    }
    return value;
  }

  /** Returns {@code value} if it is in {@code min … max}; NaN never is. */
  public static double range(String field, double value, double min, double max) {
    if (!(value >= min && value <= max)) {
      throw new IllegalArgumentException(field + ": " + value + ", allowed " + min + "…" + max);
    }
    return value;
  }
}
