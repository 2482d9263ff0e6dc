package io.anabranch.net.socket;

import io.anabranch.wire.ib.Bth;
import io.anabranch.wire.ib.Icrc;
import io.anabranch.wire.ip.Ip4;
import io.anabranch.wire.ip.Ip6;
import io.anabranch.wire.ip.Udp;
import io.anabranch.wire.mrc.Opcode;

/** Path MTU from an interface's MTU, and how many packets a receive buffer holds. */
public final class PathMtu {
  private static final int MIN_BYTES = 256;
  private static final int MAX_BYTES = 8192;

  private static final boolean LINUX = System.getProperty("os.name", "").startsWith("Linux");

  /** What Linux adds to a packet's data: headroom and the shared info behind it. */
  private static final int SKB_DATA_OVERHEAD_BYTES = 64 + 14 + 320;

  /** What Linux counts for a packet's descriptor. */
  private static final int SKB_BYTES = 256;

  private PathMtu() {}

  /** Most bytes of IP, UDP and transport headers, pad and ICRC that a data packet has. */
  public static int overheadBytes(boolean ipv4) {
    return (ipv4 ? Ip4.BYTES : Ip6.BYTES)
        + Udp.BYTES
        + Bth.BYTES
        + Opcode.extensionBytes(Opcode.WRITE_ONLY_IMM, true)
        + Icrc.BYTES;
  }

  /**
   * The largest path MTU, a power of two as RoCE has them, whose packets an interface carries
   * whole.
   *
   * @param interfaceMtuBytes largest IP packet of the interface
   * @param maxBytes never more than this
   * @return 256 … 8192, or 0 when not even 256 fits
   */
  public static int of(int interfaceMtuBytes, boolean ipv4, int maxBytes) {
    int room = Math.min(Math.min(maxBytes, MAX_BYTES), interfaceMtuBytes - overheadBytes(ipv4));
    return room < MIN_BYTES ? 0 : Integer.highestOneBit(room);
  }

  /**
   * Payload bytes that a receive buffer holds when every packet is full. Linux counts what a packet
   * occupies, not what it carries: its data is rounded up to a power of two, and a descriptor
   * added. A 4 KiB packet so takes 8448 bytes; in return the buffer is twice as large as reported.
   *
   * @param grantedBytes SO_RCVBUF as Java reports it, which halves what Linux has doubled
   * @param mtuBytes path MTU
   */
  public static long payloadBytes(long grantedBytes, int mtuBytes, boolean ipv4) {
    long bytes = LINUX ? 2 * grantedBytes : grantedBytes;
    return bytes / truesizeBytes(mtuBytes, ipv4) * mtuBytes;
  }

  /** What one full packet takes of a receive buffer. */
  static int truesizeBytes(int mtuBytes, boolean ipv4) {
    int data = mtuBytes + overheadBytes(ipv4) + SKB_DATA_OVERHEAD_BYTES;
    int rounded = Integer.highestOneBit(data);
    return (rounded < data ? rounded << 1 : rounded) + SKB_BYTES;
  }
}
