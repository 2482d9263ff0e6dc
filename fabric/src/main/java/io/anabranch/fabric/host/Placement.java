package io.anabranch.fabric.host;

import io.anabranch.engine.Memory;

/**
 * Memory without bytes. Flow f writes to the addresses from {@code f << 38} on, so that what is
 * placed can be checked against what was asked for.
 */
final class Placement implements Memory {
  static final int FLOW_SHIFT = 38;

  private final PlacementWatch watch;
  private long bytes;

  Placement(PlacementWatch watch) {
    this.watch = watch;
  }

  @Override
  public void place(int region, long offset, io.anabranch.wire.mrc.Frame frame) {
    bytes += frame.payloadLength();
    watch.placed(
        (int) (offset >>> FLOW_SHIFT), offset & (1L << FLOW_SHIFT) - 1, frame.payloadLength());
  }

  /** Bytes written so far, each once. */
  long bytes() {
    return bytes;
  }
}
