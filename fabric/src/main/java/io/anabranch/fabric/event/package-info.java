/** Virtual time: the queue of events, and chance by named streams. */
@NullMarked
package io.anabranch.fabric.event;

import org.jspecify.annotations.NullMarked;
