package io.anabranch.fabric.node;

import io.anabranch.fabric.event.EventQueue;
import io.anabranch.fabric.event.Streams;
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

  /** Event: something fails or is mended. */
  public static final int FAULT = WORKLOAD + (1 << 20);

  static final int KIND_SHIFT = 28;
  static final int ID = (1 << KIND_SHIFT) - 1;
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

  /** What is broken. */
  public interface Faults {
    /** A packet that is dropped by it. */
    int TAKEN = -1;

    /**
     * A packet has reached the end of a link.
     *
     * @return the link as whose it goes on, or {@link #TAKEN}
     */
    int arrived(int link, int packet, long nowPs);

    /**
     * The switch at the end of a link has chosen where a packet goes.
     *
     * @param next what it has chosen; {@link Topology#NO_ROUTE} is dropped here
     * @return the link by which it leaves, or {@link #TAKEN}
     */
    int forward(int link, int next, int packet, long nowPs);

    /** Whether the switch that sends by a link does not know it to be down. */
    default boolean knownUp(int link) {
      return true;
    }

    /** The time has come that was asked for with {@link #FAULT}. */
    void event(long nowPs);
  }

  private final EventQueue events;
  private final Packets packets;
  private final Ports ports;
  private final Topology topology;
  private final Hosts hosts;
  private final double @Nullable [] loss;
  private final long[] lossChance;
  private final @Nullable Faults faults;
  private @Nullable LeastQueue adaptive;
  private long taken;

  /**
   * A network at rest.
   *
   * @param loss chance by which each link loses a packet; null = none does
   * @param seed of that chance, one stream a link
   * @param faults null = nothing ever fails
   */
  public Network(
      EventQueue events,
      Packets packets,
      Ports ports,
      Topology topology,
      Hosts hosts,
      double @Nullable [] loss,
      long seed,
      @Nullable Faults faults) {
    this.events = events;
    this.packets = packets;
    this.ports = ports;
    this.topology = topology;
    this.hosts = hosts;
    this.loss = loss;
    lossChance = new long[loss == null ? 0 : loss.length];
    long stream = Streams.of(seed, "lossy links").nextLong();
    for (int link = 0; link < lossChance.length; link++) {
      lossChance[link] = Streams.mix(stream + link);
    }
    this.faults = faults;
  }

  /** From now on switches choose by their queues where they would by hash. */
  public void routeBy(LeastQueue choice) {
    adaptive = choice;
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
      case 1 -> {
        taken++;
        arrive(id, nowPs);
      }
      case 2 -> {
        if (target < Ports.WAKE) {
          taken++;
          hosts.timer(id, nowPs);
        }
      }
      default -> {
        taken++;
        other(target, nowPs);
      }
    }
    return true;
  }

  /** Events so far, but for those of switches' ports, which they have or not as suits them. */
  public long taken() {
    return taken;
  }

  private void other(int target, long nowPs) {
    if (target == FAULT && faults != null) {
      faults.event(nowPs);
    } else {
      hosts.workload(nowPs);
    }
  }

  private void free(int link, long nowPs) {
    if (faults != null && ports.pauses(link, nowPs)) {
      return;
    }
    if (ports.fromHost(link)) {
      taken++;
      ports.freed(link);
      hosts.portFree(topology.hostFrom(link), topology.plane(link), nowPs);
    } else {
      ports.free(link, nowPs);
    }
  }

  private void arrive(int link, long nowPs) {
    int packet = ports.arrived(link);
    if (loss != null && loss[link] > 0 && isLost(link, loss[link])) {
      ports.drop(link, packet, DropCause.LINK_LOSS);
      return;
    }
    if ((ports.arrivedFlags() & LOST) != 0) {
      ports.drop(link, packet, DropCause.EV_LOSS);
      return;
    }
    if (faults != null) {
      arriveAmongFaults(faults, link, packet, nowPs);
      return;
    }
    if (ports.toHost(link)) {
      ports.delivered(link, packet);
      hosts.receive(topology.hostAt(link), topology.plane(link), packet, nowPs);
      return;
    }
    int next = next(link, packet, nowPs);
    if (next == Topology.NO_ROUTE) {
      ports.drop(link, packet, DropCause.NO_ROUTE);
    } else {
      ports.forward(next, nowPs);
    }
  }

  private int next(int link, int packet, long nowPs) {
    int next = topology.next(link, packets, packet);
    return adaptive == null ? next : adaptive.choose(link, next, packet, nowPs, faults);
  }

  private boolean isLost(int link, double probability) {
    lossChance[link] += Streams.STEP;
    return Streams.unit(lossChance[link]) < probability;
  }

  private void arriveAmongFaults(Faults broken, int wire, int packet, long nowPs) {
    int link = broken.arrived(wire, packet, nowPs);
    if (link == Faults.TAKEN) {
      return;
    }
    if (ports.toHost(link)) {
      ports.delivered(link, packet);
      hosts.receive(topology.hostAt(link), topology.plane(link), packet, nowPs);
      return;
    }
    int next = broken.forward(link, next(link, packet, nowPs), packet, nowPs);
    if (next != Faults.TAKEN) {
      ports.enqueue(next, packet, nowPs);
    }
  }
}
