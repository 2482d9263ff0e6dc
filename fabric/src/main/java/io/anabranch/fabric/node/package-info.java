/** Switches at work: events in order, packets from port to port. */
@NullMarked
package io.anabranch.fabric.node;

import org.jspecify.annotations.NullMarked;
