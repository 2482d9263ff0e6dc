/**
 * Out-of-band set-up over TCP: what two endpoints tell each other before the first packet, and the
 * life line that tells one when the other is gone. Everything from outside is bounded in size,
 * number and time.
 */
@NullMarked
package io.anabranch.net.setup;

import org.jspecify.annotations.NullMarked;
