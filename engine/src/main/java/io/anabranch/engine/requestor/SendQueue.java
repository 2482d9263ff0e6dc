package io.anabranch.engine.requestor;

import io.anabranch.engine.Command.PostWrite;
import io.anabranch.engine.Sink;
import io.anabranch.engine.Status;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.Opcode;

/**
 * Posted messages in order: a ring that grows with use up to the queue's depth. Messages are
 * numbered from 0; packets too, and a message's packets follow those of the one before it.
 */
final class SendQueue {
  private static final int IMMEDIATE = 1;
  private static final int SIGNALED = 2;
  private static final int SOLICITED = 4;

  private final int depth;
  private final int mtuBytes;
  private final int startMsn;

  // One message's record.
  private static final int WR_ID = 0;
  private static final int ADDRESS = 1;
  private static final int LENGTH = 2;
  private static final int FIRST_SEQ = 3;
  private static final int KEY_AND_PAYLOAD = 4;
  private static final int IMMEDIATE_AND_MISC = 5;
  private static final int WORDS = 6;

  // In IMMEDIATE_AND_MISC: flags (8 bits), RQMSN (16) from bit 8 on, immediate (32) on top.
  private static final int RQ_MSN_SHIFT = 8;

  private long[] records = new long[0];
  private int capacity;

  private long head;
  private long tail;
  private long endSeq;
  private int nextRqMsn;

  SendQueue(int depth, int mtuBytes, int startMsn) {
    this.depth = depth;
    this.mtuBytes = mtuBytes;
    this.startMsn = startMsn;
    this.nextRqMsn = startMsn;
  }

  /** The oldest message that has not completed. */
  long head() {
    return head;
  }

  /** One beyond the newest message. */
  long tail() {
    return tail;
  }

  boolean empty() {
    return head == tail;
  }

  /** One beyond the last packet of the newest message. */
  long endSeq() {
    return endSeq;
  }

  boolean post(PostWrite w) {
    if (tail - head == depth) {
      return false;
    }
    if (tail - head == capacity) {
      grow();
    }
    int r = at(tail);
    int flags =
        (w.withImmediate ? IMMEDIATE : 0)
            | (w.signaled ? SIGNALED : 0)
            | (w.solicited ? SOLICITED : 0);
    records[r + WR_ID] = w.wrId;
    records[r + ADDRESS] = w.remoteAddress;
    records[r + LENGTH] = w.length;
    records[r + FIRST_SEQ] = endSeq;
    records[r + KEY_AND_PAYLOAD] = (long) w.rKey << 32 | w.payloadRef & 0xffff_ffffL;
    records[r + IMMEDIATE_AND_MISC] =
        (long) w.immediate << 32 | (long) nextRqMsn << RQ_MSN_SHIFT | flags;
    if (w.withImmediate) {
      nextRqMsn = nextRqMsn + 1 & 0xffff;
    }
    endSeq += packets(w.length);
    tail++;
    return true;
  }

  private long packets(long bytes) {
    return Math.max(1, (bytes + mtuBytes - 1) / mtuBytes);
  }

  private int at(long message) {
    return ((int) message & capacity - 1) * WORDS;
  }

  private void grow() {
    int size = Math.max(4, capacity * 2);
    long[] larger = new long[size * WORDS];
    for (long m = head; m < tail; m++) {
      System.arraycopy(records, at(m), larger, ((int) m & size - 1) * WORDS, WORDS);
    }
    records = larger;
    capacity = size;
  }

  private boolean flag(long message, int flag) {
    return (records[at(message) + IMMEDIATE_AND_MISC] & flag) != 0;
  }

  long firstSeq(long message) {
    return message == tail ? endSeq : records[at(message) + FIRST_SEQ];
  }

  /** Sequence number of a message's last packet. */
  long lastSeq(long message) {
    return firstSeq(message + 1) - 1;
  }

  boolean hasImmediate(long message) {
    return flag(message, IMMEDIATE);
  }

  /** The message that a packet belongs to, searched in {@code head … tail − 1}. */
  long messageOf(long seq) {
    long low = head;
    long high = tail - 1;
    while (low < high) {
      long mid = low + high + 1 >>> 1;
      if (records[at(mid) + FIRST_SEQ] <= seq) {
        low = mid;
      } else {
        high = mid - 1;
      }
    }
    return low;
  }

  int payloadBytes(long message, long seq) {
    int r = at(message);
    long offset = (seq - records[r + FIRST_SEQ]) * mtuBytes;
    return (int) Math.min(mtuBytes, records[r + LENGTH] - offset);
  }

  /** UDP length + 40 of a packet's copies. */
  int nominalBytes(long message, long seq, boolean timestamped) {
    int payload = payloadBytes(message, seq);
    int immediate = hasImmediate(message) && seq == lastSeq(message) ? 4 : 0;
    return headerBytes(timestamped) + immediate + payload + (-payload & 3);
  }

  /** The same of a packet that is full and carries no immediate. */
  int fullBytes(boolean timestamped) {
    return headerBytes(timestamped) + mtuBytes;
  }

  /** UDP, BTH, METH and RETH, TSETH, ICRC, and the 40 that nominal sizes count for IP. */
  private static int headerBytes(boolean timestamped) {
    return 8 + 12 + 20 + 4 + 40 + (timestamped ? 4 : 0);
  }

  /** Fills in everything that depends on the message and the packet's place in it. */
  void describe(long message, long seq, Frame frame) {
    int r = at(message);
    long length = records[r + LENGTH];
    long misc = records[r + IMMEDIATE_AND_MISC];
    long keys = records[r + KEY_AND_PAYLOAD];
    long offset = (seq - records[r + FIRST_SEQ]) * mtuBytes;
    boolean first = seq == records[r + FIRST_SEQ];
    boolean last = seq == lastSeq(message);
    boolean withImmediate = (misc & IMMEDIATE) != 0;
    int opcode;
    if (last) {
      opcode =
          first
              ? withImmediate ? Opcode.WRITE_ONLY_IMM : Opcode.WRITE_ONLY
              : withImmediate ? Opcode.WRITE_LAST_IMM : Opcode.WRITE_LAST;
      frame.solicited((misc & SOLICITED) != 0);
      if (withImmediate) {
        frame.immediate((int) (misc >>> 32));
      }
    } else {
      opcode = first ? Opcode.WRITE_FIRST : Opcode.WRITE_MIDDLE;
    }
    int bytes = (int) Math.min(mtuBytes, length - offset);
    frame.opcode(opcode).payloadLength(bytes).padCount(-bytes & 3);
    frame.rqMsn((int) (misc >>> RQ_MSN_SHIFT) & 0xffff).msn((int) (startMsn + message) & 0xffff);
    frame.virtualAddress(records[r + ADDRESS] + offset);
    frame.rKey((int) (keys >>> 32)).dmaLength((int) length);
    frame.payload((int) keys, offset);
  }

  /** Ends the oldest message; unsignaled success is not reported. */
  void complete(int qp, Status status, Sink sink) {
    int r = at(head);
    boolean signaled = flag(head, SIGNALED);
    boolean withImmediate = flag(head, IMMEDIATE);
    head++;
    if (status != Status.SUCCESS || signaled) {
      sink.completion(
          qp,
          records[r + WR_ID],
          status,
          withImmediate ? Sink.Operation.WRITE_WITH_IMMEDIATE : Sink.Operation.WRITE,
          status == Status.SUCCESS ? records[r + LENGTH] : 0,
          0,
          false);
    }
  }
}
