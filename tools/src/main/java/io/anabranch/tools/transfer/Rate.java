package io.anabranch.tools.transfer;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A rate as users write it: {@code 500Mbps}, {@code 1.5Gbps}; in bits per second. */
public final class Rate {
  private static final long MIN_BPS = 64_000;
  private static final long MAX_BPS = 1_000_000_000_000L;
  private static final Pattern FORM = Pattern.compile("([0-9]{1,15}(?:\\.[0-9]{1,9})?) ?([a-z]+)");
  private static final Map<String, Long> UNITS =
      Map.of("bps", 1L, "kbps", 1_000L, "mbps", 1_000_000L, "gbps", 1_000_000_000L);

  private Rate() {}

  /**
   * Reads one.
   *
   * @return bits per second, 64 kbps … 1000 Gbps
   * @throws IllegalArgumentException when it is not a number and a unit, or out of range
   */
  public static long parse(String text) {
    Matcher m = FORM.matcher(text.toLowerCase(Locale.ROOT));
    Long unit = m.matches() ? UNITS.get(m.group(2)) : null;
    if (unit == null) {
      throw new IllegalArgumentException(
          "'" + text + "', allowed: a number and bps, kbps, Mbps or Gbps, as 500Mbps");
    }
    long bps = new BigDecimal(m.group(1)).multiply(BigDecimal.valueOf(unit)).longValue();
    if (bps < MIN_BPS || bps > MAX_BPS) {
      throw new IllegalArgumentException("'" + text + "', allowed 64kbps…1000Gbps");
    }
    return bps;
  }
}
