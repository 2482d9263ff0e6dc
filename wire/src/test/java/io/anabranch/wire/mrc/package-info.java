@NullMarked
package io.anabranch.wire.mrc;

import org.jspecify.annotations.NullMarked;
