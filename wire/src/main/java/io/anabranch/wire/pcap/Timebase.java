package io.anabranch.wire.pcap;

/**
 * Units of an interface's time stamps (pcapng if_tsresol, if_tsoffset).
 *
 * @param resolution if_tsresol: bit 7 clear, units of 10^−n s; set, units of 2^−n s
 * @param offsetS seconds to add
 */
record Timebase(int resolution, long offsetS) {
  /** What holds where an interface says nothing: microseconds. */
  static final Timebase MICROSECONDS = new Timebase(6, 0);

  private static final long NS_PER_S = 1_000_000_000L;

  /** Nanoseconds since the epoch, rounded down; the nearest a long can hold when out of range. */
  long toNs(long units) {
    int n = resolution & 0x7f;
    boolean binary = (resolution & 0x80) != 0;
    long ns = binary ? binaryToNs(units, n) : decimalToNs(units, n);
    long offsetNs = saturatedMultiply(offsetS, NS_PER_S);
    long sum = ns + offsetNs;
    if (((ns ^ sum) & (offsetNs ^ sum)) < 0) {
      return offsetNs < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
    return sum;
  }

  private static long decimalToNs(long units, int n) {
    if (n > 9) {
      int places = n - 9;
      return places > 19 ? 0 : divideByTenTo(units, places);
    }
    if (units < 0) {
      return Long.MAX_VALUE;
    }
    return saturatedMultiply(units, tenTo(9 - n));
  }

  private static long divideByTenTo(long units, int places) {
    long value = Long.divideUnsigned(units, tenTo(Math.min(places, 18)));
    return places > 18 ? value / 10 : value;
  }

  private static long binaryToNs(long units, int n) {
    long high = Math.unsignedMultiplyHigh(units, NS_PER_S);
    long low = units * NS_PER_S;
    if (n >= 64) {
      return n - 64 >= 64 ? 0 : high >>> (n - 64);
    }
    boolean fits = n == 0 ? high == 0 && low >= 0 : high >>> (n - 1) == 0;
    if (!fits) {
      return Long.MAX_VALUE;
    }
    return n == 0 ? low : high << (64 - n) | low >>> n;
  }

  private static long tenTo(int n) {
    long value = 1;
    for (int i = 0; i < n; i++) {
      value *= 10;
    }
    return value;
  }

  private static long saturatedMultiply(long a, long b) {
    long high = Math.multiplyHigh(a, b);
    long low = a * b;
    if (high == low >> 63) {
      return low;
    }
    return (a ^ b) < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
  }
}
