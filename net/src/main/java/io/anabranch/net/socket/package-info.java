/**
 * Portable packet I/O with {@link java.nio.channels.DatagramChannel}: one receiving socket a plane,
 * and for each peer several sending sockets a plane whose source ports are the EVs.
 */
@NullMarked
package io.anabranch.net.socket;

import org.jspecify.annotations.NullMarked;
