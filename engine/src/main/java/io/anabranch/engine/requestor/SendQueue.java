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

  private long[] wrId = new long[0];
  private long[] address = new long[0];
  private long[] length = new long[0];
  private long[] firstSeq = new long[0];
  private int[] rKey = new int[0];
  private int[] payloadRef = new int[0];
  private int[] immediate = new int[0];
  private int[] rqMsn = new int[0];
  private byte[] flags = new byte[0];

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
    if (tail - head == wrId.length) {
      grow();
    }
    int i = (int) tail & wrId.length - 1;
    wrId[i] = w.wrId;
    address[i] = w.remoteAddress;
    length[i] = w.length;
    firstSeq[i] = endSeq;
    rKey[i] = w.rKey;
    payloadRef[i] = w.payloadRef;
    immediate[i] = w.immediate;
    rqMsn[i] = nextRqMsn;
    flags[i] =
        (byte)
            ((w.withImmediate ? IMMEDIATE : 0)
                | (w.signaled ? SIGNALED : 0)
                | (w.solicited ? SOLICITED : 0));
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

  private void grow() {
    int old = wrId.length;
    int size = Math.max(4, old * 2);
    long[] newWrId = new long[size];
    long[] newAddress = new long[size];
    long[] newLength = new long[size];
    long[] newFirstSeq = new long[size];
    int[] newRkey = new int[size];
    int[] newPayloadRef = new int[size];
    int[] newImmediate = new int[size];
    int[] newRqMsn = new int[size];
    byte[] newFlags = new byte[size];
    for (long m = head; m < tail; m++) {
      int from = (int) m & old - 1;
      int to = (int) m & size - 1;
      newWrId[to] = wrId[from];
      newAddress[to] = address[from];
      newLength[to] = length[from];
      newFirstSeq[to] = firstSeq[from];
      newRkey[to] = rKey[from];
      newPayloadRef[to] = payloadRef[from];
      newImmediate[to] = immediate[from];
      newRqMsn[to] = rqMsn[from];
      newFlags[to] = flags[from];
    }
    wrId = newWrId;
    address = newAddress;
    length = newLength;
    firstSeq = newFirstSeq;
    rKey = newRkey;
    payloadRef = newPayloadRef;
    immediate = newImmediate;
    rqMsn = newRqMsn;
    flags = newFlags;
  }

  private int index(long message) {
    return (int) message & wrId.length - 1;
  }

  long firstSeq(long message) {
    return message == tail ? endSeq : firstSeq[index(message)];
  }

  /** Sequence number of a message's last packet. */
  long lastSeq(long message) {
    return firstSeq(message + 1) - 1;
  }

  boolean hasImmediate(long message) {
    return (flags[index(message)] & IMMEDIATE) != 0;
  }

  /** The message that a packet belongs to, searched in {@code head … tail − 1}. */
  long messageOf(long seq) {
    long low = head;
    long high = tail - 1;
    while (low < high) {
      long mid = low + high + 1 >>> 1;
      if (firstSeq[index(mid)] <= seq) {
        low = mid;
      } else {
        high = mid - 1;
      }
    }
    return low;
  }

  int payloadBytes(long message, long seq) {
    int i = index(message);
    long offset = (seq - firstSeq[i]) * mtuBytes;
    return (int) Math.min(mtuBytes, length[i] - offset);
  }

  /** Fills in everything that depends on the message and the packet's place in it. */
  void describe(long message, long seq, Frame frame) {
    int i = index(message);
    long offset = (seq - firstSeq[i]) * mtuBytes;
    boolean first = seq == firstSeq[i];
    boolean last = seq == lastSeq(message);
    boolean withImmediate = (flags[i] & IMMEDIATE) != 0;
    int opcode;
    if (last) {
      opcode =
          first
              ? withImmediate ? Opcode.WRITE_ONLY_IMM : Opcode.WRITE_ONLY
              : withImmediate ? Opcode.WRITE_LAST_IMM : Opcode.WRITE_LAST;
      frame.solicited((flags[i] & SOLICITED) != 0);
      if (withImmediate) {
        frame.immediate(immediate[i]);
      }
    } else {
      opcode = first ? Opcode.WRITE_FIRST : Opcode.WRITE_MIDDLE;
    }
    int bytes = (int) Math.min(mtuBytes, length[i] - offset);
    frame.opcode(opcode).payloadLength(bytes).padCount(-bytes & 3);
    frame.rqMsn(rqMsn[i]).msn((int) (startMsn + message) & 0xffff);
    frame.virtualAddress(address[i] + offset).rKey(rKey[i]).dmaLength((int) length[i]);
    frame.payload(payloadRef[i], offset);
  }

  /** Ends the oldest message; unsignaled success is not reported. */
  void complete(int qp, Status status, Sink sink) {
    int i = index(head);
    head++;
    if (status != Status.SUCCESS || (flags[i] & SIGNALED) != 0) {
      boolean withImmediate = (flags[i] & IMMEDIATE) != 0;
      sink.completion(
          qp,
          wrId[i],
          status,
          withImmediate ? Sink.Operation.WRITE_WITH_IMMEDIATE : Sink.Operation.WRITE,
          status == Status.SUCCESS ? length[i] : 0,
          0,
          false);
    }
  }
}
