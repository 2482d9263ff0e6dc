package io.anabranch.fabric.topology;

import io.anabranch.engine.config.Check;
import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.link.Packets;
import io.anabranch.fabric.link.QueueConfig;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A two-tier Clos per plane.
 *
 * <p>Links of a plane, in this order: to leaves from hosts (by host), to leaves from spines (by
 * leaf, then spine), to spines (by spine, then leaf), to hosts (by host).
 *
 * <p>ECMP: a leaf sends a packet for another leaf to the spine that {@link Ecmp} chooses.
 * Structured EV: to the spine that the lowest bits of the EV name.
 *
 * <p>SRv6: uSIDs 1 … planes · leaves name leaves, by plane; the next planes · spines name spines;
 * the next hostsPerLeaf a leaf's downlinks. A container holds: the source's leaf, a spine and the
 * destination's leaf (neither if that is the same), the destination's downlink. Each switch
 * compares the first uSID with its own, shifts it out, and looks up the one that follows.
 */
public final class TwoTier implements Topology {
  private static final int UP_FROM_HOST = 0;
  private static final int DOWN_FROM_SPINE = 1;
  private static final int UP_TO_SPINE = 2;
  private static final int DOWN_TO_HOST = 3;
  private static final int KINDS = 4;

  private final TwoTierConfig config;
  private final Routing routing;
  private final boolean usids;
  private final Ecmp ecmp;
  private final int hosts;
  private final int leaves;
  private final int hostsPerLeaf;
  private final int spines;
  private final int fromSpine;
  private final int toSpine;
  private final int toHost;
  private final int perPlane;
  private final int spineSids;
  private final int hostSids;
  private final int links;
  private final int perPlaneSwitches;
  private final int spineBits;

  /**
   * A fabric's wiring.
   *
   * @param seed of the switches' salts
   */
  public TwoTier(TwoTierConfig config, Routing routing, long seed) {
    this.config = config;
    this.routing = routing;
    usids = routing.usids();
    ecmp = new Ecmp(seed);
    hosts = config.hosts();
    leaves = config.leaves();
    hostsPerLeaf = config.hostsPerLeaf();
    spines = config.spines();
    fromSpine = hosts;
    toSpine = fromSpine + leaves * spines;
    toHost = toSpine + leaves * spines;
    perPlane = toHost + hosts;
    Check.range("links", config.links(), 1, 1 << 28);
    links = (int) config.links();
    perPlaneSwitches = leaves + spines;
    spineBits = 32 - Integer.numberOfLeadingZeros(spines - 1);
    spineSids = 1 + config.planes() * leaves;
    hostSids = spineSids + config.planes() * spines;
    TopologyConfig.check(config, routing);
  }

  @Override
  public int hosts() {
    return hosts;
  }

  @Override
  public int planes() {
    return config.planes();
  }

  @Override
  public int links() {
    return links;
  }

  @Override
  public int plane(int link) {
    return link / perPlane;
  }

  @Override
  public int kind(int link) {
    int i = link % perPlane;
    if (i < fromSpine) {
      return UP_FROM_HOST;
    }
    return i < toSpine ? DOWN_FROM_SPINE : i < toHost ? UP_TO_SPINE : DOWN_TO_HOST;
  }

  @Override
  public int kinds() {
    return KINDS;
  }

  @Override
  public LinkConfig linkOf(int kind) {
    boolean host = kind == UP_FROM_HOST || kind == DOWN_TO_HOST;
    return host ? config.hostLink() : config.fabricLink();
  }

  @Override
  public @Nullable QueueConfig queueOf(int kind) {
    return switch (kind) {
      case DOWN_FROM_SPINE -> config.spineDown();
      case UP_TO_SPINE -> config.leafUp();
      case DOWN_TO_HOST -> config.leafDown();
      default -> null;
    };
  }

  @Override
  public boolean toHost(int kind) {
    return kind == DOWN_TO_HOST;
  }

  @Override
  public long switchLatencyPs(int kind) {
    return toHost(kind) ? 0 : config.switchLatencyPs();
  }

  @Override
  public boolean cutThrough(int kind) {
    if (config.forwarding() != Forwarding.CUT_THROUGH || toHost(kind)) {
      return false;
    }
    long in = linkOf(kind).rateBitsPerSecond();
    long out = kind == UP_TO_SPINE ? 0 : config.hostLink().rateBitsPerSecond();
    return in >= Math.max(out, config.fabricLink().rateBitsPerSecond());
  }

  @Override
  public int hostLink(int host, int plane) {
    return plane * perPlane + host;
  }

  @Override
  public int hostFrom(int link) {
    return link % perPlane;
  }

  @Override
  public int hostAt(int link) {
    return link % perPlane - toHost;
  }

  @Override
  public int reverse(int link) {
    int base = link - link % perPlane;
    int i = link - base;
    if (i < fromSpine) {
      return base + toHost + i;
    }
    if (i < toSpine) {
      int j = i - fromSpine;
      return base + toSpine + j % spines * leaves + j / spines;
    }
    if (i < toHost) {
      int j = i - toSpine;
      return base + fromSpine + j % leaves * spines + j / leaves;
    }
    return base + i - toHost;
  }

  @Override
  public int switches() {
    return config.planes() * perPlaneSwitches;
  }

  @Override
  public int switchAt(int link) {
    int i = link % perPlane;
    int base = link / perPlane * perPlaneSwitches;
    if (i < toSpine) {
      return base + (i < fromSpine ? i / hostsPerLeaf : (i - fromSpine) / spines);
    }
    return i < toHost ? base + leaves + (i - toSpine) / leaves : HOST;
  }

  @Override
  public int switchFrom(int link) {
    return switchAt(reverse(link));
  }

  @Override
  public int ports(int node) {
    return node % perPlaneSwitches < leaves ? hostsPerLeaf + spines : leaves;
  }

  @Override
  public int port(int node, int port) {
    int base = node / perPlaneSwitches * perPlane;
    int at = node % perPlaneSwitches;
    if (at >= leaves) {
      return base + fromSpine + port * spines + at - leaves;
    }
    return port < hostsPerLeaf
        ? base + toHost + at * hostsPerLeaf + port
        : base + toSpine + (port - hostsPerLeaf) * leaves + at;
  }

  @Override
  public String switchName(int node) {
    int at = node % perPlaneSwitches;
    String tier = at < leaves ? ".t0." + at : ".t1." + (at - leaves);
    return "p" + (node / perPlaneSwitches + 1) + tier;
  }

  @Override
  public int next(int link, Packets packets, int packet) {
    int plane = link / perPlane;
    int base = plane * perPlane;
    int i = link - base;
    if (i < toSpine) {
      int leaf = i < fromSpine ? i / hostsPerLeaf : (i - fromSpine) / spines;
      return usids
          ? leafBySid(plane, leaf, packets, packet)
          : leafByAddress(plane, leaf, packets, packet);
    }
    int spine = (i - toSpine) / leaves;
    if (usids) {
      return spineBySid(plane, spine, packets, packet);
    }
    int leaf = packets.destination(packet) / hostsPerLeaf;
    return base + fromSpine + leaf * spines + spine;
  }

  private int leafByAddress(int plane, int leaf, Packets packets, int packet) {
    int destination = packets.destination(packet);
    if (destination / hostsPerLeaf == leaf) {
      return plane * perPlane + toHost + destination;
    }
    int hash = packets.hash(packet);
    int spine;
    if (routing == Routing.ECMP) {
      spine = ecmp.choose(plane * leaves + leaf, hash, spines);
    } else {
      spine = hash & (1 << spineBits) - 1;
      if (spine >= spines) {
        return NO_ROUTE;
      }
    }
    return plane * perPlane + toSpine + spine * leaves + leaf;
  }

  @Override
  public int instead(int link, int next, Packets packets, int packet, IntPredicate up) {
    if (routing != Routing.ECMP || kind(next) != UP_TO_SPINE) {
      return NO_ROUTE;
    }
    int leaf = (next % perPlane - toSpine) % leaves;
    int plane = next / perPlane;
    int first = plane * perPlane + toSpine + leaf;
    return ecmp.among(plane * leaves + leaf, packets.hash(packet), first, leaves, spines, up);
  }

  private int leafBySid(int plane, int leaf, Packets packets, int packet) {
    if (!Usids.shift(packets, packet, 1 + plane * leaves + leaf)) {
      return NO_ROUTE;
    }
    int sid = Usids.active(packets, packet);
    int spine = sid - spineSids - plane * spines;
    if (spine >= 0 && spine < spines) {
      return plane * perPlane + toSpine + spine * leaves + leaf;
    }
    int down = sid - hostSids;
    return down >= 0 && down < hostsPerLeaf
        ? plane * perPlane + toHost + leaf * hostsPerLeaf + down
        : NO_ROUTE;
  }

  private int spineBySid(int plane, int spine, Packets packets, int packet) {
    if (!Usids.shift(packets, packet, spineSids + plane * spines + spine)) {
      return NO_ROUTE;
    }
    int leaf = Usids.active(packets, packet) - 1 - plane * leaves;
    return leaf >= 0 && leaf < leaves
        ? plane * perPlane + fromSpine + leaf * spines + spine
        : NO_ROUTE;
  }

  @Override
  public void segments(
      Packets packets, int packet, int source, int destination, int plane, long path) {
    int from = source / hostsPerLeaf;
    int to = destination / hostsPerLeaf;
    int own = 1 + plane * leaves + from;
    int down = hostSids + destination % hostsPerLeaf;
    if (from == to) {
      Usids.put(packets, packet, own, down);
    } else {
      int spine = spineSids + plane * spines + (int) (path % spines);
      Usids.put(packets, packet, own, spine, 1 + plane * leaves + to, down, 0);
    }
  }

  @Override
  public int structuredEv(int path) {
    return path;
  }

  @Override
  public int paths() {
    return (int) config.paths();
  }

  @Override
  public int diameter() {
    return leaves == 1 ? 2 : 4;
  }

  @Override
  public long baseRttPs(int source, int destination, int dataBytes, int controlBytes) {
    LinkConfig host = config.hostLink();
    LinkConfig fabric = config.fabricLink();
    boolean sameLeaf = source / hostsPerLeaf == destination / hostsPerLeaf;
    int switches = sameLeaf ? 1 : 3;
    int fabricLinks = sameLeaf ? 0 : 2;
    long oneWay =
        2 * host.delayPs() + fabricLinks * fabric.delayPs() + switches * config.switchLatencyPs();
    long bits = 8L * (dataBytes + controlBytes);
    return 2 * oneWay + 2 * host.timePs(bits) + fabricLinks * fabric.timePs(bits);
  }

  @Override
  public long longestRttPs(int dataBytes, int controlBytes) {
    return baseRttPs(0, hosts - 1, dataBytes, controlBytes);
  }

  @Override
  public String name(int link) {
    int plane = link / perPlane;
    int i = link - plane * perPlane;
    String p = "p" + (plane + 1) + ".";
    if (i < fromSpine) {
      return p + "h" + i + ">t0." + i / hostsPerLeaf;
    }
    if (i < toSpine) {
      int j = i - fromSpine;
      return p + "t1." + j % spines + ">t0." + j / spines;
    }
    if (i < toHost) {
      int j = i - toSpine;
      return p + "t0." + j % leaves + ">t1." + j / leaves;
    }
    int host = i - toHost;
    return p + "t0." + host / hostsPerLeaf + ">h" + host;
  }
}
