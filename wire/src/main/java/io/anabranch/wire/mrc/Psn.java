package io.anabranch.wire.mrc;

/** Arithmetic on 24-bit packet sequence numbers, which wrap; distances are signed modulo 2^24. */
public final class Psn {
  /** Bits a PSN, a QP number and {@code rcvd_bytes} have on the wire. */
  public static final int MASK = 0xff_ffff;

  private Psn() {}

  /** {@code psn + n} modulo 2^24; {@code n} may be negative. */
  public static int plus(int psn, int n) {
    return (psn + n) & MASK;
  }

  /** How far {@code a} is ahead of {@code b}: −2^23 … 2^23 − 1. */
  public static int ahead(int a, int b) {
    return ((a - b) << 8) >> 8;
  }
}
