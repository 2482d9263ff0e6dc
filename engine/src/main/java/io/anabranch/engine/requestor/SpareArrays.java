package io.anabranch.engine.requestor;

import java.util.ArrayDeque;
import java.util.TreeMap;

/**
 * Arrays that idle queue pairs of an engine have given back, for those that become busy: many queue
 * pairs may be connected of which few are active at a time.
 */
public final class SpareArrays {
  /** Of one length; more are left to the garbage collector. */
  private static final int MOST = 64;

  private final TreeMap<Integer, ArrayDeque<long[]>> byLength = new TreeMap<>();

  /** None so far. */
  public SpareArrays() {}

  /** An array of a length, whatever is in it. */
  long[] take(int length) {
    ArrayDeque<long[]> spares = byLength.get(length);
    long[] spare = spares == null ? null : spares.poll();
    return spare == null ? new long[length] : spare;
  }

  /** Gives an array back. */
  void give(long[] array) {
    if (array.length > 0) {
      ArrayDeque<long[]> spares = byLength.computeIfAbsent(array.length, _ -> new ArrayDeque<>());
      if (spares.size() < MOST) {
        spares.push(array);
      }
    }
  }
}
