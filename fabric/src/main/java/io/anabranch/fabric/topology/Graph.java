package io.anabranch.fabric.topology;

import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.link.Packets;
import io.anabranch.fabric.link.QueueConfig;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A small network of any form. Cable c is link 2c from its first node to its second, and link 2c +
 * 1 back. Packets take the ways of the fewest links.
 *
 * <p>ECMP: a switch chooses among the links of all those ways, parallel ones included, as {@link
 * Ecmp} does. Structured EV: each reads the field of its place on the way, see {@link EvFields},
 * and takes that one of these links, modulo their number. SRv6: a container holds a uA for each
 * switch on the way, the number of the link by which it shall send, counted from 1; a switch shifts
 * it out and knows only its own.
 */
public final class Graph implements Topology {
  private record Kind(LinkConfig link, boolean fromHost, boolean toHost, boolean cutThrough) {}

  private static final int MAX_KINDS = 127;

  private final GraphConfig config;
  private final Routing routing;
  private final boolean usids;
  private final Ecmp ecmp;
  private final int hosts;
  private final int planes;
  private final int links;
  private final int[] from;
  private final int[] to;
  private final LinkConfig[] linkOf;
  private final List<Kind> kinds = new ArrayList<>();
  private final byte[] kindOf;
  private final byte[] planeOf;

  /** By host and plane. */
  private final int[] hostLinks;

  private final String[] names;
  private final int[][] ports;
  private final ShortestPaths paths;
  private final int mostWays;
  private final @Nullable EvFields fields;
  private final int diameter;
  private long rttBits = -1;
  private long[] rttPs = new long[0];

  /**
   * A network's wiring.
   *
   * @param seed of the switches' salts
   * @throws IllegalArgumentException where a host cannot reach another
   */
  public Graph(GraphConfig config, Routing routing, long seed) {
    TopologyConfig.check(config, routing);
    this.config = config;
    this.routing = routing;
    usids = routing.usids();
    ecmp = new Ecmp(seed);
    hosts = config.hosts();
    planes = config.planes();
    links = (int) config.links();
    from = new int[links];
    to = new int[links];
    linkOf = new LinkConfig[links];
    planeOf = new byte[links];
    hostLinks = new int[hosts * planes];
    wire();
    names = names();
    ports = portsOfSwitches();
    kindOf = kindsOfLinks();
    paths = shortestPaths();
    int ways = 1;
    int longest = 2;
    for (int plane = 0; plane < planes; plane++) {
      for (int a = 0; a < hosts; a++) {
        for (int b = 0; b < hosts; b++) {
          int s = attached(a, plane);
          int t = attached(b, plane);
          if (paths.distance(s, t) < 0) {
            throw new IllegalArgumentException(
                "h" + b + " cannot be reached from h" + a + " on plane " + (plane + 1));
          }
          ways = Math.max(ways, paths.ways(s, t));
          longest = Math.max(longest, paths.distance(s, t) + 2);
        }
      }
    }
    mostWays = ways;
    diameter = longest;
    fields = routing == Routing.STRUCTURED ? new EvFields(this) : null;
  }

  private void wire() {
    int[] used = new int[hosts];
    int link = 0;
    for (GraphConfig.Cable cable : config.cables()) {
      from[link] = cable.from();
      to[link] = cable.to();
      from[link + 1] = cable.to();
      to[link + 1] = cable.from();
      linkOf[link] = cable.link();
      linkOf[link + 1] = cable.link();
      int host = Math.min(cable.from(), cable.to());
      if (host < hosts) {
        int plane = used[host]++;
        hostLinks[host * planes + plane] = cable.from() == host ? link : link + 1;
        planeOf[link] = (byte) plane;
        planeOf[link + 1] = (byte) plane;
      }
      link += 2;
    }
  }

  private int[][] portsOfSwitches() {
    int[] count = new int[config.switches().size()];
    for (int link = 0; link < links; link++) {
      if (from[link] >= hosts) {
        count[from[link] - hosts]++;
      }
    }
    int[][] all = new int[count.length][];
    for (int s = 0; s < count.length; s++) {
      all[s] = new int[count[s]];
    }
    // Towards hosts first.
    Arrays.fill(count, 0);
    for (boolean toHosts : new boolean[] {true, false}) {
      for (int link = 0; link < links; link++) {
        if (from[link] >= hosts && to[link] < hosts == toHosts) {
          int s = from[link] - hosts;
          all[s][count[s]++] = link;
        }
      }
    }
    return all;
  }

  private byte[] kindsOfLinks() {
    byte[] of = new byte[links];
    for (int link = 0; link < links; link++) {
      boolean cut = config.forwarding() == Forwarding.CUT_THROUGH && to[link] >= hosts;
      long rate = linkOf[link].rateBitsPerSecond();
      for (int i = 0; cut && i < ports[to[link] - hosts].length; i++) {
        cut = linkOf[ports[to[link] - hosts][i]].rateBitsPerSecond() <= rate;
      }
      Kind kind = new Kind(linkOf[link], from[link] < hosts, to[link] < hosts, cut);
      int index = kinds.indexOf(kind);
      if (index < 0) {
        index = kinds.size();
        kinds.add(kind);
      }
      if (index >= MAX_KINDS) {
        throw new IllegalArgumentException(
            "more than " + MAX_KINDS + " different combinations of rate, delay and ends");
      }
      of[link] = (byte) index;
    }
    return of;
  }

  private ShortestPaths shortestPaths() {
    int[] a = new int[links];
    int[] b = new int[links];
    for (int link = 0; link < links; link++) {
      boolean between = from[link] >= hosts && to[link] >= hosts;
      a[link] = between ? from[link] - hosts : -1;
      b[link] = between ? to[link] - hosts : -1;
    }
    return new ShortestPaths(config.switches().size(), a, b);
  }

  /** The ways between switches. */
  ShortestPaths shortest() {
    return paths;
  }

  /** The switch of a host's port. */
  int attached(int host, int plane) {
    return to[hostLinks[host * planes + plane]] - hosts;
  }

  @Override
  public int hosts() {
    return hosts;
  }

  @Override
  public int planes() {
    return planes;
  }

  @Override
  public int links() {
    return links;
  }

  /** Of a host's link; links between switches count as of plane 1, whosever packets they carry. */
  @Override
  public int plane(int link) {
    return planeOf[link];
  }

  @Override
  public int kind(int link) {
    return kindOf[link];
  }

  @Override
  public int kinds() {
    return kinds.size();
  }

  @Override
  public LinkConfig linkOf(int kind) {
    return kinds.get(kind).link;
  }

  @Override
  public @Nullable QueueConfig queueOf(int kind) {
    Kind k = kinds.get(kind);
    if (k.fromHost) {
      return null;
    }
    return k.toHost ? config.toHost() : config.toSwitch();
  }

  @Override
  public boolean toHost(int kind) {
    return kinds.get(kind).toHost;
  }

  @Override
  public long switchLatencyPs(int kind) {
    return toHost(kind) ? 0 : config.switchLatencyPs();
  }

  @Override
  public boolean cutThrough(int kind) {
    return kinds.get(kind).cutThrough;
  }

  @Override
  public int hostLink(int host, int plane) {
    return hostLinks[host * planes + plane];
  }

  @Override
  public int hostFrom(int link) {
    return from[link];
  }

  @Override
  public int hostAt(int link) {
    return to[link];
  }

  @Override
  public int reverse(int link) {
    return link ^ 1;
  }

  @Override
  public int switches() {
    return ports.length;
  }

  @Override
  public int switchFrom(int link) {
    return from[link] < hosts ? HOST : from[link] - hosts;
  }

  @Override
  public int switchAt(int link) {
    return to[link] < hosts ? HOST : to[link] - hosts;
  }

  @Override
  public int ports(int node) {
    return ports[node].length;
  }

  @Override
  public int port(int node, int port) {
    return ports[node][port];
  }

  @Override
  public String switchName(int node) {
    return config.switches().get(node);
  }

  private String nodeName(int node) {
    return node < hosts ? "h" + node : switchName(node - hosts);
  }

  /** Parallel ones are told apart by a number behind it, such as {@code s0>s1.2}. */
  private String[] names() {
    SortedMap<String, Integer> all = new TreeMap<>();
    String[] names = new String[links];
    for (int link = 0; link < links; link++) {
      names[link] = nodeName(from[link]) + ">" + nodeName(to[link]);
      all.merge(names[link], 1, Integer::sum);
    }
    SortedMap<String, Integer> seen = new TreeMap<>();
    for (int link = 0; link < links; link++) {
      String name = names[link];
      int before = seen.merge(name, 1, Integer::sum) - 1;
      names[link] = all.getOrDefault(name, 1) == 1 ? name : name + "." + before;
    }
    return names;
  }

  @Override
  public String name(int link) {
    return names[link];
  }

  /** Where a packet goes: a host, and there the port of a plane. */
  @Override
  public int destination(int host, int plane) {
    return host * planes + plane;
  }

  @Override
  public int next(int link, Packets packets, int packet) {
    int at = to[link];
    if (usids) {
      int sid = Usids.active(packets, packet);
      int out = sid - 1;
      boolean known = sid > 0 && sid <= links && from[out] == at;
      return known && Usids.shift(packets, packet, sid) ? out : NO_ROUTE;
    }
    int down = hostLinks[packets.destination(packet)];
    int s = at - hosts;
    int t = to[down] - hosts;
    if (s == t) {
      return down ^ 1;
    }
    int first = paths.first(s, t);
    int n = paths.end(s, t) - first;
    if (n == 0) {
      return NO_ROUTE;
    }
    int hash = packets.hash(packet);
    if (fields == null) {
      return paths.hop(first + ecmp.choose(s, hash, n));
    }
    packets.hash(packet, EvFields.passed(hash));
    return paths.hop(first + fields.of(hash) % n);
  }

  @Override
  public int instead(int link, int next, Packets packets, int packet, IntPredicate up) {
    if (routing != Routing.ECMP || to[next] < hosts) {
      return NO_ROUTE;
    }
    int s = to[link] - hosts;
    int t = to[hostLinks[packets.destination(packet)]] - hosts;
    int hash = packets.hash(packet);
    return ecmp.among(s, hash, paths.hops(), paths.first(s, t), paths.end(s, t), up);
  }

  @Override
  public void segments(
      Packets packets, int packet, int source, int destination, int plane, long path) {
    int s = attached(source, plane);
    int t = attached(destination, plane);
    int ways = paths.ways(s, t);
    int left = (int) (path % ways * ShortestPaths.stride(ways) % ways);
    int sids = paths.distance(s, t) + 1;
    Usids.begin(packets, packet, sids);
    for (int place = 0; place < sids; place++) {
      int out = hostLinks[destination * planes + plane] ^ 1;
      if (s != t) {
        int hop = paths.first(s, t);
        while (left >= paths.ways(to[paths.hop(hop)] - hosts, t)) {
          left -= paths.ways(to[paths.hop(hop)] - hosts, t);
          hop++;
        }
        out = paths.hop(hop);
        s = to[out] - hosts;
      }
      Usids.add(packets, packet, place, sids, out + 1);
    }
  }

  @Override
  public int structuredEv(int path) {
    if (fields == null) {
      throw new IllegalStateException("not routed by structured EVs");
    }
    return fields.ev(path);
  }

  @Override
  public int paths() {
    return mostWays;
  }

  @Override
  public int diameter() {
    return diameter;
  }

  /** On the plane and by the way where it is the longest. */
  @Override
  public long baseRttPs(int source, int destination, int dataBytes, int controlBytes) {
    long bits = rttsFor(dataBytes, controlBytes);
    long longest = 0;
    for (int plane = 0; plane < planes; plane++) {
      long sum =
          hostPs(source, plane, bits)
              + hostPs(destination, plane, bits)
              + 2 * config.switchLatencyPs()
              + rttPs[attached(source, plane) * ports.length + attached(destination, plane)];
      longest = Math.max(longest, sum);
    }
    return longest;
  }

  private long rttsFor(int dataBytes, int controlBytes) {
    long bits = 8L * (dataBytes + controlBytes);
    if (bits != rttBits) {
      rttPs = paths.longest(linkOf, bits, config.switchLatencyPs());
      rttBits = bits;
    }
    return bits;
  }

  private long hostPs(int host, int plane, long bits) {
    LinkConfig link = linkOf[hostLinks[host * planes + plane]];
    return 2 * link.delayPs() + link.timePs(bits);
  }

  @Override
  public long longestRttPs(int dataBytes, int controlBytes) {
    long longest = 0;
    for (int a = 0; a < hosts; a++) {
      for (int b = 0; b < a; b++) {
        longest = Math.max(longest, baseRttPs(a, b, dataBytes, controlBytes));
      }
    }
    return longest;
  }
}
