package io.anabranch.fabric;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anabranch.fabric.link.DropCause;
import io.anabranch.fabric.link.Packets;
import io.anabranch.fabric.topology.Routing;
import io.anabranch.fabric.topology.Topology;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Each invariant is quiet while it holds, and bites when it is breached. */
class InvariantsTest {
  private static final int MTU_BYTES = Simulation.PAYLOAD_BYTES;

  private final Simulation simulation = new Simulation();
  private final Packets packets = new Packets(false);
  private final Topology wiring;
  private final int hostLink;
  private final int uplink;

  InvariantsTest() {
    simulation.traffic.add(0, 15, 2 * MTU_BYTES + 100, 0);
    wiring = simulation.config().topology().wiring(Routing.ECMP, 1);
    hostLink = wiring.hostLink(0, 0);
    int packet = packet(0);
    packets.describe(packet, 100, Packets.DATA, 0, 15);
    uplink = wiring.next(hostLink, packets, packet);
    packets.release(packet);
  }

  private Invariants watch() {
    return new Invariants(simulation.config(), wiring, packets);
  }

  private int packet(int flags) {
    int packet = packets.take();
    packets.describe(packet, 100, flags, 0, 15);
    return packet;
  }

  private static void bites(ThrowingCallable breach, String rule) {
    assertThatThrownBy(breach)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("invariant broken")
        .hasMessageContaining(rule);
  }

  @Test
  void everyPacketIsAccountedFor() {
    Invariants watch = watch();
    int one = packet(Packets.DATA);
    watch.started(hostLink, one, false, 0, 10);
    watch.conservation(5, 0);
    packets.release(one);
    bites(() -> watch.conservation(20, 0), "delivered, dropped or under way");
    watch.delivered(hostLink, one);
    watch.conservation(20, 0);
    int two = packet(Packets.DATA);
    watch.started(hostLink, two, false, 30, 40);
    watch.dropped(two, DropCause.LINK_LOSS);
    bites(() -> watch.conservation(50, 0), "delivered, dropped or under way");
    packets.release(two);
    watch.conservation(50, 0);
  }

  @Test
  void aPacketFromNowhereIsNoticed() {
    Invariants watch = watch();
    watch.delivered(hostLink, 0);
    bites(() -> watch.conservation(1, 0), "delivered, dropped or under way");
  }

  @Test
  void noQueueExceedsItsLimit() {
    Invariants watch = watch();
    int packet = packet(Packets.DATA);
    long data = simulation.queue.dataBytes();
    long control = simulation.queue.controlBytes();
    watch.queued(uplink, packet, false, data);
    watch.queued(uplink, packet, true, control);
    bites(() -> watch.queued(uplink, packet, false, data + 1), "no queue exceeds its limit");
    bites(() -> watch.queued(uplink, packet, true, control + 1), "no queue exceeds its limit");
    bites(() -> watch.queued(hostLink, packet, false, 1), "no queue exceeds its limit");
  }

  @Test
  void eachClassLeavesInOrder() {
    for (int flags : new int[] {Packets.DATA, Packets.CONTROL}) {
      Invariants watch = watch();
      int one = packet(flags);
      int two = packet(flags);
      watch.queued(uplink, one, flags == Packets.CONTROL, 100);
      watch.queued(uplink, two, flags == Packets.CONTROL, 200);
      watch.started(uplink, two, true, 0, 10);
      bites(() -> watch.started(uplink, one, true, 10, 20), "order in which it came");
    }
  }

  @Test
  void controlMayOvertakeData() {
    Invariants watch = watch();
    int data = packet(Packets.DATA);
    int control = packet(Packets.CONTROL);
    watch.queued(uplink, data, false, 100);
    watch.queued(uplink, control, true, 100);
    watch.started(uplink, control, true, 0, 10);
    watch.started(uplink, data, true, 10, 20);
  }

  @Test
  void whatWasTakenOutOfAQueueMayNotLeaveIt() {
    Invariants watch = watch();
    int one = packet(Packets.DATA);
    watch.queued(uplink, one, false, 100);
    watch.unqueued(uplink, one);
    bites(() -> watch.started(uplink, one, true, 0, 10), "order in which it came");
  }

  @Test
  void aLinkCarriesOnePacketAtATime() {
    Invariants watch = watch();
    watch.started(uplink, packet(Packets.DATA), false, 0, 10);
    watch.started(uplink, packet(Packets.DATA), false, 10, 20);
    bites(
        () -> watch.started(uplink, packet(Packets.DATA), false, 19, 29),
        "no link carries two packets at once");
  }

  @Test
  void everyByteIsWrittenOnce() {
    Invariants watch = watch();
    watch.placed(0, 0, MTU_BYTES);
    watch.placed(0, 2L * MTU_BYTES, 100);
    bites(() -> watch.placed(0, 0, MTU_BYTES), "written once");
    bites(() -> watch.placed(0, 1, MTU_BYTES), "written once");
    bites(() -> watch.placed(0, 2L * MTU_BYTES, 101), "written once");
    bites(() -> watch.placed(0, 3L * MTU_BYTES, 1), "written once");
  }

  @Test
  void aFlowCompletesOnlyWhenAllOfItWasWritten() {
    String rule = "a flow completes only when all of it was written";
    Invariants watch = watch();
    bites(() -> watch.completed(0), rule);
    watch.placed(0, 0, MTU_BYTES);
    watch.placed(0, 2L * MTU_BYTES, 100);
    bites(() -> watch.completed(0), rule);
    watch.placed(0, MTU_BYTES, MTU_BYTES);
    watch.completed(0);
  }

  @Test
  void nothingIsWrittenOnceAFlowIsComplete() {
    Invariants watch = watch();
    watch.placed(0, 0, MTU_BYTES);
    watch.placed(0, MTU_BYTES, MTU_BYTES);
    watch.placed(0, 2L * MTU_BYTES, 100);
    watch.completed(0);
    bites(() -> watch.placed(0, 0, MTU_BYTES), "written once");
  }

  @Test
  void aPacketMayNotBeShort() {
    Invariants watch = watch();
    bites(() -> watch.placed(0, 0, MTU_BYTES - 1), "written once");
    bites(() -> watch.placed(0, 2L * MTU_BYTES, 99), "written once");
  }

  /** Two messages, each of a packet and 50 bytes. */
  @Test
  void theLastPacketOfEachMessageIsShort() {
    simulation.messageBytes = MTU_BYTES + 50;
    Invariants watch = watch();
    watch.placed(0, MTU_BYTES, 50);
    watch.placed(0, MTU_BYTES + 50, MTU_BYTES);
    bites(() -> watch.placed(0, MTU_BYTES, 50), "written once");
    bites(() -> watch.placed(0, 2L * MTU_BYTES, 100), "written once");
    watch.placed(0, 0, MTU_BYTES);
    bites(() -> watch.completed(0), "completes only when all of it was written");
    watch.placed(0, 2L * MTU_BYTES + 50, 50);
    watch.completed(0);
  }
}
