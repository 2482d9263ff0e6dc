package io.anabranch.fabric.fault;

import io.anabranch.fabric.event.Streams;
import io.anabranch.fabric.fault.LinkState.Taker;
import io.anabranch.fabric.host.Endpoints;
import io.anabranch.fabric.host.EvLoss;
import io.anabranch.fabric.host.HostAddress;
import io.anabranch.fabric.link.DropCause;
import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.link.Packets;
import io.anabranch.fabric.link.PortWatch;
import io.anabranch.fabric.link.Ports;
import io.anabranch.fabric.node.Network;
import io.anabranch.fabric.topology.Routing;
import io.anabranch.fabric.topology.Topology;
import io.anabranch.wire.mrc.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What is broken now, and what that does to packets.
 *
 * <p>A link that goes down loses what is on it, and what is put on it while it is down. Once the
 * port that feeds it has noticed, what waits there is lost too: a switch frees the buffers of a
 * port that has lost its link, and nobody reads that queue again. From then on a switch chooses
 * among the other members of an ECMP group; where there is no group, as with SRv6 and structured
 * EVs, it drops. A host's engine is told instead. Routing elsewhere, if it converges, keeps away
 * from switches that have no way on.
 */
public final class Broken {
  private static final int HOP_LIMIT = 64;

  private final Topology topology;
  private final boolean computed;
  private final Packets packets;
  private final Ports ports;
  private final Endpoints hosts;
  private final Endpoints.@Nullable WithEvs sprayers;
  private final Costs costs;
  private final ToIntFunction<Effect.LossyEv> evs;
  private final @Nullable PortWatch watch;
  private final @Nullable LinkState[] links;
  private final long seed;
  private final Frame view = new Frame();
  private final List<Occurrence> lossyEvs = new ArrayList<>();
  private int noticedDown;
  private int convergedDown;
  private int swaps;
  private @Nullable Occurrence lastSwap;

  // The packet for which a way is looked for, and the link that stood in it.
  private int sought;
  private int inTheWay;
  private final IntPredicate open = this::isOpen;

  /**
   * Nothing is broken.
   *
   * @param evs the EV that is meant
   * @param watch is told of links that go down and up; null = nobody
   */
  public Broken(
      Topology topology,
      Routing routing,
      Packets packets,
      Ports ports,
      Endpoints hosts,
      Costs costs,
      ToIntFunction<Effect.LossyEv> evs,
      long seed,
      @Nullable PortWatch watch) {
    this.topology = topology;
    computed = routing == Routing.ECMP;
    this.packets = packets;
    this.ports = ports;
    this.hosts = hosts;
    sprayers = hosts instanceof Endpoints.WithEvs spray ? spray : null;
    this.costs = costs;
    this.evs = evs;
    this.watch = watch;
    links = new LinkState[topology.links()];
    ports.watchWires();
    this.seed = seed;
    costs.begin(hosts);
    if (sprayers != null) {
      sprayers.watchEvLosses(this::lostByEv);
    }
  }

  private LinkState state(int link) {
    LinkState state = links[link];
    if (state == null) {
      state = new LinkState(Streams.of(seed, "faulty link " + link));
      links[link] = state;
    }
    return state;
  }

  long placedBytes() {
    return hosts.placedBytes();
  }

  // ---------------------------------------------------------------- beginnings and ends

  void begin(Occurrence o, long nowPs) {
    switch (o.effect) {
      case Effect.Down _ -> down(o, nowPs);
      case Effect.Silent _ -> o.element.switches().forEach(node -> silent(o, node, true));
      case Effect.Slow _, Effect.Delay _ -> {
        for (int link : o.element.links()) {
          LinkState state = state(link);
          if (state.plain == null) {
            state.plain = ports.kindOf(link);
          }
          state.changes.add(o);
          change(link, state, nowPs);
        }
      }
      case Effect.Lossy _, Effect.Burst _, Effect.Corrupting _ ->
          o.element.links().forEach(link -> state(link).takers.add(new Taker(o)));
      case Effect.Miswired _ -> swap(o, nowPs);
      case Effect.LossyEv ev -> {
        lossyEvs.add(o);
        evs().beginLoss(loss(ev));
      }
    }
  }

  void end(Occurrence o, long nowPs) {
    switch (o.effect) {
      case Effect.Down _ -> up(o, nowPs);
      case Effect.Silent _ -> o.element.switches().forEach(node -> silent(o, node, false));
      case Effect.Slow _, Effect.Delay _ -> {
        for (int link : o.element.links()) {
          LinkState state = state(link);
          state.changes.remove(o);
          change(link, state, nowPs);
        }
      }
      case Effect.Lossy _, Effect.Burst _, Effect.Corrupting _ ->
          o.element.links().forEach(link -> state(link).takers.removeIf(taker -> taker.by == o));
      case Effect.Miswired _ -> unswap(o, nowPs);
      case Effect.LossyEv ev -> {
        lossyEvs.remove(o);
        evs().endLoss(loss(ev));
      }
    }
  }

  private Endpoints.WithEvs evs() {
    if (sprayers == null) {
      throw new IllegalStateException("hosts have no EVs");
    }
    return sprayers;
  }

  private EvLoss loss(Effect.LossyEv ev) {
    return new EvLoss(ev.host(), ev.plane(), evs.applyAsInt(ev), ev.probability());
  }

  private void lostByEv(EvLoss by, int packet, long nowPs) {
    for (Occurrence o : lossyEvs) {
      if (o.effect instanceof Effect.LossyEv ev && loss(ev).equals(by)) {
        costs.lost(o, packet, nowPs);
        return;
      }
    }
  }

  private void down(Occurrence o, long nowPs) {
    for (int link : o.element.links()) {
      LinkState state = state(link);
      state.down.add(o);
      state.lastDown = o;
      ports.flagWire(link, Packets.GONE);
      told(link, false, nowPs);
    }
    // A switch that is down has lost its buffers, too.
    for (int node : o.element.switches()) {
      for (int port = 0; port < topology.ports(node); port++) {
        flush(topology.port(node, port), o, nowPs);
      }
    }
  }

  private void up(Occurrence o, long nowPs) {
    for (int link : o.element.links()) {
      LinkState state = state(link);
      state.down.remove(o);
      if (state.down.isEmpty()) {
        // What was sent while it was down.
        ports.flagWire(link, Packets.GONE);
        told(link, true, nowPs);
      }
    }
  }

  private void told(int link, boolean up, long nowPs) {
    if (watch != null) {
      watch.linkState(link, up, nowPs);
    }
  }

  /** The ports at an occurrence's links have noticed. */
  void notice(Occurrence o, long nowPs) {
    o.noticed = true;
    for (int link : o.element.links()) {
      LinkState state = state(link);
      if (state.noticed++ > 0) {
        continue;
      }
      noticedDown++;
      flush(link, o, nowPs);
      if (ports.fromHost(link)) {
        hosts.portState(topology.hostFrom(link), topology.plane(link), false, nowPs);
      }
    }
  }

  /** They have noticed that the links are back. */
  void forget(Occurrence o, long nowPs) {
    for (int link : o.element.links()) {
      LinkState state = state(link);
      if (--state.noticed > 0) {
        continue;
      }
      noticedDown--;
      if (ports.fromHost(link)) {
        hosts.portState(topology.hostFrom(link), topology.plane(link), true, nowPs);
      }
    }
  }

  /** Routing elsewhere keeps away from an occurrence's links. */
  void converge(Occurrence o) {
    if (computed) {
      o.converged = true;
      for (int link : o.element.links()) {
        convergedDown += state(link).converged++ == 0 ? 1 : 0;
      }
    }
  }

  /** It uses them again. */
  void diverge(Occurrence o) {
    for (int link : o.element.links()) {
      convergedDown -= --state(link).converged == 0 ? 1 : 0;
    }
  }

  private void flush(int link, Occurrence o, long nowPs) {
    for (int p = ports.takeQueued(link); p != Packets.NONE; p = ports.takeQueued(link)) {
      drop(link, p, DropCause.LINK_DOWN, o, nowPs);
    }
  }

  private void silent(Occurrence o, int node, boolean begins) {
    for (int port = 0; port < topology.ports(node); port++) {
      LinkState state = state(topology.reverse(topology.port(node, port)));
      if (begins) {
        state.silent.add(o);
      } else {
        state.silent.remove(o);
      }
    }
  }

  /** The slowest of all rates, and all delays together. */
  private void change(int link, LinkState state, long nowPs) {
    Ports.Kind plain = state.plain;
    if (plain == null) {
      return;
    }
    long rate = plain.link().rateBitsPerSecond();
    long delay = plain.link().delayPs();
    for (Occurrence o : state.changes) {
      switch (o.effect) {
        case Effect.Slow slow -> rate = Math.min(rate, slow.rateBitsPerSecond());
        case Effect.Delay more -> delay += more.byPs();
        default -> throw new IllegalStateException("not a change of a link: " + o.effect);
      }
    }
    // A switch cannot send on what comes in more slowly before all of it is there.
    boolean slower = rate < plain.link().rateBitsPerSecond();
    ports.kindOf(
        link,
        new Ports.Kind(
            new LinkConfig(rate, delay),
            plain.queue(),
            plain.toHost(),
            plain.latencyPs(),
            slower ? Integer.MAX_VALUE : plain.headBytes()),
        nowPs);
  }

  private void swap(Occurrence o, long nowPs) {
    int a = o.element.links().get(0);
    int b = o.element.links().get(1);
    endAs(a, b, o);
    endAs(b, a, o);
    endAs(topology.reverse(a), topology.reverse(b), o);
    endAs(topology.reverse(b), topology.reverse(a), o);
    swaps++;
    lastSwap = o;
    pull(o, nowPs);
  }

  private void unswap(Occurrence o, long nowPs) {
    for (int link : o.element.links()) {
      state(link).endsAs = -1;
      state(topology.reverse(link)).endsAs = -1;
    }
    swaps--;
    pull(o, nowPs);
  }

  private void endAs(int link, int other, Occurrence o) {
    LinkState state = state(link);
    if (state.endsAs >= 0) {
      throw new IllegalArgumentException(
          "target: " + topology.name(link) + " is miswired already; allowed once at a time");
    }
    state.endsAs = other;
    state.swappedBy = o;
  }

  /** Cables are pulled and put in: what is on them is gone. */
  private void pull(Occurrence o, long nowPs) {
    for (int cable : o.element.links()) {
      for (int link : List.of(cable, topology.reverse(cable))) {
        ports.flagWire(link, Packets.GONE);
        LinkState state = state(link);
        state.lastDown = o;
        told(link, false, nowPs);
        if (state.down.isEmpty()) {
          told(link, true, nowPs);
        }
      }
    }
  }

  // ---------------------------------------------------------------- packets

  private void drop(int link, int packet, DropCause cause, @Nullable Occurrence by, long lostPs) {
    if (by != null) {
      costs.lost(by, packet, lostPs);
    }
    ports.drop(link, packet, cause);
  }

  int arrived(int link, int packet, long nowPs) {
    LinkState state = links[link];
    int flags = packets.flags(packet);
    if (state == null) {
      if ((flags & Packets.DAMAGED) != 0 && ends(link, packet)) {
        ports.drop(link, packet, DropCause.CORRUPTED);
        return Network.Faults.TAKEN;
      }
      passed(link, packet);
      return link;
    }
    if ((flags & Packets.GONE) != 0 || !state.down.isEmpty()) {
      drop(link, packet, DropCause.LINK_DOWN, state.lastDown, nowPs - ports.flightPs(link));
      return Network.Faults.TAKEN;
    }
    for (int i = 0; i < state.takers.size(); i++) {
      Taker taker = state.takers.get(i);
      if (taken(taker, state.chance, packet, nowPs)) {
        drop(link, packet, DropCause.LINK_LOSS, taker.by, nowPs);
        return Network.Faults.TAKEN;
      }
    }
    // Also where it was damaged on a link before, and only now there is someone to find it.
    if ((packets.flags(packet) & Packets.DAMAGED) != 0 && ends(link, packet)) {
      ports.drop(link, packet, DropCause.CORRUPTED);
      return Network.Faults.TAKEN;
    }
    passed(link, packet);
    if (!state.silent.isEmpty() && state.endsAs < 0) {
      drop(link, packet, DropCause.BLACK_HOLE, state.silent.getLast(), nowPs);
      return Network.Faults.TAKEN;
    }
    return state.endsAs < 0 ? link : astray(link, state, packet, nowPs);
  }

  private void passed(int link, int packet) {
    if (watch != null) {
      watch.passed(link, packet);
    }
  }

  /** Whether who is at the end of a link sees all of a packet before it goes on. */
  private boolean ends(int link, int packet) {
    return ports.toHost(link) || ports.arrivesWhole(link, packet);
  }

  /** Whether chance takes a packet; one that is damaged is put down here, and found later. */
  private boolean taken(Taker taker, SplittableRandom chance, int packet, long nowPs) {
    return switch (taker.by.effect) {
      case Effect.Lossy lossy ->
          packets.bytes(packet) >= lossy.minBytes() && chance.nextDouble() < lossy.probability();
      case Effect.Burst burst -> inBurst(taker, chance, burst);
      case Effect.Corrupting corrupting -> {
        damage(taker.by, chance, corrupting.bitErrorRate(), packet, nowPs);
        yield false;
      }
      default -> throw new IllegalStateException("takes no packets: " + taker.by.effect);
    };
  }

  private static boolean inBurst(Taker taker, SplittableRandom chance, Effect.Burst burst) {
    if (chance.nextDouble() < (taker.bad ? burst.leave() : burst.enter())) {
      taker.bad = !taker.bad;
    }
    return chance.nextDouble() < (taker.bad ? burst.badLoss() : burst.goodLoss());
  }

  private void damage(
      Occurrence by, SplittableRandom chance, double bitErrorRate, int packet, long nowPs) {
    double intact = StrictMath.pow(1 - bitErrorRate, 8.0 * packets.bytes(packet));
    if (chance.nextDouble() >= intact && (packets.flags(packet) & Packets.DAMAGED) == 0) {
      packets.flag(packet, Packets.DAMAGED);
      costs.lost(by, packet, nowPs);
    }
  }

  /** A packet has come to where another cable should end. */
  private int astray(int wire, LinkState state, int packet, long nowPs) {
    int link = state.endsAs;
    Occurrence by = state.swappedBy;
    LinkState there = links[link];
    packets.wrap(view, packet);
    boolean known =
        ports.toHost(link)
            ? topology.hostAt(link) == HostAddress.hostOf(view.dstLo())
                && topology.plane(link) == HostAddress.planeOf(view.dstHi())
            : topology.plane(link) == topology.plane(wire);
    if (!known) {
      drop(link, packet, DropCause.NO_ROUTE, by, nowPs);
      return Network.Faults.TAKEN;
    }
    if (there != null && !there.silent.isEmpty()) {
      drop(link, packet, DropCause.BLACK_HOLE, there.silent.getLast(), nowPs);
      return Network.Faults.TAKEN;
    }
    return link;
  }

  int forward(int link, int next, int packet, long nowPs) {
    if (swaps > 0) {
      packets.pass(packet);
      if (packets.passed(packet) > HOP_LIMIT) {
        drop(link, packet, DropCause.HOP_LIMIT, lastSwap, nowPs);
        return Network.Faults.TAKEN;
      }
    }
    if (next == Topology.NO_ROUTE) {
      drop(link, packet, DropCause.NO_ROUTE, swaps > 0 ? lastSwap : null, nowPs);
      return Network.Faults.TAKEN;
    }
    if (noticedDown == 0) {
      return next;
    }
    sought = packet;
    if (computed ? isOpen(next) : isUp(next)) {
      return next;
    }
    int instead = computed ? topology.instead(link, next, packets, packet, open) : -1;
    if (instead < 0) {
      LinkState state = links[inTheWay];
      drop(next, packet, DropCause.LINK_DOWN, state == null ? null : state.lastDown, nowPs);
      return Network.Faults.TAKEN;
    }
    return instead;
  }

  boolean isUp(int link) {
    LinkState state = links[link];
    if (state == null || state.noticed == 0) {
      return true;
    }
    inTheWay = link;
    return false;
  }

  /** Whether a switch may send by a link of its own, as far as it and routing know. */
  private boolean isOpen(int link) {
    return isUp(link) && (convergedDown == 0 || leadsOn(link));
  }

  /** Whether routing knows a way on from the end of a link. */
  private boolean leadsOn(int link) {
    if (ports.toHost(link)) {
      return true;
    }
    int next = topology.next(link, packets, sought);
    return next >= 0
        && (isKnownOpen(next)
            || topology.instead(link, next, packets, sought, this::isKnownOpen) >= 0);
  }

  private boolean isKnownOpen(int link) {
    LinkState state = links[link];
    if (state != null && state.converged > 0) {
      inTheWay = link;
      return false;
    }
    return leadsOn(link);
  }
}
