package io.anabranch.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.anabranch.fabric.link.EcnRamp;
import io.anabranch.fabric.link.Overflow;
import io.anabranch.fabric.link.QueueConfig;
import io.anabranch.fabric.peer.roce.DcqcnConfig;
import io.anabranch.fabric.peer.roce.Recovery;
import io.anabranch.fabric.peer.roce.RoceConfig;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RoCEv2 on the fabric: times, losses and rates in closed form. */
class RoceRunTest {
  private static final int RETH_BYTES = 16;
  private static final long BYTE_PS = 20;
  private static final long DATA_PS = Simulation.DATA_BYTES * BYTE_PS;
  private static final long DELAY_PS = 1_000_000;
  private static final int LINKS = 4;

  /** From a packet's first bit on its first link to the acknowledgement's last on its last. */
  private static final long ROUND_TRIP_PS =
      LINKS * (2 * DELAY_PS + DATA_PS + Simulation.CONTROL_BYTES * BYTE_PS);

  private final Simulation simulation = new Simulation();

  RoceRunTest() {
    simulation.queue = new QueueConfig(1 << 26, 1 << 26, null, Overflow.DROP, 0);
    use(new Recovery.GoBackN());
  }

  private void use(Recovery recovery) {
    simulation.transport =
        new Transport.Rocev2(new RoceConfig(4096, 1, 0, false, 4, 5, 7, recovery, 0, false, null));
  }

  private void use(int qps, long messageBytes, boolean immediate, @Nullable DcqcnConfig dcqcn) {
    simulation.transport =
        new Transport.Rocev2(
            new RoceConfig(
                4096,
                qps,
                messageBytes,
                immediate,
                4,
                14,
                7,
                new Recovery.GoBackN(),
                0,
                false,
                dcqcn));
  }

  @Test
  void onePacketTakesItsRoundTripAndItsReth() {
    int flow = simulation.traffic.add(0, 15, Simulation.PAYLOAD_BYTES, 0);
    Fabric fabric = simulation.run();
    assertThat(fabric.flows().finishPs(flow))
        .isEqualTo(ROUND_TRIP_PS + LINKS * RETH_BYTES * BYTE_PS);
  }

  @Test
  void onlyTheFirstPacketOfAMessageHasAReth() {
    simulation.traffic.add(0, 15, 2L * Simulation.PAYLOAD_BYTES + 100, 0);
    use(1, 0, true, null);
    Fabric fabric = simulation.run();
    long payload = 2L * Simulation.PAYLOAD_BYTES + 100;
    long overhead = 3 * (Simulation.DATA_BYTES - Simulation.PAYLOAD_BYTES);
    // And the last one of a WRITE with Immediate four bytes.
    assertThat(fabric.links().bytes(0)).isEqualTo(payload + overhead + RETH_BYTES + 4);
  }

  @Test
  void aLongFlowIsLimitedByItsLinkAlone() {
    int packets = 1000;
    int flow = simulation.traffic.add(0, 15, (long) packets * Simulation.PAYLOAD_BYTES, 0);
    Fabric fabric = simulation.run();
    // The first packet is longer by its RETH, and holds up the others once on each link.
    assertThat(fabric.flows().finishPs(flow))
        .isEqualTo((packets - 1) * DATA_PS + ROUND_TRIP_PS + LINKS * RETH_BYTES * BYTE_PS);
  }

  @Test
  void retriesRunOutAndTheQueuePairFails() {
    simulation.losses = List.of(new Loss.OnLink("p1.t0.3>h15", 1));
    int flow = simulation.traffic.add(0, 15, 10L * Simulation.PAYLOAD_BYTES, 0);
    Fabric fabric = simulation.run();
    assertThat(fabric.flows().failed(flow)).isTrue();
    assertThat(fabric.totals().delivered()).isZero();
    // Seven retries, each a timeout after the one before, and the last one's timeout.
    assertThat(fabric.nowPs()).isEqualTo(8 * RoceConfig.timeoutPs(5));
    assertThat(fabric.totals().retransmitted()).isEqualTo(7 * 10);
  }

  /**
   * A lost packet is sent again once the NAK for the one behind it is back: what was sent in
   * between, W packets' time, is lost with it. Each packet needs 1 / (1 − p) attempts.
   */
  @ParameterizedTest
  @ValueSource(doubles = {0.0003, 0.001, 0.003, 0.01})
  void goBackNLosesARoundTripForEachLoss(double p) {
    int packets = 40_000;
    simulation.losses = List.of(new Loss.OnLink("p1.t0.3>h15", p));
    int flow = simulation.traffic.add(0, 15, (long) packets * Simulation.PAYLOAD_BYTES, 0);
    long tookPs = simulation.run().flows().finishPs(flow);
    double wasted = Math.ceil((double) (DATA_PS + ROUND_TRIP_PS) / DATA_PS);
    double expected = packets * (1 + wasted * p / (1 - p)) * DATA_PS;
    // About 12 losses at the least rate: chance itself is up to a few per cent of the time.
    double chance = 3 * Math.sqrt(packets * p) * wasted * DATA_PS;
    assertThat((double) tookPs).isCloseTo(expected, within(0.05 * expected + chance));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void goBackNIsWithinFivePerCentOfItsClosedForm(long seed) {
    int packets = 200_000;
    double p = 0.001;
    simulation.seed = seed;
    simulation.check = false;
    simulation.losses = List.of(new Loss.OnLink("p1.t0.3>h15", p));
    int flow = simulation.traffic.add(0, 15, (long) packets * Simulation.PAYLOAD_BYTES, 0);
    long tookPs = simulation.run().flows().finishPs(flow);
    double wasted = Math.ceil((double) (DATA_PS + ROUND_TRIP_PS) / DATA_PS);
    double expected = packets * (1 + wasted * p / (1 - p)) * DATA_PS;
    assertThat((double) tookPs).isCloseTo(expected, within(0.05 * expected));
  }

  /**
   * With a cap well above two round trips a loss costs its copy alone; with less the sender stops
   * until the copy is acknowledged: from when the cap is reached until two round trips after.
   */
  @ParameterizedTest
  @ValueSource(ints = {1024, 128})
  void selectiveRepeatLosesWhatTheCapHoldsBack(int cap) {
    int packets = 200_000;
    double p = 0.0005;
    use(new Recovery.SelectiveRepeat(cap, 100_000_000, 320_000_000, 3));
    simulation.check = false;
    simulation.losses = List.of(new Loss.OnLink("p1.t0.3>h15", p));
    int flow = simulation.traffic.add(0, 15, (long) packets * Simulation.PAYLOAD_BYTES, 0);
    long tookPs = simulation.run().flows().finishPs(flow);
    // Each packet has a RETH here.
    long dataPs = DATA_PS + RETH_BYTES * BYTE_PS;
    double roundTrip = (double) (ROUND_TRIP_PS + LINKS * RETH_BYTES * BYTE_PS) / dataPs;
    double stopped = Math.max(0, Math.ceil(1 + roundTrip) + Math.ceil(roundTrip) - cap);
    double expected = packets * (1 / (1 - p) + p * stopped) * dataPs;
    assertThat((double) tookPs).isCloseTo(expected, within(0.05 * expected));
  }

  @Test
  void everyQueuePairOfAStripedFlowHasAPathOfItsOwn() {
    use(8, 64 << 10, false, null);
    int flow = simulation.traffic.add(0, 15, 16 << 20, 0);
    Fabric fabric = simulation.run();
    assertThat(fabric.flows().finishPs(flow)).isPositive();
    int uplinks = 0;
    for (int link = 0; link < fabric.links().count(); link++) {
      String name = fabric.links().name(link);
      uplinks += name.startsWith("p1.t0.0>t1") && fabric.links().bytes(link) > 0 ? 1 : 0;
    }
    // Eight hashes over eight spines: the chance that fewer than three are met is below 1e-4.
    assertThat(uplinks).isBetween(3, 8);
  }

  @Test
  void leastQueuesLeaveNoCollisionsOfAPermutation() {
    simulation.spines = 4;
    for (int host = 0; host < 16; host++) {
      simulation.traffic.add(host, (host + 4) % 16, 1 << 20, 0);
    }
    Fabric byHash = simulation.run();
    simulation.transport =
        new Transport.Rocev2(
            new RoceConfig(4096, 1, 0, false, 4, 14, 7, new Recovery.GoBackN(), 101, true, null));
    Fabric byQueue = simulation.run();
    assertThat(byQueue.totals().retransmitted()).isZero();
    // Two flows on one uplink take twice as long; on queues of their own a few packets' time more.
    long alone = 256 * DATA_PS + ROUND_TRIP_PS;
    assertThat(byHash.nowPs()).isGreaterThan(2 * 256 * DATA_PS);
    assertThat(byQueue.nowPs()).isLessThan(alone + 20 * DATA_PS);
  }

  @Test
  void whenARunIsLookedAtDoesNotChangeIt() {
    String whole = Simulation.results(congested().run());
    Fabric sliced = new Fabric(congested().config(), null);
    long atPs = 0;
    do {
      atPs += 777_777;
    } while (sliced.runTo(atPs));
    assertThat(Simulation.results(sliced)).isEqualTo(whole);
  }

  private Simulation congested() {
    Simulation s = new Simulation();
    s.queue =
        new QueueConfig(420_160, 840_320, new EcnRamp(87_360, 336_960, 0.2), Overflow.DROP, 0);
    s.transport =
        new Transport.Rocev2(
            new RoceConfig(
                4096, 2, 64 << 10, false, 4, 5, 7, new Recovery.GoBackN(), 0, false, DCQCN));
    for (int host = 1; host < 16; host++) {
      s.traffic.add(host, 0, 1 << 20, 0);
    }
    return s;
  }

  private static final DcqcnConfig DCQCN =
      new DcqcnConfig(
          1.0 / 256,
          55_000_000,
          55_000_000,
          10_000_000,
          5,
          400_000_000,
          4_000_000_000L,
          100_000_000,
          50_000_000);
}
