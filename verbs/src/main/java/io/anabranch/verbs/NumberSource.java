package io.anabranch.verbs;

import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;

/**
 * Draws the numbers that a stranger must not guess: QP numbers, starting PSNs and R_Keys. A QP
 * number that was given back rests until {@value #RESTING} others have been given back, so that
 * late packets of an old connection find no new one. Guarded by its own lock.
 */
final class NumberSource {
  static final int RESTING = 1 << 16;

  private static final int FIRST_QP = 3;
  private static final int QP_LIMIT = 1 << 24;

  private final SecureRandom random = new SecureRandom();
  private final Set<Integer> qpNumbers = new HashSet<>();
  private final ArrayDeque<Integer> resting = new ArrayDeque<>();
  private final Set<Integer> keys = new HashSet<>();

  synchronized int qpNumber() {
    while (true) {
      int number = FIRST_QP + random.nextInt(QP_LIMIT - FIRST_QP);
      if (qpNumbers.add(number)) {
        return number;
      }
    }
  }

  synchronized void restQpNumber(int number) {
    resting.add(number);
    if (resting.size() > RESTING) {
      qpNumbers.remove(resting.remove());
    }
  }

  synchronized boolean inUseOrResting(int number) {
    return qpNumbers.contains(number);
  }

  int startPsn() {
    return random.nextInt(1 << 24);
  }

  synchronized int key() {
    while (true) {
      int key = random.nextInt();
      if (keys.add(key)) {
        return key;
      }
    }
  }

  synchronized void freeKey(int key) {
    keys.remove(key);
  }
}
