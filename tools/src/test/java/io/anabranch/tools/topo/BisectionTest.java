package io.anabranch.tools.topo;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.link.Overflow;
import io.anabranch.fabric.link.QueueConfig;
import io.anabranch.fabric.topology.Forwarding;
import io.anabranch.fabric.topology.GraphConfig;
import io.anabranch.fabric.topology.GraphConfig.Cable;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BisectionTest {
  private static final QueueConfig QUEUE = new QueueConfig(1, 1, null, Overflow.TRIM, 0);

  private static LinkConfig gbps(long rate) {
    return new LinkConfig(rate * 1_000_000_000, 0);
  }

  private static TopologyFigures figures(int hosts, int switches, List<Cable> cables) {
    List<String> names = IntStream.range(0, switches).mapToObj(s -> "s" + s).toList();
    return TopologyFigures.of(
        new GraphConfig(hosts, names, cables, QUEUE, QUEUE, 0, Forwarding.STORE_AND_FORWARD));
  }

  /** One host a switch. */
  private static List<Cable> hostsOf(int switches, long rate) {
    List<Cable> cables = new ArrayList<>();
    for (int s = 0; s < switches; s++) {
      cables.add(new Cable(s, switches + s, gbps(rate)));
    }
    return cables;
  }

  /** Two cables of a ring are cut, whatever the hosts' numbers along it. */
  @Test
  void aRingIsCutTwice() {
    int[] along = {0, 4, 2, 6, 1, 5, 3, 7};
    for (int[] order : new int[][] {IntStream.range(0, 8).toArray(), along}) {
      List<Cable> ring = hostsOf(8, 400);
      for (int i = 0; i < 8; i++) {
        ring.add(new Cable(8 + order[i], 8 + order[(i + 1) % 8], gbps(100)));
      }
      TopologyFigures f = figures(8, 8, ring);
      assertThat(f.bisectionGbps()).isEqualTo(200);
      assertThat(f.bisectionBy()).isEqualTo("all-halves");
    }
  }

  /** A complete graph: n² / 4 cables join the halves. A hypercube of dimension d: 2^(d − 1). */
  @Test
  void regularGraphsAreAsTheirFormulasSay() {
    for (int n : new int[] {2, 4, 6, 8}) {
      List<Cable> complete = hostsOf(n, 10_000);
      for (int a = 0; a < n; a++) {
        for (int b = 0; b < a; b++) {
          complete.add(new Cable(n + a, n + b, gbps(10)));
        }
      }
      assertThat(figures(n, n, complete).bisectionGbps()).isEqualTo(10.0 * n * n / 4);
    }
    for (int d = 1; d <= 4; d++) {
      int n = 1 << d;
      List<Cable> cube = hostsOf(n, 10_000);
      for (int a = 0; a < n; a++) {
        for (int bit = 1; bit < n; bit <<= 1) {
          if ((a & bit) == 0) {
            cube.add(new Cable(n + a, n + (a | bit), gbps(10)));
          }
        }
      }
      assertThat(figures(n, n, cube).bisectionGbps()).isEqualTo(10.0 * n / 2);
    }
  }

  /** Of a line of 5 hosts one half has 2: one cable is cut. */
  @Test
  void anOddHostIsInOneOfTheHalves() {
    List<Cable> line = hostsOf(5, 400);
    for (int s = 0; s < 4; s++) {
      line.add(new Cable(5 + s, 5 + s + 1, gbps(100)));
    }
    assertThat(figures(5, 5, line).bisectionGbps()).isEqualTo(100);
  }

  /** 64 switches in a ring have too many halves; neighbours' are the worst ones here. */
  @Test
  void whereHalvesAreTooManyNeighboursAreTried() {
    List<Cable> ring = hostsOf(64, 400);
    for (int s = 0; s < 64; s++) {
      ring.add(new Cable(64 + s, 64 + (s + 1) % 64, gbps(100)));
    }
    TopologyFigures f = figures(64, 64, ring);
    assertThat(f.bisectionGbps()).isEqualTo(200);
    assertThat(f.bisectionBy()).isEqualTo("halves-in-order");
  }

  /** Many hosts of few kinds are still tried in full: 64 on each of two switches. */
  @Test
  void hostsAlikeAreNotToldApart() {
    List<Cable> cables = new ArrayList<>();
    for (int host = 0; host < 128; host++) {
      cables.add(new Cable(host, 128 + host % 2, gbps(100)));
    }
    cables.add(new Cable(128, 129, gbps(800)));
    TopologyFigures f = figures(128, 2, cables);
    assertThat(f.bisectionGbps()).isEqualTo(800);
    assertThat(f.bisectionBy()).isEqualTo("all-halves");
  }

  /** Random graphs against the least cut over all sets of switches and all halves. */
  @Test
  void theLeastFlowIsTheLeastCut() {
    SplittableRandom random = new SplittableRandom(7);
    for (int turn = 0; turn < 20; turn++) {
      int n = 6;
      List<Cable> cables = new ArrayList<>();
      long[][] between = new long[n][n];
      int[] at = new int[n];
      for (int host = 0; host < n; host++) {
        at[host] = random.nextInt(n);
        cables.add(new Cable(host, n + at[host], gbps(100)));
      }
      for (int s = 0; s < n; s++) {
        for (int t = s + 1; t < n; t++) {
          long rate = t == s + 1 ? 1 + random.nextInt(99) : random.nextInt(60);
          if (rate > 0) {
            cables.add(new Cable(n + s, n + t, gbps(rate)));
            between[s][t] = rate;
          }
        }
      }
      long least = Long.MAX_VALUE;
      for (int half = 0; half < 1 << n; half++) {
        for (int side = 0; Integer.bitCount(half) == n / 2 && side < 1 << n; side++) {
          long cut = 0;
          for (int s = 0; s < n; s++) {
            cut += (half >> s & 1) == (side >> at[s] & 1) ? 0 : 100;
            for (int t = s + 1; t < n; t++) {
              cut += (side >> s & 1) == (side >> t & 1) ? 0 : between[s][t];
            }
          }
          least = Math.min(least, cut);
        }
      }
      assertThat(figures(n, n, cables).bisectionGbps()).isEqualTo((double) least);
    }
  }
}
