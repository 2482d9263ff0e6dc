package io.anabranch.fabric.fault;

import io.anabranch.engine.config.Check;
import java.util.List;

/**
 * Something that fails.
 *
 * @param effect how
 * @param targets what, by names as {@link Targets} knows them; none for {@link Effect.LossyEv}, the
 *     two cables for {@link Effect.Miswired}
 * @param pick hits only so many of the elements that the names stand for, drawn from the seed; 0 =
 *     all
 * @param timing when
 */
public record Fault(Effect effect, List<String> targets, int pick, Timing timing) {
  /** Longest time that a fault may tell: 1000 s. */
  public static final long MAX_PS = 1_000_000_000_000_000L;

  /** Checks ranges. */
  public Fault {
    targets = List.copyOf(targets);
    Check.range("pick", pick, 0, 1 << 24);
  }

  /** All that the names stand for, once, from the start of the run to its end. */
  public static Fault always(Effect effect, String... targets) {
    return new Fault(effect, List.of(targets), 0, new Timing.Once(0, Timing.FOREVER));
  }
}
