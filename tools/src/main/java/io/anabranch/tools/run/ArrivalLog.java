package io.anabranch.tools.run;

import java.util.Arrays;

/**
 * Data packets in the order in which something happened to them: time, PSN and plane. One thread
 * writes; others may read {@link #size} at any time, and the entries once that thread has ended.
 */
final class ArrivalLog {
  private long[] atNs = new long[1 << 14];
  private int[] psn = new int[1 << 14];
  private byte[] plane = new byte[1 << 14];
  private volatile int size;
  private volatile int skipped;

  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
  void add(long timeNs, int packet, int port) {
    int n = size;
    if (n == psn.length) {
      atNs = Arrays.copyOf(atNs, n * 2);
      psn = Arrays.copyOf(psn, n * 2);
      plane = Arrays.copyOf(plane, n * 2);
    }
    atNs[n] = timeNs;
    psn[n] = packet;
    plane[n] = (byte) port;
    size = n + 1;
  }

  /** Entries made so far no longer count. */
  void skip() {
    skipped = size;
  }

  int size() {
    return size - skipped;
  }

  long atNs(int i) {
    return atNs[skipped + i];
  }

  int psn(int i) {
    return psn[skipped + i];
  }

  int plane(int i) {
    return plane[skipped + i];
  }
}
