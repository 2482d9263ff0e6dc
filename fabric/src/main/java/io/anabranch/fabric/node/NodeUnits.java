package io.anabranch.fabric.node;

import io.anabranch.fabric.event.EventQueue;
import io.anabranch.fabric.link.Packets;
import io.anabranch.fabric.link.Ports;
import io.anabranch.fabric.topology.Topology;
import org.jspecify.annotations.Nullable;

/**
 * Hosts and switches as units of their own: nothing gets from one to another sooner than over a
 * link. Hosts are one unit together where what ends at one starts something at another at once.
 */
public final class NodeUnits implements EventQueue.Units {
  private final Topology topology;
  private final boolean hostsTogether;
  private final int hostUnits;

  // By link, of the node that feeds it and of that at its end: the unit plus 1, or 0 = not known.
  private final int[] from;
  private final int[] at;

  private @Nullable Ports ports;
  private @Nullable Packets packets;

  /** What was read, so that it is not left out. */
  private long touched;

  /** The units of a network. */
  public NodeUnits(Topology topology, boolean hostsTogether) {
    this.topology = topology;
    this.hostsTogether = hostsTogether;
    hostUnits = hostsTogether ? 1 : topology.hosts();
    from = new int[topology.links()];
    at = new int[topology.links()];
  }

  @Override
  public int count() {
    return hostUnits + topology.switches();
  }

  @Override
  public int firstForAll() {
    return Network.WORKLOAD;
  }

  @Override
  public int of(int target) {
    int id = target & Network.ID;
    return switch (target >>> Network.KIND_SHIFT) {
      case Ports.FREE >>> Network.KIND_SHIFT -> {
        int known = from[id];
        yield (known != 0 ? known : knowFrom(id)) - 1;
      }
      case Ports.ARRIVE >>> Network.KIND_SHIFT -> {
        int known = at[id];
        yield (known != 0 ? known : knowAt(id)) - 1;
      }
      default -> target >= Ports.WAKE ? hostUnits + target - Ports.WAKE : host(id);
    };
  }

  /** All that waits for a host is read at once: the waits for memory overlap. */
  @Override
  public void begins(int unit, int[] targets, long[] with, int first, int end) {
    if (unit < hostUnits && packets != null) {
      long sum = 0;
      for (int i = first; i < end; i++) {
        if (targets[i] >>> Network.KIND_SHIFT == Ports.ARRIVE >>> Network.KIND_SHIFT) {
          sum += packets.touch((int) (with[2 * i] >>> 32));
        }
      }
      touched = sum;
    }
  }

  @Override
  public void ended(int unit, long endPs) {
    if (ports != null && unit >= hostUnits) {
      ports.finish(unit - hostUnits, endPs);
    }
  }

  /** Packets are read before they are needed. */
  public void read(Packets all) {
    packets = all;
  }

  /** What was read of packets; it means nothing. */
  public long touched() {
    return touched;
  }

  /** Switches' ports tell late what has left them. */
  public void finish(Ports all) {
    all.tellLate(topology.switches(), topology::switchFrom);
    ports = all;
  }

  private int host(int host) {
    return hostsTogether ? 0 : host;
  }

  private int knowFrom(int link) {
    int node = topology.switchFrom(link);
    from[link] = 1 + (node == Topology.HOST ? host(topology.hostFrom(link)) : hostUnits + node);
    return from[link];
  }

  private int knowAt(int link) {
    int node = topology.switchAt(link);
    at[link] = 1 + (node == Topology.HOST ? host(topology.hostAt(link)) : hostUnits + node);
    return at[link];
  }
}
