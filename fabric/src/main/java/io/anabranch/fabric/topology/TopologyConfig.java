package io.anabranch.fabric.topology;

import io.anabranch.fabric.link.LinkConfig;
import org.jspecify.annotations.Nullable;

/** What is built: switches and links of each plane. */
public sealed interface TopologyConfig permits TwoTierConfig, ThreeTierConfig, GraphConfig {
  /** Planes, all alike. */
  int planes();

  /** Hosts in all. */
  int hosts();

  /** T0 switches of a plane. */
  int leaves();

  /** Hosts of a T0 switch. */
  int hostsPerLeaf();

  /** Directed links in all. */
  long links();

  /** Paths of a plane between the hosts farthest apart. */
  long paths();

  /** EVs of a plane that differ in what they name, where they name paths. */
  default long namedPaths(Routing routing) {
    return paths();
  }

  /** Between a host and its switch. */
  LinkConfig hostLink();

  /** Why a routing cannot be used on it; null = it can. */
  @Nullable String refuses(Routing routing);

  /**
   * The wiring.
   *
   * @param seed of the switches' salts
   */
  Topology wiring(Routing routing, long seed);

  /** Refuses a wiring that cannot be. */
  static void check(TopologyConfig config, Routing routing) {
    String reason = config.refuses(routing);
    if (reason != null) {
      throw new IllegalArgumentException("routing: " + routing + ": " + reason);
    }
  }
}
