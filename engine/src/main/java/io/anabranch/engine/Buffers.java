package io.anabranch.engine;

import java.nio.ByteBuffer;

/**
 * The application's bytes as a driver with real packets needs them. Implemented by the application
 * side (verbs); called on the driver's thread.
 */
public interface Buffers {
  /**
   * Gathers bytes of a posted message.
   *
   * @param payloadRef the handle given with the work request
   * @param offset bytes from the message's start
   * @param into filled from its position to its limit
   */
  void read(int payloadRef, long offset, ByteBuffer into);

  /** Stores received bytes, bounds already checked, at {@code offset} of a registered region. */
  void write(int region, long offset, ByteBuffer from);
}
