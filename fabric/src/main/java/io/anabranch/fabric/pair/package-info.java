/**
 * The smallest fabric: two engines and one hostile channel between them, in virtual time, seeded
 * and replayable bit for bit, with checkers that watch every frame from outside.
 *
 * <p>{@link io.anabranch.fabric.pair.PairScenario} says what happens, {@link
 * io.anabranch.fabric.pair.PairHarness} makes it happen, {@link
 * io.anabranch.fabric.pair.PairChecker} holds it to {@link io.anabranch.fabric.pair.Invariant}.
 */
@NullMarked
package io.anabranch.fabric.pair;

import org.jspecify.annotations.NullMarked;
