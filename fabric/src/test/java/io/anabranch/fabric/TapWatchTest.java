package io.anabranch.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.fabric.link.PortWatch;
import io.anabranch.wire.mrc.DecodeResult;
import io.anabranch.wire.mrc.DscpMap;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.FrameCodec;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Packets as taps show them. */
class TapWatchTest {
  /** Links of a host on the only plane: the host's own by its number, the other way behind all. */
  private static PacketTap.Taps host(Simulation s, int host, PacketTap tap) {
    var wiring = s.config().topology().wiring(s.routing, s.seed);
    int out = wiring.hostLink(host, 0);
    return new PacketTap.Taps(
        List.of(new PacketTap.Point(out, false), new PacketTap.Point(wiring.reverse(out), true)),
        tap);
  }

  private static void run(Fabric fabric) {
    while (fabric.runTo(Long.MAX_VALUE)) {
      // Until nothing is left.
    }
  }

  @Test
  void everythingIsTakenOnceAndReadsBack() {
    Simulation s = new Simulation();
    s.traffic.add(0, 15, 100 * Simulation.PAYLOAD_BYTES, 0);
    s.traffic.add(7, 15, 100 * Simulation.PAYLOAD_BYTES, 0);
    FrameCodec codec = new FrameCodec(DscpMap.DEFAULT);
    Frame frame = new Frame();
    List<Long> times = new ArrayList<>();
    int[] taken = new int[2];
    Fabric fabric =
        new Fabric(
            s.config(),
            null,
            host(
                s,
                15,
                (point, nowPs, packet) -> {
                  assertThat(codec.decodePacket(packet, frame)).isEqualTo(DecodeResult.OK);
                  taken[point]++;
                  times.add(nowPs);
                }));
    run(fabric);
    // The first packet of 4160 B has crossed four links of 1 µs.
    assertThat(times.getFirst()).isEqualTo(4 * (1_000_000 + 83_200));
    assertThat(times).isSorted();
    LinkTable links = fabric.links();
    for (int link = 0; link < links.count(); link++) {
      if (links.name(link).equals("p1.h15>t0.3")) {
        assertThat((long) taken[0]).isEqualTo(links.packets(link));
      }
    }
    assertThat((long) taken[1]).isGreaterThanOrEqualTo(fabric.totals().delivered());
  }

  @Test
  void tapsChangeNothing() {
    Simulation s = new Simulation();
    s.losses = List.of(new Loss.OnLink("*", 0.01));
    s.traffic.add(0, 15, 1 << 20, 0);
    s.traffic.add(1, 15, 1 << 20, 0);
    String without = Simulation.results(s.run());
    Fabric fabric = new Fabric(s.config(), null, host(s, 15, (point, nowPs, packet) -> {}));
    run(fabric);
    assertThat(Simulation.results(fabric)).isEqualTo(without);
  }

  @Test
  void everythingThatIsToldIsHandedOn() throws Exception {
    for (Method method : PortWatch.class.getMethods()) {
      assertThat(TapWatch.class.getDeclaredMethod(method.getName(), method.getParameterTypes()))
          .isNotNull();
    }
  }
}
