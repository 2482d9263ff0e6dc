package io.anabranch.tools.scenario;

import io.anabranch.fabric.link.SizeConfig;
import io.anabranch.fabric.topology.Topology;
import io.anabranch.fabric.workload.Traffic;
import io.anabranch.fabric.workload.Traffic.TriggerKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The traffic on a network in which every flow has its host's whole rate to itself: nothing can be
 * over sooner, and what never starts here never starts.
 */
final class Ideal {
  private record Event(long atPs, int flow) {}

  private final Traffic traffic;
  private final int mtuBytes;
  private final SizeConfig sizes;
  private final double psPerByte;
  private final Topology wiring;
  private final long firstPacketPs;

  private final boolean[] started;
  private long payloadBytes;
  private long packets;
  private long endPs;

  /** The first flow that never starts, or −1. */
  private int stuck = -1;

  /**
   * @param wiring says what a round trip takes
   * @param hostRate all planes together
   * @param planeRate of one of them
   */
  Ideal(
      Traffic traffic,
      SizeConfig sizes,
      int mtuBytes,
      Topology wiring,
      long hostRate,
      long planeRate) {
    this.traffic = traffic;
    started = new boolean[traffic.flows()];
    this.sizes = sizes;
    this.mtuBytes = mtuBytes;
    this.wiring = wiring;
    psPerByte = 8e12 / hostRate;
    firstPacketPs = Figures.wirePs(sizes.dataBytes(mtuBytes), planeRate);
    byTriggers();
    byHosts(wiring.hosts());
  }

  private long packets(long bytes) {
    return Math.ceilDiv(bytes, mtuBytes);
  }

  private double wirePs(long bytes) {
    return (bytes + (double) packets(bytes) * sizes.dataOverheadBytes()) * psPerByte;
  }

  /** A host can neither send nor receive faster than its links. */
  private void byHosts(int hosts) {
    double[] out = new double[hosts];
    double[] in = new double[hosts];
    double longest = 0;
    for (int f = 0; f < traffic.flows(); f++) {
      if (!started[f]) {
        continue;
      }
      payloadBytes += traffic.bytes(f);
      packets += packets(traffic.bytes(f));
      if (traffic.optional(f)) {
        continue;
      }
      double wire = wirePs(traffic.bytes(f));
      out[traffic.source(f)] += wire;
      in[traffic.destination(f)] += wire;
      longest = Math.max(longest, Math.max(out[traffic.source(f)], in[traffic.destination(f)]));
    }
    endPs = Math.max(endPs, (long) Math.ceil(longest));
    for (Traffic.Job job : traffic.jobs()) {
      // Its rounds go on at least until then.
      endPs = Math.max(endPs, job.closesPs() == Traffic.NEVER ? 0 : job.closesPs());
    }
  }

  /** A flow that waits starts no sooner than what it waits for can be over. */
  private void byTriggers() {
    int flows = traffic.flows();
    List<List<Integer>> waiting = new ArrayList<>();
    for (int t = 0; t < traffic.triggers(); t++) {
      waiting.add(new ArrayList<>());
    }
    PriorityQueue<Event> ends =
        new PriorityQueue<>(Comparator.comparingLong(Event::atPs).thenComparingInt(Event::flow));
    for (int f = 0; f < flows; f++) {
      if (traffic.waitsFor(f) >= 0) {
        waiting.get(traffic.waitsFor(f)).add(f);
      } else {
        started[f] = true;
        ends.add(new Event(traffic.startPs(f) + alonePs(f), f));
      }
    }
    int[] fired = new int[traffic.triggers()];
    while (!ends.isEmpty()) {
      Event event = ends.remove();
      if (!traffic.optional(event.flow)) {
        endPs = Math.max(endPs, event.atPs);
      }
      int trigger = traffic.fired(event.flow, 0);
      for (int i = 1; trigger >= 0; i++) {
        fired[trigger]++;
        if (event.atPs < traffic.closesPs(trigger)) {
          for (int f : opened(trigger, fired[trigger], waiting.get(trigger))) {
            started[f] = true;
            ends.add(new Event(event.atPs + alonePs(f), f));
          }
        }
        trigger = traffic.fired(event.flow, i);
      }
    }
    for (int f = 0; f < flows && stuck < 0; f++) {
      stuck = started[f] || traffic.optional(f) ? -1 : f;
    }
  }

  private List<Integer> opened(int trigger, int firings, List<Integer> waiting) {
    return switch (traffic.kind(trigger)) {
      case TriggerKind kind when kind == TriggerKind.MULTISHOT ->
          firings <= waiting.size() ? waiting.subList(firings - 1, firings) : List.of();
      default -> firings == traffic.needed(trigger) ? waiting : List.of();
    };
  }

  /**
   * A flow alone: all packets follow each other, and the last one's round trip is its pair's RTT.
   */
  private long alonePs(int flow) {
    int data = sizes.dataBytes(mtuBytes);
    long rttPs =
        wiring.baseRttPs(
            traffic.source(flow), traffic.destination(flow), data, sizes.controlBytes());
    return (long) Math.ceil(wirePs(traffic.bytes(flow))) + rttPs - Math.min(rttPs, firstPacketPs);
  }

  long payloadBytes() {
    return payloadBytes;
  }

  long packets() {
    return packets;
  }

  long endPs() {
    return endPs;
  }

  int stuck() {
    return stuck;
  }
}
