package io.anabranch.fabric.fault;

import io.anabranch.engine.path.EvState;
import io.anabranch.engine.trace.TraceSink;
import io.anabranch.fabric.fault.Occurrence.Hit;
import io.anabranch.fabric.host.Endpoints;
import io.anabranch.fabric.host.HostAddress;
import io.anabranch.fabric.link.Packets;
import io.anabranch.wire.mrc.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Tells what each loss cost: which copy was sent again because of it, and when the path was left.
 * It listens to the engines' trace events for that.
 */
public final class Costs implements Endpoints.ResendWatch {
  private static final int PS_PER_NS = 1000;

  /** A plane towards a peer that a host does not use. */
  private record Aside(int host, int peer, int plane) implements Comparable<Aside> {
    @Override
    public int compareTo(Aside o) {
      int byHost = Integer.compare(host, o.host);
      int byPeer = byHost != 0 ? byHost : Integer.compare(peer, o.peer);
      return byPeer != 0 ? byPeer : Integer.compare(plane, o.plane);
    }
  }

  private final Packets packets;
  private final int hostCount;
  private final int planes;
  private final Frame view = new Frame();

  // Lost packets by receiver and its queue pair, then by PSN.
  private final TreeMap<Long, TreeMap<Integer, Occurrence>> lost = new TreeMap<>();
  // Paths that lost a packet and are still in use.
  private final TreeMap<Path, List<Hit>> open = new TreeMap<>();
  // What is out of use, and since when.
  private final TreeMap<Path, Long> badSincePs = new TreeMap<>();
  private final TreeMap<Aside, Long> asideSincePs = new TreeMap<>();
  private final TreeMap<Aside, Long> peerPortDownSincePs = new TreeMap<>();
  private final TreeMap<Long, Long> portDownSincePs = new TreeMap<>();
  private @Nullable Endpoints hosts;

  /** Nothing is lost yet. */
  public Costs(Packets packets, int hostCount, int planes) {
    this.packets = packets;
    this.planes = planes;
    this.hostCount = hostCount;
  }

  void begin(Endpoints over) {
    hosts = over;
    over.watchResends(this);
  }

  private static long queuePair(int host, int qp) {
    return (long) host << 24 | qp;
  }

  /**
   * A packet is about to be dropped because of an occurrence.
   *
   * @param atPs when it was lost
   */
  void lost(Occurrence by, int packet, long atPs) {
    by.packetsLost++;
    if ((packets.flags(packet) & Packets.DATA) == 0 || hosts == null) {
      return;
    }
    packets.wrap(view, packet);
    int to = HostAddress.hostOf(view.dstLo());
    long receiver = queuePair(to, view.destQp());
    lost.computeIfAbsent(receiver, _ -> new TreeMap<>()).put(view.psn(), by);
    by.queuePairs.add(receiver);
    int from = HostAddress.hostOf(view.srcLo());
    Path path = new Path(from, hosts.senderOf(to, view.destQp()), view.ev());
    if (!by.hits.containsKey(path)) {
      Hit hit = new Hit(Math.max(atPs, by.startPs), HostAddress.planeOf(view.dstHi()), to);
      by.hits.put(path, hit);
      long left = leftPs(path, hit);
      if (left >= 0) {
        hit.leftPs = Math.max(left, by.startPs);
      } else {
        open.computeIfAbsent(path, _ -> new ArrayList<>()).add(hit);
      }
    }
  }

  /** Since when a path has been out of use, or −1. */
  private long leftPs(Path path, Hit hit) {
    long since = badSincePs.getOrDefault(path, Long.MAX_VALUE);
    Aside plane = new Aside(path.host(), hit.peer, hit.plane);
    since = Math.min(since, asideSincePs.getOrDefault(plane, Long.MAX_VALUE));
    since = Math.min(since, peerPortDownSincePs.getOrDefault(plane, Long.MAX_VALUE));
    long port = queuePair(path.host(), hit.plane);
    since = Math.min(since, portDownSincePs.getOrDefault(port, Long.MAX_VALUE));
    return since == Long.MAX_VALUE ? -1 : since;
  }

  @Override
  public void resent(int host, int qp, int psn) {
    TreeMap<Integer, Occurrence> of = lost.get(queuePair(host, qp));
    Occurrence by = of == null ? null : of.remove(psn);
    if (by != null) {
      by.copiesResent++;
    }
  }

  /** What a host's engine tells goes here, and on to another sink. */
  public TraceSink trace(int host, @Nullable TraceSink other) {
    return (event, nowNs, qp, a, b, c) -> {
      switch (event) {
        case EV_STATE -> evState(new Path(host, qp, (int) a), (int) c, nowNs * PS_PER_NS);
        case PLANE -> {
          // A queue pair tells it first, and then, of all of them, the peer.
          if (qp < 0) {
            plane(asideSincePs, host, -1 - qp, (int) a, b == 0, nowNs * PS_PER_NS);
          }
        }
        case PORT_STATUS -> {
          for (int plane = 0; plane < planes; plane++) {
            boolean down = (a >>> plane & 1) == 0;
            plane(peerPortDownSincePs, host, -1 - qp, plane, down, nowNs * PS_PER_NS);
          }
        }
        case PORT -> port(host, (int) a, b == 0, nowNs * PS_PER_NS);
        default -> {
          // Nothing that a path's use depends on.
        }
      }
      if (other != null) {
        other.event(event, nowNs, qp, a, b, c);
      }
    };
  }

  private void evState(Path path, int state, long nowPs) {
    if (state == EvState.ASSUMED_BAD || state == EvState.DENIED) {
      badSincePs.putIfAbsent(path, nowPs);
      List<Hit> hits = open.remove(path);
      if (hits != null) {
        hits.forEach(hit -> leave(hit, nowPs));
      }
    } else {
      badSincePs.remove(path);
    }
  }

  private static void leave(Hit hit, long nowPs) {
    hit.leftPs = Math.max(nowPs, hit.firstLossPs);
  }

  private void plane(
      Map<Aside, Long> since, int host, int handle, int plane, boolean left, long nowPs) {
    int peer = handle % hostCount;
    Aside aside = new Aside(host, peer, plane);
    if (!left) {
      since.remove(aside);
    } else if (since.putIfAbsent(aside, nowPs) == null) {
      leaveAll(host, peer, plane, nowPs);
    }
  }

  private void port(int host, int plane, boolean down, long nowPs) {
    if (down) {
      portDownSincePs.putIfAbsent(queuePair(host, plane), nowPs);
      leaveAll(host, -1, plane, nowPs);
    } else {
      portDownSincePs.remove(queuePair(host, plane));
    }
  }

  private void leaveAll(int host, int peer, int plane, long nowPs) {
    Path first = new Path(host, Integer.MIN_VALUE, Integer.MIN_VALUE);
    Path last = new Path(host + 1, Integer.MIN_VALUE, Integer.MIN_VALUE);
    open.subMap(first, last)
        .values()
        .removeIf(hits -> {
          if (hits.getFirst().plane != plane || peer >= 0 && hits.getFirst().peer != peer) {
            return false;
          }
          hits.forEach(hit -> leave(hit, nowPs));
          return true;
        });
  }
}
