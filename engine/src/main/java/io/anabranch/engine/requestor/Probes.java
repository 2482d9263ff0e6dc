package io.anabranch.engine.requestor;

/** Reliability probes that are out: a small ring by probe id, the oldest forgotten first. */
final class Probes {
  private static final int SLOTS = 64;

  private final int[] id = new int[SLOTS];
  private final short[] ev = new short[SLOTS];
  private final long[] sentNs = new long[SLOTS];
  private final long[] number = new long[SLOTS];
  private int nextId;

  Probes(int firstId) {
    nextId = firstId & 0xffff;
    java.util.Arrays.fill(id, -1);
  }

  /** Records a probe and returns its id. */
  int sent(int evIndex, long sendNumber, long nowNs) {
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
    return id[i] == probeId ? i : -1;
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
