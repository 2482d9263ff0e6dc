/** Structured trace events: enough to draw what a connection did. */
@NullMarked
package io.anabranch.engine.trace;

import org.jspecify.annotations.NullMarked;
