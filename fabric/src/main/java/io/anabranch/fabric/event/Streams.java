package io.anabranch.fabric.event;

import java.util.SplittableRandom;

/** Named streams of chance derived from one seed: a new model does not reshuffle the others. */
public final class Streams {
  /** What a state of a stream kept as one long is advanced by before each number (SplitMix64). */
  public static final long STEP = 0x9e3779b97f4a7c15L;

  private Streams() {}

  /** The stream of a name. */
  public static SplittableRandom of(long seed, String name) {
    long h = 0xcbf29ce484222325L;
    for (int i = 0; i < name.length(); i++) {
      h = (h ^ name.charAt(i)) * 0x100000001b3L;
    }
    return new SplittableRandom(mix(seed ^ mix(h)));
  }

  /** A bijective scrambling of 64 bits (the finaliser of SplitMix64). */
  public static long mix(long z) {
    z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
    z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
    return z ^ z >>> 31;
  }

  /** The number in [0, 1) of such a state. */
  public static double unit(long state) {
    return (mix(state) >>> 11) * 0x1.0p-53;
  }
}
