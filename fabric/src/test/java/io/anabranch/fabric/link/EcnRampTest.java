package io.anabranch.fabric.link;

import static io.anabranch.fabric.link.PortDriver.TO_SWITCH;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Marks by the data bytes that are left when a packet leaves its queue. */
class EcnRampTest {
  private static final long LOW_BYTES = 1000;
  private static final long HIGH_BYTES = 3000;
  private static final int TRIALS = 4000;
  private static final int CE = 3;

  @Test
  void neverAtOrBelowLowAlwaysAtOrAboveHigh() {
    assertThat(marked(0, 1)).isZero();
    assertThat(marked(1, 1)).isZero();
    assertThat(marked((int) LOW_BYTES, 1)).isZero();
    assertThat(marked((int) HIGH_BYTES, 1)).isEqualTo(TRIALS);
    assertThat(marked((int) HIGH_BYTES + 1, 1)).isEqualTo(TRIALS);
  }

  @Test
  void linearBetween() {
    for (int leftBytes : new int[] {1200, 1500, 2000, 2500, 2990}) {
      double p = (double) (leftBytes - LOW_BYTES) / (HIGH_BYTES - LOW_BYTES);
      double bound = 5 * Math.sqrt(TRIALS * p * (1 - p));
      assertThat((double) marked(leftBytes, 1))
          .as(leftBytes + " bytes left")
          .isBetween(TRIALS * p - bound, TRIALS * p + bound);
    }
  }

  @Test
  void onlyPacketsThatMayBeMarkedAre() {
    assertThat(marked((int) HIGH_BYTES, 0)).as("not ECT").isZero();
    assertThat(marked((int) HIGH_BYTES, 2)).as("ECT(0)").isEqualTo(TRIALS);
  }

  @Test
  void aStepMarksAboveItAndNotAtIt() {
    EcnRamp step = new EcnRamp(2000, 2000);
    assertThat(marked(2000, 1, step)).isZero();
    assertThat(marked(2001, 1, step)).isEqualTo(TRIALS);
  }

  private static int marked(int leftBytes, int ecn) {
    return marked(leftBytes, ecn, new EcnRamp(LOW_BYTES, HIGH_BYTES));
  }

  /** Of packets that each leave so many bytes behind, how many are marked. */
  private static int marked(int leftBytes, int ecn, EcnRamp ramp) {
    PortDriver d = new PortDriver(new QueueConfig(100_000, 100_000, ramp, Overflow.TRIM, 1));
    int marked = 0;
    long atPs = 0;
    for (int i = 0; i < TRIALS; i++) {
      d.arrivals.clear();
      d.ports.enqueue(TO_SWITCH, d.data(100), atPs);
      int probe = d.packet(500, Packets.DATA, ecn);
      d.ports.enqueue(TO_SWITCH, probe, atPs);
      if (leftBytes > 0) {
        d.ports.enqueue(TO_SWITCH, d.data(leftBytes), atPs);
      }
      // Control that waits is not counted.
      d.ports.enqueue(TO_SWITCH, d.control(64), atPs);
      atPs += 10_000_000;
      d.runTo(atPs);
      PortDriver.Arrival seen = d.arrivals.get(2);
      assertThat(seen.packet()).isEqualTo(probe);
      assertThat(seen.ecn()).isIn(ecn, CE);
      marked += seen.ecn() == CE ? 1 : 0;
    }
    assertThat(d.ports.marked()).isEqualTo(marked);
    assertThat(d.ports.marked(TO_SWITCH)).isEqualTo(marked);
    return marked;
  }
}
