package io.anabranch.fabric;

import io.anabranch.fabric.host.PlacementWatch;
import io.anabranch.fabric.link.DropCause;
import io.anabranch.fabric.link.Packets;
import io.anabranch.fabric.link.PortWatch;
import io.anabranch.fabric.link.QueueConfig;
import io.anabranch.fabric.topology.Topology;
import io.anabranch.fabric.workload.Traffic;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Watches a run from outside: every packet that was put on a host's link is delivered, dropped by a
 * named cause, or under way; no queue exceeds its limit, no switch its buffer; each class leaves a
 * port in the order in which it came; no link carries two packets at once; no packet comes through
 * a link that was down while it was on it; every byte of a flow is written once, and all of them
 * before it completes.
 */
final class Invariants implements PortWatch, PlacementWatch {
  private final Topology topology;
  private final Packets packets;
  private final Traffic traffic;
  private final int mtuBytes;
  private final long messageBytes;
  private final long packetsPerMessage;
  private final long poolBytes;
  private final long[] pooledBytes;
  private final long[] freePs;
  private final long[] lastData;
  private final long[] lastControl;
  private final long[] brokenAt;
  private final BitSet down = new BitSet();
  private long[] order = new long[1024];
  private long[] startedAt = new long[1024];
  private long sequence;
  private final BitSet[] placed;
  private final BitSet complete = new BitSet();
  private long sent;
  private long received;
  private long dropped;

  Invariants(FabricConfig config, Topology topology, Packets packets) {
    this.topology = topology;
    this.packets = packets;
    this.traffic = config.traffic();
    this.mtuBytes = config.transport().mtuBytes();
    messageBytes = Transfers.messageBytes(config.transport());
    packetsPerMessage = packetsOf(messageBytes);
    poolBytes = config.buffer() == null ? Long.MAX_VALUE : config.buffer().bytes();
    pooledBytes = new long[topology.switches()];
    freePs = new long[topology.links()];
    lastData = new long[topology.links()];
    lastControl = new long[topology.links()];
    brokenAt = new long[topology.links()];
    placed = new BitSet[traffic.flows()];
  }

  private static IllegalStateException broken(String rule, String what) {
    return new IllegalStateException("invariant broken: " + rule + ": " + what);
  }

  @Override
  public void queued(int link, int packet, boolean control, long queuedBytes) {
    QueueConfig queue = topology.queueOf(topology.kind(link));
    long limit = queue == null ? 0 : control ? queue.controlBytes() : queue.dataBytes();
    if (queuedBytes > limit) {
      throw broken(
          "no queue exceeds its limit",
          topology.name(link) + " holds " + queuedBytes + " of " + limit + " bytes");
    }
    int node = topology.switchFrom(link);
    pooledBytes[node] += packets.bytes(packet);
    if (pooledBytes[node] > poolBytes) {
      throw broken(
          "no switch holds more than its buffer",
          topology.switchName(node) + " holds " + pooledBytes[node] + " of " + poolBytes);
    }
    room(packet);
    order[packet] = ++sequence;
  }

  private void room(int packet) {
    while (packet >= order.length) {
      order = Arrays.copyOf(order, order.length * 2);
      startedAt = Arrays.copyOf(startedAt, order.length);
    }
  }

  @Override
  public void unqueued(int link, int packet) {
    order[packet] = 0;
    pooledBytes[topology.switchFrom(link)] -= packets.bytes(packet);
  }

  @Override
  public void started(int link, int packet, boolean waited, long nowPs, long endPs) {
    if (nowPs < freePs[link]) {
      throw broken(
          "no link carries two packets at once",
          topology.name(link) + " at " + nowPs + " ps is busy until " + freePs[link]);
    }
    freePs[link] = endPs;
    room(packet);
    startedAt[packet] = down.get(link) ? 0 : ++sequence;
    if (waited) {
      boolean control = (packets.flags(packet) & Packets.CONTROL) != 0;
      long[] last = control ? lastControl : lastData;
      if (order[packet] <= last[link]) {
        throw broken(
            "each class leaves in the order in which it came",
            topology.name(link) + " at " + nowPs + " ps");
      }
      last[link] = order[packet];
      pooledBytes[topology.switchFrom(link)] -= packets.bytes(packet);
    }
    if (topology.queueOf(topology.kind(link)) == null) {
      sent++;
    }
  }

  @Override
  public void linkState(int link, boolean up, long nowPs) {
    down.set(link, !up);
    if (!up) {
      brokenAt[link] = ++sequence;
    }
  }

  @Override
  public void passed(int link, int packet) {
    if (down.get(link) || startedAt[packet] <= brokenAt[link] && brokenAt[link] > 0) {
      throw broken("no packet comes through a link that was down", topology.name(link));
    }
  }

  @Override
  public void delivered(int link, int packet) {
    received++;
  }

  @Override
  public void dropped(int packet, DropCause cause) {
    dropped++;
  }

  private long packetsOf(long bytes) {
    return (bytes + mtuBytes - 1) / mtuBytes;
  }

  @Override
  public void placed(int flow, long offset, int bytes) {
    long message = offset / messageBytes;
    long within = offset % messageBytes;
    long left = Math.min(traffic.bytes(flow) - offset, messageBytes - within);
    // Each message is cut into packets of its own, of which the last may be short.
    if (within % mtuBytes != 0 || bytes != Math.min(mtuBytes, left)) {
      throw broken(
          "every byte of a flow is written once",
          "flow " + flow + ", bytes " + offset + " to " + (offset + bytes));
    }
    BitSet bits = placed[flow];
    if (bits == null) {
      bits = new BitSet();
      placed[flow] = bits;
    }
    int at = (int) (message * packetsPerMessage + within / mtuBytes);
    if (bits.get(at) || complete.get(flow)) {
      throw broken(
          "every byte of a flow is written once", "flow " + flow + ", packet " + at + " again");
    }
    bits.set(at);
  }

  /** A flow is complete at its sender: all of it must have been written. */
  void completed(int flow) {
    long all = traffic.bytes(flow);
    long wanted = all / messageBytes * packetsPerMessage + packetsOf(all % messageBytes);
    BitSet bits = placed[flow];
    long have = bits == null ? 0 : bits.cardinality();
    if (have != wanted) {
      throw broken(
          "a flow completes only when all of it was written",
          "flow " + flow + ", " + have + " of " + wanted + " packets");
    }
    complete.set(flow);
    placed[flow] = new BitSet(0);
  }

  /**
   * Every packet sent is delivered, dropped or under way.
   *
   * @param waiting packets that hosts have made and not sent
   */
  void conservation(long nowPs, int waiting) {
    long underWay = packets.inUse() - waiting;
    if (sent != received + dropped + underWay) {
      throw broken(
          "every packet sent is delivered, dropped or under way",
          String.join(
              ", ",
              "sent " + sent,
              "received " + received,
              "dropped " + dropped,
              "under way " + underWay,
              "at " + nowPs + " ps"));
    }
  }
}
