package io.anabranch.fabric;

import io.anabranch.fabric.link.Ports;
import io.anabranch.fabric.link.QueueConfig;
import io.anabranch.fabric.topology.Topology;

/** Counters as ports keep them. */
final class PortTable implements LinkTable {
  private final Topology topology;
  private final Ports ports;

  PortTable(Topology topology, Ports ports) {
    this.topology = topology;
    this.ports = ports;
  }

  @Override
  public int count() {
    return ports.links();
  }

  @Override
  public int usedCount() {
    return ports.usedLinks();
  }

  @Override
  public int used(int place) {
    return ports.usedLink(place);
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
    return ports.sentPackets(link);
  }

  @Override
  public long bytes(int link) {
    return ports.sentBytes(link);
  }

  @Override
  public long queuedBytes(int link) {
    return ports.queuedBytes(link);
  }

  @Override
  public long peakQueuedBytes(int link) {
    return ports.peakBytes(link);
  }

  @Override
  public long trimmed(int link) {
    return ports.trimmed(link);
  }

  @Override
  public long marked(int link) {
    return ports.marked(link);
  }

  @Override
  public long dropped(int link) {
    return ports.dropped(link);
  }
}
