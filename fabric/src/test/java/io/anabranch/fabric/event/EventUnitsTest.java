package io.anabranch.fabric.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anabranch.fabric.event.EventQueue.Units;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Units that send each other events, as nodes send packets; the reference takes all of them
 * strictly by time and target.
 */
class EventUnitsTest {
  private static final int UNITS = 7;
  private static final int FOR_ALL = 1 << 20;
  private static final long LOOKAHEAD_PS = 5 * EventQueue.WIDTH_PS + 1234;

  private record Event(long atPs, int target, long a, long b) {}

  /** The unit of a target is its remainder. */
  private static class Remainders implements Units {
    final List<Long> ended = new ArrayList<>();
    int begun;

    @Override
    public int count() {
      return UNITS;
    }

    @Override
    public int of(int target) {
      return target % UNITS;
    }

    @Override
    public int firstForAll() {
      return FOR_ALL;
    }

    @Override
    public void begins(int unit, int[] targets, long[] with, int first, int end) {
      begun++;
      assertThat(end).isGreaterThan(first);
      for (int i = first; i < end; i++) {
        assertThat(targets[i] % UNITS).isEqualTo(unit);
        assertThat(with[2 * i]).isEqualTo(-with[2 * i + 1]);
      }
    }

    @Override
    public void ended(int unit, long endPs) {
      ended.add(endPs);
    }
  }

  /** What an event causes follows from it alone, whenever it is taken. */
  private static List<Event> causedBy(Event cause) {
    List<Event> all = new ArrayList<>();
    SplittableRandom random = new SplittableRandom(Streams.mix(cause.atPs ^ cause.target));
    int n = cause.target >= FOR_ALL ? 3 : random.nextInt(100) < 45 ? 2 : random.nextInt(2);
    for (int i = 0; i < n && cause.atPs < 3_000_000; i++) {
      int id = random.nextInt(100_000);
      boolean own = random.nextBoolean() && cause.target < FOR_ALL;
      int target = id * UNITS + (own ? cause.target : random.nextInt(UNITS)) % UNITS;
      long later = own ? random.nextLong(3) * random.nextLong(40_000) : random.nextLong(300_000);
      long fromPs = own || cause.target >= FOR_ALL ? 1 : LOOKAHEAD_PS;
      all.add(new Event(cause.atPs + fromPs + later, target, id, -id));
    }
    return all;
  }

  private static List<Event> first(long seed) {
    List<Event> all = new ArrayList<>();
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 40; i++) {
      all.add(new Event(random.nextLong(100_000), random.nextInt(FOR_ALL / 2), i, -i));
    }
    for (int i = 0; i < 5; i++) {
      all.add(new Event(random.nextLong(2_000_000), FOR_ALL + i, 0, 0));
    }
    return all;
  }

  /** A target has at most one event at an instant. */
  private static boolean isNew(Map<Long, List<Integer>> known, Event e) {
    List<Integer> then = known.computeIfAbsent(e.atPs, at -> new ArrayList<>());
    return !then.contains(e.target) && then.add(e.target);
  }

  private static List<List<Event>> byReference(long seed) {
    PriorityQueue<Event> queue =
        new PriorityQueue<>(Comparator.comparingLong(Event::atPs).thenComparingInt(Event::target));
    TreeMap<Long, List<Integer>> known = new TreeMap<>();
    first(seed).stream().filter(e -> isNew(known, e)).forEach(queue::add);
    List<List<Event>> byUnit = lists();
    while (!queue.isEmpty()) {
      Event e = queue.remove();
      byUnit.get(e.target >= FOR_ALL ? UNITS : e.target % UNITS).add(e);
      causedBy(e).stream().filter(c -> isNew(known, c)).forEach(queue::add);
    }
    return byUnit;
  }

  private static List<List<Event>> lists() {
    List<List<Event>> lists = new ArrayList<>();
    for (int i = 0; i <= UNITS; i++) {
      lists.add(new ArrayList<>());
    }
    return lists;
  }

  @Test
  void eachUnitTakesItsEventsInOrderWhereverWindowsAreCut() {
    int events = 0;
    for (long seed = 0; seed < 30; seed++) {
      List<List<Event>> reference = byReference(seed);
      events += reference.stream().mapToInt(List::size).sum();
      for (long stepPs : new long[] {Long.MAX_VALUE / 2, 1_000_000, 30_001, 700}) {
        assertThat(run(seed, stepPs)).as("seed " + seed + ", " + stepPs).isEqualTo(reference);
      }
    }
    assertThat(events).isGreaterThan(20_000);
  }

  private static List<List<Event>> run(long seed, long stepPs) {
    Remainders units = new Remainders();
    EventQueue queue = new EventQueue(0, units, LOOKAHEAD_PS);
    TreeMap<Long, List<Integer>> known = new TreeMap<>();
    first(seed).stream().filter(e -> isNew(known, e)).forEach(e -> add(queue, e));
    List<List<Event>> byUnit = lists();
    long[] reachedPs = new long[UNITS];
    for (long until = stepPs; queue.size() > 0; until += stepPs) {
      int unit = -1;
      for (int t = queue.take(until); t >= 0; t = queue.take(until)) {
        Event e =
            new Event(queue.nowPs(), t, t < FOR_ALL ? queue.a() : 0, t < FOR_ALL ? queue.b() : 0);
        assertThat(e.atPs).isLessThan(until);
        if (t >= FOR_ALL) {
          for (long reached : reachedPs) {
            assertThat(reached).as("no unit is past what concerns all").isLessThanOrEqualTo(e.atPs);
          }
          byUnit.get(UNITS).add(e);
        } else {
          unit = t % UNITS;
          reachedPs[unit] = e.atPs;
          byUnit.get(unit).add(e);
        }
        causedBy(e).stream().filter(c -> isNew(known, c)).forEach(c -> add(queue, c));
      }
    }
    assertThat(units.ended).hasSize(units.begun);
    return byUnit;
  }

  private static void add(EventQueue queue, Event e) {
    if (e.target >= FOR_ALL) {
      queue.add(e.atPs, e.target);
    } else {
      queue.add(e.atPs, e.target, e.a, e.b);
    }
  }

  @Test
  void unitsAreRunOneAfterAnotherInAWindow() {
    EventQueue queue = new EventQueue(0, new Remainders(), LOOKAHEAD_PS);
    for (int i = 0; i < 6; i++) {
      queue.add(100 + i, i % 2 == 0 ? 7 : 8);
    }
    List<Integer> order = new ArrayList<>();
    for (int t = queue.take(1000); t >= 0; t = queue.take(1000)) {
      order.add(t);
    }
    assertThat(order).containsExactly(7, 7, 7, 8, 8, 8);
  }

  @Test
  void refusesAnEventForAnotherUnitWithinTheLookahead() {
    EventQueue queue = new EventQueue(0, new Remainders(), LOOKAHEAD_PS);
    queue.add(10, 1);
    assertThat(queue.take(Long.MAX_VALUE)).isEqualTo(1);
    queue.add(20, 1 + UNITS);
    assertThatThrownBy(() -> queue.add(20, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("another unit");
    assertThatThrownBy(() -> queue.add(20, FOR_ALL)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void windowsEndAtTheSamePlacesWhateverTheTimeInThem() {
    EventQueue queue = new EventQueue(0, new Remainders(), LOOKAHEAD_PS);
    long windowPs = 5 * EventQueue.WIDTH_PS;
    assertThat(queue.windowEndPs(0)).isEqualTo(windowPs);
    assertThat(queue.windowEndPs(windowPs - 1)).isEqualTo(windowPs);
    assertThat(queue.windowEndPs(windowPs)).isEqualTo(2 * windowPs);
    long turnPs = EventQueue.WIDTH_PS << 12;
    assertThat(queue.windowEndPs(turnPs - 1)).as("a turn ends a window").isEqualTo(turnPs);
    assertThat(queue.windowEndPs(turnPs)).isEqualTo(turnPs + windowPs);
  }

  @Test
  void refusesALookaheadBelowABucket() {
    assertThatThrownBy(() -> new EventQueue(0, new Remainders(), EventQueue.WIDTH_PS - 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lookaheadPs: 8191, allowed at least 8192");
  }
}
