@NullMarked
package io.anabranch.tools.transfer;

import org.jspecify.annotations.NullMarked;
