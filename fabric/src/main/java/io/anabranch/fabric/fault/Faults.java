package io.anabranch.fabric.fault;

import io.anabranch.fabric.event.EventQueue;
import io.anabranch.fabric.event.Streams;
import io.anabranch.fabric.fault.FaultCost.Goodput;
import io.anabranch.fabric.fault.Targets.Element;
import io.anabranch.fabric.node.Network;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * When faults begin and end, by events in the fabric's queue; what they do is {@link Broken}'s. At
 * one instant they come after the packets of that instant, in the order of the configuration; only
 * what is broken from the start is so before the first packet.
 */
public final class Faults implements Network.Faults {
  private static final int RUNNING_OUT = 1 << 20;

  /** A fault and one of the things it hits, with its chance. */
  private record Turn(int rule, Element element, SplittableRandom random) {}

  private record Action(long atPs, long order, Runnable what) {}

  private final List<Fault> faults;
  private final EventQueue events;
  private final Broken broken;
  private final PriorityQueue<Action> actions =
      new PriorityQueue<>(Comparator.comparingLong(Action::atPs).thenComparingLong(Action::order));
  private final List<Occurrence> occurrences = new ArrayList<>();
  private long order;
  private long changedPs;
  private long bytesAtChange;
  private Goodput goodput = new Goodput(0, 0);

  /**
   * Nothing has failed yet; the first event is asked for.
   *
   * @param seed of what is picked and of times by chance
   */
  public Faults(List<Fault> faults, Targets targets, EventQueue events, Broken broken, long seed) {
    this.faults = List.copyOf(faults);
    this.events = events;
    this.broken = broken;
    for (int rule = 0; rule < faults.size(); rule++) {
      plan(rule, targets, seed);
    }
    // Before the first packets of that instant, not after.
    event(0);
  }

  /**
   * The elements that a fault hits, each on its own.
   *
   * @throws IllegalArgumentException when a name stands for nothing, or more is to be picked than
   *     there is
   */
  static List<Element> elements(Fault fault, Targets targets, SplittableRandom random) {
    List<Element> all = new ArrayList<>();
    for (String name : fault.targets()) {
      List<Element> found = targets.named(name);
      if (found.isEmpty()) {
        throw new IllegalArgumentException("target: " + name + ", nothing has that name");
      }
      all.addAll(found);
    }
    if (fault.pick() > all.size()) {
      throw new IllegalArgumentException(
          "pick: " + fault.pick() + ", allowed at most " + all.size());
    }
    if (fault.pick() == 0) {
      return all;
    }
    for (int i = 0; i < fault.pick(); i++) {
      int other = i + random.nextInt(all.size() - i);
      Element chosen = all.get(other);
      all.set(other, all.get(i));
      all.set(i, chosen);
    }
    return new ArrayList<>(all.subList(0, fault.pick()));
  }

  private void plan(int rule, Targets targets, long seed) {
    Fault fault = faults.get(rule);
    List<Element> elements = elements(fault, targets, Streams.of(seed, "fault " + rule + " pick"));
    if (fault.timing() instanceof Timing.Chance chance) {
      for (Element element : elements) {
        SplittableRandom random = Streams.of(seed, "fault " + rule + " " + element.name());
        long first = chance.fromPs() + chance.betweenFailures().draw(random);
        Turn turn = new Turn(rule, element, random);
        at(first, () -> begin(turn));
      }
      return;
    }
    Turn turn = new Turn(rule, union(fault, elements), Streams.of(seed, "fault " + rule));
    at(fault.timing().fromPs(), () -> begin(turn));
  }

  /** Several elements that fail as one; the order of a miswired pair's links is kept. */
  private static Element union(Fault fault, List<Element> elements) {
    if (elements.size() == 1) {
      return elements.getFirst();
    }
    TreeSet<Integer> links = new TreeSet<>();
    TreeSet<Integer> switches = new TreeSet<>();
    for (Element element : elements) {
      links.addAll(element.links());
      switches.addAll(element.switches());
    }
    List<Integer> inOrder = new ArrayList<>(links);
    if (fault.effect() instanceof Effect.Miswired) {
      inOrder = List.of(elements.get(0).links().getFirst(), elements.get(1).links().getFirst());
    }
    String name =
        fault.effect() instanceof Effect.LossyEv ev
            ? evName(ev)
            : String.join(", ", fault.targets());
    return new Element(name, inOrder, List.copyOf(switches));
  }

  private static String evName(Effect.LossyEv ev) {
    String host = ev.host() < 0 ? "all" : "h" + ev.host();
    return host + " p" + (ev.plane() + 1) + " ev " + ev.evIndex();
  }

  // ---------------------------------------------------------------- events

  private void at(long atPs, Runnable what) {
    if (atPs >= 0 && atPs < Long.MAX_VALUE / 2) {
      actions.add(new Action(atPs, order++, what));
    }
  }

  private void ask() {
    Action next = actions.peek();
    if (next != null) {
      events.add(next.atPs, Network.FAULT);
    }
  }

  @Override
  public int arrived(int link, int packet, long nowPs) {
    return broken.arrived(link, packet, nowPs);
  }

  @Override
  public int forward(int link, int next, int packet, long nowPs) {
    return broken.forward(link, next, packet, nowPs);
  }

  @Override
  public boolean knownUp(int link) {
    return broken.isUp(link);
  }

  @Override
  public void event(long nowPs) {
    for (Action next = actions.peek(); next != null && next.atPs <= nowPs; next = actions.peek()) {
      actions.remove();
      next.what.run();
    }
    ask();
  }

  private void begin(Turn turn) {
    long nowPs = events.nowPs();
    Fault fault = faults.get(turn.rule);
    if (occurrences.size() == RUNNING_OUT) {
      throw new IllegalStateException("faults occurred more than " + RUNNING_OUT + " times");
    }
    Occurrence occurrence =
        new Occurrence(
            turn.rule, fault.effect(), turn.element, nowPs, sinceChange(nowPs), bytesAtChange);
    occurrences.add(occurrence);
    broken.begin(occurrence, nowPs);
    if (fault.effect() instanceof Effect.Down down) {
      later(nowPs, down.detectPs(), () -> notice(occurrence, down));
    }
    switch (fault.timing()) {
      case Timing.Once once -> later(nowPs, once.lengthPs(), () -> end(occurrence));
      case Timing.Every every -> {
        at(nowPs + every.lengthPs(), () -> end(occurrence));
        at(nowPs + every.everyPs(), () -> begin(turn));
      }
      case Timing.Chance chance -> {
        long mended = nowPs + chance.untilMended().draw(turn.random);
        at(mended, () -> end(occurrence));
        at(mended + chance.betweenFailures().draw(turn.random), () -> begin(turn));
      }
    }
  }

  private void later(long nowPs, long byPs, Runnable what) {
    if (byPs != Effect.NEVER) {
      at(nowPs + byPs, what);
    }
  }

  private void end(Occurrence occurrence) {
    long nowPs = events.nowPs();
    sinceChange(nowPs);
    occurrence.endPs = nowPs;
    occurrence.bytesAtEnd = bytesAtChange;
    broken.end(occurrence, nowPs);
    if (occurrence.effect instanceof Effect.Down down && occurrence.noticed) {
      later(nowPs, down.detectPs(), () -> broken.forget(occurrence, events.nowPs()));
      if (occurrence.converged) {
        later(nowPs, down.detectPs() + down.convergePs(), () -> broken.diverge(occurrence));
      }
    }
  }

  private void notice(Occurrence occurrence, Effect.Down down) {
    if (!occurrence.over()) {
      broken.notice(occurrence, events.nowPs());
      later(events.nowPs(), down.convergePs(), () -> converge(occurrence));
    }
  }

  private void converge(Occurrence occurrence) {
    if (!occurrence.over()) {
      broken.converge(occurrence);
    }
  }

  // ---------------------------------------------------------------- what it cost

  /** Goodput since the change before this instant; from now on it counts anew. */
  private Goodput sinceChange(long nowPs) {
    if (nowPs > changedPs) {
      long bytes = broken.placedBytes();
      goodput = new Goodput(bytes - bytesAtChange, nowPs - changedPs);
      changedPs = nowPs;
      bytesAtChange = bytes;
    }
    return goodput;
  }

  /** What each occurrence has cost so far, in the order in which they began. */
  public List<FaultCost> costs(long nowPs) {
    List<FaultCost> costs = new ArrayList<>();
    for (Occurrence occurrence : occurrences) {
      costs.add(occurrence.cost(nowPs, broken.placedBytes()));
    }
    return costs;
  }
}
