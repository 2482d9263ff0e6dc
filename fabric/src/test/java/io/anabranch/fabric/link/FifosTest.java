package io.anabranch.fabric.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class FifosTest {
  private static final int LISTS = 20;

  private record Pair(long a, long b) {}

  @Test
  void listsHoldWhatWasPutInThem() {
    SplittableRandom random = new SplittableRandom(1);
    Fifos fifos = new Fifos();
    long[] lists = new long[LISTS];
    List<ArrayDeque<Pair>> reference = new ArrayList<>();
    for (int i = 0; i < LISTS; i++) {
      lists[i] = Fifos.EMPTY;
      reference.add(new ArrayDeque<>());
    }
    int removedLast = 0;
    for (int step = 0; step < 60_000; step++) {
      int i = random.nextInt(LISTS);
      ArrayDeque<Pair> other = reference.get(i);
      // Now mostly more, now mostly fewer.
      boolean more = random.nextInt(10) < (step / 5_000 % 2 == 0 ? 7 : 3);
      if (more || other.isEmpty()) {
        Pair pair = new Pair(random.nextLong(), random.nextLong());
        lists[i] = fifos.add(lists[i], pair.a, pair.b);
        other.addLast(pair);
      } else if (random.nextInt(4) == 0) {
        assertThat(new Pair(fifos.last(lists[i]), fifos.lastOther(lists[i])))
            .isEqualTo(other.removeLast());
        lists[i] = fifos.removeLast(lists[i]);
        removedLast++;
      } else {
        assertThat(new Pair(fifos.first(lists[i]), fifos.firstOther(lists[i])))
            .isEqualTo(other.removeFirst());
        lists[i] = fifos.removeFirst(lists[i]);
      }
      assertThat(lists[i] == Fifos.EMPTY).isEqualTo(other.isEmpty());
      if (step % 100 == 0) {
        assertThat(walk(fifos, lists[i])).isEqualTo(other.stream().map(Pair::a).toList());
      }
    }
    assertThat(removedLast).isGreaterThan(1000);
  }

  private static List<Long> walk(Fifos fifos, long list) {
    List<Long> all = new ArrayList<>();
    for (int at = Fifos.head(list); at >= 0; at = fifos.next(list, at)) {
      all.add(fifos.at(at));
    }
    return all;
  }
}
