package io.anabranch.net.loop;

import io.anabranch.engine.Buffers;
import io.anabranch.engine.Engine;
import io.anabranch.net.device.Packet;
import io.anabranch.net.device.PacketIo;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.FrameCodec;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The sending side of one port: takes frames from the engine one at a time, turns them into packets
 * and gives them to the device. A packet that the device cannot take stays here and is offered
 * again. So does one whose port failed: it is the test whether the port works again.
 */
final class PortSender {
  private final PacketIo io;
  private final int port;
  private final FrameCodec codec;
  private final Packet packet = new Packet();
  private boolean held;
  private boolean failed;
  private boolean interfaceUp = true;
  private long retryAtNs;
  long packets;
  long bytes;
  long full;
  long failures;

  PortSender(PacketIo io, int port, FrameCodec codec) {
    this.io = io;
    this.port = port;
    this.codec = codec;
  }

  /** Whether the port can carry packets, as far as is known. */
  boolean up() {
    return interfaceUp && !failed;
  }

  /** Whether a packet waits until the device can take it. */
  boolean waits() {
    return held && !failed;
  }

  /** When a failed port is tried again, or NEVER. */
  long retryAtNs() {
    return failed && interfaceUp ? retryAtNs : PacketIo.NEVER;
  }

  /** Tells what the system says about the interface. */
  void interfaceUp(boolean up, Engine engine, long nowNs) {
    boolean before = up();
    interfaceUp = up;
    changed(before, engine, nowNs);
  }

  /** Takes the port out after a failure that was not a packet's. */
  void fail(Engine engine, long nowNs, long retryNs) {
    boolean before = up();
    failed = true;
    retryAtNs = nowNs + retryNs;
    changed(before, engine, nowNs);
  }

  private void changed(boolean before, Engine engine, long nowNs) {
    boolean now = up();
    if (now != before) {
      failures += now ? 0 : 1;
      engine.portState(port, now, nowNs);
    }
  }

  /**
   * Sends one frame.
   *
   * @return false: nothing to send, or the port cannot take it
   */
  boolean sendOne(Engine engine, Buffers buffers, Frame frame, long nowNs, long retryNs) {
    if (!interfaceUp || failed && nowNs < retryAtNs) {
      return false;
    }
    if (!held) {
      if (failed) {
        // Nothing to test it with (receiving failed): let the engine find out.
        failed = false;
        engine.portState(port, true, nowNs);
      }
      if (!engine.nextFrame(port, nowNs, frame)) {
        return false;
      }
      encode(frame, buffers);
      held = true;
    }
    int length = packet.bytes.limit();
    try {
      if (!io.send(packet, nowNs)) {
        full++;
        return false;
      }
    } catch (IOException e) {
      fail(engine, nowNs, retryNs);
      return false;
    }
    held = false;
    packets++;
    bytes += length;
    if (failed) {
      boolean before = up();
      failed = false;
      changed(before, engine, nowNs);
    }
    return true;
  }

  private void encode(Frame f, Buffers buffers) {
    ByteBuffer out = packet.bytes;
    out.clear();
    FrameCodec.encodeHeaders(f, out);
    int payload = f.payloadLength();
    if (payload > 0) {
      int end = out.position() + payload;
      out.limit(end);
      buffers.read(f.payloadRef(), f.payloadOffset(), out);
      out.limit(out.capacity());
      out.position(end);
    }
    codec.finish(f, out, 0);
    out.flip();
    packet.port = port;
    packet.srcHi = f.srcHi();
    packet.srcLo = f.srcLo();
    packet.dstHi = f.dstHi();
    packet.dstLo = f.dstLo();
    packet.ev = f.ev();
    packet.dstPort = f.dstPort();
    packet.dscp = f.dscp();
    packet.ecn = f.ecn();
    packet.udpLength = f.udpLength();
    packet.trimmed = false;
    packet.cut = false;
  }
}
