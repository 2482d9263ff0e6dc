/** Which path a packet takes: EV states, rotation, planes, and how control frames go back. */
@NullMarked
package io.anabranch.engine.path;

import org.jspecify.annotations.NullMarked;
