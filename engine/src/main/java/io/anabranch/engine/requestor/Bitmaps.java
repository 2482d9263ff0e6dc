package io.anabranch.engine.requestor;

import io.anabranch.engine.requestor.LossDetector.Which;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.Mark;

/** Reads what a SACK says of packets, against what is known of them. */
final class Bitmaps {
  private static final int LEAST_REACH_PACKETS = 1024;

  /** A de Bruijn sequence: each six bits of it in a row are others. */
  private static final long DE_BRUIJN = 0x03f79d71b4cb0a89L;

  private static final byte[] PLACE = new byte[64];

  static {
    for (int i = 0; i < 64; i++) {
      PLACE[(int) (DE_BRUIJN << i >>> 58)] = (byte) i;
    }
  }

  private final Copies copies;
  private final LossDetector losses;

  Bitmaps(Copies copies, LossDetector losses) {
    this.copies = copies;
    this.losses = losses;
  }

  /** Whether a SACK speaks only of packets that were sent, and near the window. */
  boolean plausible(Frame f, long cackSeq, long first, long trigger, int mprPackets) {
    long next = copies.next();
    long bitmap = f.sackBitmap();
    if (f.mark() == Mark.RESERVED || f.psn() != f.cackPsn()) {
      return false;
    }
    long reach = 2L * Math.max(mprPackets, LEAST_REACH_PACKETS);
    if (cackSeq >= next || cackSeq < -1 || cackSeq < copies.una() - 1 - reach) {
      return false;
    }
    if (trigger >= next || trigger < -1) {
      return false;
    }
    return bitmap == 0 || first + 63 - Long.numberOfLeadingZeros(bitmap) < next;
  }

  /** Whether a bitmap shows absent what is known to have arrived: it was made before. */
  boolean contradicts(long first, long bitmap, long cackSeq) {
    long from = Math.max(first, Math.max(copies.una(), cackSeq + 1));
    long to = Math.min(first + 64, copies.next());
    return from < to && (copies.acknowledgedBits(first) & ~bitmap & range(first, from, to)) != 0;
  }

  /** Bits of a word that begins at {@code first} for the packets {@code from … to − 1}. */
  private static long range(long first, long from, long to) {
    long high = to - first >= 64 ? -1L : (1L << to - first) - 1;
    return high & -1L << from - first;
  }

  /** Everything up to a packet has arrived. */
  void acknowledgeUpTo(long seq, long nowNs) {
    for (long s = copies.una(); s <= seq; s++) {
      losses.arrived(s, Which.UNKNOWN, nowNs);
    }
  }

  /** The packets whose bits are set have arrived. */
  void acknowledge(long first, long bitmap, long nowNs) {
    long from = Math.max(first, copies.una());
    long to = Math.min(first + 64, copies.next());
    if (from >= to) {
      return;
    }
    long fresh = bitmap & ~copies.acknowledgedBits(first) & range(first, from, to);
    for (; fresh != 0; fresh &= fresh - 1) {
      losses.arrived(first + lowest(fresh), Which.UNKNOWN, nowNs);
    }
  }

  /** The packets whose bits are clear were absent, and so was the one behind cack. */
  void cover(long first, long bitmap, long cackSeq) {
    if (cackSeq + 1 < copies.next() && cackSeq + 1 >= copies.una()) {
      losses.cover(cackSeq + 1);
    }
    long from = Math.max(first, copies.una());
    long to = Math.min(first + 64, Math.min(copies.next(), losses.coverEndSeq()));
    if (from >= to) {
      return;
    }
    long absent = ~bitmap & ~copies.acknowledgedBits(first) & range(first, from, to);
    for (; absent != 0; absent &= absent - 1) {
      losses.cover(first + lowest(absent));
    }
  }

  /**
   * The place of a word's lowest bit. A quick compiler makes calls of {@link
   * Long#numberOfTrailingZeros}, and many bits are gone through for each SACK.
   */
  static int lowest(long bits) {
    return PLACE[(int) ((bits & -bits) * DE_BRUIJN >>> 58)];
  }
}
