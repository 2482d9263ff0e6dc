package io.anabranch.fabric.node;

import io.anabranch.fabric.event.Streams;
import io.anabranch.fabric.link.Packets;
import io.anabranch.fabric.link.Ports;
import io.anabranch.fabric.topology.Topology;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What switches with adaptive routing do: where others choose an uplink by hash, they take for each
 * packet the one with the least data waiting, and of several alike one by chance.
 */
public final class LeastQueue {
  private final Topology topology;
  private final Packets packets;
  private final Ports ports;
  private final long[] chance;
  private final IntPredicate weigh = this::weigh;

  // Of the choice at hand.
  private Network.@Nullable Faults faults;
  private int node;
  private long nowPs;
  private int best;
  private long least;
  private int alike;

  /**
   * Switches of a network.
   *
   * @param seed of chance, one stream a switch
   */
  public LeastQueue(Topology topology, Packets packets, Ports ports, long seed) {
    this.topology = topology;
    this.packets = packets;
    this.ports = ports;
    chance = new long[topology.switches()];
    long stream = Streams.of(seed, "adaptive routing").nextLong();
    for (int i = 0; i < chance.length; i++) {
      chance[i] = Streams.mix(stream + i);
    }
  }

  /** The link by which the switch at the end of one sends a packet, in place of {@code next}. */
  int choose(int link, int next, int packet, long atPs, Network.@Nullable Faults broken) {
    if (next == Topology.NO_ROUTE) {
      return next;
    }
    best = next;
    least = Long.MAX_VALUE;
    alike = 0;
    nowPs = atPs;
    faults = broken;
    node = topology.switchAt(link);
    topology.instead(link, next, packets, packet, weigh);
    return best;
  }

  /** Looks at a member of the group; it is not taken here, so that all are looked at. */
  private boolean weigh(int link) {
    if (faults != null && !faults.knownUp(link)) {
      return false;
    }
    long waiting = ports.queuedBytes(link) * 2 + (ports.busy(link, nowPs) ? 1 : 0);
    if (waiting < least) {
      least = waiting;
      best = link;
      alike = 1;
    } else if (waiting == least) {
      alike++;
      chance[node] += Streams.STEP;
      if (Streams.unit(chance[node]) * alike < 1) {
        best = link;
      }
    }
    return false;
  }
}
