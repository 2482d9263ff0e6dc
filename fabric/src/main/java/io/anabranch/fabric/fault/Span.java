package io.anabranch.fabric.fault;

import io.anabranch.engine.config.Check;
import java.util.SplittableRandom;

/** How long something lasts. */
public sealed interface Span {
  /** The next length, in ps; at least 1. */
  long draw(SplittableRandom random);

  /** The mean, in ps. */
  long meanPs();

  /**
   * Always the same.
   *
   * @param meanPs 1 ps … 1000 s
   */
  record Fixed(long meanPs) implements Span {
    /** Checks the range. */
    public Fixed {
      Check.range("meanPs", meanPs, 1, Fault.MAX_PS);
    }

    @Override
    public long draw(SplittableRandom random) {
      return meanPs;
    }
  }

  /**
   * Exponentially distributed: what happens has no memory.
   *
   * @param meanPs 1 ps … 1000 s
   */
  record Exponential(long meanPs) implements Span {
    /** Checks the range. */
    public Exponential {
      Check.range("meanPs", meanPs, 1, Fault.MAX_PS);
    }

    @Override
    public long draw(SplittableRandom random) {
      double length = -StrictMath.log(1 - random.nextDouble()) * meanPs;
      return Math.max(1, (long) length);
    }
  }
}
