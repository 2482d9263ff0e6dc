package io.anabranch.tests.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.fabric.Fabric;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What NSCC makes of a last hop that several senders share. */
class NsccInFabricTest {
  private static final double GOODPUT = 400e9 / 8 * 4096 / 4160;
  private static final long MILLISECOND_PS = 1_000_000_000L;

  private static long[] acked(Fabric fabric) {
    long[] bytes = new long[fabric.flows().count()];
    for (int flow = 0; flow < bytes.length; flow++) {
      bytes[flow] = fabric.flows().ackedBytes(flow);
    }
    return bytes;
  }

  private static double jain(double[] shares) {
    double sum = 0;
    double squares = 0;
    for (double share : shares) {
      sum += share;
      squares += share * share;
    }
    return sum * sum / (shares.length * squares);
  }

  private static double[] between(long[] from, long[] to) {
    double[] difference = new double[from.length];
    for (int i = 0; i < from.length; i++) {
      difference[i] = to[i] - from[i];
    }
    return difference;
  }

  /** max_wnd is 1.5 BDP of 400 Gb/s and 8.338 us: a lone flow never leaves it. */
  @Test
  void aLoneFlowKeepsTheWholeWindow() {
    Fabrics fabrics = new Fabrics();
    fabrics.traffic.add(0, 17, 8 << 20, 0);
    Fabric fabric = fabrics.build();
    // 8337.92 ns count as 8337 or 8338, by where in a nanosecond the packet left.
    long least = (long) (1.5 * 50 * 8_337);
    long maxWnd = (long) (1.5 * 50 * 8_338);
    for (int us = 10; us < 170; us += 10) {
      fabric.runTo(us * 1_000_000L);
      fabric.windows((from, to, cwnd, inflight) -> {
        assertThat(cwnd).isIn(least, maxWnd);
        assertThat(inflight).isLessThanOrEqualTo(cwnd);
      });
    }
  }

  /** Two flows share a last hop; the second comes 100 us later. */
  @Test
  void twoFlowsComeToEqualShares() {
    Fabrics fabrics = new Fabrics();
    fabrics.traffic.add(16, 0, 200 << 20, 0);
    fabrics.traffic.add(32, 0, 200 << 20, 100_000_000L);
    Fabric fabric = fabrics.build();
    fabric.runTo(MILLISECOND_PS);
    long[] from = acked(fabric);
    fabric.runTo(2 * MILLISECOND_PS);
    double[] shares = between(from, acked(fabric));
    assertThat(jain(shares)).as("from 0.9 ms after the second began").isGreaterThanOrEqualTo(0.98);
    assertThat(shares[0] + shares[1]).isGreaterThan(0.95 * GOODPUT / 1000);
  }

  /** The one that stays gives up half and has it back when the other has gone. */
  @Test
  void aFlowThatStaysGivesAndTakesBack() {
    Fabrics fabrics = new Fabrics();
    fabrics.traffic.add(16, 0, 400 << 20, 0);
    fabrics.traffic.add(32, 0, 24 << 20, MILLISECOND_PS);
    Fabric fabric = fabrics.build();
    fabric.runTo(MILLISECOND_PS / 2);
    long alone = fabric.flows().ackedBytes(0);
    fabric.runTo(MILLISECOND_PS);
    alone = fabric.flows().ackedBytes(0) - alone;
    assertThat(alone / (GOODPUT / 2000)).as("alone").isBetween(0.99, 1.01);
    fabric.runTo(MILLISECOND_PS * 13 / 10);
    long shared = fabric.flows().ackedBytes(0);
    fabric.runTo(MILLISECOND_PS * 19 / 10);
    assertThat(fabric.flows().finishPs(1)).as("both still run").isNegative();
    shared = fabric.flows().ackedBytes(0) - shared;
    assertThat(shared / (GOODPUT * 0.6 / 1000)).as("shared").isBetween(0.4, 0.6);
    while (fabric.flows().finishPs(1) < 0) {
      fabric.runTo(fabric.nowPs() + MILLISECOND_PS / 10);
    }
    long left = fabric.nowPs() + MILLISECOND_PS / 10;
    fabric.runTo(left);
    long before = fabric.flows().ackedBytes(0);
    fabric.runTo(left + MILLISECOND_PS / 2);
    double after = (fabric.flows().ackedBytes(0) - before) / (GOODPUT / 2000);
    assertThat(after).as("0.1 ms after the other has gone").isBetween(0.95, 1.01);
  }

  /**
   * The last hop is full and every sender has its share, over the middle half of the run: eight and
   * thirty-two of other racks, and of all racks, whose RTTs differ by two; 127 of other racks. A
   * share is a random walk about the mean with a memory of about half a millisecond, so runs are as
   * long as it takes to average it out.
   */
  @ParameterizedTest
  @CsvSource({
    "8, 8, 64, 2048",
    "8, 8, 1, 2048",
    "32, 8, 64, 8192",
    "32, 8, 1, 8192",
    "127, 16, 64, 8192"
  })
  void incastsFillTheLinkFairly(int senders, int leaves, int first, int mib) {
    Fabrics fabrics = new Fabrics();
    fabrics.leaves = leaves;
    fabrics.check = false;
    long each = ((long) mib << 20) / senders;
    for (int i = 0; i < senders; i++) {
      fabrics.traffic.add(first + i, 0, each, 0);
    }
    Fabric fabric = fabrics.build();
    long runPs = (long) ((double) each * senders / GOODPUT * 1e12);
    fabric.runTo(runPs / 4);
    long[] from = acked(fabric);
    fabric.runTo(runPs * 3 / 4);
    double[] shares = between(from, acked(fabric));
    double sum = 0;
    for (double share : shares) {
      sum += share;
    }
    assertThat(sum).isGreaterThanOrEqualTo(0.95 * GOODPUT * (runPs / 2.0) / 1e12);
    double mean = sum / senders;
    for (double share : shares) {
      assertThat(share).isBetween(0.9 * mean, 1.1 * mean);
    }
  }
}
