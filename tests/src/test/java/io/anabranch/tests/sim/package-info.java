/** Simulations of whole fabrics with known answers. */
@NullMarked
package io.anabranch.tests.sim;

import org.jspecify.annotations.NullMarked;
