package io.anabranch.fabric.topology;

import io.anabranch.engine.config.Check;
import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.link.QueueConfig;
import org.jspecify.annotations.Nullable;

/**
 * A three-tier Clos in each of several planes, all alike: in a pod every leaf (T0) has a link to
 * every spine (T1); spine j of each pod has a link to every core (T2) of group j. Host h is on leaf
 * h / hostsPerLeaf, leaf l in pod l / leavesPerPod, core c in group c / coresPerGroup.
 *
 * @param planes 1 … 32
 * @param pods 1 … 65535
 * @param leavesPerPod T0 switches of a pod, 1 … 65535
 * @param hostsPerLeaf 1 … 65535
 * @param spinesPerPod T1 switches of a pod and groups of cores, 1 … 65535
 * @param coresPerGroup T2 switches of a group: uplinks of a spine, 1 … 65535
 * @param hostLink between host and leaf
 * @param fabricLink between leaf and spine
 * @param coreLink between spine and core
 * @param leafUp a leaf's ports towards spines
 * @param spineUp a spine's ports towards cores
 * @param coreDown a core's ports
 * @param spineDown a spine's ports towards leaves
 * @param leafDown a leaf's ports towards hosts: the last hop
 * @param switchLatencyPs from a packet's arrival at a switch to its place in the egress queue
 * @param forwarding how switches forward
 */
public record ThreeTierConfig(
    int planes,
    int pods,
    int leavesPerPod,
    int hostsPerLeaf,
    int spinesPerPod,
    int coresPerGroup,
    LinkConfig hostLink,
    LinkConfig fabricLink,
    LinkConfig coreLink,
    QueueConfig leafUp,
    QueueConfig spineUp,
    QueueConfig coreDown,
    QueueConfig spineDown,
    QueueConfig leafDown,
    long switchLatencyPs,
    Forwarding forwarding)
    implements TopologyConfig {
  /** Checks ranges. */
  public ThreeTierConfig {
    Check.range("planes", planes, 1, 32);
    Check.range("pods", pods, 1, 65535);
    Check.range("leavesPerPod", leavesPerPod, 1, 65535);
    Check.range("hostsPerLeaf", hostsPerLeaf, 1, 65535);
    Check.range("spinesPerPod", spinesPerPod, 1, 65535);
    Check.range("coresPerGroup", coresPerGroup, 1, 65535);
    Check.range("leaves", (long) pods * leavesPerPod, 1, 1 << 20);
    Check.range("hosts", (long) pods * leavesPerPod * hostsPerLeaf, 2, 1 << 20);
    Check.range("paths", (long) spinesPerPod * coresPerGroup, 1, 1 << 28);
    Check.range("switchLatencyPs", switchLatencyPs, 0, 1_000_000_000L);
  }

  @Override
  public int hosts() {
    return leaves() * hostsPerLeaf;
  }

  @Override
  public int leaves() {
    return pods * leavesPerPod;
  }

  @Override
  public long links() {
    long pod = leavesPerPod * ((long) hostsPerLeaf + spinesPerPod) + paths();
    return 2L * planes * pods * pod;
  }

  private long switches() {
    return planes * (pods * ((long) leavesPerPod + spinesPerPod) + paths());
  }

  /** Cores of a plane; between two pods there is a path through each. */
  @Override
  public long paths() {
    return (long) spinesPerPod * coresPerGroup;
  }

  @Override
  public @Nullable String refuses(Routing routing) {
    return routing.usids() ? Usids.refuse(switches() + hostsPerLeaf) : null;
  }

  @Override
  public Topology wiring(Routing routing, long seed) {
    return new ThreeTier(this, routing, seed);
  }
}
