package io.anabranch.net.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anabranch.net.device.FakeIo;
import io.anabranch.net.device.Packet;
import io.anabranch.net.device.Packets;
import io.anabranch.wire.mrc.DecodeResult;
import io.anabranch.wire.mrc.DscpMap;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.FrameCodec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class FaultIoTest {
  private static final long MS = 1_000_000;
  private static final int MANY = 40_000;

  private final FakeIo wire = new FakeIo(4);

  private FaultIo faults(String spec) {
    return new FaultIo(wire, FaultSpec.parse(spec), 7, DscpMap.DEFAULT);
  }

  /** Sends packets on a plane, 1 µs apart; which PSNs came out. */
  private BitSet sendMany(FaultIo io, int port, int count) throws IOException {
    Packet p = Packets.data(port, 50_000, 0, 0);
    int before = wire.sent.size();
    for (int i = 0; i < count; i++) {
      p.bytes.putInt(8, i);
      assertThat(io.send(p, i * 1_000L)).isTrue();
    }
    BitSet out = new BitSet(count);
    wire.sent.subList(before, wire.sent.size()).forEach(s -> out.set(s.psn()));
    return out;
  }

  /** Within five standard deviations of a binomial count. */
  private static void assertBinomial(long hits, long n, double p) {
    double sigma = Math.sqrt(n * p * (1 - p));
    assertThat((double) hits).isBetween(n * p - 5 * sigma, n * p + 5 * sigma);
  }

  @Test
  void lossIsBinomialSeededAndEachPlanesOwn() throws IOException {
    FaultIo io = faults("loss=1%");
    BitSet first = sendMany(io, 0, MANY);
    BitSet second = sendMany(io, 1, MANY);
    assertBinomial(MANY - first.cardinality(), MANY, 0.01);
    assertBinomial(MANY - second.cardinality(), MANY, 0.01);
    assertThat(first).isNotEqualTo(second);
    assertThat(io.hits(FaultKind.LOSS, true, 0)).isEqualTo(MANY - first.cardinality());
    // The same again, in another order of planes.
    FaultIo again = faults("loss=1%");
    assertThat(sendMany(again, 1, MANY)).isEqualTo(second);
    assertThat(sendMany(again, 0, MANY)).isEqualTo(first);
    FaultIo other = new FaultIo(wire, FaultSpec.parse("loss=1%"), 8, DscpMap.DEFAULT);
    assertThat(sendMany(other, 0, MANY)).isNotEqualTo(first);
  }

  @Test
  void equalRulesAreIndependent() throws IOException {
    BitSet out = sendMany(faults("loss=10%,loss=10%"), 0, MANY);
    assertBinomial(MANY - out.cardinality(), MANY, 0.19);
  }

  @Test
  void burstsHaveTheirLengthAndRate() throws IOException {
    int length = 20;
    double p = 0.005;
    BitSet out = sendMany(faults("burst=0.5%x20"), 0, MANY);
    int bursts = 0;
    for (int i = out.nextClearBit(0); i < MANY; i = out.nextClearBit(i)) {
      int end = out.nextSetBit(i);
      if (end < 0) {
        break;
      }
      // Two bursts may touch.
      assertThat((end - i) % length).isZero();
      bursts += (end - i) / length;
      i = end;
    }
    // A cycle is a geometric number of good packets and a burst: mean (1 − p)/p + 20.
    double cycle = (1 - p) / p + length;
    double expected = MANY / cycle;
    double sigma = Math.sqrt(expected) * ((1 - p) / p) / cycle;
    assertThat((double) bursts).isBetween(expected - 5 * sigma - 1, expected + 5 * sigma + 1);
  }

  @Test
  void duplicatesPassTwice() throws IOException {
    sendMany(faults("duplicate=5%"), 0, MANY);
    assertBinomial(wire.sent.size() - MANY, MANY, 0.05);
  }

  @Test
  void delayHoldsForItsTimeInOrder() throws IOException {
    FaultIo io = faults("delay=5ms");
    for (int i = 0; i < 10; i++) {
      io.send(Packets.data(0, 1, i, 10), i * MS);
    }
    assertThat(wire.sent).isEmpty();
    assertThat(io.nextDeadlineNs()).isEqualTo(5 * MS);
    io.advance(5 * MS - 1);
    assertThat(wire.sent).isEmpty();
    io.advance(7 * MS);
    assertThat(wire.sent).extracting(Packet::psn).containsExactly(0, 1, 2);
    io.advance(100 * MS);
    assertThat(wire.sent).extracting(Packet::psn).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    assertThat(io.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void spreadIsUniform() throws IOException {
    FaultIo io = faults("delay=1ms~2ms");
    double sum = 0;
    int n = 5_000;
    for (int i = 0; i < n; i++) {
      io.send(Packets.data(0, 1, i, 0), 0);
      long due = io.nextDeadlineNs();
      assertThat(due).isBetween(MS, 3 * MS);
      sum += due;
      io.advance(3 * MS);
    }
    assertThat(wire.sent).hasSize(n);
    // Mean of a uniform 1 … 3 ms, standard deviation 2 ms / √12.
    double sigma = 2 * MS / Math.sqrt(12.0 * n);
    assertThat(sum / n).isBetween(2 * MS - 5 * sigma, 2 * MS + 5 * sigma);
  }

  @Test
  void reorderingLetsAsManyPassAsAsked() throws IOException {
    FaultIo io = faults("reorder=2%x8");
    for (int i = 0; i < MANY; i++) {
      io.send(Packets.data(0, 1, i, 0), i * 1_000L);
    }
    io.advance(Long.MAX_VALUE / 2);
    assertThat(wire.sent).hasSize(MANY);
    int moved = 0;
    int highest = -1;
    int passing = 0;
    for (Packet p : wire.sent) {
      if (p.psn() < highest) {
        moved++;
        // Eight that were not held themselves, and what was held among them.
        passing = Math.max(passing, highest - p.psn());
        assertThat(highest - p.psn()).isGreaterThanOrEqualTo(8);
      }
      highest = Math.max(highest, p.psn());
    }
    assertBinomial(moved, MANY, 0.02);
    assertThat(passing).isLessThan(20);
  }

  @Test
  void aPacketThatNobodyOvertakesComesAfterTenMilliseconds() throws IOException {
    FaultIo io = faults("reorder=100%x8");
    io.send(Packets.data(0, 1, 1, 0), 0);
    io.advance(10 * MS - 1);
    assertThat(wire.sent).isEmpty();
    io.advance(10 * MS);
    assertThat(wire.sent).hasSize(1);
  }

  @Test
  void everyCorruptedPacketFailsItsIcrc() throws IOException {
    FaultIo io = faults("corrupt=100%");
    FrameCodec codec = new FrameCodec(DscpMap.DEFAULT);
    for (int i = 0; i < 3_000; i++) {
      Packet original = i % 2 == 0 ? Packets.data(0, 1, i, 40) : Packets.sack(0, 1, i);
      io.send(FakeIo.copyOf(original), 0);
      Packet damaged = wire.sent.removeLast();
      assertThat(damaged.bytes.mismatch(original.bytes)).isNotNegative();
      Frame f = new Frame().src(damaged.srcHi, damaged.srcLo).dst(damaged.dstHi, damaged.dstLo);
      f.ev(damaged.ev).dstPort(damaged.dstPort);
      assertThat(codec.decode(damaged.bytes, f)).isNotEqualTo(DecodeResult.OK);
    }
  }

  @Test
  void overIpv4ACorruptedPacketIsLost() throws IOException {
    FaultIo io = faults("corrupt=100%");
    Packet p = Packets.data(0, 1, 1, 40);
    p.srcHi = 0;
    p.srcLo = 0xffff_7f00_0001L;
    io.send(p, 0);
    assertThat(wire.sent).isEmpty();
    assertThat(io.hits(FaultKind.CORRUPT, true, 0)).isEqualTo(1);
  }

  @Test
  void marksAndTrimsWhatASwitchWould() throws IOException {
    FaultIo io = faults("mark=100%,trim=100%");
    Packet into = new Packet();
    wire.arrive(Packets.data(1, 1, 1, 100));
    wire.arrive(Packets.sack(1, 1, 2));
    assertThat(io.receive(1, into, 0)).isTrue();
    assertThat(into.ecn).isEqualTo(Packet.CE);
    assertThat(into.trimmed).isTrue();
    assertThat(into.dscp).isEqualTo(DscpMap.DEFAULT.trimmed());
    assertThat(into.bytes.limit()).isEqualTo(32);
    Frame f = new Frame().dscp(into.dscp).ecn(into.ecn);
    FrameCodec codec = new FrameCodec(DscpMap.DEFAULT);
    assertThat(codec.decode(into.bytes, f, into.udpLength, true)).isEqualTo(DecodeResult.OK);
    assertThat(f.payloadLength()).isEqualTo(100);
    assertThat(io.receive(1, into, 0)).isTrue();
    assertThat(into.ecn).isZero();
    assertThat(into.trimmed).isFalse();
    // On the sending side, where plain sockets carry neither, as the socket device reads it.
    io.send(Packets.data(0, 1, 1, 100), 0);
    assertThat(wire.sent.getLast().bytes.limit()).isEqualTo(32);
    assertThat(wire.sent.getLast().fecn()).isTrue();
    io.send(Packets.sack(0, 1, 1), 0);
    assertThat(wire.sent.getLast().fecn()).isFalse();
    assertThat(io.hits(FaultKind.TRIM, false, 1)).isEqualTo(1);
    assertThat(io.hits(FaultKind.MARK, true, 0)).isEqualTo(1);
  }

  @Test
  void rulesApplyToTheirPlaneDirectionAndEv() throws IOException {
    FaultIo io = faults("plane=2:dir=tx:blackhole,plane=3:ev=2:blackhole");
    Packet into = new Packet();
    io.send(Packets.data(0, 1, 1, 0), 0);
    io.send(Packets.data(1, 1, 2, 0), 0);
    io.send(Packets.data(2, 500, 3, 0), 0);
    io.send(Packets.data(2, 600, 4, 0), 0);
    io.send(Packets.data(2, 500, 5, 0), 0);
    io.send(Packets.data(2, 700, 6, 0), 0);
    assertThat(wire.sent).extracting(Packet::psn).containsExactly(1, 3, 5, 6);
    wire.arrive(Packets.data(1, 1, 7, 0));
    assertThat(io.receive(1, into, 0)).isTrue();
    wire.arrive(Packets.data(2, 9, 8, 0));
    wire.arrive(Packets.data(2, 8, 9, 0));
    wire.arrive(Packets.data(2, 9, 10, 0));
    assertThat(io.receive(2, into, 0)).isTrue();
    assertThat(into.psn()).isEqualTo(8);
    assertThat(io.receive(2, into, 0)).isTrue();
    assertThat(into.psn()).isEqualTo(10);
    assertThat(io.receive(2, into, 0)).isFalse();
    assertThatThrownBy(() -> faults("plane=5:blackhole")).hasMessageContaining("allowed 1…4");
  }

  @Test
  void timesCountFromTheFirstDataPacket() throws IOException {
    FaultIo io = faults("blackhole@10ms-20ms");
    List<Long> lostAt = new ArrayList<>();
    io.listener((kind, sent, packet, nowNs) -> lostAt.add(nowNs / MS));
    io.send(Packets.sack(0, 1, 0), 5 * MS);
    assertThat(io.firstDataNs()).isEqualTo(-1);
    for (int i = 1000; i < 1030; i++) {
      io.send(Packets.data(0, 1, i, 0), i * MS);
    }
    assertThat(io.firstDataNs()).isEqualTo(1000 * MS);
    assertThat(lostAt)
        .containsExactly(1010L, 1011L, 1012L, 1013L, 1014L, 1015L, 1016L, 1017L, 1018L, 1019L);
    FaultIo from0 = faults("blackhole@0s-1ms");
    int before = wire.sent.size();
    from0.send(Packets.sack(0, 1, 0), 0);
    from0.send(Packets.data(0, 1, 0, 0), MS);
    assertThat(wire.sent).hasSize(before + 1);
    from0.send(Packets.data(0, 1, 0, 0), 2 * MS);
    assertThat(wire.sent).hasSize(before + 2);
  }

  @Test
  void aRefusedPacketIsJudgedOnce() throws IOException {
    FaultIo io = faults("corrupt=100%,duplicate=100%");
    Packet p = Packets.data(0, 1, 1, 100);
    wire.full = true;
    for (int i = 0; i < 5; i++) {
      assertThat(io.send(p, i)).isFalse();
    }
    wire.full = false;
    assertThat(io.send(p, 5)).isTrue();
    assertThat(io.hits(FaultKind.CORRUPT, true, 0)).isEqualTo(1);
    assertThat(wire.sent).hasSize(2);
    io.send(Packets.data(0, 1, 2, 100), 6);
    assertThat(io.hits(FaultKind.CORRUPT, true, 0)).isEqualTo(2);
  }

  @Test
  void rulesCanBeReplacedAtWork() throws IOException {
    FaultIo io = faults("blackhole");
    io.send(Packets.data(0, 1, 1, 0), 0);
    io.replace(FaultSpec.NONE);
    io.advance(1);
    io.send(Packets.data(0, 1, 2, 0), 1);
    io.replace(FaultSpec.parse("plane=1:blackhole@2ms"));
    io.advance(MS);
    io.send(Packets.data(0, 1, 3, 0), MS);
    io.send(Packets.data(0, 1, 4, 0), 2 * MS);
    assertThat(wire.sent).extracting(Packet::psn).containsExactly(2, 3);
  }

  @Test
  void receivedPacketsAreHeldAndDuplicatedToo() throws IOException {
    FaultIo io = faults("delay=1ms,duplicate=100%");
    Packet into = new Packet();
    wire.arrive(Packets.data(0, 1, 1, 10));
    assertThat(io.receive(0, into, 0)).isFalse();
    assertThat(io.nextDeadlineNs()).isEqualTo(MS);
    assertThat(io.receive(0, into, MS)).isTrue();
    assertThat(io.receive(0, into, MS)).isTrue();
    assertThat(into.psn()).isEqualTo(1);
    assertThat(io.receive(0, into, MS)).isFalse();
  }

  @Test
  void whatIsHeldIsBounded() throws IOException {
    FaultIo io = faults("delay=1s");
    for (int i = 0; i < 8192 + 10; i++) {
      io.send(Packets.data(0, 1, i, 0), 0);
    }
    assertThat(io.overflowed()).isEqualTo(10);
    io.advance(1000 * MS);
    assertThat(wire.sent).hasSize(8192);
  }
}
