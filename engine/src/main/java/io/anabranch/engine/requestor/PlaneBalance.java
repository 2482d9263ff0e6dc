package io.anabranch.engine.requestor;

import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.path.PathSet;
import io.anabranch.engine.path.Planes;
import java.util.Arrays;

/**
 * Loads the planes that have EVs in rotation equally, whatever the order in which their ports ask:
 * none gets more than {@link #LEAD} packets ahead of the least loaded. A change in the set of those
 * planes begins a new count, so one that comes back has an equal share from then on.
 */
final class PlaneBalance {
  /** Packets by which a plane may be ahead. */
  static final int LEAD = 2;

  private final Planes planes;
  private final PathSet paths;
  private final EvTable evs;
  private final long[] load;
  private final long[] sentOnPlane;
  private int inUse;

  PlaneBalance(Planes planes, PathSet paths, EvTable evs) {
    this.planes = planes;
    this.paths = paths;
    this.evs = evs;
    load = new long[planes.count()];
    sentOnPlane = new long[planes.count()];
  }

  /** Planes that may take packets, as last asked. */
  int planesInUse() {
    return Integer.bitCount(inUse);
  }

  void sent(int plane) {
    load[plane]++;
    sentOnPlane[plane]++;
  }

  /** Packets sent on a plane in all. */
  long sentOn(int plane) {
    return sentOnPlane[plane];
  }

  /**
   * Whether a plane may take a packet now.
   *
   * @param avoid the EV that may not be used, or −1; if it is its plane's only one, that plane
   *     cannot take the packet and the others do not wait for it
   */
  boolean eligible(int plane, int avoid) {
    int mask = planes.usableMask();
    for (int p = 0; p < load.length; p++) {
      if (!paths.hasActive(p)) {
        mask &= ~(1 << p);
      }
    }
    if (mask != inUse) {
      inUse = mask;
      Arrays.fill(load, 0);
    }
    if ((mask >>> plane & 1) == 0) {
      return false;
    }
    int stuck = avoid >= 0 && !paths.hasOther(evs.port(avoid), avoid) ? evs.port(avoid) : -1;
    long least = Long.MAX_VALUE;
    for (int p = 0; p < load.length; p++) {
      if ((mask >>> p & 1) != 0 && p != stuck) {
        least = Math.min(least, load[p]);
      }
    }
    return least == Long.MAX_VALUE || load[plane] < least + LEAD;
  }
}
