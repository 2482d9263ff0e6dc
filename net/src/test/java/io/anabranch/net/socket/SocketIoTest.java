package io.anabranch.net.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.net.device.Packet;
import io.anabranch.net.device.Packets;
import io.anabranch.net.device.PeerLink;
import io.anabranch.wire.mrc.DecodeResult;
import io.anabranch.wire.mrc.DscpMap;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.FrameCodec;
import io.anabranch.wire.mrc.Opcode;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class SocketIoTest {
  private static SocketConfig config(String address, int planes) throws IOException {
    return SocketConfig.of(Collections.nCopies(planes, InetAddress.ofLiteral(address)));
  }

  private static List<PlaneAddress> planes(SocketIo io) {
    List<PlaneAddress> list = new ArrayList<>();
    for (int i = 0; i < io.ports(); i++) {
      list.add(io.address(i));
    }
    return list;
  }

  /** A packet from one device to another. */
  private static Packet packet(SocketIo from, SocketIo to, int port, int ev, Frame f) {
    PlaneAddress src = from.address(port);
    PlaneAddress dst = to.address(port);
    f.src(src.hi(), src.lo()).dst(dst.hi(), dst.lo()).ev(ev).dstPort(dst.udpPort());
    return Packets.of(f, port);
  }

  private static Frame write(int psn, int payload) {
    return new Frame().opcode(Opcode.WRITE_ONLY).psn(psn).payloadLength(payload).ecn(2);
  }

  private static Packet next(SocketIo io, int port) throws IOException {
    Packet into = new Packet();
    long end = System.nanoTime() + 20_000_000_000L;
    while (!io.receive(port, into, 0)) {
      assertThat(System.nanoTime()).isLessThan(end);
      io.await(1_000_000);
    }
    return into;
  }

  @ParameterizedTest
  @ValueSource(strings = {"::1", "127.0.0.1", "127.0.0.9"})
  void everyEvIsASourcePortThatThePeerSees(String address) throws IOException {
    try (SocketIo a = SocketIo.open(config(address, 2).withUdpPort(0));
        SocketIo b = SocketIo.open(config(address, 2).withUdpPort(0));
        PeerLink link = a.connect(planes(b), 16)) {
      EvTable evs = link.evs();
      assertThat(evs.size()).isEqualTo(32);
      Set<Integer> seen = new HashSet<>();
      FrameCodec codec = new FrameCodec(DscpMap.DEFAULT);
      for (int i = 0; i < evs.size(); i++) {
        assertThat(evs.ev(i)).isBetween(1, 65535);
        Packet out = packet(a, b, evs.port(i), evs.ev(i), write(i, 1000));
        assertThat(a.send(out, 0)).isTrue();
        assertThat(out.bytes.position()).isZero();
        Packet in = next(b, evs.port(i));
        assertThat(in.ev).isEqualTo(evs.ev(i));
        assertThat(in.bytes).isEqualTo(out.bytes);
        assertThat(in.srcHi).isEqualTo(out.srcHi);
        assertThat(in.srcLo).isEqualTo(out.srcLo);
        Frame f = new Frame().src(in.srcHi, in.srcLo).dst(in.dstHi, in.dstLo);
        f.ev(in.ev).dstPort(in.dstPort);
        assertThat(codec.decode(in.bytes, f)).isEqualTo(DecodeResult.OK);
        seen.add(evs.port(i) << 16 | evs.ev(i));
      }
      assertThat(seen).hasSize(32);
      assertThat(a.noSocket()).isZero();
    }
  }

  @Test
  void whatSocketsHideIsAssumedByOpcode() throws IOException {
    try (SocketIo a = SocketIo.open(config("::1", 1).withUdpPort(0));
        SocketIo b = SocketIo.open(config("::1", 1).withUdpPort(0));
        PeerLink link = a.connect(planes(b), 1)) {
      int ev = link.evs().ev(0);
      a.send(packet(a, b, 0, ev, write(1, 100)), 0);
      Packet data = next(b, 0);
      assertThat(data.dscp).isEqualTo(DscpMap.DEFAULT.trimmable());
      assertThat(data.ecn).isEqualTo(Packet.ECT_0);
      assertThat(data.trimmed).isFalse();
      assertThat(data.udpLength).isEqualTo(8 + 32 + 100 + 4);
      a.send(packet(a, b, 0, ev, new Frame().opcode(Opcode.SACK)), 0);
      Packet sack = next(b, 0);
      assertThat(sack.dscp).isEqualTo(DscpMap.DEFAULT.control());
      assertThat(sack.ecn).isZero();
      a.send(packet(a, b, 0, ev, new Frame().opcode(Opcode.PROBE)), 0);
      assertThat(next(b, 0).ecn).isEqualTo(Packet.ECT_0);

      Packet marked = packet(a, b, 0, ev, write(2, 100));
      marked.setFecn();
      a.send(marked, 0);
      assertThat(next(b, 0).ecn).isEqualTo(Packet.CE);
      Packet trimmed = packet(a, b, 0, ev, write(3, 100));
      trimmed.bytes.limit(trimmed.headerBytes());
      a.send(trimmed, 0);
      Packet got = next(b, 0);
      assertThat(got.trimmed).isTrue();
      assertThat(got.dscp).isEqualTo(DscpMap.DEFAULT.trimmed());
      // A whole write without payload has its ICRC still.
      a.send(packet(a, b, 0, ev, new Frame().opcode(Opcode.WRITE_ONLY_IMM)), 0);
      assertThat(next(b, 0).trimmed).isFalse();
    }
  }

  @Test
  void withoutRoomTheHeadersArrive() throws IOException {
    try (SocketIo a = SocketIo.open(config("::1", 1).withUdpPort(0));
        SocketIo b = SocketIo.open(config("::1", 1).withUdpPort(0));
        PeerLink link = a.connect(planes(b), 1)) {
      a.send(packet(a, b, 0, link.evs().ev(0), write(77, 4000)), 0);
      Packet small = new Packet(Packet.HEADERS_ONLY_BYTES);
      long end = System.nanoTime() + 20_000_000_000L;
      while (!b.receive(0, small, 0)) {
        assertThat(System.nanoTime()).isLessThan(end);
      }
      assertThat(small.cut).isTrue();
      assertThat(small.psn()).isEqualTo(77);
      assertThat(b.receive(0, small, 0)).isFalse();
    }
  }

  @Test
  void anEvThatIsNobodysIsDiscardedAndCounted() throws IOException {
    try (SocketIo a = SocketIo.open(config("::1", 1).withUdpPort(0));
        SocketIo b = SocketIo.open(config("::1", 1).withUdpPort(0))) {
      PeerLink link = a.connect(planes(b), 1);
      assertThat(a.send(packet(a, b, 0, 1, write(1, 10)), 0)).isTrue();
      assertThat(a.noSocket()).isEqualTo(1);
      link.close();
      assertThat(a.send(packet(a, b, 0, link.evs().ev(0), write(1, 10)), 0)).isTrue();
      assertThat(a.noSocket()).isEqualTo(2);
    }
  }

  @Test
  void aPeerThatIsNotThereIsLossAndNoFailure() throws IOException {
    try (SocketIo a = SocketIo.open(config("::1", 1).withUdpPort(0))) {
      SocketIo b = SocketIo.open(config("::1", 1).withUdpPort(0));
      try (PeerLink link = a.connect(planes(b), 1)) {
        Packet p = packet(a, b, 0, link.evs().ev(0), write(1, 10));
        b.close();
        for (int i = 0; i < 20; i++) {
          assertThat(a.send(p, 0)).isTrue();
          assertThat(p.bytes.position()).isZero();
        }
      }
    }
  }

  @Test
  void twoEndpointsOfOneHostShareThePortByYielding() throws IOException {
    try (SocketIo a = SocketIo.open(config("127.0.0.7", 2).withUdpPort(14_791));
        SocketIo b = SocketIo.open(config("127.0.0.7", 2).withUdpPort(14_791))) {
      assertThat(a.address(0).udpPort()).isEqualTo(14_791);
      assertThat(a.address(1).udpPort()).isEqualTo(14_792);
      assertThat(b.address(0).udpPort()).isNotIn(14_791, 14_792, 0);
      assertThat(b.address(1).udpPort()).isNotIn(14_791, 14_792, 0);
    }
  }

  @Test
  void whatCannotBeOpenedIsNamed() throws IOException {
    InetAddress v4 = InetAddress.ofLiteral("127.0.0.1");
    InetAddress v6 = InetAddress.ofLiteral("::1");
    assertThatThrownBy(() -> SocketConfig.of(List.of(v6, v4))).hasMessageContaining("one family");
    InetAddress any = InetAddress.ofLiteral("::");
    assertThatThrownBy(() -> SocketConfig.of(List.of(any))).hasMessageContaining("addresses: ");
    assertThatThrownBy(() -> SocketConfig.of(List.of())).hasMessageContaining("1…32");
    SocketConfig foreign = SocketConfig.of(List.of(v6, InetAddress.ofLiteral("2001:db8::77")));
    assertThatThrownBy(() -> SocketIo.open(foreign))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("plane 2, 2001:db8:0:0:0:0:0:77");
    try (SocketIo io = SocketIo.open(config("::1", 1).withUdpPort(0))) {
      PlaneAddress four = new PlaneAddress(0, 0xffff_7f00_0001L, 4791);
      assertThatThrownBy(() -> io.connect(List.of(four), 1)).hasMessageContaining("one family");
      assertThat(io.isUp(0)).isTrue();
    }
  }

  /** The estimate is what a peer's window is made of: it must not promise more than fits. */
  @ParameterizedTest
  @CsvSource({"::1,1024", "::1,4096", "::1,8192", "127.0.0.1,4096"})
  void theReceiveBufferHoldsWhatItPromises(String address, int mtu) throws IOException {
    SocketConfig small = config(address, 1).withUdpPort(0).withReceiveBufferBytes(1 << 18);
    try (SocketIo a = SocketIo.open(small.withMaxMtuBytes(mtu));
        SocketIo b = SocketIo.open(small.withMaxMtuBytes(mtu));
        PeerLink link = a.connect(planes(b), 1)) {
      assertThat(b.mtuBytes()).isEqualTo(mtu);
      Packet p = packet(a, b, 0, link.evs().ev(0), write(1, mtu));
      for (int i = 0; i < 3000; i++) {
        assertThat(a.send(p, 0)).isTrue();
      }
      int held = 0;
      Packet into = new Packet();
      while (b.receive(0, into, 0)) {
        held++;
      }
      long promised = b.receiveBufferBytes() / mtu;
      assertThat((long) held).isBetween(promised - 1, promised * 5 / 4 + 2);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "65536,false,8192,8192",
    "65536,false,4096,4096",
    "9000,false,8192,8192",
    "9000,true,8192,8192",
    "1500,false,8192,1024",
    "1500,true,8192,1024",
    "4188,false,4096,4096",
    "4187,false,4096,2048",
    "1400,false,4096,1024",
    "576,true,4096,256",
    "340,false,4096,0",
  })
  void pathMtuIsTheLargestPowerOfTwoThatFits(int mtu, boolean ipv4, int cap, int expected) {
    assertThat(PathMtu.of(mtu, ipv4, cap)).isEqualTo(expected);
    if (expected > 0) {
      assertThat(expected + PathMtu.overheadBytes(ipv4)).isLessThanOrEqualTo(mtu);
    }
  }

  @Test
  void bareChannelsMovePackets() throws Exception {
    BareLoopback.Result result =
        BareLoopback.run(InetAddress.ofLiteral("::1"), 2, 4, 4136, 50_000_000);
    assertThat(result.packets()).isPositive();
    assertThat(result.lost()).isZero();
    assertThat(result.bytes()).isEqualTo(result.packets() * 4136);
    assertThat(result.bytesPerSecond()).isPositive();
  }
}
