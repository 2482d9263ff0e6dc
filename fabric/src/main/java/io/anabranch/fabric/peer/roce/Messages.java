package io.anabranch.fabric.peer.roce;

import java.util.Arrays;

/**
 * The messages of all send queues that are not acknowledged in full, in the order in which they
 * were posted: of each the sequence number of its first packet, its flow, its place in that, and
 * its bytes.
 */
final class Messages {
  /** Messages that a send queue holds at most. */
  static final int DEPTH = 4096;

  private static final int WORDS = 4;
  private static final int FIRST_CAPACITY = 2;

  private final int mtuBytes;
  private long[][] rings = new long[16][];
  private int[] head = new int[16];
  private int[] count = new int[16];

  // The message at hand.
  private long first;
  private int flow;
  private long offset;
  private long bytes;
  private long packets;

  Messages(int mtuBytes) {
    this.mtuBytes = mtuBytes;
  }

  void add(int qp) {
    if (qp >= rings.length) {
      int n = Math.max(qp + 1, 2 * rings.length);
      rings = Arrays.copyOf(rings, n);
      head = Arrays.copyOf(head, n);
      count = Arrays.copyOf(count, n);
    }
    rings[qp] = new long[WORDS * FIRST_CAPACITY];
  }

  long packetsOf(long size) {
    return (size + mtuBytes - 1) / mtuBytes;
  }

  int count(int qp) {
    return count[qp];
  }

  /** Appends a message whose packets begin at a sequence number. */
  void post(int qp, long firstSequence, int ofFlow, long at, long size) {
    long[] ring = rings[qp];
    int capacity = ring.length / WORDS;
    if (count[qp] == capacity) {
      long[] larger = new long[2 * ring.length];
      int tail = WORDS * (capacity - head[qp]);
      System.arraycopy(ring, WORDS * head[qp], larger, 0, tail);
      System.arraycopy(ring, 0, larger, tail, ring.length - tail);
      rings[qp] = larger;
      head[qp] = 0;
      ring = larger;
      capacity *= 2;
    }
    int i = WORDS * ((head[qp] + count[qp]) % capacity);
    ring[i] = firstSequence;
    ring[i + 1] = ofFlow;
    ring[i + 2] = at;
    ring[i + 3] = size;
    count[qp]++;
  }

  /** Moves to the message at a place, 0 = the oldest. */
  private void move(int qp, int place) {
    long[] ring = rings[qp];
    int i = WORDS * ((head[qp] + place) % (ring.length / WORDS));
    first = ring[i];
    flow = (int) ring[i + 1];
    offset = ring[i + 2];
    bytes = ring[i + 3];
    packets = packetsOf(bytes);
  }

  /** Moves to the oldest message. */
  void oldest(int qp) {
    move(qp, 0);
  }

  /** Moves to the message that has a packet. */
  void find(int qp, long sequence) {
    int low = 0;
    int high = count[qp] - 1;
    while (low < high) {
      int middle = low + high + 1 >>> 1;
      move(qp, middle);
      if (first <= sequence) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    move(qp, low);
  }

  /** Takes out the oldest. */
  void removeOldest(int qp) {
    head[qp] = (head[qp] + 1) % (rings[qp].length / WORDS);
    count[qp]--;
  }

  long first() {
    return first;
  }

  long end() {
    return first + packets;
  }

  int flow() {
    return flow;
  }

  long offset() {
    return offset;
  }

  long bytes() {
    return bytes;
  }

  /** Payload of one of its packets. */
  int payloadBytes(long sequence) {
    return (int) Math.min(mtuBytes, bytes - (sequence - first) * mtuBytes);
  }
}
