package io.anabranch.fabric.peer.roce;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a responder answers, and what a requestor makes of it. */
class ResponderTest {
  private static final long NOW = 1_000_000;

  private static RoceConfig config(Recovery recovery, int reorder) {
    return new RoceConfig(4096, 1, 0, false, 4, 1, 2, recovery, reorder, false, null);
  }

  private static Responders responders(Recovery recovery, int reorder) {
    Responders responders = new Responders(config(recovery, reorder));
    responders.add(0);
    return responders;
  }

  private static final Recovery SELECTIVE =
      new Recovery.SelectiveRepeat(128, 100_000_000, 320_000_000, 3);

  @Test
  void everyFourthPacketAndTheLastOneOfAMessageAreAcknowledged() {
    Responders r = responders(new Recovery.GoBackN(), 0);
    for (int i = 0; i < 3; i++) {
      assertThat(r.arrived(0, i, false)).isEqualTo(Responders.TAKEN);
    }
    assertThat(r.arrived(0, 3, false)).isEqualTo(Responders.TAKEN | Responders.ACK);
    assertThat(r.arrived(0, 4, true)).isEqualTo(Responders.TAKEN | Responders.ACK);
  }

  @Test
  void aGapIsToldOnceAndNothingBeyondItIsTakenIn() {
    Responders r = responders(new Recovery.GoBackN(), 0);
    assertThat(r.arrived(0, 1, false)).isEqualTo(Responders.NAK);
    assertThat(r.arrived(0, 2, false)).isEqualTo(Responders.QUIET);
    assertThat(r.arrived(0, 3, true)).isEqualTo(Responders.QUIET);
    assertThat(r.due(0)).isZero();
    assertThat(r.arrived(0, 0, false)).isEqualTo(Responders.TAKEN);
    assertThat(r.arrived(0, 2, false)).isEqualTo(Responders.NAK);
  }

  @Test
  void copiesAreAcknowledgedSinceAnAcknowledgementMayBeLost() {
    Responders r = responders(new Recovery.GoBackN(), 0);
    r.arrived(0, 0, true);
    assertThat(r.arrived(0, 0, true)).isEqualTo(Responders.ACK);
    assertThat(r.due(0)).isEqualTo(1);
  }

  @Test
  void selectiveRepeatTakesInWhatIsBeyondAGapAndTellsEachTime() {
    Responders r = responders(SELECTIVE, 0);
    assertThat(r.arrived(0, 1, false)).isEqualTo(Responders.TAKEN | Responders.NAK);
    assertThat(r.arrived(0, 2, false)).isEqualTo(Responders.TAKEN | Responders.NAK);
    assertThat(r.arrived(0, 2, false)).isEqualTo(Responders.NAK);
    assertThat(r.arrived(0, 0, false)).isEqualTo(Responders.TAKEN | Responders.ACK);
    assertThat(r.due(0)).isEqualTo(3);
  }

  @Test
  void whoReordersTellsOnlyOfWhatIsFarAhead() {
    Responders r = responders(new Recovery.GoBackN(), 3);
    assertThat(r.arrived(0, 1, false)).isEqualTo(Responders.TAKEN);
    assertThat(r.arrived(0, 2, false)).isEqualTo(Responders.TAKEN);
    assertThat(r.arrived(0, 3, false)).isEqualTo(Responders.TAKEN | Responders.NAK);
    assertThat(r.arrived(0, 4, false)).isEqualTo(Responders.TAKEN);
    assertThat(r.arrived(0, 0, false)).isEqualTo(Responders.TAKEN | Responders.ACK);
    assertThat(r.due(0)).isEqualTo(5);
  }

  private static Requestors sending(Recovery recovery, int packets) {
    Requestors q = new Requestors(config(recovery, 0));
    q.add(0);
    q.post(0, 100);
    for (int i = 0; i < packets; i++) {
      assertThat(q.take(0, NOW)).isEqualTo(i);
      assertThat(q.isCopy(0, i)).isFalse();
    }
    return q;
  }

  @Test
  void goBackNSendsEverythingFromTheMissingPacketOn() {
    Requestors q = sending(new Recovery.GoBackN(), 10);
    q.acknowledged(0, 4, NOW);
    assertThat(q.missing(0, 4, 7, NOW)).isTrue();
    for (int i = 4; i < 11; i++) {
      assertThat(q.take(0, NOW)).isEqualTo(i);
      assertThat(q.isCopy(0, i)).isEqualTo(i < 10);
    }
  }

  @Test
  void selectiveRepeatSendsWhatIsMissingAndGoesOn() {
    Requestors q = sending(SELECTIVE, 10);
    q.acknowledged(0, 4, NOW);
    q.missing(0, 4, 5, NOW);
    q.missing(0, 4, 8, NOW);
    for (int expected : new int[] {4, 6, 7, 10, 11}) {
      assertThat(q.take(0, NOW)).isEqualTo(expected);
    }
  }

  @Test
  void noMoreIsUnderWayThanTheCap() {
    Requestors q = new Requestors(config(new Recovery.SelectiveRepeat(5, 1000, 2000, 1), 0));
    q.add(0);
    q.post(0, 100);
    for (int i = 0; i < 5; i++) {
      q.take(0, NOW);
    }
    assertThat(q.hasNext(0)).isFalse();
    q.acknowledged(0, 2, NOW);
    assertThat(q.take(0, NOW)).isEqualTo(5);
  }

  @Test
  void timeoutsAreLongerWithMoreUnderWay() {
    Requestors q = sending(SELECTIVE, 10);
    assertThat(q.deadlinePs(0)).isEqualTo(NOW + 100_000_000);
    q.acknowledged(0, 2, NOW);
    assertThat(q.deadlinePs(0)).isEqualTo(NOW + 320_000_000);
    q.acknowledged(0, 7, NOW + 5);
    assertThat(q.deadlinePs(0)).isEqualTo(NOW + 5 + 100_000_000);
    q.acknowledged(0, 10, NOW + 9);
    assertThat(q.deadlinePs(0)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void retriesAreCountedFromTheLastProgress() {
    Requestors q = sending(new Recovery.GoBackN(), 10);
    assertThat(q.timedOut(0, NOW)).isTrue();
    assertThat(q.timedOut(0, NOW)).isTrue();
    q.take(0, NOW);
    q.acknowledged(0, 1, NOW);
    assertThat(q.timedOut(0, NOW)).isTrue();
    assertThat(q.missing(0, 1, 1, NOW)).isTrue();
    assertThat(q.timedOut(0, NOW)).isFalse();
  }
}
