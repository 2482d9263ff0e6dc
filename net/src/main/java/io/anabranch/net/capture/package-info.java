/** Captures: a device that writes the packets of any other to a pcapng file. */
@NullMarked
package io.anabranch.net.capture;

import org.jspecify.annotations.NullMarked;
