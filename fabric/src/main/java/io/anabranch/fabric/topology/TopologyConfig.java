package io.anabranch.fabric.topology;

import io.anabranch.fabric.link.LinkConfig;

/** What is built: switches and links of each plane. */
public sealed interface TopologyConfig permits TwoTierConfig, ThreeTierConfig {
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

  /** Switches in all. */
  long switches();

  /** Paths of a plane between the hosts farthest apart. */
  long paths();

  /** Between a host and its switch. */
  LinkConfig hostLink();

  /** uSIDs that name all its switches and downlinks; a uSID has 16 bits. */
  long usids();

  /**
   * The wiring.
   *
   * @param seed of the switches' salts
   */
  Topology wiring(Routing routing, long seed);
}
