package io.anabranch.engine.path;

import io.anabranch.engine.config.EvTable;
import java.util.Arrays;

/** The EVs of one queue pair that are ASSUMED_BAD, oldest first, and the probes that test them. */
final class EvTests {
  private static final int NONE = -1;

  private short[] ev = new short[0];
  private int[] probeId = new int[0];
  private int[] successes = new int[0];
  private long[] nextNs = new long[0];
  private long[] failNs = new long[0];
  private int size;

  void add(int index, long nowNs, long firstNs) {
    if (size == ev.length) {
      int length = Math.max(8, size * 2);
      ev = Arrays.copyOf(ev, length);
      probeId = Arrays.copyOf(probeId, length);
      successes = Arrays.copyOf(successes, length);
      nextNs = Arrays.copyOf(nextNs, length);
      failNs = Arrays.copyOf(failNs, length);
    }
    ev[size] = (short) index;
    probeId[size] = NONE;
    successes[size] = 0;
    nextNs[size] = Math.max(nowNs, firstNs);
    failNs[size] = Long.MAX_VALUE;
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
    long min = Long.MAX_VALUE;
    for (int i = 0; i < size; i++) {
      if (planes.usable(table.port(ev[i]))) {
        min = Math.min(min, probeId[i] == NONE ? nextNs[i] : failNs[i]);
      }
    }
    return min;
  }

  int due(EvTable table, Planes planes, long nowNs) {
    for (int i = 0; i < size; i++) {
      if (!planes.usable(table.port(ev[i]))) {
        continue;
      }
      if (probeId[i] != NONE && failNs[i] <= nowNs) {
        probeId[i] = NONE;
        successes[i] = 0;
      }
      if (probeId[i] == NONE && nextNs[i] <= nowNs) {
        return ev[i];
      }
    }
    return -1;
  }

  void sent(int index, int id, long nextAtNs, long failAtNs) {
    int i = find(index);
    if (i >= 0) {
      probeId[i] = id;
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
