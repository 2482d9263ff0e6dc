package io.anabranch.net.capture;

import io.anabranch.net.device.Packet;
import io.anabranch.net.device.PacketIo;
import io.anabranch.net.device.WrappedIo;
import io.anabranch.wire.ip.Address;
import io.anabranch.wire.ip.Ip4;
import io.anabranch.wire.ip.Ip6;
import io.anabranch.wire.ip.Udp;
import io.anabranch.wire.mrc.FrameCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * Captures the packets of any device as Ethernet frames, with an interface for each plane: those it
 * sends, and if asked for those it receives. It stands above a fault device, so that packets are
 * captured as they are sent, before a fault takes them.
 *
 * <p>A packet that the capture has no room for is not sent until there is room: a capture of what
 * is sent is complete or says that it is not. Packets of all planes that wait for room are captured
 * in the order in which they were first offered. Of what is received, it misses packets instead.
 */
public final class CaptureIo extends WrappedIo {
  private static final int ETHERNET_BYTES = 14;
  private static final int ETHERTYPE_IP4 = 0x0800;
  private static final int ETHERTYPE_IP6 = 0x86DD;
  private static final int PROTOCOL_UDP = 17;

  /** The first bytes of a MAC address that is local and nobody's. */
  private static final long MAC = 0x0200_0000_0000L;

  private static final long FAR_SIDE = 0x100;

  private final Capture capture;
  private final boolean received;
  private final int[] interfaces;
  private final boolean[] recorded;
  private final boolean[] offered;
  private final ByteBuffer[] frames;

  /** The ports whose packets wait for room, the first offered first. */
  private final ArrayDeque<Integer> waiting = new ArrayDeque<>();

  private final ByteBuffer arrived = newFrame();

  /**
   * Wraps a device.
   *
   * @param endpoint name of the endpoint, for the interfaces' names
   * @param received whether packets that arrive are captured too; not needed where the peer's
   *     device shares the file
   * @throws IOException when the file cannot be written
   */
  public CaptureIo(PacketIo inner, Capture capture, String endpoint, boolean received)
      throws IOException {
    super(inner);
    this.capture = capture;
    this.received = received;
    interfaces = new int[inner.ports()];
    recorded = new boolean[inner.ports()];
    offered = new boolean[inner.ports()];
    frames = new ByteBuffer[inner.ports()];
    for (int i = 0; i < interfaces.length; i++) {
      frames[i] = newFrame();
      interfaces[i] = capture.addInterface(endpoint + " plane " + (i + 1));
    }
  }

  @Override
  public boolean send(Packet packet, long nowNs) throws IOException {
    int port = packet.port;
    if (!offered[port]) {
      offered[port] = true;
      build(packet, true, frames[port]);
      waiting.add(port);
    }
    recordWaiting(nowNs);
    if (!recorded[port] || !inner.send(packet, nowNs)) {
      return false;
    }
    offered[port] = false;
    recorded[port] = false;
    return true;
  }

  private void recordWaiting(long nowNs) {
    for (Integer port = waiting.peek(); port != null; port = waiting.peek()) {
      if (!capture.record(interfaces[port], nowNs, frames[port])) {
        return;
      }
      recorded[port] = true;
      waiting.remove();
    }
  }

  @Override
  public boolean receive(int port, Packet into, long nowNs) throws IOException {
    boolean got = inner.receive(port, into, nowNs);
    if (got && received && !into.cut) {
      build(into, false, arrived);
      if (!capture.record(interfaces[port], nowNs, arrived)) {
        capture.miss();
      }
    }
    return got;
  }

  private static ByteBuffer newFrame() {
    return ByteBuffer.allocateDirect(ETHERNET_BYTES + Ip6.BYTES + Udp.BYTES + Packet.MAX_BYTES);
  }

  private static void build(Packet p, boolean sent, ByteBuffer frame) {
    frame.clear();
    long near = MAC + p.port + 1;
    long far = near + FAR_SIDE;
    boolean ipv4 = Address.isIp4(p.srcHi, p.srcLo);
    putMac(frame, sent ? far : near);
    putMac(frame, sent ? near : far);
    frame.putShort((short) (ipv4 ? ETHERTYPE_IP4 : ETHERTYPE_IP6));
    int bytes = p.bytes.limit();
    int trafficClass = p.dscp << 2 | p.ecn;
    if (ipv4) {
      Ip4.write(
          frame,
          trafficClass,
          FrameCodec.HOP_LIMIT,
          PROTOCOL_UDP,
          (int) p.srcLo,
          (int) p.dstLo,
          Udp.BYTES + bytes);
    } else {
      Ip6.write(
          frame,
          trafficClass,
          p.ev >>> 16,
          PROTOCOL_UDP,
          FrameCodec.HOP_LIMIT,
          p.srcHi,
          p.srcLo,
          p.dstHi,
          p.dstLo,
          Udp.BYTES + bytes);
    }
    Udp.write(frame, p.ev & 0xffff, p.dstPort, Math.max(p.udpLength, Udp.BYTES + bytes));
    frame.put(frame.position(), p.bytes, 0, bytes);
    frame.position(frame.position() + bytes).flip();
  }

  private static void putMac(ByteBuffer frame, long address) {
    frame.putShort((short) (address >>> 32)).putInt((int) address);
  }
}
