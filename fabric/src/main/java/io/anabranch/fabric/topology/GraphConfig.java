package io.anabranch.fabric.topology;

import io.anabranch.engine.config.Check;
import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.link.QueueConfig;
import io.anabranch.wire.srv6.UsidContainer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A small network of any form, told cable by cable. A host's first cable is its port of plane 1,
 * the second of plane 2, and so on; all hosts have as many. Planes may share switches.
 *
 * @param hosts 2 … 4096
 * @param switches names, 1 … 512
 * @param cables 1 … 16384; two nodes may have several
 * @param toSwitch queues of ports towards switches
 * @param toHost queues of ports towards hosts: the last hop
 * @param switchLatencyPs from a packet's arrival at a switch to its place in the egress queue
 * @param forwarding how switches forward
 */
public record GraphConfig(
    int hosts,
    List<String> switches,
    List<Cable> cables,
    QueueConfig toSwitch,
    QueueConfig toHost,
    long switchLatencyPs,
    Forwarding forwarding)
    implements TopologyConfig {
  /** Most hosts. */
  public static final int MAX_HOSTS = 4096;

  /** Most switches. */
  public static final int MAX_SWITCHES = 512;

  /** Most cables. */
  public static final int MAX_CABLES = 16384;

  /**
   * Two links, one each way, between two nodes: host h is node h, switch s node hosts + s.
   *
   * @param link rate and delay of each
   */
  public record Cable(int from, int to, LinkConfig link) {}

  /** Checks ranges, and that every host has as many cables, each to a switch. */
  public GraphConfig {
    switches = List.copyOf(switches);
    cables = List.copyOf(cables);
    Check.range("hosts", hosts, 2, MAX_HOSTS);
    Check.range("switches", switches.size(), 1, MAX_SWITCHES);
    Check.range("cables", cables.size(), 1, MAX_CABLES);
    Check.range("switchLatencyPs", switchLatencyPs, 0, 1_000_000_000L);
    int[] ports = new int[hosts];
    for (Cable cable : cables) {
      Check.range("node", cable.from, 0, hosts + switches.size() - 1);
      Check.range("node", cable.to, 0, hosts + switches.size() - 1);
      if (cable.from == cable.to || cable.from < hosts && cable.to < hosts) {
        throw new IllegalArgumentException(
            "a cable from node " + cable.from + " to " + cable.to + ", allowed to another switch");
      }
      if (cable.from < hosts) {
        ports[cable.from]++;
      } else if (cable.to < hosts) {
        ports[cable.to]++;
      }
    }
    Check.range("cables of h0", ports[0], 1, 32);
    for (int h = 1; h < hosts; h++) {
      if (ports[h] != ports[0]) {
        throw new IllegalArgumentException(
            "h" + h + " has " + ports[h] + " cables and h0 " + ports[0] + ", allowed equally many");
      }
    }
  }

  /** Whether any cable joins two switches. */
  public boolean joinsSwitches() {
    return cables.stream().anyMatch(cable -> cable.from >= hosts && cable.to >= hosts);
  }

  @Override
  public int planes() {
    int ports = 0;
    for (Cable cable : cables) {
      ports += cable.from == 0 || cable.to == 0 ? 1 : 0;
    }
    return ports;
  }

  /** Without tiers: all hosts count as of one leaf. */
  @Override
  public int leaves() {
    return 1;
  }

  @Override
  public int hostsPerLeaf() {
    return hosts;
  }

  @Override
  public long links() {
    return 2L * cables.size();
  }

  @Override
  public long paths() {
    return wiring(Routing.ECMP, 0).paths();
  }

  @Override
  public long namedPaths(Routing routing) {
    return routing == Routing.STRUCTURED
        ? new EvFields(new Graph(this, Routing.ECMP, 0)).values()
        : paths();
  }

  /** The fastest that any host has. */
  @Override
  public LinkConfig hostLink() {
    LinkConfig fastest = null;
    for (Cable cable : cables) {
      boolean host = cable.from < hosts || cable.to < hosts;
      if (host
          && (fastest == null || cable.link.rateBitsPerSecond() > fastest.rateBitsPerSecond())) {
        fastest = cable.link;
      }
    }
    if (fastest == null) {
      throw new IllegalStateException("no host has a cable");
    }
    return fastest;
  }

  @Override
  public @Nullable String refuses(Routing routing) {
    if (routing == Routing.STRUCTURED) {
      int bits = new EvFields(new Graph(this, Routing.ECMP, 0)).bits();
      return bits > Topology.PATH_BITS
          ? "the fields of a structured EV, one a switch on the way, have "
              + bits
              + " bits here, allowed "
              + Topology.PATH_BITS
          : null;
    }
    if (routing.usids()) {
      boolean two = routing == Routing.SRV6_SRH;
      int room = UsidContainer.MAX_USIDS * (two ? 2 : 1);
      int switchesOnWay = wiring(Routing.ECMP, 0).diameter() - 1;
      if (switchesOnWay > room) {
        return (two ? "two containers have" : "a container has")
            + " room for "
            + room
            + " switches, and a way here passes "
            + switchesOnWay;
      }
    }
    return null;
  }

  @Override
  public Topology wiring(Routing routing, long seed) {
    return new Graph(this, routing, seed);
  }
}
