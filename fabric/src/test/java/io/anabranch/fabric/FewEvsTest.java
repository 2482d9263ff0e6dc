package io.anabranch.fabric;

import static io.anabranch.fabric.Simulation.PAYLOAD_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.topology.Forwarding;
import io.anabranch.fabric.topology.Routing;
import io.anabranch.fabric.topology.ThreeTierConfig;
import io.anabranch.fabric.topology.Topology;
import io.anabranch.wire.mrc.DecodeResult;
import io.anabranch.wire.mrc.DscpMap;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.FrameCodec;
import io.anabranch.wire.mrc.Opcode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** With SRv6 and fewer EVs than paths, hosts load all switches above them evenly. */
class FewEvsTest {
  /** Data packets that began on links whose names begin so, by link. */
  private static List<Integer> data(Simulation s, String prefix) {
    Topology wiring = s.config().topology().wiring(s.routing, s.seed);
    List<PacketTap.Point> points = new ArrayList<>();
    for (int link = 0; link < wiring.links(); link++) {
      if (wiring.name(link).startsWith(prefix)) {
        points.add(new PacketTap.Point(link, false));
      }
    }
    int[] counts = new int[points.size()];
    Frame frame = new Frame();
    FrameCodec codec = new FrameCodec(DscpMap.DEFAULT);
    PacketTap tap =
        (point, nowPs, packet) -> {
          assertThat(codec.decodePacket(packet, frame)).isEqualTo(DecodeResult.OK);
          counts[point] += Opcode.isWrite(frame.opcode()) ? 1 : 0;
        };
    Fabric fabric = new Fabric(s.config(), null, new PacketTap.Taps(points, tap));
    while (fabric.runTo(Long.MAX_VALUE)) {
      // Until nothing is left.
    }
    return Arrays.stream(counts).boxed().toList();
  }

  /**
   * 4 hosts a leaf and 8 spines: with n EVs a host, a spine is named by 4 n / 8 hosts of each leaf.
   * A rotation takes each EV once, so that a host sends a share of 1 / n by each.
   */
  @Test
  void eachSpineOfTwoTiersCarriesAsMuch() {
    int packets = 240;
    for (Routing routing : new Routing[] {Routing.SRV6, Routing.SRV6_SRH}) {
      for (int evs : new int[] {2, 4, 6, 8}) {
        Simulation s = new Simulation();
        s.routing = routing;
        s.evsPerPlane = evs;
        for (int host = 0; host < 16; host++) {
          s.traffic.add(host, (host + 4) % 16, (long) packets * PAYLOAD_BYTES, 0);
        }
        int each = 4 * packets / 8;
        for (int leaf = 0; leaf < 4; leaf++) {
          assertThat(data(s, "p1.t0." + leaf + ">t1."))
              .as(routing + ", " + evs + " EVs, leaf " + leaf)
              .hasSize(8)
              .containsOnly(each);
        }
      }
    }
  }

  /** One EV a host: hosts 0 … 7 of a pod take the 2 spines in turn, and each one's 4 cores. */
  @Test
  void eachCoreOfThreeTiersCarriesAsMuch() {
    int packets = 100;
    LinkConfig link = new LinkConfig(400_000_000_000L, 1_000_000);
    Simulation s = new Simulation();
    s.evsPerPlane = 1;
    s.topology =
        new ThreeTierConfig(
            1,
            2,
            2,
            4,
            2,
            4,
            link,
            link,
            link,
            s.queue,
            s.queue,
            s.queue,
            s.queue,
            s.queue,
            0,
            Forwarding.STORE_AND_FORWARD);
    for (int host = 0; host < 8; host++) {
      s.traffic.add(host, host + 8, (long) packets * PAYLOAD_BYTES, 0);
    }
    assertThat(data(s, "p1.t0.0>t1.")).hasSize(2).containsOnly(2 * packets);
    assertThat(data(s, "p1.t1.0>t2.")).hasSize(4).containsOnly(packets);
    assertThat(data(s, "p1.t1.1>t2.")).hasSize(4).containsOnly(packets);
  }
}
