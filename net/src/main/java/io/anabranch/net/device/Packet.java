package io.anabranch.net.device;

import io.anabranch.wire.mrc.FrameCodec;
import io.anabranch.wire.mrc.Opcode;
import io.anabranch.wire.mrc.Psn;
import java.nio.ByteBuffer;

/**
 * One packet as a device handles it: the UDP payload's bytes, and beside them what the IP and UDP
 * headers say. Mutable and reused, so that passing one on allocates nothing; its fields are public
 * for the same reason. Used by one thread at a time.
 */
public final class Packet {
  /** Largest payload of a packet, in bytes: the largest path MTU. */
  public static final int MAX_PAYLOAD_BYTES = 8192;

  /** Most bytes of a UDP payload: headers, payload, pad and ICRC, rounded up. */
  public static final int MAX_BYTES = FrameCodec.MAX_HEADER_BYTES + MAX_PAYLOAD_BYTES + 16;

  /** Room for every header and for control packets as a whole, but for no data. */
  public static final int HEADERS_ONLY_BYTES = FrameCodec.MAX_HEADER_BYTES + 16;

  /** ECN field of a packet that no switch has marked yet. */
  public static final int ECT_0 = 2;

  /** ECN field of a packet that a switch has marked. */
  public static final int CE = 3;

  private static final int BTH_FECN_BYTE = 4;
  private static final int FECN = 0x80;
  private static final int BTH_PSN = 8;

  /** From BTH to the ICRC: position 0 to limit between calls. Big-endian and direct. */
  public final ByteBuffer bytes;

  /** Local port, from 0: the plane. */
  public int port;

  /** High 64 bits of the source address; an IPv4 address is IPv4-mapped. */
  public long srcHi;

  /** Low 64 bits of the source address. */
  public long srcLo;

  /** High 64 bits of the destination address. */
  public long dstHi;

  /** Low 64 bits of the destination address. */
  public long dstLo;

  /** The EV; its low 16 bits are the UDP source port. The rest is zero where it cannot be seen. */
  public int ev;

  /** UDP destination port. */
  public int dstPort;

  /** DSCP; where it cannot be seen, what the packet's kind has when it is sent. */
  public int dscp;

  /** ECN field; where it cannot be seen, ECT(0) for data and 0 for the rest, unless marked. */
  public int ecn;

  /** Length in the UDP header as sent, 8 bytes of it included; 0 where it is not known. */
  public int udpLength;

  /** Whether the packet was cut after its headers on the way, as a trimming switch does. */
  public boolean trimmed;

  /** Whether there was no room for the whole packet: the headers are here, the rest is gone. */
  public boolean cut;

  /** A packet with room for every size that MRC has. */
  public Packet() {
    this(MAX_BYTES);
  }

  /**
   * A packet.
   *
   * @param capacityBytes room for its bytes
   */
  public Packet(int capacityBytes) {
    bytes = ByteBuffer.allocateDirect(capacityBytes);
    bytes.limit(0);
  }

  /** Takes over everything of {@code from}; what does not fit is {@link #cut}. */
  public void copy(Packet from) {
    int length = Math.min(from.bytes.limit(), bytes.capacity());
    bytes.clear().limit(length);
    bytes.put(0, from.bytes, 0, length);
    port = from.port;
    srcHi = from.srcHi;
    srcLo = from.srcLo;
    dstHi = from.dstHi;
    dstLo = from.dstLo;
    ev = from.ev;
    dstPort = from.dstPort;
    dscp = from.dscp;
    ecn = from.ecn;
    udpLength = from.udpLength;
    trimmed = from.trimmed;
    cut = from.cut || length < from.bytes.limit();
  }

  /** BTH opcode, or 0 of an empty packet. */
  public int opcode() {
    return bytes.limit() > 0 ? bytes.get(0) & 0xff : 0;
  }

  /** Whether it is a data packet: an RDMA WRITE. */
  public boolean isData() {
    return Opcode.isWrite(opcode());
  }

  /** BTH PSN, or −1 when the packet is too short to have one. */
  public int psn() {
    return bytes.limit() >= BTH_PSN + 4 ? bytes.getInt(BTH_PSN) & Psn.MASK : -1;
  }

  /**
   * Whether BTH.FECN is set. MRC sends it as zero and the ICRC does not cover it; over plain
   * sockets, which hide ECN, a fault device on the sending side sets it to say "marked".
   */
  public boolean fecn() {
    return bytes.limit() > BTH_FECN_BYTE && (bytes.get(BTH_FECN_BYTE) & FECN) != 0;
  }

  /** Sets {@link #fecn()}; without effect on a packet too short to have it. */
  public void setFecn() {
    if (bytes.limit() > BTH_FECN_BYTE) {
      bytes.put(BTH_FECN_BYTE, (byte) (bytes.get(BTH_FECN_BYTE) | FECN));
    }
  }

  /** Bytes of BTH and the headers after it, or −1 when they cannot be told. */
  public int headerBytes() {
    if (bytes.limit() < BTH_PSN + 4) {
      return -1;
    }
    int extension = Opcode.extensionBytes(opcode(), (bytes.get(BTH_PSN) >> 4 & 1) != 0);
    return extension < 0 ? -1 : BTH_PSN + 4 + extension;
  }
}
