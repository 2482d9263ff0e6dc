package io.anabranch.fabric.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EventQueueTest {
  private record Event(long atPs, int target) {}

  /** Spans within a bucket, a turn, the second calendar, and beyond it. */
  private static final long[] SPANS_PS = {
    100, 1L << 13, 1L << 20, 1L << 25, 1L << 30, 1L << 36, 1L << 39, 1L << 41
  };

  @Test
  void takesEventsByTimeThenTargetAsASortedQueueDoes() {
    for (long seed = 0; seed < 40; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      EventQueue queue = new EventQueue();
      PriorityQueue<Event> reference =
          new PriorityQueue<>(
              Comparator.comparingLong(Event::atPs).thenComparingInt(Event::target));
      int nextTarget = 0;
      for (int step = 0; step < 3000; step++) {
        int adds = random.nextInt(4);
        for (int i = 0; i < adds; i++) {
          long span = SPANS_PS[random.nextInt(SPANS_PS.length)];
          Event e = new Event(queue.nowPs() + random.nextLong(span), nextTarget++ * 7 & 0xfff_ffff);
          queue.add(e.atPs, e.target);
          reference.add(e);
        }
        int takes = random.nextInt(4);
        for (int i = 0; i < takes && !reference.isEmpty(); i++) {
          Event expected = reference.remove();
          assertThat(queue.take(Long.MAX_VALUE)).as("seed " + seed).isEqualTo(expected.target);
          assertThat(queue.nowPs()).isEqualTo(expected.atPs);
        }
        assertThat(queue.size()).isEqualTo(reference.size());
      }
      while (!reference.isEmpty()) {
        assertThat(queue.take(Long.MAX_VALUE)).isEqualTo(reference.remove().target);
      }
      assertThat(queue.take(Long.MAX_VALUE)).isEqualTo(-1);
    }
  }

  @Test
  void stopsBeforeATimeAndGoesOnFromThere() {
    for (long seed = 0; seed < 40; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      EventQueue queue = new EventQueue();
      PriorityQueue<Event> reference =
          new PriorityQueue<>(
              Comparator.comparingLong(Event::atPs).thenComparingInt(Event::target));
      long untilPs = 0;
      int nextTarget = 0;
      for (int step = 0; step < 400; step++) {
        for (int i = random.nextInt(6); i > 0; i--) {
          long span = SPANS_PS[random.nextInt(6)];
          Event e =
              new Event(Math.max(untilPs, queue.nowPs()) + random.nextLong(span), nextTarget++);
          queue.add(e.atPs, e.target);
          reference.add(e);
        }
        untilPs += random.nextLong(SPANS_PS[random.nextInt(6)]);
        while (!reference.isEmpty() && reference.element().atPs < untilPs) {
          assertThat(queue.take(untilPs)).as("seed " + seed).isEqualTo(reference.remove().target);
        }
        assertThat(queue.take(untilPs)).isEqualTo(-1);
      }
    }
  }

  @Test
  void tiesComeInAnOrderDrawnFromTheSeed() {
    List<Integer> plain = ties(0);
    assertThat(plain).isSorted();
    assertThat(ties(5))
        .isEqualTo(ties(5))
        .isNotEqualTo(plain)
        .containsExactlyInAnyOrderElementsOf(plain);
    assertThat(ties(6)).isNotEqualTo(ties(5));
  }

  private static List<Integer> ties(long seed) {
    EventQueue queue = new EventQueue(seed);
    for (int target = 0; target < 50; target++) {
      queue.add(77, target);
    }
    List<Integer> order = new ArrayList<>();
    for (int target = queue.take(78); target >= 0; target = queue.take(78)) {
      order.add(target);
    }
    return order;
  }

  @Test
  void refusesThePast() {
    EventQueue queue = new EventQueue();
    queue.add(1_000_000, 1);
    assertThat(queue.take(2_000_000)).isEqualTo(1);
    assertThatThrownBy(() -> queue.add(999_999, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("999999");
  }
}
