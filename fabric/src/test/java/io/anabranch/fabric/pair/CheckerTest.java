package io.anabranch.fabric.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anabranch.fabric.pair.PairScenario.Fault;
import io.anabranch.fabric.pair.PairScenario.Knobs;
import io.anabranch.fabric.pair.PairScenario.Poison;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every checker lets an honest engine pass and catches the breach that it is there for. */
class CheckerTest {
  private static Knobs knobs(Mutation mutation) {
    Knobs k = PairScenario.knobs(7);
    k.messages = 30;
    k.maxBytes = 40_000;
    k.immediatePercent = 50;
    k.unsignaledPercent = 20;
    k.initialRttNs = 20_000;
    k.limitNs = 5_000_000_000L;
    switch (mutation) {
      case SENDS_AGAIN_FOR_NOTHING -> {}
      case HIDES_INFLIGHT, BEYOND_WINDOW -> k.windowBytes = 8 << 10;
      case BEYOND_MPR -> {
        k.mtuBytes = 256;
        k.windowBytes = 16 << 20;
        k.minBytes = 500_000;
        k.maxBytes = 500_000;
        k.messages = 3;
        k.delayNs = 500_000;
        k.initialRttNs = 1_000_000;
        k.timeout = 14;
      }
      case BEYOND_WIMM -> {
        k.maxWimm = 2;
        k.maxBytes = 100;
        k.immediatePercent = 100;
      }
      case UNEQUAL_PLANES -> {
        k.fixedAskOrder = true;
        k.windowBytes = 3000;
        k.maxBytes = 100_000;
      }
      case SENDS_ON_DOWN_PORT, IGNORES_PORT_STATUS ->
          k.fault(
              20_000,
              Fault.Kind.PORT_DOWN,
              mutation == Mutation.SENDS_ON_DOWN_PORT ? 0 : 1,
              1,
              3_000_000);
      case GIVES_UP_EARLY, GIVES_UP_LATE -> {
        k.exponentialRetries = 3;
        k.fault(50_000, Fault.Kind.DIE, 1, 0, Long.MAX_VALUE);
      }
      case COPIES_GALORE -> {
        k.toB.trim = 0.3;
      }
      default -> {
        k.timeout = 5;
        k.toB.loss = 0.05;
        k.toB.duplicate = 0.1;
        k.toB.trim = 0.05;
        k.toB.mark = 0.3;
        k.toB.reorder = 0.3;
        k.toB.reorderNs = 20_000;
        k.toA.loss = 0.05;
      }
    }
    return k;
  }

  private static PairResult run(PairScenario scenario, Mutation mutation) {
    return new PairHarness(scenario, ReferenceEngine.factory(mutation)).run();
  }

  @ParameterizedTest
  @EnumSource(value = Mutation.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void catchesTheMutant(Mutation mutation) {
    PairScenario scenario = knobs(mutation).build();
    assertThatThrownBy(() -> run(scenario, mutation))
        .isInstanceOfSatisfying(
            InvariantBreach.class,
            breach ->
                assertThat(breach.invariant())
                    .as(breach.getMessage())
                    .isEqualTo(mutation.caughtBy));
  }

  @ParameterizedTest
  @EnumSource(value = Mutation.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void theSameScenarioIsFineWithoutTheMutation(Mutation mutation) {
    PairResult result = run(knobs(mutation).build(), Mutation.NONE);
    assertThat(result.completions()).isPositive();
  }

  @Test
  void theSameSeedGivesTheSameRun() {
    PairScenario scenario = knobs(Mutation.RTX_CLEAR).build();
    assertThat(run(scenario, Mutation.NONE)).isEqualTo(run(scenario, Mutation.NONE));
  }

  @Test
  void everyFamilyOfSeedsRunsWithTheReference() {
    for (long seed = 0; seed < 22 * 6; seed++) {
      PairScenario scenario = PairScenario.fromSeed(seed);
      boolean beyondReference =
          switch (scenario.family()) {
            case LIES, CAPABILITY, MIX -> true;
            default -> false;
          };
      if (!beyondReference) {
        assertThat(run(scenario, Mutation.NONE).digest()).isNotZero();
      }
    }
  }

  @Test
  void aRefusedRequestFailsAsItShould() {
    for (Poison poison : Poison.values()) {
      if (poison != Poison.NONE) {
        Knobs k = PairScenario.knobs(3);
        k.poison = poison;
        k.poisonAt = 5;
        k.immediatePercent = 50;
        assertThat(run(k.build(), Mutation.NONE).failedQps()).as("%s", poison).isEqualTo(2);
      }
    }
  }
}
