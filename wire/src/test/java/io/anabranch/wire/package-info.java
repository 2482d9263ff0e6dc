/** What the tests of this module share. */
@NullMarked
package io.anabranch.wire;

import org.jspecify.annotations.NullMarked;
