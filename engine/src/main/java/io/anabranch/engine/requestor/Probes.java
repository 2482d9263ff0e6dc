package io.anabranch.engine.requestor;

import java.util.Arrays;

/** Reliability probes that are out: a small ring by probe id, the oldest forgotten first. */
final class Probes {
  private static final int SLOTS = 64;

  // Made with the first probe: most queue pairs never send one.
  private int[] id = new int[0];
  private short[] ev = new short[0];
  private long[] sentNs = new long[0];
  private long[] number = new long[0];
  private int nextId;

  Probes(int firstId) {
    nextId = firstId & 0xffff;
  }

  /** Records a probe and returns its id. */
  int sent(int evIndex, long sendNumber, long nowNs) {
    if (id.length == 0) {
      id = new int[SLOTS];
      Arrays.fill(id, -1);
      ev = new short[SLOTS];
      sentNs = new long[SLOTS];
      number = new long[SLOTS];
    }
    int given = nextId;
    nextId = nextId + 1 & 0xffff;
    int i = given & SLOTS - 1;
    id[i] = given;
    ev[i] = (short) evIndex;
    sentNs[i] = nowNs;
    number[i] = sendNumber;
    return given;
  }

  /** Slot of an outstanding probe, or −1. */
  int find(int probeId) {
    int i = probeId & SLOTS - 1;
    return id.length > 0 && id[i] == probeId ? i : -1;
  }

  int ev(int slot) {
    return ev[slot];
  }

  long sentNs(int slot) {
    return sentNs[slot];
  }

  long number(int slot) {
    return number[slot];
  }

  /** The probe was answered: a repeated answer finds nothing. */
  void answered(int slot) {
    id[slot] = -1;
  }
}
