package io.anabranch.fabric.topology;

import io.anabranch.engine.config.Check;
import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.link.Packets;
import io.anabranch.fabric.link.QueueConfig;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A three-tier Clos per plane.
 *
 * <p>Links of a plane, in this order: to leaves from hosts (by host), to leaves from spines (by
 * leaf, then spine), to spines from leaves (by spine, then leaf), to spines from cores (by spine,
 * then core), to cores (by core, then pod), to hosts (by host).
 *
 * <p>Path k between two pods: by spine k mod spinesPerPod of each, and of that spine's group by
 * core k / spinesPerPod. Structured EV: the lowest bits name the spine, the next ones the core of
 * its group.
 *
 * <p>ECMP: a leaf and, on the way up, a spine choose as {@link Ecmp} does, each with a salt of its
 * own.
 *
 * <p>SRv6: uSIDs from 1 on name leaves, by plane; then spines; then cores; then a leaf's downlinks.
 * A container holds every switch on the way and the last one's downlink, six at most.
 */
public final class ThreeTier implements Topology {
  private static final int UP_FROM_HOST = 0;
  private static final int DOWN_TO_LEAF = 1;
  private static final int UP_TO_SPINE = 2;
  private static final int DOWN_TO_SPINE = 3;
  private static final int UP_TO_CORE = 4;
  private static final int DOWN_TO_HOST = 5;
  private static final int KINDS = 6;

  private final ThreeTierConfig config;
  private final Routing routing;
  private final boolean usids;
  private final Ecmp ecmp;
  private final int hosts;
  private final int pods;
  private final int hostsPerPod;
  private final int hostsPerLeaf;
  private final int leavesPerPod;
  private final int leaves;
  private final int spinesPerPod;
  private final int spines;
  private final int coresPerGroup;
  private final int cores;
  private final int fromSpine;
  private final int fromLeaf;
  private final int fromCore;
  private final int toCore;
  private final int toHost;
  private final int perPlane;
  private final int perPlaneSwitches;
  private final int spineSids;
  private final int coreSids;
  private final int hostSids;
  private final int spineBits;
  private final int coreBits;

  /**
   * A fabric's wiring.
   *
   * @param seed of the switches' salts
   */
  public ThreeTier(ThreeTierConfig config, Routing routing, long seed) {
    this.config = config;
    this.routing = routing;
    usids = routing.usids();
    ecmp = new Ecmp(seed);
    Check.range("links", config.links(), 1, 1 << 28);
    hosts = config.hosts();
    pods = config.pods();
    hostsPerLeaf = config.hostsPerLeaf();
    leavesPerPod = config.leavesPerPod();
    hostsPerPod = hostsPerLeaf * leavesPerPod;
    leaves = config.leaves();
    spinesPerPod = config.spinesPerPod();
    spines = pods * spinesPerPod;
    coresPerGroup = config.coresPerGroup();
    cores = spinesPerPod * coresPerGroup;
    fromSpine = hosts;
    fromLeaf = fromSpine + leaves * spinesPerPod;
    fromCore = fromLeaf + leaves * spinesPerPod;
    toCore = fromCore + spines * coresPerGroup;
    toHost = toCore + spines * coresPerGroup;
    perPlane = toHost + hosts;
    perPlaneSwitches = leaves + spines + cores;
    spineSids = 1 + config.planes() * leaves;
    coreSids = spineSids + config.planes() * spines;
    hostSids = coreSids + config.planes() * cores;
    spineBits = bits(spinesPerPod);
    coreBits = bits(coresPerGroup);
    TopologyConfig.check(config, routing);
  }

  private static int bits(int n) {
    return 32 - Integer.numberOfLeadingZeros(n - 1);
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
    return config.planes() * perPlane;
  }

  @Override
  public int plane(int link) {
    return link / perPlane;
  }

  @Override
  public int kind(int link) {
    int i = link % perPlane;
    if (i < fromLeaf) {
      return i < fromSpine ? UP_FROM_HOST : DOWN_TO_LEAF;
    }
    if (i < toCore) {
      return i < fromCore ? UP_TO_SPINE : DOWN_TO_SPINE;
    }
    return i < toHost ? UP_TO_CORE : DOWN_TO_HOST;
  }

  @Override
  public int kinds() {
    return KINDS;
  }

  @Override
  public LinkConfig linkOf(int kind) {
    return switch (kind) {
      case UP_FROM_HOST, DOWN_TO_HOST -> config.hostLink();
      case DOWN_TO_LEAF, UP_TO_SPINE -> config.fabricLink();
      default -> config.coreLink();
    };
  }

  @Override
  public @Nullable QueueConfig queueOf(int kind) {
    return switch (kind) {
      case DOWN_TO_LEAF -> config.spineDown();
      case UP_TO_SPINE -> config.leafUp();
      case DOWN_TO_SPINE -> config.coreDown();
      case UP_TO_CORE -> config.spineUp();
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

  /** Where no port of the switch at the end is faster. */
  @Override
  public boolean cutThrough(int kind) {
    if (config.forwarding() != Forwarding.CUT_THROUGH || toHost(kind)) {
      return false;
    }
    long fabric = config.fabricLink().rateBitsPerSecond();
    long core = config.coreLink().rateBitsPerSecond();
    long out =
        switch (kind) {
          case UP_FROM_HOST, DOWN_TO_LEAF ->
              Math.max(config.hostLink().rateBitsPerSecond(), fabric);
          case UP_TO_CORE -> core;
          default -> Math.max(fabric, core);
        };
    return linkOf(kind).rateBitsPerSecond() >= out;
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

  // ---------------------------------------------------------------- links by their ends

  private int toLeaf(int base, int leaf, int spineOfPod) {
    return base + fromSpine + leaf * spinesPerPod + spineOfPod;
  }

  private int upToSpine(int base, int leaf, int spineOfPod) {
    int spine = leaf / leavesPerPod * spinesPerPod + spineOfPod;
    return base + fromLeaf + spine * leavesPerPod + leaf % leavesPerPod;
  }

  private int downToSpine(int base, int spine, int coreOfGroup) {
    return base + fromCore + spine * coresPerGroup + coreOfGroup;
  }

  private int upToCore(int base, int spine, int coreOfGroup) {
    int core = spine % spinesPerPod * coresPerGroup + coreOfGroup;
    return base + toCore + core * pods + spine / spinesPerPod;
  }

  @Override
  public int reverse(int link) {
    int base = link - link % perPlane;
    int i = link - base;
    return switch (kind(link)) {
      case UP_FROM_HOST -> base + toHost + i;
      case DOWN_TO_LEAF -> {
        int j = i - fromSpine;
        yield upToSpine(base, j / spinesPerPod, j % spinesPerPod);
      }
      case UP_TO_SPINE -> {
        int spine = (i - fromLeaf) / leavesPerPod;
        int leaf = spine / spinesPerPod * leavesPerPod + (i - fromLeaf) % leavesPerPod;
        yield toLeaf(base, leaf, spine % spinesPerPod);
      }
      case DOWN_TO_SPINE -> {
        int j = i - fromCore;
        yield upToCore(base, j / coresPerGroup, j % coresPerGroup);
      }
      case UP_TO_CORE -> {
        int core = (i - toCore) / pods;
        int spine = (i - toCore) % pods * spinesPerPod + core / coresPerGroup;
        yield downToSpine(base, spine, core % coresPerGroup);
      }
      default -> base + i - toHost;
    };
  }

  // ---------------------------------------------------------------- switches

  @Override
  public int switches() {
    return config.planes() * perPlaneSwitches;
  }

  @Override
  public int switchAt(int link) {
    int base = link / perPlane * perPlaneSwitches;
    int i = link % perPlane;
    return switch (kind(link)) {
      case UP_FROM_HOST -> base + i / hostsPerLeaf;
      case DOWN_TO_LEAF -> base + (i - fromSpine) / spinesPerPod;
      case UP_TO_SPINE -> base + leaves + (i - fromLeaf) / leavesPerPod;
      case DOWN_TO_SPINE -> base + leaves + (i - fromCore) / coresPerGroup;
      case UP_TO_CORE -> base + leaves + spines + (i - toCore) / pods;
      default -> HOST;
    };
  }

  @Override
  public int switchFrom(int link) {
    return switchAt(reverse(link));
  }

  @Override
  public int ports(int node) {
    int at = node % perPlaneSwitches;
    if (at < leaves) {
      return hostsPerLeaf + spinesPerPod;
    }
    return at < leaves + spines ? leavesPerPod + coresPerGroup : pods;
  }

  @Override
  public int port(int node, int port) {
    int base = node / perPlaneSwitches * perPlane;
    int at = node % perPlaneSwitches;
    if (at < leaves) {
      return port < hostsPerLeaf
          ? base + toHost + at * hostsPerLeaf + port
          : upToSpine(base, at, port - hostsPerLeaf);
    }
    if (at < leaves + spines) {
      int spine = at - leaves;
      int leaf = spine / spinesPerPod * leavesPerPod + port;
      return port < leavesPerPod
          ? toLeaf(base, leaf, spine % spinesPerPod)
          : upToCore(base, spine, port - leavesPerPod);
    }
    int core = at - leaves - spines;
    int spine = port * spinesPerPod + core / coresPerGroup;
    return downToSpine(base, spine, core % coresPerGroup);
  }

  @Override
  public String switchName(int node) {
    return "p" + (node / perPlaneSwitches + 1) + "." + nameInPlane(node % perPlaneSwitches);
  }

  private String nameInPlane(int at) {
    if (at < leaves) {
      return "t0." + at;
    }
    return at < leaves + spines ? "t1." + (at - leaves) : "t2." + (at - leaves - spines);
  }

  @Override
  public String name(int link) {
    int from = switchFrom(link);
    int at = switchAt(link);
    return "p"
        + (plane(link) + 1)
        + "."
        + (from == HOST ? "h" + hostFrom(link) : nameInPlane(from % perPlaneSwitches))
        + ">"
        + (at == HOST ? "h" + hostAt(link) : nameInPlane(at % perPlaneSwitches));
  }

  // ---------------------------------------------------------------- routes

  @Override
  public int next(int link, Packets packets, int packet) {
    int plane = link / perPlane;
    int base = plane * perPlane;
    int i = link - base;
    if (i < fromLeaf) {
      int leaf = i < fromSpine ? i / hostsPerLeaf : (i - fromSpine) / spinesPerPod;
      return usids
          ? leafBySid(plane, leaf, packets, packet)
          : leafByAddress(plane, leaf, packets, packet);
    }
    if (i < toCore) {
      int spine = i < fromCore ? (i - fromLeaf) / leavesPerPod : (i - fromCore) / coresPerGroup;
      return usids
          ? spineBySid(plane, spine, packets, packet)
          : spineByAddress(plane, spine, packets, packet);
    }
    int core = (i - toCore) / pods;
    if (usids) {
      return coreBySid(plane, core, packets, packet);
    }
    int pod = packets.destination(packet) / hostsPerPod;
    int spine = pod * spinesPerPod + core / coresPerGroup;
    return downToSpine(base, spine, core % coresPerGroup);
  }

  private int leafByAddress(int plane, int leaf, Packets packets, int packet) {
    int base = plane * perPlane;
    int destination = packets.destination(packet);
    if (destination / hostsPerLeaf == leaf) {
      return base + toHost + destination;
    }
    int hash = packets.hash(packet);
    int spine =
        routing == Routing.ECMP
            ? ecmp.choose(plane * perPlaneSwitches + leaf, hash, spinesPerPod)
            : hash & (1 << spineBits) - 1;
    return spine < spinesPerPod ? upToSpine(base, leaf, spine) : NO_ROUTE;
  }

  private int spineByAddress(int plane, int spine, Packets packets, int packet) {
    int base = plane * perPlane;
    int destination = packets.destination(packet);
    if (destination / hostsPerPod == spine / spinesPerPod) {
      return toLeaf(base, destination / hostsPerLeaf, spine % spinesPerPod);
    }
    int hash = packets.hash(packet);
    int core =
        routing == Routing.ECMP
            ? ecmp.choose(plane * perPlaneSwitches + leaves + spine, hash, coresPerGroup)
            : hash >>> spineBits & (1 << coreBits) - 1;
    return core < coresPerGroup ? upToCore(base, spine, core) : NO_ROUTE;
  }

  @Override
  public int instead(int link, int next, Packets packets, int packet, IntPredicate up) {
    int kind = kind(next);
    if (routing != Routing.ECMP || kind != UP_TO_SPINE && kind != UP_TO_CORE) {
      return NO_ROUTE;
    }
    int node = switchFrom(next);
    int base = next - next % perPlane;
    int hash = packets.hash(packet);
    if (kind == UP_TO_SPINE) {
      int first = upToSpine(base, node % perPlaneSwitches, 0);
      return ecmp.among(node, hash, first, leavesPerPod, spinesPerPod, up);
    }
    int first = upToCore(base, node % perPlaneSwitches - leaves, 0);
    return ecmp.among(node, hash, first, pods, coresPerGroup, up);
  }

  private int leafBySid(int plane, int leaf, Packets packets, int packet) {
    if (!Usids.shift(packets, packet, 1 + plane * leaves + leaf)) {
      return NO_ROUTE;
    }
    int sid = Usids.active(packets, packet);
    int base = plane * perPlane;
    int spine = sid - spineSids - plane * spines - leaf / leavesPerPod * spinesPerPod;
    if (spine >= 0 && spine < spinesPerPod) {
      return upToSpine(base, leaf, spine);
    }
    int down = sid - hostSids;
    return down >= 0 && down < hostsPerLeaf ? base + toHost + leaf * hostsPerLeaf + down : NO_ROUTE;
  }

  private int spineBySid(int plane, int spine, Packets packets, int packet) {
    if (!Usids.shift(packets, packet, spineSids + plane * spines + spine)) {
      return NO_ROUTE;
    }
    int sid = Usids.active(packets, packet);
    int base = plane * perPlane;
    int pod = spine / spinesPerPod;
    int leaf = sid - 1 - plane * leaves - pod * leavesPerPod;
    if (leaf >= 0 && leaf < leavesPerPod) {
      return toLeaf(base, pod * leavesPerPod + leaf, spine % spinesPerPod);
    }
    int core = sid - coreSids - plane * cores - spine % spinesPerPod * coresPerGroup;
    return core >= 0 && core < coresPerGroup ? upToCore(base, spine, core) : NO_ROUTE;
  }

  private int coreBySid(int plane, int core, Packets packets, int packet) {
    if (!Usids.shift(packets, packet, coreSids + plane * cores + core)) {
      return NO_ROUTE;
    }
    int spine = Usids.active(packets, packet) - spineSids - plane * spines;
    boolean known = spine >= 0 && spine < spines && spine % spinesPerPod == core / coresPerGroup;
    return known ? downToSpine(plane * perPlane, spine, core % coresPerGroup) : NO_ROUTE;
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
      return;
    }
    int last = 1 + plane * leaves + to;
    int j = (int) (path % spinesPerPod);
    int fromPod = source / hostsPerPod;
    int toPod = destination / hostsPerPod;
    int up = spineSids + plane * spines + fromPod * spinesPerPod + j;
    if (fromPod == toPod) {
      Usids.put(packets, packet, own, up, last, down, 0);
      return;
    }
    int core = j * coresPerGroup + (int) (path / spinesPerPod % coresPerGroup);
    int over = coreSids + plane * cores + core;
    int back = spineSids + plane * spines + toPod * spinesPerPod + j;
    Usids.put(packets, packet, own, up, over, back, (long) last << 16 | down);
  }

  @Override
  public int structuredEv(int path) {
    return path / spinesPerPod << spineBits | path % spinesPerPod;
  }

  @Override
  public int paths() {
    return cores;
  }

  // ---------------------------------------------------------------- distance

  @Override
  public int diameter() {
    if (pods > 1) {
      return 6;
    }
    return leaves > 1 ? 4 : 2;
  }

  private long delayPs(int links) {
    long delay = 2 * config.hostLink().delayPs() + (links - 1) * config.switchLatencyPs();
    if (links > 2) {
      delay += 2 * config.fabricLink().delayPs();
    }
    return links > 4 ? delay + 2 * config.coreLink().delayPs() : delay;
  }

  @Override
  public long baseRttPs(int source, int destination, int dataBytes, int controlBytes) {
    int links = 2;
    if (source / hostsPerPod != destination / hostsPerPod) {
      links = 6;
    } else if (source / hostsPerLeaf != destination / hostsPerLeaf) {
      links = 4;
    }
    long bits = 8L * (dataBytes + controlBytes);
    long sum = 2 * delayPs(links) + 2 * config.hostLink().timePs(bits);
    if (links > 2) {
      sum += 2 * config.fabricLink().timePs(bits);
    }
    return links > 4 ? sum + 2 * config.coreLink().timePs(bits) : sum;
  }

  @Override
  public long longestRttPs(int dataBytes, int controlBytes) {
    return baseRttPs(0, hosts - 1, dataBytes, controlBytes);
  }
}
