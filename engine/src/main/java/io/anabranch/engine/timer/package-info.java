/** The engine's timers: which exist, and one ordered set of deadlines for all of an engine's. */
@NullMarked
package io.anabranch.engine.timer;

import org.jspecify.annotations.NullMarked;
