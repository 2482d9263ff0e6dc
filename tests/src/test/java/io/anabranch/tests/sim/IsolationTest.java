package io.anabranch.tests.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.fabric.Fabric;
import io.anabranch.fabric.topology.Routing;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What one job does to a receiver does not slow another job's hosts elsewhere. */
class IsolationTest {
  private static final int HOSTS_PER_LEAF = 16;
  private static final int MEMBERS = 12;

  private static Fabrics fabrics(Routing routing) {
    Fabrics fabrics = new Fabrics();
    fabrics.routing = routing;
    fabrics.evsPerPlane = routing == Routing.ECMP ? 64 : 16;
    return fabrics;
  }

  /** Members of leaves 1 … n send 2 MiB to those of the next leaf but two, counted round. */
  private static int permutation(Fabrics fabrics, int leaves) {
    for (int leaf = 0; leaf < leaves; leaf++) {
      for (int member = 0; member < MEMBERS; member++) {
        int to = (1 + (leaf + 3) % leaves) * HOSTS_PER_LEAF + member;
        fabrics.traffic.add((1 + leaf) * HOSTS_PER_LEAF + member, to, 2 << 20, 0);
      }
    }
    return leaves * MEMBERS;
  }

  /** Times of the first flows, in order. */
  private static List<Long> times(Fabrics fabrics, int flows) {
    Fabric fabric = fabrics.build();
    Fabrics.finish(fabric);
    List<Long> times = new ArrayList<>();
    for (int flow = 0; flow < flows; flow++) {
      assertThat(fabric.flows().finishPs(flow)).isPositive();
      times.add(fabric.flows().finishPs(flow));
    }
    Collections.sort(times);
    return times;
  }

  private static void withinAHundredth(List<Long> beside, List<Long> alone) {
    int last = alone.size() - 1;
    for (int i : new int[] {0, last / 2, last}) {
      assertThat((double) beside.get(i)).isLessThanOrEqualTo(1.01 * alone.get(i));
    }
  }

  /** A permutation of leaves 1 … 5; 32 hosts of leaves 6 and 7 send to one of leaf 0. */
  @ParameterizedTest
  @EnumSource(Routing.class)
  void anIncastByTheSameSpines(Routing routing) {
    Fabrics alone = fabrics(routing);
    int flows = permutation(alone, 5);
    Fabrics beside = fabrics(routing);
    permutation(beside, 5);
    for (int host = 6 * HOSTS_PER_LEAF; host < 8 * HOSTS_PER_LEAF; host++) {
      beside.traffic.add(host, 0, 2 << 20, 0);
    }
    withinAHundredth(times(beside, flows), times(alone, flows));
  }

  /** The senders of the incast are hosts of the same leaves: four of each. */
  @Test
  void anIncastFromTheSameLeaves() {
    Fabrics alone = fabrics(Routing.SRV6);
    int flows = permutation(alone, 7);
    Fabrics beside = fabrics(Routing.SRV6);
    permutation(beside, 7);
    for (int leaf = 1; leaf <= 7; leaf++) {
      for (int member = MEMBERS; member < HOSTS_PER_LEAF; member++) {
        beside.traffic.add(leaf * HOSTS_PER_LEAF + member, 0, 2 << 20, 0);
      }
    }
    withinAHundredth(times(beside, flows), times(alone, flows));
  }
}
