package io.anabranch.tools.run;

import java.math.BigDecimal;

/** Picoseconds as exact microseconds with six decimals. */
final class Micros {
  private static final int DECIMALS = 6;
  private static final long PS = 1_000_000;

  private Micros() {}

  static BigDecimal of(long ps) {
    return BigDecimal.valueOf(ps, DECIMALS);
  }

  static void append(StringBuilder out, long ps) {
    out.append(ps / PS).append('.');
    String rest = Long.toString(ps % PS);
    out.repeat('0', DECIMALS - rest.length()).append(rest);
  }
}
