package io.anabranch.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The way to the driver's thread. */
class CommandQueueTest {
  @Test
  void firstInFirstOutAndBounded() {
    CommandQueue queue = new CommandQueue(16);
    long in = 0;
    long out = 0;
    for (int round = 0; round < 10; round++) {
      for (int i = 0; i < 16; i++) {
        assertThat(queue.offer("x", in++)).isTrue();
      }
      assertThat(queue.offer("x", in)).isFalse();
      for (int i = 0; i < 11 + round % 2; i++) {
        assertThat(queue.poll()).isEqualTo("x");
        assertThat(queue.argument()).isEqualTo(out++);
      }
      while (queue.poll() != null) {
        assertThat(queue.argument()).isEqualTo(out++);
      }
    }
    assertThat(out).isEqualTo(in);
  }

  @Test
  void manyProducersEachInOrder() throws Exception {
    int producers = 4;
    int each = 20_000;
    CommandQueue queue = new CommandQueue(64);
    try (ExecutorService executor = Executors.newFixedThreadPool(producers)) {
      List<Future<?>> running = new ArrayList<>();
      for (int p = 0; p < producers; p++) {
        Integer name = p;
        running.add(
            executor.submit(() -> {
              for (int i = 0; i < each; i++) {
                while (!queue.offer(name, i)) {
                  Spin.once();
                }
              }
            }));
      }
      long[] next = new long[producers];
      for (int taken = 0; taken < producers * each; ) {
        if (queue.poll() instanceof Integer name) {
          if (queue.argument() != next[name]++) {
            throw new AssertionError("producer " + name + " out of order");
          }
          taken++;
        } else {
          Spin.once();
        }
      }
      for (Future<?> future : running) {
        future.get();
      }
    }
    assertThat(queue.poll()).isNull();
  }
}
