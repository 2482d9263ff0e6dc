package io.anabranch.engine.path;

import java.util.Arrays;

/**
 * The planes towards one peer, shared by its queue pairs: which are usable, what is known of each
 * since its last arrival, and which are proven for control frames.
 *
 * <p>Fast plane set-aside (mrc-protocol, Path selection): once {@code lossLimit} distinct EVs of a
 * plane were lost since that plane's last arrival, while another plane delivers, the whole plane is
 * left at once instead of draining backup after backup.
 */
public final class Planes {
  private static final long NEVER_NS = Long.MIN_VALUE;

  private final int ports;
  private final int lossLimit;
  private int localUpMask;
  private int peerUpMask;
  private int asideMask;

  // One plane's record: what every arrival touches lies together.
  private static final int LAST_ARRIVAL_NS = 0;
  private static final int ARRIVED_SENT_NS = 1;
  private static final int FIRST_LOST_SENT_NS = 2;
  private static final int LAST_PROOF_NS = 3;
  private static final int PROOF_EV = 4;
  private static final int LOST_COUNT = 5;
  private static final int WORDS = 6;
  private final long[] records;
  private final int[] lostEvs;
  private int reverseTurn;

  /** All planes usable, nothing known of any. */
  public Planes(int ports, int lossLimit) {
    this.ports = ports;
    this.lossLimit = lossLimit;
    localUpMask = mask(ports);
    peerUpMask = localUpMask;
    records = new long[ports * WORDS];
    for (int p = 0; p < ports; p++) {
      Arrays.fill(records, p * WORDS, p * WORDS + PROOF_EV, NEVER_NS);
      records[p * WORDS + PROOF_EV] = -1;
    }
    lostEvs = new int[ports * lossLimit];
  }

  private static int mask(int ports) {
    return ports == 32 ? -1 : (1 << ports) - 1;
  }

  /** Planes in all. */
  public int count() {
    return ports;
  }

  /** Bit p set: plane p may carry data. */
  public int usableMask() {
    return localUpMask & peerUpMask & ~asideMask;
  }

  /** Whether plane {@code plane} may carry data. */
  public boolean usable(int plane) {
    return (usableMask() >>> plane & 1) != 0;
  }

  /** Whether both ports of a plane are up, set aside or not. */
  public boolean up(int plane) {
    return ((localUpMask & peerUpMask) >>> plane & 1) != 0;
  }

  /** Whether a plane is set aside. */
  public boolean aside(int plane) {
    return (asideMask >>> plane & 1) != 0;
  }

  /** Planes set aside. */
  public int asideMask() {
    return asideMask;
  }

  /** The local port's state. */
  public void localPort(int plane, boolean up) {
    localUpMask = up ? localUpMask | 1 << plane : localUpMask & ~(1 << plane);
  }

  /**
   * The peer's ports by its port status update.
   *
   * @return false: no common port would be left, so the mask is ignored
   */
  public boolean peerPorts(int mask) {
    int common = mask & mask(ports);
    if (common == 0) {
      return false;
    }
    peerUpMask = common;
    return true;
  }

  /** The peer's ports that are up. */
  public int peerUpMask() {
    return peerUpMask;
  }

  /** A copy or probe on a plane, sent at {@code sentNs}, is known to have arrived. */
  public void arrived(int plane, long sentNs, long nowNs) {
    int r = plane * WORDS;
    records[r + LAST_ARRIVAL_NS] = nowNs;
    records[r + ARRIVED_SENT_NS] = Math.max(records[r + ARRIVED_SENT_NS], sentNs);
    records[r + LOST_COUNT] = 0;
  }

  /**
   * A copy on a plane counts as lost.
   *
   * @return whether the plane is to be set aside now
   */
  public boolean lost(int plane, int evIndex, long sentNs) {
    // One SACK may tell of old losses and of newer arrivals together: those are not since.
    int r = plane * WORDS;
    if (sentNs <= records[r + ARRIVED_SENT_NS]) {
      return false;
    }
    int base = plane * lossLimit;
    int n = (int) records[r + LOST_COUNT];
    for (int i = 0; i < n; i++) {
      if (lostEvs[base + i] == evIndex) {
        return false;
      }
    }
    if (n == 0) {
      records[r + FIRST_LOST_SENT_NS] = sentNs;
    }
    if (n < lossLimit) {
      lostEvs[base + n] = evIndex;
      records[r + LOST_COUNT] = ++n;
    }
    return n >= lossLimit && usable(plane) && othersDeliver(plane);
  }

  private boolean othersDeliver(int plane) {
    for (int p = 0; p < ports; p++) {
      if (p != plane
          && usable(p)
          && records[p * WORDS + LAST_ARRIVAL_NS] > records[plane * WORDS + FIRST_LOST_SENT_NS]) {
        return true;
      }
    }
    return false;
  }

  /** Sets a plane aside. */
  public void setAside(int plane) {
    asideMask |= 1 << plane;
    records[plane * WORDS + LAST_PROOF_NS] = NEVER_NS;
  }

  /** Takes a plane back that was set aside or down. */
  public void takeBack(int plane) {
    asideMask &= ~(1 << plane);
    records[plane * WORDS + LOST_COUNT] = 0;
  }

  /** A packet of ours on this EV is known to have reached the peer. */
  public void proven(int plane, int evIndex, long nowNs) {
    records[plane * WORDS + LAST_PROOF_NS] = nowNs;
    records[plane * WORDS + PROOF_EV] = evIndex;
  }

  /** A probe on a plane went unanswered: control frames take another until it is proven again. */
  public void unproven(int plane) {
    records[plane * WORDS + LAST_PROOF_NS] = NEVER_NS;
    records[plane * WORDS + PROOF_EV] = -1;
  }

  /** Whether a plane was proven at or after {@code sinceNs}. */
  public boolean provenSince(int plane, long sinceNs) {
    return records[plane * WORDS + LAST_PROOF_NS] != NEVER_NS
        && records[plane * WORDS + LAST_PROOF_NS] >= sinceNs;
  }

  /** The latest proof of any plane, or {@link Long#MIN_VALUE}. */
  public long latestProofNs() {
    long max = NEVER_NS;
    for (int p = 0; p < ports; p++) {
      max = Math.max(max, records[p * WORDS + LAST_PROOF_NS]);
    }
    return max;
  }

  /** The EV that last proved a plane, or −1. */
  public int proofEv(int plane) {
    return (int) records[plane * WORDS + PROOF_EV];
  }

  /**
   * The plane for the next control frame: in turn over the usable planes proven since {@code
   * sinceNs}; without any, over the usable ones; without any, over those whose own port is up.
   *
   * @return the plane, or −1 when every local port is down
   */
  public int reversePlane(long sinceNs) {
    int usable = usableMask();
    int proven = 0;
    for (int p = 0; p < ports; p++) {
      if ((usable >>> p & 1) != 0 && provenSince(p, sinceNs)) {
        proven |= 1 << p;
      }
    }
    int choice = proven != 0 ? proven : usable != 0 ? usable : localUpMask & mask(ports);
    return choice == 0 ? -1 : turn(choice);
  }

  /** The next plane in turn among those of {@code mask}, which must not be 0. */
  public int turn(int mask) {
    int p = reverseTurn;
    do {
      p = p + 1 == ports ? 0 : p + 1;
    } while ((mask >>> p & 1) == 0);
    reverseTurn = p;
    return p;
  }
}
