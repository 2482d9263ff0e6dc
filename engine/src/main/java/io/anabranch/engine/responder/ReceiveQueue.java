package io.anabranch.engine.responder;

import io.anabranch.engine.Sink;
import io.anabranch.engine.Status;
import java.util.Arrays;

/**
 * Posted receives, and the immediates that arrived before their turn. Receives are consumed in
 * RQMSN order; both rings are bounded by what was agreed and grow with use.
 */
public final class ReceiveQueue {
  private final int depth;
  private long[] wrIds = new long[0];
  private int head;
  private int posted;

  private int maxWimm = 1;
  private int nextRqMsn;
  private int[] immediate = new int[0];
  private long[] length = new long[0];
  private byte[] flags = new byte[0];

  private static final int PRESENT = 1;
  private static final int SOLICITED = 2;

  /** A queue for {@code depth} receives. */
  public ReceiveQueue(int depth) {
    this.depth = depth;
  }

  void expect(int rqMsn, int limit) {
    nextRqMsn = rqMsn;
    maxWimm = limit;
  }

  /** Posts a receive; false when the queue is full. */
  public boolean post(long wrId) {
    if (posted == depth) {
      return false;
    }
    if (posted == wrIds.length) {
      long[] larger = new long[Math.max(8, posted * 2)];
      for (int i = 0; i < posted; i++) {
        larger[i] = wrIds[(head + i) % wrIds.length];
      }
      wrIds = larger;
      head = 0;
    }
    wrIds[(head + posted++) % wrIds.length] = wrId;
    return true;
  }

  int posted() {
    return posted;
  }

  /**
   * Keeps the immediate of a message whose last packet arrived.
   *
   * @return false: beyond the limit, or a number that was used already
   */
  boolean stash(int rqMsn, int value, long bytes, boolean solicited) {
    int ahead = rqMsn - nextRqMsn & 0xffff;
    if (ahead >= maxWimm) {
      return false;
    }
    while (ahead >= flags.length) {
      growStash();
    }
    int i = rqMsn & flags.length - 1;
    if (flags[i] != 0) {
      return false;
    }
    immediate[i] = value;
    length[i] = bytes;
    flags[i] = (byte) (PRESENT | (solicited ? SOLICITED : 0));
    return true;
  }

  private void growStash() {
    int old = flags.length;
    int size = Math.max(4, old * 2);
    int[] newImmediate = new int[size];
    long[] newLength = new long[size];
    byte[] newFlags = new byte[size];
    for (int n = nextRqMsn; n < nextRqMsn + old; n++) {
      newImmediate[n & size - 1] = immediate[n & old - 1];
      newLength[n & size - 1] = length[n & old - 1];
      newFlags[n & size - 1] = flags[n & old - 1];
    }
    immediate = newImmediate;
    length = newLength;
    flags = newFlags;
  }

  /** Whether the next immediate in order is here. */
  boolean stashed() {
    return flags.length > 0 && flags[nextRqMsn & flags.length - 1] != 0;
  }

  /** Completes the oldest receive with the next immediate; both must be there. */
  void deliver(int qp, Sink sink) {
    int i = nextRqMsn & flags.length - 1;
    sink.completion(
        qp,
        take(),
        Status.SUCCESS,
        Sink.Operation.RECEIVE_WRITE_WITH_IMMEDIATE,
        length[i],
        immediate[i],
        (flags[i] & SOLICITED) != 0);
    flags[i] = 0;
    nextRqMsn = nextRqMsn + 1 & 0xffff;
  }

  private long take() {
    long wrId = wrIds[head];
    head = (head + 1) % wrIds.length;
    posted--;
    return wrId;
  }

  /** Ends every posted receive with WR_FLUSH_ERR. */
  public void flush(int qp, Sink sink) {
    while (posted > 0) {
      sink.completion(
          qp,
          take(),
          Status.WR_FLUSH_ERR,
          Sink.Operation.RECEIVE_WRITE_WITH_IMMEDIATE,
          0,
          0,
          false);
    }
    Arrays.fill(flags, (byte) 0);
  }
}
