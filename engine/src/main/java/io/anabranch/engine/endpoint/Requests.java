package io.anabranch.engine.endpoint;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Endpoint requests that are out, by request id: a ring, the oldest forgotten first. */
final class Requests {
  /** Why a request was sent. */
  enum Kind {
    REVERSE,
    PLANE,
    PORT_STATUS
  }

  private static final int SLOTS = 4096;
  private static final Kind[] KINDS = Kind.values();

  private final int[] id = new int[SLOTS];
  private final @Nullable Peer[] peer = new Peer[SLOTS];
  private final short[] ev = new short[SLOTS];
  private final long[] sentNs = new long[SLOTS];
  private final byte[] kind = new byte[SLOTS];
  private int nextId;

  Requests(int firstId) {
    nextId = firstId & 0xffff;
    Arrays.fill(id, -1);
  }

  int sent(Peer to, int evIndex, Kind why, long nowNs) {
    int given = nextId;
    nextId = nextId + 1 & 0xffff;
    int i = given & SLOTS - 1;
    id[i] = given;
    peer[i] = to;
    ev[i] = (short) evIndex;
    sentNs[i] = nowNs;
    kind[i] = (byte) why.ordinal();
    return given;
  }

  /** Slot of an outstanding request, or −1. */
  int find(int requestId) {
    int i = requestId & SLOTS - 1;
    return id[i] == requestId ? i : -1;
  }

  @Nullable Peer peer(int slot) {
    return peer[slot];
  }

  int ev(int slot) {
    return ev[slot];
  }

  long sentNs(int slot) {
    return sentNs[slot];
  }

  Kind kind(int slot) {
    return KINDS[kind[slot]];
  }

  void answered(int slot) {
    id[slot] = -1;
    peer[slot] = null;
  }

  /** A peer is forgotten with its requests. */
  void forget(Peer gone) {
    for (int i = 0; i < SLOTS; i++) {
      if (peer[i] == gone) {
        answered(i);
      }
    }
  }
}
