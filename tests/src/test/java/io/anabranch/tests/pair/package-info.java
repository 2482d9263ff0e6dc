/** The engine's rules, one readable test each: two engines and one planned mishap. */
@NullMarked
package io.anabranch.tests.pair;

import org.jspecify.annotations.NullMarked;
