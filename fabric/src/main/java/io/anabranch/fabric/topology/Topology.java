package io.anabranch.fabric.topology;

import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.link.Packets;
import io.anabranch.fabric.link.QueueConfig;

/**
 * The wiring. Links are directed and numbered from 0, by plane, then by the tier they lead to, then
 * by the node they end at and the port there; routes follow by computation.
 */
public interface Topology {
  /** {@link #next} when the switch knows no way: the packet is dropped and counted. */
  int NO_ROUTE = -1;

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

  /** Kinds of links. */
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

  /**
   * The link by which the switch at the end of {@code link} forwards a packet, or {@link
   * #NO_ROUTE}. With uSIDs it shifts the container.
   */
  int next(int link, Packets packets, int packet);

  /**
   * Fills in a packet's uSID container.
   *
   * @param uplink which of the paths of the plane the packet shall take
   */
  void segments(Packets packets, int packet, int source, int destination, int plane, int uplink);

  /** Paths of a plane between hosts of different leaves. */
  int paths();

  /** Links between two hosts, on the way there, where that is the longest. */
  int diameter();

  /** Propagation between two hosts one way, where that is the longest, switches included. */
  long longestDelayPs();

  /**
   * The round-trip time of a data and a control packet between two hosts, with nothing else under
   * way, each link's serialisation included.
   */
  long baseRttPs(int source, int destination, int dataBytes, int controlBytes);

  /** A link's name. */
  String name(int link);
}
