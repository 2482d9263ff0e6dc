package io.anabranch.fabric.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Ties, stops and edges of buckets; the reference is a sorted map of sorted sets. */
class EventQueueTiesTest {
  private static final long TURN_PS = EventQueue.WIDTH_PS << 12;
  private static final long FAR_PS = TURN_PS << 12;

  private record Taken(long atPs, int target) {}

  @Test
  void permutedTiesAreTheSameSetAtEachTimeInAnotherOrder() {
    List<Taken> plain = run(0);
    List<Taken> permuted = run(11);
    assertThat(byTime(permuted)).isEqualTo(byTime(plain));
    assertThat(permuted.stream().map(Taken::atPs).toList()).isSorted();
    assertThat(permuted).isNotEqualTo(plain).isEqualTo(run(11)).isNotEqualTo(run(12));
  }

  private static Map<Long, Set<Integer>> byTime(List<Taken> all) {
    Map<Long, Set<Integer>> map = new TreeMap<>();
    for (Taken t : all) {
      map.computeIfAbsent(t.atPs, at -> new TreeSet<>()).add(t.target);
    }
    return map;
  }

  /** What is added does not depend on the order in which ties are taken. */
  private static List<Taken> run(long tieSeed) {
    EventQueue queue = new EventQueue(tieSeed);
    SplittableRandom random = new SplittableRandom(3);
    List<Taken> taken = new ArrayList<>();
    long fromPs = 0;
    long[] spans = {3, 2 * EventQueue.WIDTH_PS, 2 * TURN_PS, 2 * FAR_PS};
    for (int round = 0; round < 60; round++) {
      for (int i = 0; i < 20; i++) {
        long atPs = fromPs + random.nextLong(spans[i % spans.length]);
        for (int tie = 0; tie < 6; tie++) {
          queue.add(atPs, round * 1000 + i * 10 + tie);
        }
      }
      fromPs += random.nextLong(spans[round % spans.length]);
      takeTo(queue, fromPs, taken);
    }
    takeTo(queue, Long.MAX_VALUE, taken);
    assertThat(queue.size()).isZero();
    assertThat(queue.taken()).isEqualTo(60 * 20 * 6).isEqualTo(taken.size());
    return taken;
  }

  private static void takeTo(EventQueue queue, long untilPs, List<Taken> taken) {
    for (int t = queue.take(untilPs); t >= 0; t = queue.take(untilPs)) {
      assertThat(queue.nowPs()).isLessThan(untilPs);
      taken.add(new Taken(queue.nowPs(), t));
    }
  }

  @Test
  void kindsOfEventsKeepTheirOrderWhenTiesArePermuted() {
    EventQueue queue = new EventQueue(5);
    for (int kind = 3; kind >= 0; kind--) {
      for (int id = 0; id < 20; id++) {
        queue.add(42, kind << 28 | id);
      }
    }
    List<Integer> kinds = new ArrayList<>();
    for (int t = queue.take(43); t >= 0; t = queue.take(43)) {
      kinds.add(t >>> 28);
    }
    assertThat(kinds).hasSize(80).isSorted();
  }

  @Test
  void edgesOfBucketsTurnsAndCalendarsAreInOrder() {
    List<Long> times = new ArrayList<>();
    for (long edgePs : new long[] {EventQueue.WIDTH_PS, TURN_PS, FAR_PS, 5 * FAR_PS}) {
      for (long offPs = -1; offPs <= 1; offPs++) {
        times.add(edgePs + offPs);
      }
    }
    EventQueue queue = new EventQueue();
    for (int i = times.size() - 1; i >= 0; i--) {
      queue.add(times.get(i), i);
    }
    for (int i = 0; i < times.size(); i++) {
      assertThat(queue.take(times.get(i))).as("nothing before it").isEqualTo(-1);
      assertThat(queue.take(times.get(i) + 1)).isEqualTo(i);
      assertThat(queue.nowPs()).isEqualTo(times.get(i));
    }
  }

  @Test
  void refusesWhatLiesBeforeAStop() {
    EventQueue queue = new EventQueue();
    assertThat(queue.take(5_000)).isEqualTo(-1);
    assertThatThrownBy(() -> queue.add(4_999, 1)).isInstanceOf(IllegalArgumentException.class);
    queue.add(5_000, 1);
    assertThat(queue.take(5_001)).isEqualTo(1);
    assertThat(queue.nowPs()).isEqualTo(5_000);
  }
}
