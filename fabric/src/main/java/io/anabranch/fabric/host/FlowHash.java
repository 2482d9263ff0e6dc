package io.anabranch.fabric.host;

import io.anabranch.fabric.event.Streams;
import io.anabranch.wire.mrc.Frame;

/** What a switch's ECMP sees of a packet: addresses, UDP ports, flow label. */
public final class FlowHash {
  private FlowHash() {}

  /** The hash of a frame's headers. */
  public static int of(Frame f) {
    long addresses = Streams.mix(f.srcHi() ^ Streams.mix(f.srcLo() << 32 ^ f.dstLo()));
    return (int) Streams.mix(addresses ^ (long) f.dstPort() << 32 ^ f.ev() & 0xffff_ffffL);
  }
}
