package io.anabranch.wire.ib;

import io.anabranch.wire.ip.Address;
import io.anabranch.wire.ip.Ip4;
import io.anabranch.wire.ip.Ip6;
import io.anabranch.wire.ip.Protocol;
import io.anabranch.wire.ip.Udp;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * The invariant CRC of RoCEv2 (InfiniBand volume 1, annex A17.3.3): CRC-32 over eight bytes of ones
 * and the packet from the IP header that carries UDP up to the ICRC, with what switches may change
 * taken as ones: IPv4 TOS, TTL and checksum; IPv6 traffic class, flow label and hop limit; the UDP
 * checksum; BTH byte 4.
 *
 * <p>Holds scratch space: one object a thread of use. Allocates nothing after construction. Fastest
 * with direct buffers. Every method leaves position and limit of its buffers as they were.
 */
public final class Icrc {
  /** Size on the wire. */
  public static final int BYTES = 4;

  private static final int LRH_BYTES = 8;
  private static final int BTH_RESERVED = 4;

  private final CRC32 crc = new CRC32();
  private final ByteBuffer scratch = ByteBuffer.allocateDirect(96);

  /** A computer with scratch space of its own. */
  public Icrc() {
    for (int i = 0; i < LRH_BYTES; i++) {
      scratch.put(i, (byte) 0xff);
    }
  }

  /**
   * The ICRC of a packet known by its addresses, as a socket knows it: without options or extension
   * headers, and over IPv4 with identification 0 and "don't fragment" set. IPv4 addresses are
   * IPv4-mapped.
   *
   * @param packet holds the UDP payload: BTH at {@code start}, the ICRC's place at {@code end}
   */
  public int compute(
      long srcHi,
      long srcLo,
      long dstHi,
      long dstLo,
      int srcPort,
      int dstPort,
      ByteBuffer packet,
      int start,
      int end) {
    int udpLength = Udp.BYTES + end - start + BYTES;
    int i = LRH_BYTES;
    if (Address.isIp4(srcHi, srcLo) && Address.isIp4(dstHi, dstLo)) {
      scratch.putInt(i, 0x45ff_0000 | (Ip4.BYTES + udpLength & 0xffff));
      scratch.putInt(i + 4, 0x0000_4000);
      scratch.putInt(i + 8, 0xff00_ffff | Protocol.UDP << 16);
      scratch.putInt(i + 12, (int) srcLo);
      scratch.putInt(i + 16, (int) dstLo);
      i += Ip4.BYTES;
    } else {
      scratch.putInt(i, 0x6fff_ffff);
      scratch.putInt(i + 4, udpLength << 16 | Protocol.UDP << 8 | 0xff);
      scratch.putLong(i + 8, srcHi);
      scratch.putLong(i + 16, srcLo);
      scratch.putLong(i + 24, dstHi);
      scratch.putLong(i + 32, dstLo);
      i += Ip6.BYTES;
    }
    scratch.putInt(i, srcPort << 16 | (dstPort & 0xffff));
    scratch.putInt(i + 4, udpLength << 16 | 0xffff);
    crc.reset();
    return transport(packet, start, end, i + Udp.BYTES);
  }

  /**
   * The ICRC of a packet at hand.
   *
   * @param ip where the IP header that carries UDP begins; options or extension headers may follow
   * @param udp where the UDP header begins; BTH follows it
   * @param end the ICRC's place
   */
  public int compute(ByteBuffer packet, int ip, int udp, int end) {
    crc.reset();
    int i = LRH_BYTES;
    if ((packet.get(ip) >> 4 & 0xf) == 4) {
      copy(packet, ip, i, Ip4.BYTES);
      scratch.put(i + 1, (byte) 0xff);
      scratch.put(i + 8, (byte) 0xff);
      scratch.putShort(i + 10, (short) 0xffff);
      i += Ip4.BYTES;
    } else {
      scratch.putInt(i, 0x6fff_ffff);
      copy(packet, ip + 4, i + 4, Ip6.BYTES - 4);
      scratch.put(i + 7, (byte) 0xff);
      i += Ip6.BYTES;
    }
    int fixed = i - LRH_BYTES;
    if (ip + fixed < udp) {
      update(scratch, 0, i);
      update(packet, ip + fixed, udp);
      i = 0;
      // The scratch space now holds the UDP header where the ones were: put them back after.
      copy(packet, udp, i, Udp.BYTES);
      scratch.putShort(i + 6, (short) 0xffff);
      int value = transport(packet, udp + Udp.BYTES, end, Udp.BYTES);
      scratch.putLong(0, -1L);
      return value;
    }
    copy(packet, udp, i, Udp.BYTES);
    scratch.putShort(i + 6, (short) 0xffff);
    return transport(packet, udp + Udp.BYTES, end, i + Udp.BYTES);
  }

  /** Stores an ICRC as on the wire, least significant byte first. */
  public static void write(ByteBuffer packet, int at, int icrc) {
    packet.putInt(at, Integer.reverseBytes(icrc));
  }

  /** The ICRC that a packet carries. */
  public static int read(ByteBuffer packet, int at) {
    return Integer.reverseBytes(packet.getInt(at));
  }

  private int transport(ByteBuffer packet, int start, int end, int filled) {
    int head = Math.min(Bth.BYTES, end - start);
    copy(packet, start, filled, head);
    scratch.put(filled + BTH_RESERVED, (byte) 0xff);
    update(scratch, 0, filled + head);
    update(packet, start + head, end);
    return (int) crc.getValue();
  }

  private void copy(ByteBuffer from, int at, int to, int bytes) {
    scratch.put(to, from, at, bytes);
  }

  private void update(ByteBuffer buffer, int from, int to) {
    int position = buffer.position();
    int limit = buffer.limit();
    buffer.limit(to).position(from);
    crc.update(buffer);
    buffer.limit(limit).position(position);
  }
}
