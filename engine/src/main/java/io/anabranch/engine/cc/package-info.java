/** Congestion control: how much may be in flight towards a destination. */
@NullMarked
package io.anabranch.engine.cc;

import org.jspecify.annotations.NullMarked;
