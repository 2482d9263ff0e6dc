package io.anabranch.fabric.topology;

import io.anabranch.engine.config.Check;
import io.anabranch.fabric.event.Streams;
import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.link.Packets;
import io.anabranch.fabric.link.QueueConfig;
import org.jspecify.annotations.Nullable;

/**
 * A two-tier Clos per plane.
 *
 * <p>Links of a plane, in this order: to leaves from hosts (by host), to leaves from spines (by
 * leaf, then spine), to spines (by spine, then leaf), to hosts (by host).
 *
 * <p>ECMP: a leaf sends a packet for another leaf to spine {@code (h · spines) >> 32}, h the upper
 * 32 bits of SplitMix64's finaliser over the packet's hash and the leaf's salt; the salt is that
 * finaliser over a number drawn from the seed and the leaf's place. The finaliser is not linear, so
 * the choices of two switches are independent (no polarisation).
 *
 * <p>SRv6: uSIDs 1 … planes · leaves name leaves, by plane; the next planes · spines name spines;
 * the next hostsPerLeaf a leaf's downlinks. A container holds: the source's leaf, a spine and the
 * destination's leaf (neither if that is the same), the destination's downlink. Each switch
 * compares the first uSID with its own, shifts it out, and looks up the one that follows.
 */
public final class TwoTier implements Topology {
  /** The locator block of the fabric's uSIDs: the first 32 bits, of a unique local prefix. */
  public static final int LOCATOR = 0xfd00_0001;

  private static final int UP_FROM_HOST = 0;
  private static final int DOWN_FROM_SPINE = 1;
  private static final int UP_TO_SPINE = 2;
  private static final int DOWN_TO_HOST = 3;
  private static final int KINDS = 4;

  private final TwoTierConfig config;
  private final boolean srv6;
  private final long salt;
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

  /**
   * A fabric's wiring.
   *
   * @param srv6 whether switches route by uSID
   * @param seed of the switches' salts
   */
  public TwoTier(TwoTierConfig config, boolean srv6, long seed) {
    this.config = config;
    this.srv6 = srv6;
    salt = Streams.of(seed, "ecmp").nextLong();
    hosts = config.hosts();
    leaves = config.leaves();
    hostsPerLeaf = config.hostsPerLeaf();
    spines = config.spines();
    fromSpine = hosts;
    toSpine = fromSpine + leaves * spines;
    toHost = toSpine + leaves * spines;
    perPlane = toHost + hosts;
    long all = (2L * hosts + 2L * leaves * spines) * config.planes();
    Check.range("links", all, 1, 1 << 28);
    links = (int) all;
    spineSids = 1 + config.planes() * leaves;
    hostSids = spineSids + config.planes() * spines;
    if (srv6) {
      Check.range("uSIDs", (long) hostSids + hostsPerLeaf - 1, 1, 0xffff);
    }
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
  public int next(int link, Packets packets, int packet) {
    int plane = link / perPlane;
    int base = plane * perPlane;
    int i = link - base;
    if (i < toSpine) {
      int leaf = i < fromSpine ? i / hostsPerLeaf : (i - fromSpine) / spines;
      return srv6
          ? leafBySid(plane, leaf, packets, packet)
          : leafByHash(plane, leaf, packets, packet);
    }
    int spine = (i - toSpine) / leaves;
    if (srv6) {
      return spineBySid(plane, spine, packets, packet);
    }
    int leaf = packets.destination(packet) / hostsPerLeaf;
    return base + fromSpine + leaf * spines + spine;
  }

  private int leafByHash(int plane, int leaf, Packets packets, int packet) {
    int destination = packets.destination(packet);
    if (destination / hostsPerLeaf == leaf) {
      return plane * perPlane + toHost + destination;
    }
    int place = plane * leaves + leaf;
    long own = Streams.mix(salt + place);
    long h = Streams.mix(own ^ packets.hash(packet) & 0xffff_ffffL) >>> 32;
    int spine = (int) (h * spines >>> 32);
    return plane * perPlane + toSpine + spine * leaves + leaf;
  }

  private int leafBySid(int plane, int leaf, Packets packets, int packet) {
    if (!shift(packets, packet, 1 + plane * leaves + leaf)) {
      return NO_ROUTE;
    }
    int sid = active(packets, packet);
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
    if (!shift(packets, packet, spineSids + plane * spines + spine)) {
      return NO_ROUTE;
    }
    int leaf = active(packets, packet) - 1 - plane * leaves;
    return leaf >= 0 && leaf < leaves
        ? plane * perPlane + fromSpine + leaf * spines + spine
        : NO_ROUTE;
  }

  private static int active(Packets packets, int packet) {
    return (int) (packets.segmentsHi(packet) >>> 16) & 0xffff;
  }

  /** uN: if the first 48 bits are this switch's own, its uSID is shifted out. */
  private static boolean shift(Packets packets, int packet, int own) {
    long hi = packets.segmentsHi(packet);
    if (hi >>> 16 != ((LOCATOR & 0xffff_ffffL) << 16 | own)) {
      return false;
    }
    long lo = packets.segmentsLo(packet);
    packets.segments(
        packet, hi & 0xffff_ffff_0000_0000L | hi << 16 & 0xffff_ffffL | lo >>> 48, lo << 16);
    return true;
  }

  @Override
  public void segments(
      Packets packets, int packet, int source, int destination, int plane, int uplink) {
    int from = source / hostsPerLeaf;
    int to = destination / hostsPerLeaf;
    long locator = (long) LOCATOR << 32;
    int own = 1 + plane * leaves + from;
    int down = hostSids + destination % hostsPerLeaf;
    long first = own;
    long last = down;
    if (from == to) {
      packets.segments(packet, locator | first << 16 | last, 0);
    } else {
      int spine = spineSids + plane * spines + uplink;
      int leaf = 1 + plane * leaves + to;
      packets.segments(packet, locator | first << 16 | spine, (long) leaf << 48 | last << 32);
    }
  }

  @Override
  public int paths() {
    return spines;
  }

  @Override
  public int diameter() {
    return leaves == 1 ? 2 : 4;
  }

  @Override
  public long longestDelayPs() {
    long hostPart = 2 * config.hostLink().delayPs() + config.switchLatencyPs();
    return leaves == 1
        ? hostPart
        : hostPart + 2 * (config.fabricLink().delayPs() + config.switchLatencyPs());
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
    return 2 * oneWay + 2 * timePs(bits, host) + fabricLinks * timePs(bits, fabric);
  }

  private static long timePs(long bits, LinkConfig link) {
    return (bits * 1_000_000_000_000L + link.rateBitsPerSecond() - 1) / link.rateBitsPerSecond();
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
