package io.anabranch.fabric;

import java.util.function.IntConsumer;

/** Runs the parts of a network, all of them once, in whatever order or at the same time. */
@FunctionalInterface
public interface Workers {
  /** One part after another. */
  Workers IN_TURN =
      (parts, work) -> {
        for (int part = 0; part < parts; part++) {
          work.accept(part);
        }
      };

  /**
   * Calls {@code work} with each number from 0 to before {@code parts}; returns when all calls have
   * ended, and what they did is seen by whoever called.
   */
  void run(int parts, IntConsumer work);
}
