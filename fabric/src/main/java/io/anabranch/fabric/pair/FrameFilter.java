package io.anabranch.fabric.pair;

import io.anabranch.wire.mrc.Frame;

/** A test's own trouble: sees every frame that leaves a port, may change, delay or take it. */
@FunctionalInterface
public interface FrameFilter {
  /** Answer of {@link #delayNs}: the frame is lost. */
  long LOST = -1;

  /**
   * A frame leaves an engine; changes to it travel on.
   *
   * @param side whose frame it is: 0 = A, 1 = B
   * @return how much later than usual it arrives, or {@link #LOST}
   */
  long delayNs(int side, int port, Frame frame, long nowNs);
}
