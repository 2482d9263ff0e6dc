package io.anabranch.tools.scenario;

import io.anabranch.fabric.Transport;
import io.anabranch.fabric.host.TransportConfig;
import io.anabranch.fabric.link.Packets;
import io.anabranch.fabric.peer.roce.RoceConfig;
import io.anabranch.fabric.topology.Topology;
import io.anabranch.fabric.workload.Traffic;
import java.util.Arrays;

/**
 * What a run is going to cost, before it: its hops in closed form, and CPU time and memory from
 * them by measurements (docs/benchmarks.md says which, and how well they fit).
 *
 * @param hops packets on links, if no packet is sent twice
 * @param cpuS seconds of CPU, of the whole process
 * @param memoryMib held at most
 */
public record Estimate(long hops, double cpuS, double memoryMib) {
  /** Flows of which the links are counted; of more, as many in equal steps. */
  private static final int MAX_WALKS = 1 << 16;

  /** More switches on a path there are not. */
  private static final int MAX_LINKS = 64;

  /** Of a flow besides those for its bytes: for its first packet, and the transport ACK. */
  private static final int MORE_ACKS = 2;

  private static final double START_S = 0.5;
  private static final double S_PER_HOP = 0.52e-6;
  private static final double S_PER_PAIR = 35e-6;
  private static final double START_MIB = 75;
  private static final double KIB_PER_HOST = 85;
  private static final double KIB_PER_PAIR = 6;
  private static final double BYTES_PER_FLOW = 100;
  private static final double KIB = 1 << 10;
  private static final double MIB = 1 << 20;

  /** The estimate of a traffic on a network; flows that need not take place count. */
  static Estimate of(Traffic traffic, Topology wiring, Transport transport) {
    long hops = hops(traffic, wiring, transport);
    int[] active = activity(traffic, wiring.hosts());
    double pairs = (double) active[1] * transport.qpsPerPair();
    double cpu = START_S + hops * S_PER_HOP + pairs * S_PER_PAIR;
    double bytes =
        traffic.flows() * BYTES_PER_FLOW
            + active[0] * KIB_PER_HOST * KIB
            + pairs * KIB_PER_PAIR * KIB;
    return new Estimate(hops, cpu, START_MIB + bytes / MIB);
  }

  private static long hops(Traffic traffic, Topology wiring, Transport transport) {
    Packets packets = new Packets(false);
    int packet = packets.take();
    int step = Math.ceilDiv(Math.max(1, traffic.flows()), MAX_WALKS);
    double sum = 0;
    for (int f = 0; f < traffic.flows(); f += step) {
      long data = Math.ceilDiv(traffic.bytes(f), transport.mtuBytes());
      long acks = MORE_ACKS + traffic.bytes(f) / ackBytes(transport);
      int there = links(wiring, packets, packet, traffic.source(f), traffic.destination(f));
      sum += (double) (data + acks) * there;
    }
    return (long) (sum * step);
  }

  private static long ackBytes(Transport transport) {
    return switch (transport) {
      case Transport.Mrc(TransportConfig mrc) -> mrc.sackBytes();
      case Transport.Rocev2(RoceConfig roce) -> (long) roce.ackEveryPackets() * roce.mtuBytes();
    };
  }

  /** Links of a path between two hosts; all of a plane are as long, and so is the way back. */
  private static int links(
      Topology wiring, Packets packets, int packet, int source, int destination) {
    packets.describe(packet, 1, Packets.DATA, source, wiring.destination(destination, 0));
    int link = wiring.hostLink(source, 0);
    int links = 1;
    while (links < MAX_LINKS && !wiring.toHost(wiring.kind(link))) {
      link = wiring.next(link, packets, packet);
      if (link == Topology.NO_ROUTE) {
        return links;
      }
      links++;
    }
    return links;
  }

  /** How many hosts take part, and how many pairs of a source, a destination and an EV set. */
  private static int[] activity(Traffic traffic, int hosts) {
    int flows = traffic.flows();
    long[] pairs = new long[flows];
    boolean[] takesPart = new boolean[hosts];
    int active = 0;
    for (int f = 0; f < flows; f++) {
      int from = traffic.source(f);
      int to = traffic.destination(f);
      pairs[f] = ((long) (traffic.evSet(f) + 1) << 20 | from) << 20 | to;
      active += takesPart[from] ? 0 : 1;
      takesPart[from] = true;
      active += takesPart[to] ? 0 : 1;
      takesPart[to] = true;
    }
    Arrays.sort(pairs);
    int distinct = 0;
    for (int f = 0; f < flows; f++) {
      distinct += f == 0 || pairs[f] != pairs[f - 1] ? 1 : 0;
    }
    return new int[] {active, distinct};
  }
}
