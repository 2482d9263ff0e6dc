/**
 * The device: what the duty cycle sends packets to and receives them from. Real sockets are one;
 * the fault and capture devices wrap any other.
 */
@NullMarked
package io.anabranch.net.device;

import org.jspecify.annotations.NullMarked;
