@NullMarked
package io.anabranch.wire.ib;

import org.jspecify.annotations.NullMarked;
