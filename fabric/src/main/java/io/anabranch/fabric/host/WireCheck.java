package io.anabranch.fabric.host;

import io.anabranch.wire.mrc.DecodeResult;
import io.anabranch.wire.mrc.DscpMap;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.FrameCodec;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Takes each packet that a host receives through its encoding: IP, UDP, transport headers, zero
 * payload and ICRC are written, read back and checked, and what was read replaces the frame.
 */
public final class WireCheck {
  private static final int MAX_PACKET_BYTES = 16384;

  private final FrameCodec codec = new FrameCodec(DscpMap.DEFAULT);
  private final ByteBuffer bytes = ByteBuffer.allocate(MAX_PACKET_BYTES);
  private final ByteBuffer payload = ByteBuffer.allocate(MAX_PACKET_BYTES);
  private final Frame read = new Frame();
  private final long[] was = new long[Frame.WORDS];
  private final long[] is = new long[Frame.WORDS];
  private long passed;

  /** Packets taken through so far. */
  public long passed() {
    return passed;
  }

  /** Takes a packet through; a frame that does not come back the same stops the run. */
  void pass(Frame frame) {
    bytes.clear();
    payload.clear().limit(frame.payloadLength());
    codec.encodePacket(frame, payload, bytes);
    bytes.flip();
    DecodeResult result = codec.decodePacket(bytes, read);
    frame.store(was, 0);
    read.payload(frame.payloadRef(), frame.payloadOffset());
    read.store(is, 0);
    if (result != DecodeResult.OK || !Arrays.equals(was, is)) {
      throw new IllegalStateException(
          "a packet does not survive its encoding: " + result + ", opcode " + frame.opcode());
    }
    frame.copy(read);
    passed++;
  }
}
