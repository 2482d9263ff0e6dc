@NullMarked
package io.anabranch.wire.ip;

import org.jspecify.annotations.NullMarked;
