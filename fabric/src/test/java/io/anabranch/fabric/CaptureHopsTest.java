package io.anabranch.fabric;

import static io.anabranch.fabric.Simulation.PAYLOAD_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.topology.Routing;
import io.anabranch.fabric.topology.Topology;
import io.anabranch.wire.ip.Ip6;
import io.anabranch.wire.ip.IpView;
import io.anabranch.wire.mrc.DecodeResult;
import io.anabranch.wire.mrc.DscpMap;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.FrameCodec;
import io.anabranch.wire.mrc.Opcode;
import io.anabranch.wire.srv6.Srh;
import io.anabranch.wire.srv6.Srv6;
import io.anabranch.wire.srv6.UsidContainer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Packets at taps are those of the run, as they are on the wire there. */
class CaptureHopsTest {
  private static final int LOCATOR = 0xfd00_0001;
  private static final int IP6_BYTES = 40;
  private static final int UDP_BYTES = 8;
  private static final int CE = 3;
  private static final int ECT_0 = 2;
  private static final int FAR = 15;

  private record Seen(int tap, long timePs, ByteBuffer packet) {
    Frame frame() {
      Frame frame = new Frame();
      DecodeResult result = new FrameCodec(DscpMap.DEFAULT).decodePacket(packet, frame);
      assertThat(result).isEqualTo(DecodeResult.OK);
      return frame;
    }

    IpView outer() {
      IpView view = new IpView();
      assertThat(view.wrap(packet, 0, packet.limit())).isEqualTo(IpView.Status.OK);
      return view;
    }

    IpView inner() {
      IpView view = new IpView();
      assertThat(view.wrap(packet, IP6_BYTES, packet.limit())).isEqualTo(IpView.Status.OK);
      return view;
    }

    boolean data() {
      return Opcode.isWrite(frame().opcode());
    }
  }

  private static Fabric run(Simulation s, List<PacketTap.Point> points, List<Seen> seen) {
    PacketTap tap =
        (point, nowPs, packet) -> {
          ByteBuffer copy = ByteBuffer.allocate(packet.remaining()).put(packet).flip();
          seen.add(new Seen(point, nowPs, copy));
        };
    Fabric fabric = new Fabric(s.config(), null, new PacketTap.Taps(points, tap));
    while (fabric.runTo(Long.MAX_VALUE)) {
      // Until nothing is left.
    }
    return fabric;
  }

  private static PacketTap.Point point(Simulation s, String link, boolean arriving) {
    Topology wiring = s.config().topology().wiring(s.routing, s.seed);
    return new PacketTap.Point(wiring.linkNamed(link), arriving);
  }

  /** Host 0's link, the uplinks of its leaf, the links down to host 15's leaf, host 15's link. */
  private static List<PacketTap.Point> way(Simulation s) {
    List<PacketTap.Point> points = new ArrayList<>();
    points.add(point(s, "p1.h0>t0.0", false));
    for (int spine = 0; spine < s.spines; spine++) {
      points.add(point(s, "p1.t0.0>t1." + spine, false));
    }
    for (int spine = 0; spine < s.spines; spine++) {
      points.add(point(s, "p1.t1." + spine + ">t0.3", false));
    }
    points.add(point(s, "p1.t0.3>h15", true));
    return points;
  }

  @Test
  void aPacketIsSeenAtEachHopWhenItIsThere() {
    for (Routing routing : Routing.values()) {
      Simulation s = new Simulation();
      s.routing = routing;
      s.latencyPs = 300_000;
      s.hostLink = new LinkConfig(400_000_000_000L, 1_000_000);
      s.fabricLink = new LinkConfig(800_000_000_000L, 2_000_000);
      long start = 5_000_000;
      s.traffic.add(0, FAR, PAYLOAD_BYTES, start);
      List<Seen> seen = new ArrayList<>();
      run(s, way(s), seen);
      List<Seen> data = seen.stream().filter(Seen::data).toList();

      // 4160 bytes: 83.2 ns at 400 Gb/s, 41.6 ns at 800.
      long leaf = start + 83_200 + 1_000_000 + 300_000;
      long spine = leaf + 41_600 + 2_000_000 + 300_000;
      long last = spine + 41_600 + 2_000_000 + 300_000;
      long there = last + 83_200 + 1_000_000;
      assertThat(data.stream().map(Seen::timePs))
          .as(routing.name())
          .containsExactly(start, leaf, spine, there);
      assertThat(data.stream().map(packet -> packet.outer().hopLimit()))
          .containsExactly(64, 63, 62, 61);

      int path = data.get(1).tap - 1;
      assertThat(data.get(2).tap).as("the same spine").isEqualTo(1 + s.spines + path);
      assertThat(data.getFirst().tap).isZero();
      assertThat(data.getLast().tap).isEqualTo(1 + 2 * s.spines);
      for (Seen packet : data) {
        assertThat(packet.frame().payloadLength()).isEqualTo(PAYLOAD_BYTES);
        assertThat(packet.frame().dstLo()).isEqualTo(FAR + 1);
      }
    }
  }

  /** uSIDs: of leaves from 1, then of spines, then of hosts by their place in a leaf. */
  @Test
  void withSrv6TheOuterAddressIsWhatIsLeft() {
    Simulation s = new Simulation();
    s.traffic.add(0, FAR, 20 * PAYLOAD_BYTES, 0);
    List<Seen> seen = new ArrayList<>();
    run(s, way(s), seen);
    int[] met = new int[s.spines];
    for (Seen packet : seen) {
      Frame frame = packet.frame();
      if (!Opcode.isWrite(frame.opcode())) {
        continue;
      }
      int path = frame.ev() & 0x3fff;
      met[path]++;
      int spine = 1 + s.leaves + path;
      int host = 1 + s.leaves + s.spines + FAR % s.hostsPerLeaf;
      UsidContainer left =
          packet.tap == 0
              ? UsidContainer.of(LOCATOR, 1, spine, 4, host)
              : packet.tap <= s.spines
                  ? UsidContainer.of(LOCATOR, spine, 4, host)
                  : packet.tap <= 2 * s.spines
                      ? UsidContainer.of(LOCATOR, 4, host)
                      : UsidContainer.of(LOCATOR, host);
      IpView outer = packet.outer();
      assertThat(new UsidContainer(outer.dstHi(), outer.dstLo())).isEqualTo(left);
      assertThat(outer.srcHi()).isEqualTo(frame.srcHi());
      assertThat(outer.srcLo()).isEqualTo(1);
      assertThat(packet.inner().hopLimit()).as("untouched").isEqualTo(64);
      assertThat(packet.tap == 0 || packet.tap > 2 * s.spines || (packet.tap - 1) % 8 == path)
          .isTrue();
    }
    assertThat(met).doesNotContain(0);
  }

  /** What a hop changes of the outer header is what the wire's own segment endpoint does. */
  @Test
  void eachHopAdvancesThePacketOfTheOneBefore() {
    for (Routing routing : new Routing[] {Routing.SRV6, Routing.SRV6_SRH}) {
      Simulation s = new Simulation();
      s.routing = routing;
      s.traffic.add(0, FAR, PAYLOAD_BYTES, 0);
      List<Seen> seen = new ArrayList<>();
      run(s, way(s), seen);
      List<Seen> data = seen.stream().filter(Seen::data).toList();
      assertThat(data).hasSize(4);
      int srhBytes = routing == Routing.SRV6_SRH ? 24 : 0;
      Frame frame = data.getFirst().frame();
      assertThat(data.getFirst().packet.limit())
          .isEqualTo(
              2 * IP6_BYTES + srhBytes + UDP_BYTES + frame.headerBytes() + PAYLOAD_BYTES + 4);
      for (int hop = 1; hop < data.size(); hop++) {
        Seen before = data.get(hop - 1);
        assertThat(before.outer().srhStart()).isEqualTo(srhBytes == 0 ? -1 : IP6_BYTES);
        ByteBuffer bytes = before.packet;
        assertThat(Srv6.advance(bytes, before.outer())).isTrue();
        bytes.put(Ip6.HOP_LIMIT, (byte) (bytes.get(Ip6.HOP_LIMIT) - 1));
        assertThat(data.get(hop).packet).as(routing + " hop " + hop).isEqualTo(bytes);
      }
    }
  }

  /** uSIDs: of leaves from 1, then of spines, then of hosts by their place in a leaf. */
  @Test
  void withAnSrhTheSegmentThatIsLeftFollows() {
    Simulation s = new Simulation();
    s.routing = Routing.SRV6_SRH;
    s.spines = 1;
    s.evsPerPlane = 1;
    s.traffic.add(0, FAR, PAYLOAD_BYTES, 0);
    List<Seen> seen = new ArrayList<>();
    run(s, way(s), seen);
    List<Seen> data = seen.stream().filter(Seen::data).toList();
    int spine = 1 + s.leaves;
    int host = 1 + s.leaves + s.spines + FAR % s.hostsPerLeaf;
    UsidContainer last = UsidContainer.of(LOCATOR, 4, host);
    List<UsidContainer> shown = new ArrayList<>();
    List<Integer> left = new ArrayList<>();
    for (Seen packet : data) {
      IpView outer = packet.outer();
      Srh srh = Srh.read(packet.packet, outer.srhStart(), packet.packet.limit());
      assertThat(srh).isNotNull();
      assertThat(srh.segments()).containsExactly(last.address());
      left.add(srh.segmentsLeft());
      shown.add(new UsidContainer(outer.dstHi(), outer.dstLo()));
    }
    assertThat(shown)
        .containsExactly(
            UsidContainer.of(LOCATOR, 1, spine),
            UsidContainer.of(LOCATOR, spine),
            last,
            UsidContainer.of(LOCATOR, host));
    assertThat(left).containsExactly(1, 1, 0, 0);
  }

  /** A flow twice as fast as the one spine's links. */
  private static Simulation congested() {
    Simulation s = new Simulation();
    s.spines = 1;
    s.evsPerPlane = 1;
    s.fabricLink = new LinkConfig(200_000_000_000L, 1_000_000);
    s.traffic.add(0, FAR, 500 * PAYLOAD_BYTES, 0);
    return s;
  }

  @Test
  void marksAreOnTheOuterHeaderAndTrimmedPacketsShort() {
    Simulation s = congested();
    List<Seen> seen = new ArrayList<>();
    Fabric fabric = run(s, List.of(point(s, "p1.t0.3>h15", true)), seen);
    assertThat(Simulation.results(fabric))
        .as("taps change nothing")
        .isEqualTo(Simulation.results(congested().run()));

    long whole = 0;
    long marked = 0;
    long trimmed = 0;
    for (Seen packet : seen) {
      Frame frame = packet.frame();
      if (!Opcode.isWrite(frame.opcode())) {
        continue;
      }
      int headers = 2 * IP6_BYTES + UDP_BYTES + frame.headerBytes();
      assertThat(frame.payloadLength()).isEqualTo(PAYLOAD_BYTES);
      assertThat(packet.inner().ecn()).isEqualTo(ECT_0);
      if (packet.outer().ecn() == CE) {
        marked += frame.trimmed() ? 0 : 1;
        assertThat(frame.ecn()).isEqualTo(CE);
      }
      if (frame.trimmed()) {
        trimmed++;
        assertThat(packet.packet.limit()).isEqualTo(headers);
        assertThat(packet.outer().dscp()).isEqualTo(packet.inner().dscp());
        assertThat(packet.inner().dscp()).isEqualTo(DscpMap.DEFAULT.trimmed());
      } else {
        whole++;
        assertThat(packet.packet.limit()).isEqualTo(headers + PAYLOAD_BYTES + 4);
      }
    }
    assertThat(whole).isEqualTo(fabric.totals().delivered()).isGreaterThanOrEqualTo(500);
    assertThat(marked).isEqualTo(fabric.totals().ecnMarked()).isPositive();
    assertThat(trimmed).isEqualTo(fabric.totals().trimmed()).isPositive();
  }
}
