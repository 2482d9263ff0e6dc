package io.anabranch.wire.srv6;

/**
 * One field of an EV profile. Values are unsigned.
 *
 * @param bits width, 1…64
 * @param initial value before the EV's bits are set
 * @param min least value of the masked bits when the EV is generated
 * @param max greatest value of the masked bits when the EV is generated
 * @param mask ones where the EV's bits go
 */
public record EvField(int bits, long initial, long min, long max, long mask) {
  /** Checks what the field can check alone. */
  public EvField {
    if (bits < 1 || bits > 64) {
      throw new IllegalArgumentException("field width: " + bits + ", allowed 1…64");
    }
    fits("initial value", initial, bits, "the width");
    fits("mask", mask, bits, "the width");
    fits("maximum", max, Long.bitCount(mask), "the mask bits");
    if (Long.compareUnsigned(min, max) > 0) {
      throw new IllegalArgumentException(
          "minimum: " + Long.toUnsignedString(min) + ", allowed 0…" + Long.toUnsignedString(max));
    }
  }

  private static void fits(String what, long value, int bits, String of) {
    long most = bits == 0 ? 0 : -1L >>> (64 - bits);
    if (Long.compareUnsigned(value, most) > 0) {
      throw new IllegalArgumentException(
          what
              + ": 0x"
              + Long.toHexString(value)
              + ", allowed 0…0x"
              + Long.toHexString(most)
              + " ("
              + of
              + ")");
    }
  }
}
