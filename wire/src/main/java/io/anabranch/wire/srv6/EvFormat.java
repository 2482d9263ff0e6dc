package io.anabranch.wire.srv6;

import java.util.List;

/**
 * EV format profile: how the expanded entropy value is divided.
 *
 * @param mode where the value goes
 * @param fieldBits width of each field in bits, most significant first
 */
public record EvFormat(EvMode mode, List<Integer> fieldBits) {
  /** Checks that there are fields and that they fit the mode. */
  public EvFormat {
    fieldBits = List.copyOf(fieldBits);
    if (fieldBits.isEmpty()) {
      throw new IllegalArgumentException("format fields: none, allowed 1…" + mode.bits());
    }
    long sum = 0;
    for (int bits : fieldBits) {
      if (bits < 1 || bits > mode.bits()) {
        throw new IllegalArgumentException(
            "format field width: " + bits + ", allowed 1…" + mode.bits() + " for " + mode);
      }
      sum += bits;
    }
    if (sum > mode.bits()) {
      throw new IllegalArgumentException(
          "format field widths: sum " + sum + ", allowed 1…" + mode.bits() + " for " + mode);
    }
  }

  /** Sum of the widths. */
  public int bits() {
    return fieldBits.stream().mapToInt(Integer::intValue).sum();
  }
}
