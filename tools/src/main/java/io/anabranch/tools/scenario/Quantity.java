package io.anabranch.tools.scenario;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Values with units, as exact whole numbers: a time in picoseconds, a size in bytes, a rate in bits
 * per second. A value between two of them is refused rather than rounded.
 */
public final class Quantity {
  /** Picoseconds. */
  public static final Quantity TIME =
      new Quantity(
          "picosecond",
          "1us or 2.5ns",
          unit("ps", 0),
          unit("ns", 3),
          unit("us", 6),
          unit("ms", 9),
          unit("s", 12));

  /** Bytes. */
  public static final Quantity SIZE =
      new Quantity(
          "byte",
          "4096B, 16KiB or 2MiB",
          unit("B", 0),
          binary("KiB", 10),
          binary("MiB", 20),
          binary("GiB", 30),
          binary("TiB", 40),
          unit("kB", 3),
          unit("MB", 6),
          unit("GB", 9),
          unit("TB", 12));

  /** Bits per second. */
  public static final Quantity RATE =
      new Quantity(
          "bit/s",
          "400Gbps",
          unit("bps", 0),
          unit("kbps", 3),
          unit("Mbps", 6),
          unit("Gbps", 9),
          unit("Tbps", 12));

  private record Unit(String name, BigDecimal factor, boolean isBinary) {}

  private static final Pattern FORM =
      Pattern.compile("([0-9]{1,18}(?:\\.[0-9]{1,15})?) ?([A-Za-zµ]*)");

  private final String whole;
  private final String example;
  private final List<Unit> units;

  private Quantity(String whole, String example, Unit... units) {
    this.whole = whole;
    this.example = example;
    this.units = List.of(units);
  }

  private static Unit unit(String name, int digits) {
    return new Unit(name, BigDecimal.ONE.movePointRight(digits), false);
  }

  private static Unit binary(String name, int shift) {
    return new Unit(name, BigDecimal.valueOf(1L << shift), true);
  }

  /**
   * Reads a number and a unit; 0 needs none.
   *
   * @throws IllegalArgumentException saying what is allowed
   */
  public long parse(String text) {
    Matcher m = FORM.matcher(text);
    if (!m.matches()) {
      throw new IllegalArgumentException("a number and a unit, such as " + example);
    }
    BigDecimal number = new BigDecimal(m.group(1));
    String name = m.group(2).equals("µs") ? "us" : m.group(2);
    if (name.isEmpty() && number.signum() == 0) {
      return 0;
    }
    for (Unit unit : units) {
      if (unit.name.equals(name)) {
        try {
          return number.multiply(unit.factor).longValueExact();
        } catch (ArithmeticException e) {
          throw new IllegalArgumentException(
              "a whole number of " + whole + "s below 2^63, such as " + example, e);
        }
      }
    }
    throw new IllegalArgumentException(
        (name.isEmpty() ? "a unit too, one of " : "the units ") + String.join(", ", names()));
  }

  private List<String> names() {
    List<String> names = new ArrayList<>();
    for (Unit unit : units) {
      names.add(unit.name);
    }
    return names;
  }

  /** Writes a value so that it reads back the same, in the largest unit that makes it short. */
  public String format(long value) {
    if (value == 0) {
      return "0" + units.getFirst().name;
    }
    BigDecimal exact = BigDecimal.valueOf(value);
    Unit best = units.getFirst();
    for (Unit unit : units) {
      boolean fits =
          this == SIZE
              ? unit.isBinary && exact.remainder(unit.factor).signum() == 0
              : exact.compareTo(unit.factor) >= 0;
      best = fits ? unit : best;
    }
    return exact.divide(best.factor).stripTrailingZeros().toPlainString() + best.name;
  }
}
