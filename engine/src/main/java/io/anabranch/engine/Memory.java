package io.anabranch.engine;

import io.anabranch.wire.mrc.Frame;

/**
 * Where accepted payload goes. The engine has checked key, protection domain, rights and bounds of
 * the whole packet; the driver, which holds the bytes of the frame it is handing in, copies them.
 */
public interface Memory {
  /**
   * Places the payload of the frame that is being received.
   *
   * @param region the region's handle, as registered
   * @param offset bytes from the region's start
   * @param frame the frame passed to {@link Engine#receive}; its payload has {@link
   *     Frame#payloadLength()} bytes
   */
  void place(int region, long offset, Frame frame);
}
