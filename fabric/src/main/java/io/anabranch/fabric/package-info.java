/**
 * The simulated network: virtual time drives the same engine that the sockets drive. {@link
 * io.anabranch.fabric.Fabric} is where a run begins.
 */
@NullMarked
package io.anabranch.fabric;

import org.jspecify.annotations.NullMarked;
