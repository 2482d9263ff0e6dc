package io.anabranch.fabric.pair;

import io.anabranch.engine.endpoint.MrcEngine;
import org.jspecify.annotations.Nullable;

/** Runs seeds against the real engine. Pure: a seed gives the same outcome every time. */
public final class Replay {
  private Replay() {}

  /**
   * How a seed ended: exactly one of the two is there.
   *
   * @param result what the run came to, if every invariant held
   * @param breach the first that did not
   */
  public record Outcome(@Nullable PairResult result, @Nullable InvariantBreach breach) {
    /** Whether every invariant held. */
    public boolean held() {
      return breach == null;
    }
  }

  /**
   * Runs the scenario that a seed stands for.
   *
   * @param trace takes every frame and trace event as a line; null for none
   */
  public static Outcome run(long seed, PairHarness.@Nullable LineSink trace) {
    return run(PairScenario.fromSeed(seed), trace);
  }

  /** Runs a scenario. */
  public static Outcome run(PairScenario scenario, PairHarness.@Nullable LineSink trace) {
    try {
      PairHarness harness = new PairHarness(scenario, MrcEngine::new);
      if (trace != null) {
        harness.trace(trace);
      }
      return new Outcome(harness.run(), null);
    } catch (InvariantBreach breach) {
      return new Outcome(null, breach);
    }
  }
}
