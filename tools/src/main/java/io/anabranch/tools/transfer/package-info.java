/**
 * Files over MRC: what {@code mrc send} and {@code mrc recv} do beneath their command lines. The
 * format and its limits are in docs/transfer.md.
 */
@NullMarked
package io.anabranch.tools.transfer;

import org.jspecify.annotations.NullMarked;
