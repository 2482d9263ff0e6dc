package io.anabranch.engine.path;

import io.anabranch.engine.config.EvTable;
import java.util.Arrays;

/** The EVs of one queue pair that are ASSUMED_BAD, oldest first, and the probes that test them. */
final class EvTests {
  private static final int NONE = -1;
  private static final int MAX_BACKOFF = 4;

  /** Tests that may be out at once, oldest EV first: so many probes a round trip, not more. */
  private static final int MAX_OUT = 8;

  private short[] ev = new short[0];
  private int[] probeId = new int[0];
  private int[] successes = new int[0];
  private long[] nextNs = new long[0];
  private long[] failNs = new long[0];
  private long[] sentNs = new long[0];
  private int[] failures = new int[0];
  private int size;

  void add(int index, long nowNs, long firstNs) {
    if (size == ev.length) {
      int length = Math.max(8, size * 2);
      ev = Arrays.copyOf(ev, length);
      probeId = Arrays.copyOf(probeId, length);
      successes = Arrays.copyOf(successes, length);
      nextNs = Arrays.copyOf(nextNs, length);
      failNs = Arrays.copyOf(failNs, length);
      sentNs = Arrays.copyOf(sentNs, length);
      failures = Arrays.copyOf(failures, length);
    }
    ev[size] = (short) index;
    probeId[size] = NONE;
    successes[size] = 0;
    nextNs[size] = Math.max(nowNs, firstNs);
    failNs[size] = Long.MAX_VALUE;
    failures[size] = 0;
    size++;
  }

  void remove(int index) {
    int i = find(index);
    if (i < 0) {
      return;
    }
    int tail = size - i - 1;
    System.arraycopy(ev, i + 1, ev, i, tail);
    System.arraycopy(probeId, i + 1, probeId, i, tail);
    System.arraycopy(successes, i + 1, successes, i, tail);
    System.arraycopy(nextNs, i + 1, nextNs, i, tail);
    System.arraycopy(failNs, i + 1, failNs, i, tail);
    System.arraycopy(sentNs, i + 1, sentNs, i, tail);
    System.arraycopy(failures, i + 1, failures, i, tail);
    size--;
  }

  private int find(int index) {
    for (int i = 0; i < size; i++) {
      if (ev[i] == index) {
        return i;
      }
    }
    return -1;
  }

  /** The EV demoted longest ago on a usable plane, or −1. */
  int oldest(EvTable table, Planes planes) {
    for (int i = 0; i < size; i++) {
      if (planes.usable(table.port(ev[i]))) {
        return ev[i];
      }
    }
    return -1;
  }

  long nextNs(EvTable table, Planes planes) {
    long nextTest = Long.MAX_VALUE;
    long nextFailure = Long.MAX_VALUE;
    int out = 0;
    for (int i = 0; i < size; i++) {
      if (probeId[i] != NONE) {
        nextFailure = Math.min(nextFailure, failNs[i]);
        out++;
      } else if (planes.usable(table.port(ev[i]))) {
        nextTest = Math.min(nextTest, nextNs[i]);
      }
    }
    return out < MAX_OUT ? Math.min(nextTest, nextFailure) : nextFailure;
  }

  int due(EvTable table, Planes planes, long nowNs) {
    int out = 0;
    int due = -1;
    for (int i = 0; i < size; i++) {
      if (probeId[i] != NONE && failNs[i] <= nowNs) {
        probeId[i] = NONE;
        successes[i] = 0;
        failures[i] = Math.min(MAX_BACKOFF, failures[i] + 1);
        nextNs[i] = nowNs + ((nextNs[i] - sentNs[i]) << failures[i]);
      }
      if (probeId[i] != NONE) {
        out++;
      } else if (due < 0 && nextNs[i] <= nowNs && planes.usable(table.port(ev[i]))) {
        due = ev[i];
      }
    }
    return out < MAX_OUT ? due : -1;
  }

  void sent(int index, int id, long nowNs, long nextAtNs, long failAtNs) {
    int i = find(index);
    if (i >= 0) {
      probeId[i] = id;
      sentNs[i] = nowNs;
      nextNs[i] = nextAtNs;
      failNs[i] = failAtNs;
    }
  }

  /** Successes in a row of an EV's test, this answer included; 0 when it was not a test's. */
  int answered(int index, int id) {
    int i = find(index);
    if (i < 0 || probeId[i] != id) {
      return 0;
    }
    probeId[i] = NONE;
    failures[i] = 0;
    return ++successes[i];
  }

  void extend(long byNs) {
    for (int i = 0; i < size; i++) {
      if (probeId[i] != NONE) {
        failNs[i] += byNs;
      }
    }
  }
}
