/**
 * Real packets: the device and what wraps it ({@code device}, {@code socket}, {@code fault}, {@code
 * capture}), the duty cycle that drives an engine over it ({@code loop}), and the out-of-band
 * set-up ({@code setup}). Nothing is in this package itself.
 */
@org.jspecify.annotations.NullMarked
package io.anabranch.net;
