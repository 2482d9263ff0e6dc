/** Link, IP and UDP headers: views that judge only what they must, and writers. */
@NullMarked
package io.anabranch.wire.ip;

import org.jspecify.annotations.NullMarked;
