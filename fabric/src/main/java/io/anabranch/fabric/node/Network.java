package io.anabranch.fabric.node;

import io.anabranch.fabric.event.EventQueue;
import io.anabranch.fabric.link.DropCause;
import io.anabranch.fabric.link.Packets;
import io.anabranch.fabric.link.Ports;
import io.anabranch.fabric.topology.Topology;
import org.jspecify.annotations.Nullable;

/** Takes events in order and moves packets from port to port; hosts are behind an interface. */
public final class Network {
  /** Event: a host's timer. The event's target is this plus the host. */
  public static final int TIMER = 2 << 28;

  /** Event: a time that the workload has asked for. */
  public static final int WORKLOAD = 3 << 28;

  private static final int KIND_SHIFT = 28;
  private static final int ID = (1 << KIND_SHIFT) - 1;
  private static final int LOST = 8;

  /** What stands at the ends of the network. */
  public interface Hosts {
    /** A packet has arrived; it is the host's to release. */
    void receive(int host, int plane, int packet, long nowPs);

    /** A host's port has sent what it had. */
    void portFree(int host, int plane, long nowPs);

    /** A host's timer. */
    void timer(int host, long nowPs);

    /** The time that the workload asked for. */
    void workload(long nowPs);
  }

  private final EventQueue events;
  private final Packets packets;
  private final Ports ports;
  private final Topology topology;
  private final Hosts hosts;
  private final double @Nullable [] loss;

  /**
   * A network at rest.
   *
   * @param loss chance by which each link loses a packet; null = none does
   */
  public Network(
      EventQueue events,
      Packets packets,
      Ports ports,
      Topology topology,
      Hosts hosts,
      double @Nullable [] loss) {
    this.events = events;
    this.packets = packets;
    this.ports = ports;
    this.topology = topology;
    this.hosts = hosts;
    this.loss = loss;
  }

  /** Marks a packet to be lost on its first link. */
  public static void lose(Packets packets, int packet) {
    packets.flag(packet, LOST);
  }

  /**
   * Takes one event, if there is one before a time.
   *
   * @return false: there is none
   */
  public boolean step(long untilPs) {
    int target = events.take(untilPs);
    if (target < 0) {
      return false;
    }
    int id = target & ID;
    long nowPs = events.nowPs();
    switch (target >>> KIND_SHIFT) {
      case 0 -> free(id, nowPs);
      case 1 -> arrive(id, nowPs);
      case 2 -> hosts.timer(id, nowPs);
      default -> hosts.workload(nowPs);
    }
    return true;
  }

  private void free(int link, long nowPs) {
    if (ports.fromHost(link)) {
      ports.freed(link);
      hosts.portFree(topology.hostFrom(link), topology.plane(link), nowPs);
    } else {
      ports.free(link, nowPs);
    }
  }

  private void arrive(int link, long nowPs) {
    int packet = ports.arrived(link);
    if (loss != null && loss[link] > 0 && ports.chanceOf(link) < loss[link]) {
      ports.drop(link, packet, DropCause.LINK_LOSS);
      return;
    }
    if ((packets.flags(packet) & LOST) != 0) {
      ports.drop(link, packet, DropCause.EV_LOSS);
      return;
    }
    if (ports.toHost(link)) {
      ports.delivered(link, packet);
      hosts.receive(topology.hostAt(link), topology.plane(link), packet, nowPs);
      return;
    }
    int next = topology.next(link, packets, packet);
    if (next == Topology.NO_ROUTE) {
      ports.drop(link, packet, DropCause.NO_ROUTE);
    } else {
      ports.enqueue(next, packet, nowPs);
    }
  }
}
