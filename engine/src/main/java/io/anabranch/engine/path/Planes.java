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
  private final long[] lastArrivalNs;
  private final long[] arrivedSentNs;
  private final long[] firstLostSentNs;
  private final int[] lostEvs;
  private final byte[] lostCount;
  private final long[] lastProofNs;
  private final int[] proofEv;
  private int reverseTurn;

  /** All planes usable, nothing known of any. */
  public Planes(int ports, int lossLimit) {
    this.ports = ports;
    this.lossLimit = lossLimit;
    localUpMask = mask(ports);
    peerUpMask = localUpMask;
    lastArrivalNs = filled(ports);
    arrivedSentNs = filled(ports);
    firstLostSentNs = filled(ports);
    lostEvs = new int[ports * lossLimit];
    lostCount = new byte[ports];
    lastProofNs = filled(ports);
    proofEv = new int[ports];
    Arrays.fill(proofEv, -1);
  }

  private static long[] filled(int n) {
    long[] a = new long[n];
    Arrays.fill(a, NEVER_NS);
    return a;
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
    lastArrivalNs[plane] = nowNs;
    arrivedSentNs[plane] = Math.max(arrivedSentNs[plane], sentNs);
    lostCount[plane] = 0;
  }

  /**
   * A copy on a plane counts as lost.
   *
   * @return whether the plane is to be set aside now
   */
  public boolean lost(int plane, int evIndex, long sentNs) {
    // One SACK may tell of old losses and of newer arrivals together: those are not since.
    if (sentNs <= arrivedSentNs[plane]) {
      return false;
    }
    int base = plane * lossLimit;
    int n = lostCount[plane];
    for (int i = 0; i < n; i++) {
      if (lostEvs[base + i] == evIndex) {
        return false;
      }
    }
    if (n == 0) {
      firstLostSentNs[plane] = sentNs;
    }
    if (n < lossLimit) {
      lostEvs[base + n] = evIndex;
      lostCount[plane] = (byte) ++n;
    }
    return n >= lossLimit && usable(plane) && othersDeliver(plane);
  }

  private boolean othersDeliver(int plane) {
    for (int p = 0; p < ports; p++) {
      if (p != plane && usable(p) && lastArrivalNs[p] > firstLostSentNs[plane]) {
        return true;
      }
    }
    return false;
  }

  /** Sets a plane aside. */
  public void setAside(int plane) {
    asideMask |= 1 << plane;
    lastProofNs[plane] = NEVER_NS;
  }

  /** Takes a plane back that was set aside or down. */
  public void takeBack(int plane) {
    asideMask &= ~(1 << plane);
    lostCount[plane] = 0;
  }

  /** A packet of ours on this EV is known to have reached the peer. */
  public void proven(int plane, int evIndex, long nowNs) {
    lastProofNs[plane] = nowNs;
    proofEv[plane] = evIndex;
  }

  /** A probe on a plane went unanswered: control frames take another until it is proven again. */
  public void unproven(int plane) {
    lastProofNs[plane] = NEVER_NS;
    proofEv[plane] = -1;
  }

  /** Whether a plane was proven at or after {@code sinceNs}. */
  public boolean provenSince(int plane, long sinceNs) {
    return lastProofNs[plane] != NEVER_NS && lastProofNs[plane] >= sinceNs;
  }

  /** The latest proof of any plane, or {@link Long#MIN_VALUE}. */
  public long latestProofNs() {
    long max = NEVER_NS;
    for (long at : lastProofNs) {
      max = Math.max(max, at);
    }
    return max;
  }

  /** The EV that last proved a plane, or −1. */
  public int proofEv(int plane) {
    return proofEv[plane];
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
