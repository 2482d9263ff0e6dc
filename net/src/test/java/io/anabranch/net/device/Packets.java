package io.anabranch.net.device;

import io.anabranch.wire.mrc.DscpMap;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.FrameCodec;
import io.anabranch.wire.mrc.Opcode;

/** Packets for tests. */
public final class Packets {
  private static final FrameCodec CODEC = new FrameCodec(DscpMap.DEFAULT);

  private Packets() {}

  /** A whole data packet. */
  public static Packet data(int port, int ev, int psn, int payloadBytes) {
    Frame f = new Frame().opcode(Opcode.WRITE_ONLY).psn(psn).destQp(9).ev(ev).dstPort(4791);
    f.src(0x20010db8L << 32, 100).dst(0x20010db8L << 32, 200).pKey(0xffff);
    f.dscp(DscpMap.DEFAULT.trimmable()).ecn(Packet.ECT_0);
    f.payloadLength(payloadBytes).padCount(-payloadBytes & 3).dmaLength(payloadBytes);
    return of(f, port);
  }

  /** A whole SACK. */
  public static Packet sack(int port, int ev, int psn) {
    Frame f = new Frame().opcode(Opcode.SACK).psn(psn).cackPsn(psn).destQp(9).ev(ev);
    f.src(0x20010db8L << 32, 100).dst(0x20010db8L << 32, 200).dstPort(4791);
    return of(f.dscp(DscpMap.DEFAULT.control()), port);
  }

  /** The packet of a frame, its payload zero. */
  public static Packet of(Frame f, int port) {
    Packet p = new Packet();
    p.bytes.clear();
    FrameCodec.encodeHeaders(f, p.bytes);
    for (int i = 0; i < f.payloadLength(); i++) {
      p.bytes.put((byte) 0);
    }
    CODEC.finish(f, p.bytes, 0);
    p.bytes.flip();
    p.port = port;
    p.srcHi = f.srcHi();
    p.srcLo = f.srcLo();
    p.dstHi = f.dstHi();
    p.dstLo = f.dstLo();
    p.ev = f.ev();
    p.dstPort = f.dstPort();
    p.dscp = f.dscp();
    p.ecn = f.ecn();
    p.udpLength = f.udpLength();
    return p;
  }
}
