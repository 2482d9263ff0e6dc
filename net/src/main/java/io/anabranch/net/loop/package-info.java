/** The duty cycle: turns real packets and real time into engine calls, on a thread of its own. */
@NullMarked
package io.anabranch.net.loop;

import org.jspecify.annotations.NullMarked;
