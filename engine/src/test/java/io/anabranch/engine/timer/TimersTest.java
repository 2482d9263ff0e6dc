package io.anabranch.engine.timer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TimersTest {
  @Test
  void theEarliestIsThatOfThoseThatRun() {
    TimerName[] names = TimerName.values();
    for (long seed = 0; seed < 50; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Timers timers = new Timers();
      EnumMap<TimerName, Long> running = new EnumMap<>(TimerName.class);
      for (int step = 0; step < 400; step++) {
        TimerName name = names[random.nextInt(names.length)];
        int what = random.nextInt(20);
        if (what == 0) {
          timers.clear();
          running.clear();
        } else if (what < 8) {
          timers.stop(name);
          running.remove(name);
        } else {
          long atNs = random.nextLong(20);
          timers.set(name, atNs);
          running.put(name, atNs);
        }
        if (random.nextBoolean()) {
          long earliestNs = Timers.NEVER;
          for (long atNs : running.values()) {
            earliestNs = Math.min(earliestNs, atNs);
          }
          assertThat(timers.earliestNs()).as("seed " + seed).isEqualTo(earliestNs);
        }
      }
    }
  }
}
