/**
 * MRC's packets: opcodes, headers, the frame slot that the engine speaks, and the codec between
 * slots and bytes.
 */
@NullMarked
package io.anabranch.wire.mrc;

import org.jspecify.annotations.NullMarked;
