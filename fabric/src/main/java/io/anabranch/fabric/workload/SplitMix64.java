package io.anabranch.fabric.workload;

/**
 * The SplitMix64 generator, written out: published permutations depend on its exact sequence, and
 * {@code SplittableRandom} promises none.
 */
final class SplitMix64 {
  private long state;

  SplitMix64(long seed) {
    state = seed;
  }

  /** The next 64 bits. */
  long next() {
    state += 0x9e3779b97f4a7c15L;
    long z = state;
    z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
    z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
    return z ^ z >>> 31;
  }

  /** The next 64 bits, taken as unsigned, modulo {@code bound}. */
  int next(int bound) {
    return (int) Long.remainderUnsigned(next(), bound);
  }
}
