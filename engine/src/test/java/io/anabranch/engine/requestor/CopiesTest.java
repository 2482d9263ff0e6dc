package io.anabranch.engine.requestor;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.engine.config.EvTable;
import org.junit.jupiter.api.Test;

class CopiesTest {
  private static final EvTable EVS = EvTable.spread(2, 4, 1);

  private final SpareArrays spares = new SpareArrays();
  private final Copies copies = new Copies(EVS, spares);

  private void send(int packets) {
    for (int i = 0; i < packets; i++) {
      long seq = copies.next();
      copies.sent(seq, (int) seq % EVS.size(), 2 * seq, 100 + seq);
    }
  }

  private void acknowledge() {
    for (long seq = copies.una(); seq < copies.next(); seq++) {
      copies.acknowledge(seq);
    }
    copies.advance(copies.next());
  }

  @Test
  void whatIsReleasedIsForgottenAndTheNextPacketsAreKeptAsBefore() {
    for (int burst = 1; burst < 200; burst += 13) {
      final long first = copies.next();
      send(burst);
      assertThat(copies.inflightCount()).isEqualTo(burst);
      for (long seq = first; seq < copies.next(); seq++) {
        assertThat(copies.held(seq)).isTrue();
        assertThat(copies.acknowledged(seq)).isFalse();
        assertThat(copies.count(seq)).isEqualTo(1);
        assertThat(copies.sentNs(seq)).isEqualTo(100 + seq);
        assertThat(copies.ev(seq)).isEqualTo((int) seq % EVS.size());
      }
      assertThat(copies.oldestSent()).isEqualTo(first);
      acknowledge();
      copies.release();
      assertThat(copies.held(copies.next() - 1)).isFalse();
      assertThat(copies.inflightCount()).isZero();
    }
  }

  @Test
  void nothingIsReleasedWhileSomethingIsNotAcknowledged() {
    send(3);
    copies.release();
    assertThat(copies.held(0)).isTrue();
    assertThat(copies.sentNs(2)).isEqualTo(102);
  }

  @Test
  void arraysThatWereGivenBackAreUsedAgain() {
    long[] array = spares.take(64);
    spares.give(array);
    assertThat(spares.take(32)).isNotSameAs(array);
    assertThat(spares.take(64)).isSameAs(array);
    assertThat(spares.take(64)).isNotSameAs(array);
  }
}
