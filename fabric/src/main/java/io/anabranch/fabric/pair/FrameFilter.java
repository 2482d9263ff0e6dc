package io.anabranch.fabric.pair;

import io.anabranch.wire.mrc.Frame;

/** A test's own trouble: sees every frame that leaves a port and may take it. */
@FunctionalInterface
public interface FrameFilter {
  /**
   * A frame leaves an engine; changes to it travel on.
   *
   * @param side whose frame it is: 0 = A, 1 = B
   * @return whether it goes on to the channel; false: it is lost
   */
  boolean pass(int side, int port, Frame frame, long nowNs);
}
