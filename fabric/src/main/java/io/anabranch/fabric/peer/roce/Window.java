package io.anabranch.fabric.peer.roce;

/** Bitmaps of packets, one a queue pair, by sequence number modulo their length. */
final class Window {
  private final int packets;
  private final int mask;
  private long[][] bits = new long[16][];

  /**
   * No bit set.
   *
   * @param least how many packets a bitmap has to hold; rounded up
   */
  Window(int least) {
    packets = Math.max(64, Integer.highestOneBit(Math.max(1, 2 * least - 1)));
    mask = packets - 1;
  }

  /** Packets that a bitmap holds. */
  int packets() {
    return packets;
  }

  private long[] of(int qp) {
    if (qp >= bits.length) {
      bits = java.util.Arrays.copyOf(bits, Math.max(qp + 1, 2 * bits.length));
    }
    long[] own = bits[qp];
    if (own == null) {
      own = new long[packets >>> 6];
      bits[qp] = own;
    }
    return own;
  }

  /** Whether a packet's bit is set. */
  boolean has(int qp, long sequence) {
    if (qp >= bits.length || bits[qp] == null) {
      return false;
    }
    int at = (int) sequence & mask;
    return (bits[qp][at >>> 6] >>> at & 1) != 0;
  }

  void set(int qp, long sequence) {
    int at = (int) sequence & mask;
    of(qp)[at >>> 6] |= 1L << at;
  }

  /** Clears a packet's bit; whether it was set. */
  boolean clear(int qp, long sequence) {
    if (!has(qp, sequence)) {
      return false;
    }
    int at = (int) sequence & mask;
    bits[qp][at >>> 6] &= ~(1L << at);
    return true;
  }
}
