package io.anabranch.fabric.topology;

import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.link.Packets;
import io.anabranch.fabric.link.QueueConfig;
import java.util.function.IntPredicate;

/**
 * The wiring. Links are directed and numbered from 0, by plane, then by the tiers they join, then
 * by the node they end at and the port there; routes follow by computation. Switches are numbered
 * from 0, by plane, then by tier, T0 first.
 */
public interface Topology {
  /** {@link #next} when the switch knows no way: the packet is dropped and counted. */
  int NO_ROUTE = -1;

  /** Bits of an EV that name a path, where they do. */
  int PATH_BITS = 14;

  /** Instead of a switch where a link begins or ends at a host. */
  int HOST = -1;

  /** Hosts in all. */
  int hosts();

  /** Planes. */
  int planes();

  /** Directed links in all. */
  int links();

  /** The plane of a link. */
  int plane(int link);

  /** The kind of a link: an index into {@link #linkOf} and the others. */
  int kind(int link);

  /** Kinds of links, at most 127. */
  int kinds();

  /** Rate and delay of a kind. */
  LinkConfig linkOf(int kind);

  /** The queues of the port that feeds a link of a kind; null: a host's, where nothing waits. */
  @org.jspecify.annotations.Nullable
  QueueConfig queueOf(int kind);

  /** Whether links of a kind end at a host. */
  boolean toHost(int kind);

  /** What a switch adds between a packet's arrival by a link of a kind and its egress queue. */
  long switchLatencyPs(int kind);

  /** Whether packets of a link of a kind are forwarded before they have arrived whole. */
  boolean cutThrough(int kind);

  /** The link by which a host sends on a plane. */
  int hostLink(int host, int plane);

  /** The host at which a link begins; only where it is a host's own. */
  int hostFrom(int link);

  /** The host at which a link ends; only where {@link #toHost}. */
  int hostAt(int link);

  /** The link of the other direction between the same two ports. */
  int reverse(int link);

  /** Switches in all. */
  int switches();

  /** The switch at which a link begins, or {@link #HOST}. */
  int switchFrom(int link);

  /** The switch at which a link ends, or {@link #HOST}. */
  int switchAt(int link);

  /** Ports of a switch, each with a link out and its {@link #reverse} in. */
  int ports(int node);

  /**
   * The link out of a switch's port.
   *
   * @param port counted from 0: towards hosts and lower tiers first
   */
  int port(int node, int port);

  /** A switch's name, such as {@code p1.t0.3}. */
  String switchName(int node);

  /** A link's name: where it begins and where it ends, such as {@code p1.t0.3>t1.0}. */
  String name(int link);

  /** The link of a name, or {@link #NO_ROUTE}. */
  default int linkNamed(String name) {
    for (int link = 0; link < links(); link++) {
      if (name(link).equals(name)) {
        return link;
      }
    }
    return NO_ROUTE;
  }

  /** What {@link Packets#destination} holds of a packet to a host's port of a plane. */
  default int destination(int host, int plane) {
    return host;
  }

  /**
   * The link by which the switch at the end of {@code link} forwards a packet, or {@link
   * #NO_ROUTE}. With uSIDs it shifts the container, so that it is asked once a hop.
   */
  int next(int link, Packets packets, int packet);

  /**
   * What the switch at the end of {@code link} does where {@link #next} chose, by hash, a link that
   * is not up: the choice anew among those of its group that are. Where nothing was chosen by hash,
   * and where none is up, {@link #NO_ROUTE}.
   *
   * @param next what {@link #next} gave
   */
  int instead(int link, int next, Packets packets, int packet, IntPredicate up);

  /**
   * Fills in a packet's uSID container.
   *
   * @param path which of the paths of the plane the packet shall take, counted round
   */
  void segments(Packets packets, int packet, int source, int destination, int plane, long path);

  /**
   * The bits of a structured EV that name a path: of each tier the uplink, T0's lowest; in a graph
   * the link of each switch on the way, the first one's lowest.
   */
  int structuredEv(int path);

  /** Paths of a plane between the hosts farthest apart. */
  int paths();

  /** Links between two hosts, on the way there, where that is the longest. */
  int diameter();

  /**
   * The round-trip time of a data and a control packet between two hosts, with nothing else under
   * way, each link's serialisation included.
   */
  long baseRttPs(int source, int destination, int dataBytes, int controlBytes);

  /** {@link #baseRttPs(int, int, int, int)} between the two hosts farthest apart. */
  long longestRttPs(int dataBytes, int controlBytes);
}
