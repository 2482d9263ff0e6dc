package io.anabranch.fabric.link;

import static io.anabranch.fabric.link.PortDriver.DELAY_PS;
import static io.anabranch.fabric.link.PortDriver.FROM_HOST;
import static io.anabranch.fabric.link.PortDriver.PS_PER_BYTE;
import static io.anabranch.fabric.link.PortDriver.TO_HOST;
import static io.anabranch.fabric.link.PortDriver.TO_SWITCH;
import static io.anabranch.fabric.link.PortDriver.TRIMMED_BYTES;
import static io.anabranch.fabric.link.PortDriver.queue;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anabranch.wire.mrc.DscpMap;
import java.math.BigInteger;
import org.junit.jupiter.api.Test;

class PortsTest {
  private static final QueueConfig ROOMY = queue(1 << 20, 1 << 20, Overflow.TRIM, 1);

  @Test
  void aByteTakesTwentyPicosecondsAt400Gigabits() {
    for (int bytes : new int[] {1, 64, 4160, 65_535}) {
      PortDriver d = new PortDriver(ROOMY);
      d.ports.send(FROM_HOST, d.data(bytes), 0);
      assertThat(d.ports.busy(FROM_HOST, bytes * PS_PER_BYTE - 1)).isTrue();
      assertThat(d.ports.busy(FROM_HOST, bytes * PS_PER_BYTE)).isFalse();
      d.finish();
      assertThat(d.arrivals.getFirst().atPs()).isEqualTo(bytes * PS_PER_BYTE + DELAY_PS);
    }
  }

  @Test
  void aRateThatDoesNotDivideIsRoundedUp() {
    for (long rate : new long[] {1_000_000, 7_000_000_000L, 300_000_000_000L, 9_999_999_999_999L}) {
      for (int bytes : new int[] {1, 3, 64, 4159, 65_535}) {
        PortDriver d = new PortDriver(rate, ROOMY, 1, null);
        d.ports.send(FROM_HOST, d.data(bytes), 0);
        d.finish();
        BigInteger[] exact =
            BigInteger.valueOf(bytes)
                .multiply(BigInteger.valueOf(8_000_000_000_000L))
                .divideAndRemainder(BigInteger.valueOf(rate));
        long expectedPs = exact[0].longValueExact() + (exact[1].signum() == 0 ? 0 : 1);
        assertThat(d.arrivals.getFirst().atPs() - DELAY_PS)
            .as(bytes + " bytes at " + rate)
            .isEqualTo(expectedPs);
      }
    }
  }

  @Test
  void anIdlePortSendsAtOnceWithoutAnEventOfItsOwn() {
    PortDriver d = new PortDriver(ROOMY);
    d.ports.enqueue(TO_SWITCH, d.data(100), 500);
    assertThat(d.events.size()).as("the arrival alone").isEqualTo(1);
    assertThat(d.ports.queuedBytes(TO_SWITCH)).isZero();
    d.runTo(500 + 100 * PS_PER_BYTE);
    d.ports.enqueue(TO_SWITCH, d.data(100), 500 + 100 * PS_PER_BYTE);
    assertThat(d.events.size()).as("two arrivals").isEqualTo(2);
    d.finish();
    assertThat(d.arrivals.get(1).atPs() - d.arrivals.get(0).atPs()).isEqualTo(100 * PS_PER_BYTE);
    assertThat(d.ports.peakBytes(TO_SWITCH)).isZero();
  }

  @Test
  void controlGoesStrictlyFirstAndEachClassInOrder() {
    PortDriver d = new PortDriver(ROOMY);
    int first = d.data(1000);
    int data1 = d.data(300);
    int data2 = d.data(200);
    int control1 = d.control(64);
    int control2 = d.control(40);
    for (int packet : new int[] {first, data1, control1, data2, control2}) {
      d.ports.enqueue(TO_SWITCH, packet, 0);
    }
    assertThat(d.finish()).containsExactly(first, control1, control2, data1, data2);
    // While data1 is sent, control that comes overtakes data2 but not data1.
    assertThat(d.arrivals.getLast().atPs())
        .isEqualTo((1000 + 300 + 200 + 64 + 40) * PS_PER_BYTE + DELAY_PS);
  }

  @Test
  void controlThatComesWhileDataIsSentWaitsForItsEnd() {
    PortDriver d = new PortDriver(ROOMY);
    int data1 = d.data(1000);
    int data2 = d.data(1000);
    int data3 = d.data(1000);
    d.ports.enqueue(TO_SWITCH, data1, 0);
    d.ports.enqueue(TO_SWITCH, data2, 0);
    d.ports.enqueue(TO_SWITCH, data3, 0);
    d.runTo(1000 * PS_PER_BYTE + 1);
    int control = d.control(64);
    d.ports.enqueue(TO_SWITCH, control, 1000 * PS_PER_BYTE + 1);
    assertThat(d.finish()).containsExactly(data1, data2, control, data3);
  }

  @Test
  void aLimitIsKeptToTheByte() {
    for (long limitBytes : new long[] {299, 300, 301}) {
      PortDriver d = new PortDriver(queue(limitBytes, 1000, Overflow.DROP, 1));
      for (int i = 0; i < 4; i++) {
        d.ports.enqueue(TO_SWITCH, d.data(100), 0);
      }
      // One is sent; of three that wait, the third fits if the limit is at least 300.
      int dropped = limitBytes < 300 ? 1 : 0;
      assertThat(d.ports.drops(DropCause.DATA_QUEUE_FULL)).isEqualTo(dropped);
      assertThat(d.ports.dropped(TO_SWITCH)).isEqualTo(dropped);
      assertThat(d.ports.queuedBytes(TO_SWITCH)).isEqualTo((3 - dropped) * 100L);
      assertThat(d.ports.peakBytes(TO_SWITCH)).isEqualTo((3 - dropped) * 100L);
      assertThat(d.finish()).hasSize(4 - dropped);
      assertThat(d.packets.inUse()).isZero();
      assertThat(d.ports.queuedBytes(TO_SWITCH)).isZero();
      assertThat(d.ports.sentPackets(TO_SWITCH)).isEqualTo(4 - dropped);
      assertThat(d.ports.sentBytes(TO_SWITCH)).isEqualTo((4 - dropped) * 100L);
    }
  }

  @Test
  void theControlQueueHasALimitOfItsOwn() {
    for (long limitBytes : new long[] {127, 128}) {
      PortDriver d = new PortDriver(queue(1000, limitBytes, Overflow.TRIM, 1));
      for (int i = 0; i < 3; i++) {
        d.ports.enqueue(TO_SWITCH, d.control(64), 0);
      }
      assertThat(d.ports.drops(DropCause.CONTROL_QUEUE_FULL)).isEqualTo(limitBytes < 128 ? 1 : 0);
      assertThat(d.ports.peakBytes(TO_SWITCH)).as("data only").isZero();
    }
  }

  @Test
  void aTrimmedHeaderThatFindsNoRoomIsDropped() {
    PortDriver d = new PortDriver(queue(100, TRIMMED_BYTES, Overflow.TRIM, 1));
    for (int i = 0; i < 4; i++) {
      d.ports.enqueue(TO_SWITCH, d.data(100), 0);
    }
    assertThat(d.ports.trimmed()).isEqualTo(2);
    assertThat(d.ports.drops(DropCause.CONTROL_QUEUE_FULL)).isEqualTo(1);
    assertThat(d.finish()).hasSize(3);
    assertThat(d.packets.inUse()).isZero();
  }

  @Test
  void theArrivingPacketIsTrimmedAtProbabilityOne() {
    PortDriver d = new PortDriver(queue(200, 1000, Overflow.TRIM, 1));
    int[] p = new int[5];
    for (int i = 0; i < p.length; i++) {
      p[i] = d.data(100);
      d.ports.enqueue(TO_SWITCH, p[i], 0);
    }
    assertThat(d.finish()).containsExactly(p[0], p[3], p[4], p[1], p[2]);
  }

  @Test
  void theNewestPacketIsTrimmedAtProbabilityZero() {
    PortDriver d = new PortDriver(queue(200, 1000, Overflow.TRIM, 0));
    int[] p = new int[5];
    for (int i = 0; i < p.length; i++) {
      p[i] = d.data(100);
      d.ports.enqueue(TO_SWITCH, p[i], 0);
    }
    // 3 takes the place of 2, then 4 that of 3.
    assertThat(d.finish()).containsExactly(p[0], p[2], p[3], p[1], p[4]);
    assertThat(d.ports.trimmed(TO_SWITCH)).isEqualTo(2);
  }

  @Test
  void aNewestPacketWhoseRoomWouldNotDoStays() {
    PortDriver d = new PortDriver(queue(200, 1000, Overflow.TRIM, 0));
    int sent = d.data(100);
    int large = d.data(150);
    int small = d.data(50);
    int arriving = d.data(100);
    for (int packet : new int[] {sent, large, small, arriving}) {
      d.ports.enqueue(TO_SWITCH, packet, 0);
    }
    assertThat(d.finish()).containsExactly(sent, arriving, large, small);
  }

  @Test
  void atOneHalfEitherIsTrimmed() {
    int trials = 10_000;
    PortDriver d = new PortDriver(queue(100, 1000, Overflow.TRIM, 0.5));
    long atPs = 0;
    int arriving = 0;
    for (int i = 0; i < trials; i++) {
      d.arrivals.clear();
      d.ports.enqueue(TO_SWITCH, d.data(100), atPs);
      d.ports.enqueue(TO_SWITCH, d.data(100), atPs);
      int last = d.data(100);
      d.ports.enqueue(TO_SWITCH, last, atPs);
      atPs += 10_000_000;
      d.runTo(atPs);
      assertThat(d.arrivals).hasSize(3);
      arriving += d.arrivals.get(1).packet() == last ? 1 : 0;
    }
    // Five standard deviations: 5 · √(n / 4).
    assertThat((double) arriving).isBetween(trials / 2.0 - 250, trials / 2.0 + 250);
    assertThat(d.ports.trimmed()).isEqualTo(trials);
  }

  @Test
  void aTrimmedPacketIsAHeaderOfTheControlClass() {
    for (int link : new int[] {TO_SWITCH, TO_HOST}) {
      PortDriver d = new PortDriver(queue(100, 1000, Overflow.TRIM, 1));
      for (int i = 0; i < 3; i++) {
        d.ports.enqueue(link, d.data(100), 0);
      }
      d.finish();
      PortDriver.Arrival header = d.arrivals.get(1);
      assertThat(header.bytes()).isEqualTo(TRIMMED_BYTES);
      assertThat(header.flags()).isEqualTo(Packets.CONTROL | Packets.DATA | Packets.TRIMMED);
      assertThat(header.dscp())
          .isEqualTo(
              link == TO_HOST ? DscpMap.DEFAULT.trimmedLastHop() : DscpMap.DEFAULT.trimmed());
      assertThat(d.ports.sentBytes(link)).isEqualTo(200 + TRIMMED_BYTES);
      assertThat(d.ports.trimmed(link)).isEqualTo(1);
      assertThat(d.ports.trimmed(link == TO_HOST ? TO_SWITCH : TO_HOST)).isZero();
    }
  }

  @Test
  void nothingMayWaitAtAHostsPort() {
    PortDriver d = new PortDriver(ROOMY);
    d.ports.send(FROM_HOST, d.data(100), 0);
    int second = d.data(100);
    assertThatThrownBy(() -> d.ports.enqueue(FROM_HOST, second, 0))
        .isInstanceOf(IllegalStateException.class);
  }
}
