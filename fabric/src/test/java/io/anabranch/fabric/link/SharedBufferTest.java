package io.anabranch.fabric.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anabranch.fabric.event.EventQueue;
import io.anabranch.wire.mrc.DscpMap;
import io.anabranch.wire.mrc.Frame;
import org.junit.jupiter.api.Test;

/** Ports 0 and 1 are of one switch, port 2 is of another; a hundred packets fit into a buffer. */
class SharedBufferTest {
  private static final int BYTES = 1000;
  private static final int POOL_BYTES = 100 * BYTES;
  private static final int TRIMMED_BYTES = 100;

  private EventQueue events = new EventQueue();
  private long nowPs;
  private final Packets packets = new Packets(false);
  private final Frame frame = new Frame();

  private Ports ports(double alpha, Overflow overflow, double trimArriving) {
    events = new EventQueue();
    nowPs = 0;
    QueueConfig queue = PortDriver.queue(1 << 20, 1 << 20, overflow, trimArriving);
    LinkConfig link = new LinkConfig(PortDriver.RATE, PortDriver.DELAY_PS);
    Ports.Kind[] kinds = {new Ports.Kind(link, queue, false, 0, Integer.MAX_VALUE)};
    Pools pools = new Pools(new SharedBuffer(POOL_BYTES, alpha), 2, l -> l / 2);
    return new Ports(
        events, packets, kinds, new byte[4], TRIMMED_BYTES, DscpMap.DEFAULT, 1, null, pools);
  }

  private void offer(Ports ports, int link, int n, int flags, int bytes) {
    for (int i = 0; i < n; i++) {
      int packet = packets.take();
      packets.wrap(frame, packet).clear();
      packets.describe(packet, bytes, flags, 0, 0);
      ports.enqueue(link, packet, nowPs);
    }
  }

  private void offer(Ports ports, int link, int n) {
    offer(ports, link, n, Packets.DATA, BYTES);
  }

  private void finish(Ports ports) {
    nowPs += 1_000_000_000L;
    for (int target = events.take(nowPs); target >= 0; ) {
      if (target < Ports.ARRIVE) {
        ports.free(target, events.nowPs());
      } else {
        packets.release(ports.arrived(target - Ports.ARRIVE));
      }
      target = events.take(nowPs);
    }
  }

  /** A queue grows while q + 1 ≤ alpha (100 − q), in packets; then another while it may. */
  @Test
  void thresholdsFollowWhatIsFree() {
    double[] alphas = {0.5, 1, 2, 100};
    int[] first = {33, 50, 67, 100};
    int[] second = {22, 25, 22, 0};
    for (int i = 0; i < alphas.length; i++) {
      Ports ports = ports(alphas[i], Overflow.DROP, 1);
      offer(ports, 0, 200); // one of them is on the wire at once
      offer(ports, 1, 200);
      offer(ports, 2, 200);
      assertThat(ports.queuedBytes(0)).as("alpha " + alphas[i]).isEqualTo(first[i] * 1000L);
      assertThat(ports.queuedBytes(1)).as("alpha " + alphas[i]).isEqualTo(second[i] * 1000L);
      assertThat(ports.queuedBytes(2)).as("another switch").isEqualTo(first[i] * 1000L);
      assertThat(ports.drops(DropCause.DATA_QUEUE_FULL))
          .isEqualTo(3 * 199 - 2 * first[i] - second[i]);
      finish(ports);
      assertThat(packets.inUse()).isZero();
      // What has left is free again.
      offer(ports, 1, 200);
      assertThat(ports.queuedBytes(1)).isEqualTo(first[i] * 1000L);
      finish(ports);
    }
  }

  @Test
  void aQueuesOwnLimitHoldsToo() {
    QueueConfig queue = PortDriver.queue(10 * BYTES, 1 << 20, Overflow.DROP, 1);
    LinkConfig link = new LinkConfig(PortDriver.RATE, PortDriver.DELAY_PS);
    Ports.Kind[] kinds = {new Ports.Kind(link, queue, false, 0, Integer.MAX_VALUE)};
    Pools pools = new Pools(new SharedBuffer(POOL_BYTES, 1), 2, l -> l / 2);
    Ports ports =
        new Ports(events, packets, kinds, new byte[4], 100, DscpMap.DEFAULT, 1, null, pools);
    offer(ports, 0, 200);
    assertThat(ports.queuedBytes(0)).isEqualTo(10L * BYTES);
  }

  /** Headers fill what is left, to the last byte, and are lost only then. */
  @Test
  void controlTakesWhatIsFree() {
    for (double trimArriving : new double[] {0, 0.5, 1}) {
      Ports ports = ports(1, Overflow.TRIM, trimArriving);
      offer(ports, 0, 2000);
      long headers = ports.trimmed(0) - ports.dropped(0);
      long held = ports.queuedBytes(0) + headers * TRIMMED_BYTES;
      assertThat(held).isBetween((long) POOL_BYTES - TRIMMED_BYTES + 1, (long) POOL_BYTES);
      assertThat(ports.drops(DropCause.CONTROL_QUEUE_FULL)).isEqualTo(ports.dropped(0));
      // Data had the half of it at first, and nothing is taken from it but to be trimmed.
      assertThat(ports.queuedBytes(0)).isLessThanOrEqualTo(50L * BYTES);
      long lost = ports.dropped(0);
      offer(ports, 1, 3, Packets.CONTROL, TRIMMED_BYTES);
      assertThat(ports.dropped(1)).as("one is on the wire").isEqualTo(2);
      assertThat(ports.dropped(0)).isEqualTo(lost);
      finish(ports);
      assertThat(packets.inUse()).isZero();
    }
  }

  @Test
  void rangesAreChecked() {
    assertThatThrownBy(() -> new SharedBuffer(0, 1)).hasMessageContaining("bytes");
    assertThatThrownBy(() -> new SharedBuffer(1, 0)).hasMessageContaining("alpha");
    assertThatThrownBy(() -> new SharedBuffer(1, Double.NaN)).hasMessageContaining("alpha");
  }
}
