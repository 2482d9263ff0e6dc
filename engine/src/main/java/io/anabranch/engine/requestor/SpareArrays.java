package io.anabranch.engine.requestor;

/**
 * Arrays that idle queue pairs of an engine have given back, for those that become busy: many queue
 * pairs may be connected of which few are active at a time.
 */
public final class SpareArrays {
  /** So many are kept; more are left to the garbage collector. */
  private static final int MOST = 64;

  private final long[][] spares = new long[MOST][];
  private int count;

  /** None so far. */
  public SpareArrays() {}

  /** An array of a length, whatever is in it. */
  long[] take(int length) {
    for (int i = count - 1; i >= 0; i--) {
      long[] spare = spares[i];
      if (spare.length == length) {
        spares[i] = spares[--count];
        return spare;
      }
    }
    return new long[length];
  }

  /** Gives an array back. */
  void give(long[] array) {
    if (array.length > 0 && count < MOST) {
      spares[count++] = array;
    }
  }
}
