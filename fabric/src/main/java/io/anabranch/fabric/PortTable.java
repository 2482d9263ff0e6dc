package io.anabranch.fabric;

import io.anabranch.fabric.link.Ports;
import io.anabranch.fabric.link.QueueConfig;
import io.anabranch.fabric.node.Parts;
import io.anabranch.fabric.topology.Topology;
import org.jspecify.annotations.Nullable;

/** Counters as ports keep them. */
final class PortTable implements LinkTable {
  private final Topology topology;
  private final Ports[] parts;
  private final @Nullable Parts cut;

  /**
   * The table.
   *
   * @param parts the ports of each part of the network
   * @param cut which part has which; null: there is one
   */
  PortTable(Topology topology, Ports[] parts, @Nullable Parts cut) {
    this.topology = topology;
    this.parts = parts;
    this.cut = cut;
  }

  private Ports of(int link) {
    return cut == null ? parts[0] : parts[cut.from(topology, link)];
  }

  @Override
  public int count() {
    return parts[0].links();
  }

  @Override
  public int usedCount() {
    int sum = 0;
    for (Ports ports : parts) {
      sum += ports.usedLinks();
    }
    return sum;
  }

  @Override
  public int used(int place) {
    int within = place;
    for (Ports ports : parts) {
      if (within < ports.usedLinks()) {
        return ports.usedLink(within);
      }
      within -= ports.usedLinks();
    }
    throw new IllegalArgumentException("place: " + place + ", allowed less than " + usedCount());
  }

  @Override
  public String name(int link) {
    return topology.name(link);
  }

  @Override
  public int plane(int link) {
    return topology.plane(link);
  }

  @Override
  public long rateBitsPerSecond(int link) {
    return topology.linkOf(topology.kind(link)).rateBitsPerSecond();
  }

  @Override
  public int hostFrom(int link) {
    return topology.queueOf(topology.kind(link)) == null ? topology.hostFrom(link) : -1;
  }

  @Override
  public int hostAt(int link) {
    return topology.toHost(topology.kind(link)) ? topology.hostAt(link) : -1;
  }

  @Override
  public long queueLimitBytes(int link) {
    QueueConfig queue = topology.queueOf(topology.kind(link));
    return queue == null ? 0 : queue.dataBytes();
  }

  @Override
  public long packets(int link) {
    return of(link).sentPackets(link);
  }

  @Override
  public long bytes(int link) {
    return of(link).sentBytes(link);
  }

  @Override
  public long queuedBytes(int link) {
    return of(link).queuedBytes(link);
  }

  @Override
  public long peakQueuedBytes(int link) {
    return of(link).peakBytes(link);
  }

  @Override
  public long trimmed(int link) {
    return of(link).trimmed(link);
  }

  @Override
  public long marked(int link) {
    return of(link).marked(link);
  }

  @Override
  public long dropped(int link) {
    return of(link).dropped(link);
  }
}
