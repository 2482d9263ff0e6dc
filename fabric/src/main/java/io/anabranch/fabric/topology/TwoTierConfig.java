package io.anabranch.fabric.topology;

import io.anabranch.engine.config.Check;
import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.link.QueueConfig;
import org.jspecify.annotations.Nullable;

/**
 * A two-tier Clos in each of several planes, all alike: every host has a port on every plane, every
 * leaf (T0) a link to every spine (T1). Host h is on leaf h / hostsPerLeaf.
 *
 * @param planes 1 … 32
 * @param leaves T0 switches a plane, 1 … 65535
 * @param hostsPerLeaf 1 … 65535
 * @param spines T1 switches a plane, 1 … 65535; with one leaf also 0: one switch a plane
 * @param hostLink between host and leaf
 * @param fabricLink between leaf and spine
 * @param leafUp a leaf's ports towards spines
 * @param spineDown a spine's ports
 * @param leafDown a leaf's ports towards hosts: the last hop
 * @param switchLatencyPs from a packet's arrival at a switch to its place in the egress queue
 * @param forwarding how switches forward
 */
public record TwoTierConfig(
    int planes,
    int leaves,
    int hostsPerLeaf,
    int spines,
    LinkConfig hostLink,
    LinkConfig fabricLink,
    QueueConfig leafUp,
    QueueConfig spineDown,
    QueueConfig leafDown,
    long switchLatencyPs,
    Forwarding forwarding)
    implements TopologyConfig {
  /** Checks ranges. */
  public TwoTierConfig {
    Check.range("planes", planes, 1, 32);
    Check.range("leaves", leaves, 1, 65535);
    Check.range("hostsPerLeaf", hostsPerLeaf, 1, 65535);
    Check.range("spines", spines, leaves == 1 ? 0 : 1, 65535);
    Check.range("hosts", (long) leaves * hostsPerLeaf, 2, 1 << 20);
    Check.range("switchLatencyPs", switchLatencyPs, 0, 1_000_000_000L);
  }

  @Override
  public int hosts() {
    return leaves * hostsPerLeaf;
  }

  @Override
  public long links() {
    return 2L * planes * leaves * ((long) hostsPerLeaf + spines);
  }

  private long switches() {
    return planes * ((long) leaves + spines);
  }

  @Override
  public long paths() {
    return Math.max(1, spines);
  }

  @Override
  public @Nullable String refuses(Routing routing) {
    return routing.usids() ? Usids.refuse(switches() + hostsPerLeaf) : null;
  }

  @Override
  public Topology wiring(Routing routing, long seed) {
    return new TwoTier(this, routing, seed);
  }
}
