package io.anabranch.fabric.peer.roce;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The receiving halves of all queue pairs: what is due, what is to be answered, and when the last
 * CNP left.
 */
final class Responders {
  /** Nothing is to be answered. */
  static final int QUIET = 0;

  /** An acknowledgement of all before what is due. */
  static final int ACK = 1;

  /** A NAK: what is due is missing. */
  static final int NAK = 2;

  /** What came is taken in, beside what is to be answered. */
  static final int TAKEN = 4;

  private final int ackEveryPackets;
  private final int reorderPackets;
  private final boolean everyGap;
  private final @Nullable Window early;

  private long[] due = new long[16];
  private int[] unanswered = new int[16];
  private boolean[] nakSent = new boolean[16];
  private long[] cnpPs = new long[16];

  Responders(RoceConfig config) {
    ackEveryPackets = config.ackEveryPackets();
    reorderPackets = config.reorderPackets();
    int cap =
        config.recovery() instanceof Recovery.SelectiveRepeat own
            ? own.capPackets()
            : reorderPackets == 0 ? 0 : RoceConfig.MAX_CAP_PACKETS;
    everyGap = config.recovery() instanceof Recovery.SelectiveRepeat;
    early = cap == 0 ? null : new Window(cap);
  }

  void add(int qp) {
    if (qp >= due.length) {
      int n = Math.max(qp + 1, 2 * due.length);
      due = Arrays.copyOf(due, n);
      unanswered = Arrays.copyOf(unanswered, n);
      nakSent = Arrays.copyOf(nakSent, n);
      cnpPs = Arrays.copyOf(cnpPs, n);
    }
    cnpPs[qp] = Long.MIN_VALUE / 2;
  }

  /** The packet that is due. */
  long due(int qp) {
    return due[qp];
  }

  /**
   * A packet has come.
   *
   * @param ends whether it ends its message
   * @return what is to be answered, and whether it is taken in
   */
  int arrived(int qp, long sequence, boolean ends) {
    if (sequence == due[qp]) {
      return TAKEN | inOrder(qp, ends);
    }
    if (sequence < due[qp]) {
      // A copy of what is here: the sender has not heard of that.
      return answered(qp, ends);
    }
    if (early == null) {
      return nak(qp);
    }
    long ahead = sequence - due[qp];
    if (ahead >= early.packets()) {
      return nak(qp);
    }
    int taken = early.has(qp, sequence) ? 0 : TAKEN;
    early.set(qp, sequence);
    return taken | (ahead < reorderPackets ? QUIET : nak(qp));
  }

  private int inOrder(int qp, boolean ends) {
    due[qp]++;
    nakSent[qp] = false;
    boolean filled = false;
    while (early != null && early.clear(qp, due[qp])) {
      due[qp]++;
      filled = true;
    }
    return answered(qp, ends || filled);
  }

  private int answered(int qp, boolean now) {
    if (now || ++unanswered[qp] >= ackEveryPackets) {
      unanswered[qp] = 0;
      return ACK;
    }
    return QUIET;
  }

  /** Once for a gap; with selective repeat for each packet beyond it. */
  private int nak(int qp) {
    if (nakSent[qp] && !everyGap) {
      return QUIET;
    }
    nakSent[qp] = true;
    unanswered[qp] = 0;
    return NAK;
  }

  /** A marked packet has come: whether a CNP is to be sent. */
  boolean notifies(int qp, long nowPs, long intervalPs) {
    if (nowPs - cnpPs[qp] < intervalPs) {
      return false;
    }
    cnpPs[qp] = nowPs;
    return true;
  }
}
