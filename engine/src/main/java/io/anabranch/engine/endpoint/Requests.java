package io.anabranch.engine.endpoint;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Endpoint requests that are out, by request id: a ring that grows with use, since a simulation has
 * engines by the hundred thousand. A request is forgotten once {@link #SLOTS} later ones were sent.
 */
final class Requests {
  /** Why a request was sent. */
  enum Kind {
    REVERSE,
    PLANE,
    PORT_STATUS
  }

  private static final int FIRST_SLOTS = 16;
  private static final int SLOTS = 4096;
  private static final Kind[] KINDS = Kind.values();
  private static final int NONE = -1;

  private int[] id = new int[FIRST_SLOTS];
  private @Nullable Peer[] peer = new Peer[FIRST_SLOTS];
  private short[] ev = new short[FIRST_SLOTS];
  private long[] sentNs = new long[FIRST_SLOTS];
  private byte[] kind = new byte[FIRST_SLOTS];
  private int nextId;

  Requests(int firstId) {
    nextId = firstId & 0xffff;
    Arrays.fill(id, NONE);
  }

  int sent(Peer to, int evIndex, Kind why, long nowNs) {
    int given = nextId;
    while (outstanding(id[given & id.length - 1])) {
      grow();
    }
    nextId = nextId + 1 & 0xffff;
    int i = given & id.length - 1;
    id[i] = given;
    peer[i] = to;
    ev[i] = (short) evIndex;
    sentNs[i] = nowNs;
    kind[i] = (byte) why.ordinal();
    return given;
  }

  /** Whether a slot's request still counts: two that do never share a slot of the full ring. */
  private boolean outstanding(int requestId) {
    return requestId != NONE && (nextId - requestId & 0xffff) < SLOTS;
  }

  private void grow() {
    int old = id.length;
    int[] oldId = id;
    @Nullable Peer[] oldPeer = peer;
    short[] oldEv = ev;
    long[] oldSentNs = sentNs;
    byte[] oldKind = kind;
    id = new int[old * 2];
    Arrays.fill(id, NONE);
    peer = new Peer[old * 2];
    ev = new short[old * 2];
    sentNs = new long[old * 2];
    kind = new byte[old * 2];
    for (int from = 0; from < old; from++) {
      if (outstanding(oldId[from])) {
        int to = oldId[from] & id.length - 1;
        id[to] = oldId[from];
        peer[to] = oldPeer[from];
        ev[to] = oldEv[from];
        sentNs[to] = oldSentNs[from];
        kind[to] = oldKind[from];
      }
    }
  }

  /** Slots that there are now. */
  int slots() {
    return id.length;
  }

  /** Slot of an outstanding request, or −1. */
  int find(int requestId) {
    int i = requestId & id.length - 1;
    boolean known = id[i] == requestId && (nextId - 1 - requestId & 0xffff) < SLOTS;
    return known ? i : NONE;
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
    id[slot] = NONE;
    peer[slot] = null;
  }

  /** A peer is forgotten with its requests. */
  void forget(Peer gone) {
    for (int i = 0; i < peer.length; i++) {
      if (peer[i] == gone) {
        answered(i);
      }
    }
  }
}
