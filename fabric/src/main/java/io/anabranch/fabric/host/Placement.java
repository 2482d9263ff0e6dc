package io.anabranch.fabric.host;

import io.anabranch.engine.Memory;

/**
 * Memory without bytes. Flow f writes to the addresses from {@code f << 38} on, so that what is
 * placed can be checked against what was asked for.
 */
final class Placement implements Memory {
  private final PlacementWatch watch;
  private long bytes;

  Placement(PlacementWatch watch) {
    this.watch = watch;
  }

  @Override
  public void place(int region, long offset, io.anabranch.wire.mrc.Frame frame) {
    bytes += frame.payloadLength();
    watch.placed(FlowAddress.flow(offset), FlowAddress.offset(offset), frame.payloadLength());
  }

  /** Bytes written so far, each once. */
  long bytes() {
    return bytes;
  }
}
