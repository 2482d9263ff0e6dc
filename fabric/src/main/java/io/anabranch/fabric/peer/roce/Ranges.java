package io.anabranch.fabric.peer.roce;

/** Refuses values outside their range. */
final class Ranges {
  private Ranges() {}

  static void check(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(name + ": " + value + ", allowed " + min + "…" + max);
    }
  }
}
