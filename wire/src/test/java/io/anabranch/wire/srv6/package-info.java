@NullMarked
package io.anabranch.wire.srv6;

import org.jspecify.annotations.NullMarked;
