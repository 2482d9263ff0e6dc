/** The engine itself: queue pairs, peers, scheduling, and the calls of the seam. */
@NullMarked
package io.anabranch.engine.endpoint;

import org.jspecify.annotations.NullMarked;
