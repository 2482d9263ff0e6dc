package io.anabranch.fabric.workload;

import java.util.BitSet;
import java.util.List;

/** Checks of host lists. */
final class Hosts {
  private Hosts() {}

  /** A copy, if no host is in it twice and there are enough. */
  static List<Integer> distinct(String field, List<Integer> hosts, int least) {
    if (hosts.size() < least) {
      throw new IllegalArgumentException(
          field + ": " + hosts.size() + " hosts, allowed at least " + least);
    }
    BitSet seen = new BitSet();
    for (int host : hosts) {
      if (host < 0) {
        throw new IllegalArgumentException(field + ": host " + host + ", allowed at least 0");
      }
      if (seen.get(host)) {
        throw new IllegalArgumentException(field + ": host " + host + " twice, allowed once");
      }
      seen.set(host);
    }
    return List.copyOf(hosts);
  }
}
