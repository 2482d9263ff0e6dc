package io.anabranch.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anabranch.engine.path.EvState;
import io.anabranch.engine.trace.TraceEvent;
import io.anabranch.fabric.fault.Effect;
import io.anabranch.fabric.fault.Fault;
import io.anabranch.fabric.fault.FaultCost;
import io.anabranch.fabric.fault.Span;
import io.anabranch.fabric.fault.Timing;
import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.link.QueueConfig;
import io.anabranch.fabric.topology.Forwarding;
import io.anabranch.fabric.topology.Routing;
import io.anabranch.fabric.topology.ThreeTierConfig;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What each kind of fault does to packets, by closed form and by conservation. */
class FaultRunTest {
  private static final long DATA_PS = 83_200;
  private static final long CONTROL_PS = 1_280;
  private static final long DELAY_PS = 1_000_000;
  private static final long LONE_PACKET_PS = 4 * (DATA_PS + DELAY_PS) + 4 * (CONTROL_PS + DELAY_PS);

  /** 2 MiB. */
  private static final int PACKETS = 512;

  private static final long LONE_FLOW_PS = LONE_PACKET_PS + (PACKETS - 1) * DATA_PS;
  private static final String UP = "p1.t0.0>t1.0";
  private static final Effect CUT = new Effect.Down(Effect.NEVER, Effect.NEVER);
  private static final Effect SEEN = new Effect.Down(0, Effect.NEVER);

  private final Simulation simulation = new Simulation();

  /** Two hosts on two leaves, with one way between them. */
  private void oneWay(int packets) {
    simulation.leaves = 2;
    simulation.hostsPerLeaf = 1;
    simulation.spines = 1;
    simulation.evsPerPlane = 1;
    simulation.traffic.add(0, 1, (long) packets * Simulation.PAYLOAD_BYTES, 0);
  }

  private static Fault at(Effect effect, long fromPs, long lengthPs, String... targets) {
    return new Fault(effect, List.of(targets), 0, new Timing.Once(fromPs, lengthPs));
  }

  private static int link(Fabric fabric, String name) {
    LinkTable links = fabric.links();
    int link = 0;
    while (!links.name(link).equals(name)) {
      link++;
    }
    return link;
  }

  private static long packets(Fabric fabric, String link) {
    return fabric.links().packets(link(fabric, link));
  }

  private static long dropped(Fabric fabric, String cause) {
    return fabric.totals().dropped().getOrDefault(cause, 0L);
  }

  private static long dropped(Fabric fabric) {
    return fabric.totals().dropped().values().stream().mapToLong(Long::longValue).sum();
  }

  /** When packet k begins on the leaf's uplink: one link further, at the same rate. */
  private static long beginsOnUplink(int k) {
    return (k + 1) * DATA_PS + DELAY_PS;
  }

  @Test
  void aCutLosesWhatIsOnTheWireAndWhatIsSentInIt() {
    oneWay(PACKETS);
    long cutPs = 10_000_001;
    long lengthPs = 1_000_000;
    simulation.faults = List.of(at(CUT, cutPs, lengthPs, UP));
    Fabric fabric = simulation.run();
    long lost = 0;
    for (int k = 0; k < PACKETS; k++) {
      boolean before = beginsOnUplink(k) + DATA_PS + DELAY_PS <= cutPs;
      boolean after = beginsOnUplink(k) > cutPs + lengthPs;
      lost += before || after ? 0 : 1;
    }
    assertThat(lost).isPositive();
    assertThat(fabric.flows().finishPs(0)).isPositive();
    FaultCost cost = fabric.faults().getFirst();
    assertThat(cost.packetsLost()).isEqualTo(lost).isEqualTo(dropped(fabric, "link_down"));
    assertThat(cost.copiesResent()).isEqualTo(lost);
    assertThat(cost.queuePairs()).isEqualTo(1);
    assertThat(cost.startPs()).isEqualTo(cutPs);
    assertThat(cost.endPs()).isEqualTo(cutPs + lengthPs);
    assertThat(cost.during().ps()).isEqualTo(lengthPs);
    // Before, from the first packet's arrival on, a packet each 83.2 ns came in.
    long arrivesPs = 4 * (DATA_PS + DELAY_PS);
    assertThat(cost.before().bytes()).isEqualTo((1 + (cutPs - arrivesPs) / DATA_PS) * 4096);
    assertThat(cost.before().ps()).isEqualTo(cutPs);
  }

  @Test
  void aPortThatNoticesLosesWhatItHasQueued() {
    simulation.leaves = 2;
    simulation.hostsPerLeaf = 2;
    simulation.spines = 1;
    simulation.evsPerPlane = 1;
    simulation.traffic.add(0, 2, (long) PACKETS * Simulation.PAYLOAD_BYTES, 0);
    simulation.traffic.add(1, 3, (long) PACKETS * Simulation.PAYLOAD_BYTES, 0);
    long cutPs = 10_000_001;
    long detectPs = 300_000;
    simulation.faults =
        List.of(at(new Effect.Down(detectPs, Effect.NEVER), cutPs, Timing.FOREVER, UP));
    simulation.endPs = 20_000_000;
    Fabric fabric = new Fabric(simulation.config(), null);
    fabric.runTo(cutPs + detectPs);
    final long before = dropped(fabric);
    long queued = fabric.links().queuedBytes(link(fabric, UP)) / Simulation.DATA_BYTES;
    // Two senders into one link from 1.0832 us on.
    assertThat(queued).isBetween(90L, 120L);
    fabric.runTo(cutPs + detectPs + 1);
    assertThat(dropped(fabric) - before).isEqualTo(queued);
    assertThat(fabric.links().queuedBytes(link(fabric, UP))).isZero();
    long sent = packets(fabric, UP);
    fabric.runTo(Long.MAX_VALUE);
    assertThat(packets(fabric, UP)).as("the leaf sends no more on it").isEqualTo(sent);
  }

  @Test
  void aNicIsToldAfterItsDetectionDelayAndSendsNoMore() {
    simulation.planes = 2;
    simulation.traffic.add(0, 15, 8 << 20, 0);
    long cutPs = 20_000_001;
    long detectPs = 2_000_000;
    String up = "p2.h0>t0.0";
    simulation.faults =
        List.of(at(new Effect.Down(detectPs, Effect.NEVER), cutPs, Timing.FOREVER, "p2.h0"));
    Fabric fabric = new Fabric(simulation.config(), null);
    fabric.runTo(cutPs);
    final long atCut = packets(fabric, up);
    fabric.runTo(cutPs + detectPs);
    long toldAt = packets(fabric, up);
    assertThat(toldAt - atCut).as("blindly").isBetween(detectPs / DATA_PS, detectPs / DATA_PS + 1);
    fabric.runTo(Long.MAX_VALUE);
    assertThat(fabric.flows().finishPs(0)).isPositive();
    assertThat(packets(fabric, up)).isEqualTo(toldAt);
    FaultCost cost = fabric.faults().getFirst();
    assertThat(cost.lastLeftPs()).isEqualTo((cutPs + detectPs) / 1000 * 1000);
    assertThat(cost.pathsLeft()).isEqualTo(cost.paths()).isBetween(1L, 8L);
  }

  @Test
  void aPortThatWasDownFromTheStartIsNotUsed() {
    simulation.planes = 2;
    simulation.traffic.add(0, 15, 1 << 20, 0);
    simulation.faults = List.of(Fault.always(SEEN, "p2.h0"));
    Fabric fabric = simulation.run();
    assertThat(fabric.flows().finishPs(0)).isPositive();
    assertThat(packets(fabric, "p2.h0>t0.0")).isZero();
    assertThat(fabric.deliveredOnPlane(1)).isZero();
  }

  @Test
  void aSilentSpineLosesItsPathsAndNoOthers() {
    for (int host = 0; host < 4; host++) {
      simulation.traffic.add(host, host + 8, 2 << 20, 0);
    }
    simulation.faults = List.of(at(new Effect.Silent(), 5_000_001, Timing.FOREVER, "p1.t1.3"));
    TreeSet<String> left = new TreeSet<>();
    Fabric fabric =
        new Fabric(
            simulation.config(),
            host ->
                (event, nowNs, qp, a, b, c) -> {
                  if (event == TraceEvent.EV_STATE && c == EvState.ASSUMED_BAD) {
                    left.add("h" + host + " ev " + (a & 0x3fff));
                  }
                });
    while (fabric.runTo(Long.MAX_VALUE)) {
      // Until nothing is left.
    }
    assertThat(left).containsExactly("h0 ev 3", "h1 ev 3", "h2 ev 3", "h3 ev 3");
    FaultCost cost = fabric.faults().getFirst();
    assertThat(cost.packetsLost()).isEqualTo(dropped(fabric, "black_hole")).isPositive();
    assertThat(cost.paths()).isEqualTo(4);
    assertThat(cost.pathsLeft()).isEqualTo(4);
    assertThat(cost.queuePairs()).isEqualTo(4);
  }

  @Test
  void aSlowLinkTakesLongerForEachBit() {
    oneWay(1);
    simulation.faults = List.of(Fault.always(new Effect.Slow(100_000_000_000L), UP));
    assertThat(simulation.run().flows().finishPs(0)).isEqualTo(LONE_PACKET_PS + 3 * DATA_PS);
  }

  /** Headers of a slower link may not overtake the rest of their packet. */
  @Test
  void whatComesInSlowlyIsNotCutThrough() {
    oneWay(1);
    simulation.forwarding = Forwarding.CUT_THROUGH;
    long plain = simulation.run().flows().finishPs(0);
    simulation.faults = List.of(Fault.always(new Effect.Slow(100_000_000_000L), UP));
    assertThat(simulation.run().flows().finishPs(0)).isEqualTo(plain + 4 * DATA_PS - CONTROL_PS);
  }

  @Test
  void aLongerLinkTakesItsDelay() {
    oneWay(1);
    simulation.faults = List.of(Fault.always(new Effect.Delay(7_000_000), "p1.t0.0-t1.0"));
    assertThat(simulation.run().flows().finishPs(0)).isEqualTo(LONE_PACKET_PS + 2 * 7_000_000);
  }

  /**
   * The port pauses for as long as the link gets shorter; all packets after it come so much later.
   */
  @Test
  void aLinkThatGetsShorterKeepsOrder() {
    oneWay(PACKETS);
    simulation.faults = List.of(at(new Effect.Delay(5_000_000), 0, 20_000_001, UP));
    Fabric fabric = simulation.run();
    assertThat(dropped(fabric)).isZero();
    assertThat(fabric.flows().finishPs(0)).isEqualTo(LONE_FLOW_PS + 5_000_000);
  }

  @Test
  void lossMayDependOnSize() {
    oneWay(4);
    simulation.endPs = 500_000_000;
    simulation.faults =
        List.of(Fault.always(new Effect.Lossy(1, Simulation.CONTROL_BYTES + 1), "p1.t0.0-t1.0"));
    Fabric fabric = simulation.run();
    assertThat(fabric.totals().delivered()).isZero();
    assertThat(dropped(fabric, "link_loss")).isEqualTo(fabric.faults().getFirst().packetsLost());
    assertThat(packets(fabric, "p1.t1.0>t0.1")).as("probes pass").isPositive();
    long small = packets(fabric, "p1.t1.0>t0.1");
    assertThat(packets(fabric, UP)).isEqualTo(dropped(fabric, "link_loss") + small);
  }

  /** Bad and good by turns: of n packets every other one is lost, beginning with the first. */
  @Test
  void burstsFollowTheirStates() {
    oneWay(PACKETS);
    simulation.endPs = 1_000_000_000;
    simulation.faults = List.of(Fault.always(new Effect.Burst(1, 1, 1, 0), UP));
    Fabric fabric = simulation.run();
    long sent = packets(fabric, UP);
    long onTheWay = (DATA_PS + DELAY_PS) / DATA_PS + 1;
    assertThat(fabric.faults().getFirst().packetsLost())
        .isBetween((sent - onTheWay + 1) / 2, (sent + 1) / 2);
  }

  @Test
  void aDamagedPacketIsFoundByTheNextThatTakesItWhole() {
    oneWay(4);
    simulation.endPs = 500_000_000;
    simulation.faults = List.of(Fault.always(new Effect.Corrupting(1), UP));
    Fabric fabric = simulation.run();
    assertThat(fabric.totals().delivered()).isZero();
    assertThat(packets(fabric, "p1.t1.0>t0.1")).isZero();
    assertThat(dropped(fabric, "corrupted"))
        .isEqualTo(packets(fabric, UP))
        .isEqualTo(fabric.faults().getFirst().packetsLost());
  }

  @Test
  void cutThroughPassesDamageOnToTheHost() {
    oneWay(4);
    simulation.endPs = 500_000_000;
    simulation.forwarding = Forwarding.CUT_THROUGH;
    simulation.faults = List.of(Fault.always(new Effect.Corrupting(1), UP));
    Fabric fabric = simulation.run();
    assertThat(fabric.totals().delivered()).isZero();
    assertThat(packets(fabric, "p1.t0.1>h1")).isPositive();
    assertThat(dropped(fabric, "corrupted"))
        .isEqualTo(fabric.faults().getFirst().packetsLost())
        .isEqualTo(packets(fabric, UP));
  }

  /** 1 − (1 − rate)^bits of all, here 0.283 with a standard error of √(p q / n). */
  @Test
  void damageFollowsTheBitErrorRate() {
    oneWay(4 * PACKETS);
    simulation.faults = List.of(Fault.always(new Effect.Corrupting(1e-5), UP));
    Fabric fabric = simulation.run();
    assertThat(fabric.flows().finishPs(0)).isPositive();
    double p = 1 - Math.pow(1 - 1e-5, 8 * Simulation.DATA_BYTES);
    double n = packets(fabric, UP);
    double error = 4 * Math.sqrt(p * (1 - p) / n);
    assertThat(dropped(fabric, "corrupted") / n).isBetween(p - error - 0.02, p + error);
  }

  /** Both ways of two hosts lead through one of the swapped cables. */
  @Test
  void swappedCablesMisleadSids() {
    oneWay(4);
    simulation.spines = 2;
    simulation.evsPerPlane = 2;
    simulation.endPs = 500_000_000;
    simulation.faults =
        List.of(Fault.always(new Effect.Miswired(), "p1.t0.0-t1.0", "p1.t0.1-t1.1"));
    Fabric fabric = simulation.run();
    assertThat(fabric.totals().delivered()).isZero();
    assertThat(dropped(fabric, "no_route"))
        .isEqualTo(dropped(fabric))
        .isEqualTo(fabric.faults().getFirst().packetsLost())
        .isPositive();
  }

  /** By address a packet comes back to where it was, until its hop limit ends that. */
  @Test
  void swappedCablesMakeLoopsByAddress() {
    oneWay(4);
    simulation.routing = Routing.ECMP;
    simulation.spines = 3;
    simulation.evsPerPlane = 64;
    simulation.faults =
        List.of(Fault.always(new Effect.Miswired(), "p1.t0.0-t1.0", "p1.t0.1-t1.1"));
    Fabric fabric = simulation.run();
    assertThat(fabric.flows().finishPs(0)).isPositive();
    assertThat(dropped(fabric, "hop_limit")).isPositive().isEqualTo(dropped(fabric));
    assertThat(fabric.totals().hops()).isGreaterThan(64 * dropped(fabric));
  }

  @Test
  void aHostTakesNothingThatIsForAnother() {
    simulation.leaves = 2;
    simulation.hostsPerLeaf = 2;
    simulation.endPs = 500_000_000;
    simulation.traffic.add(2, 0, 4 * 4096, 0);
    simulation.faults = List.of(Fault.always(new Effect.Miswired(), "p1.h0-t0.0", "p1.h1-t0.0"));
    Fabric fabric = simulation.run();
    assertThat(fabric.totals().delivered()).isZero();
    assertThat(dropped(fabric, "no_route")).isEqualTo(packets(fabric, "p1.t0.0>h0")).isPositive();
  }

  @Test
  void cablesOfTwoPlanesSwappedReachNobody() {
    simulation.planes = 2;
    simulation.routing = Routing.ECMP;
    simulation.endPs = 500_000_000;
    simulation.traffic.add(0, 15, 4 * 4096, 0);
    simulation.faults = List.of(Fault.always(new Effect.Miswired(), "p1.h0-t0.0", "p2.h0-t0.0"));
    Fabric fabric = simulation.run();
    assertThat(fabric.totals().delivered()).isZero();
    assertThat(dropped(fabric, "no_route")).isEqualTo(dropped(fabric)).isPositive();
  }

  /**
   * The leaf knows its own link; the spine that has lost its way down is still chosen elsewhere.
   */
  @Test
  void ecmpGoesRoundALinkOfItsOwnAtOnceAndRoundOthersOnceItConverges() {
    simulation.routing = Routing.ECMP;
    simulation.evsPerPlane = 64;
    simulation.traffic.add(0, 4, 2 << 20, 0);
    simulation.faults = List.of(Fault.always(SEEN, "p1.t0.0-t1.0"));
    Fabric local = simulation.run();
    assertThat(local.flows().finishPs(0)).isPositive();
    assertThat(packets(local, UP)).isZero();
    assertThat(dropped(local, "link_down"))
        .as("answers only")
        .isPositive()
        .isEqualTo(local.links().dropped(link(local, "p1.t1.0>t0.0")));
    assertThat(local.totals().retransmitted()).isZero();
    simulation.faults = List.of(Fault.always(new Effect.Down(0, 0), "p1.t0.0-t1.0"));
    Fabric all = simulation.run();
    assertThat(dropped(all)).isZero();
    assertThat(packets(all, "p1.t0.1>t1.0")).isZero();
  }

  /** Two pods of two leaves of two hosts, two spines a pod, two cores a spine. */
  private ThreeTierConfig threeTiers() {
    LinkConfig link = simulation.hostLink;
    QueueConfig q = simulation.queue;
    return new ThreeTierConfig(
        1, 2, 2, 2, 2, 2, link, link, link, q, q, q, q, q, 0, Forwarding.STORE_AND_FORWARD);
  }

  @ParameterizedTest
  @ValueSource(strings = {"p1.t1.0-t2.0", "p1.t1.2-t0.2", "p1.t1.3", "p1.t2.3"})
  void threeTiersConvergeToo(String target) {
    simulation.topology = threeTiers();
    simulation.routing = Routing.ECMP;
    simulation.evsPerPlane = 32;
    int hosts = simulation.topology.hosts();
    for (int host = 0; host < hosts; host++) {
      simulation.traffic.add(host, (host + hosts / 2) % hosts, 256 << 10, 0);
    }
    simulation.faults = List.of(Fault.always(new Effect.Down(0, 0), target));
    Fabric fabric = simulation.run();
    assertThat(dropped(fabric)).isZero();
    for (int flow = 0; flow < hosts; flow++) {
      assertThat(fabric.flows().finishPs(flow)).isPositive();
    }
  }

  @Test
  void aSwitchThatIsDownSendsNothing() {
    simulation.traffic.add(0, 15, 4 << 20, 0);
    long cutPs = 20_000_001;
    simulation.faults = List.of(at(CUT, cutPs, Timing.FOREVER, "p1.t1.2"));
    Fabric fabric = new Fabric(simulation.config(), null);
    fabric.runTo(cutPs + 1);
    long sent = packets(fabric, "p1.t1.2>t0.3") + packets(fabric, "p1.t1.2>t0.0");
    while (fabric.runTo(Long.MAX_VALUE)) {
      // Until nothing is left.
    }
    assertThat(fabric.flows().finishPs(0)).isPositive();
    assertThat(packets(fabric, "p1.t1.2>t0.3") + packets(fabric, "p1.t1.2>t0.0")).isEqualTo(sent);
  }

  @Test
  void aLossyEvIsLeft() {
    simulation.traffic.add(0, 15, 2 << 20, 0);
    simulation.faults =
        List.of(
            new Fault(
                new Effect.LossyEv(0, 0, 2, 1), List.of(), 0, new Timing.Once(0, Timing.FOREVER)));
    Fabric fabric = simulation.run();
    FaultCost cost = fabric.faults().getFirst();
    assertThat(cost.target()).isEqualTo("h0 p1 ev 2");
    assertThat(cost.packetsLost()).isEqualTo(dropped(fabric, "ev_loss")).isPositive();
    assertThat(cost.paths()).isEqualTo(1);
    assertThat(cost.pathsLeft()).isEqualTo(1);
  }

  // ---------------------------------------------------------------- when

  private List<Long> starts(Timing timing, int pick, String... targets) {
    oneWay(PACKETS);
    simulation.faults = List.of(new Fault(new Effect.Delay(1), List.of(targets), pick, timing));
    return simulation.run().faults().stream().map(FaultCost::startPs).toList();
  }

  @Test
  void aScheduleRepeats() {
    assertThat(starts(new Timing.Every(5_000_000, 20_000_000, 3_000_000), 0, UP))
        .containsExactly(5_000_000L, 25_000_000L, 45_000_000L);
  }

  /** Mended after 5 us, failing again 10 us later. */
  @Test
  void chanceCountsFromBeingMended() {
    Timing timing =
        new Timing.Chance(2_000_000, new Span.Fixed(10_000_000), new Span.Fixed(5_000_000));
    assertThat(starts(timing, 0, UP)).containsExactly(12_000_000L, 27_000_000L, 42_000_000L);
  }

  @Test
  void chanceIsEachElementsOwnAndTheSeeds() {
    Timing timing =
        new Timing.Chance(0, new Span.Exponential(5_000_000), new Span.Exponential(1_000_000));
    List<Long> starts = starts(timing, 0, "p1.t0.*>t1.0");
    assertThat(starts).isSorted().doesNotHaveDuplicates();
    assertThat(new FaultRunTest().starts(timing, 0, "p1.t0.*>t1.0")).isEqualTo(starts);
    // The link's own times do not depend on what else fails.
    assertThat(starts).containsAll(new FaultRunTest().starts(timing, 0, UP));
    FaultRunTest other = new FaultRunTest();
    other.simulation.seed = 2;
    assertThat(other.starts(timing, 0, "p1.t0.*>t1.0")).isNotEqualTo(starts);
  }

  @Test
  void someArePickedOfMany() {
    simulation.traffic.add(0, 15, 1 << 20, 0);
    simulation.faults =
        List.of(new Fault(SEEN, List.of("p1.t0.*-t1.*"), 3, new Timing.Once(0, Timing.FOREVER)));
    Fabric fabric = new Fabric(simulation.config(), null);
    assertThat(fabric.faults()).hasSize(1);
    simulation.faults =
        List.of(new Fault(SEEN, List.of("p1.t0.*-t1.*"), 33, new Timing.Once(0, Timing.FOREVER)));
    assertThatThrownBy(() -> new Fabric(simulation.config(), null))
        .hasMessage("pick: 33, allowed at most 32");
  }

  @Test
  void whatDoesNotExistCannotFail() {
    simulation.traffic.add(0, 15, 1 << 20, 0);
    simulation.faults = List.of(Fault.always(SEEN, "p1.t7.0"));
    assertThatThrownBy(() -> new Fabric(simulation.config(), null))
        .hasMessage("target: p1.t7.0, nothing has that name");
  }

  /** Two faults on one link: it is up again when the longer one ends. */
  @Test
  void faultsOnOneLinkAddUp() {
    oneWay(PACKETS);
    simulation.faults =
        List.of(at(SEEN, 10_000_001, 30_000_000, UP), at(SEEN, 20_000_001, 5_000_000, "p1.t1.0"));
    Fabric fabric = new Fabric(simulation.config(), null);
    fabric.runTo(26_000_000);
    long sent = packets(fabric, UP);
    fabric.runTo(40_000_000);
    assertThat(packets(fabric, UP)).isEqualTo(sent);
    fabric.runTo(Long.MAX_VALUE);
    assertThat(packets(fabric, UP)).isGreaterThan(sent);
    assertThat(fabric.flows().finishPs(0)).isPositive();
  }

  /** Nothing is broken in what a run tells of itself, faults of all kinds about. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void invariantsHoldAmongFaultsOfAllKinds(long seed) {
    simulation.seed = seed;
    simulation.planes = 2;
    simulation.wire = true;
    simulation.endPs = 400_000_000;
    for (int host = 0; host < 16; host++) {
      simulation.traffic.add(host, (host + 5) % 16, 1 << 20, 0);
    }
    Timing often =
        new Timing.Chance(0, new Span.Exponential(40_000_000), new Span.Exponential(10_000_000));
    simulation.faults =
        List.of(
            new Fault(new Effect.Down(1_000_000, Effect.NEVER), List.of("p*.t0.*-t1.*"), 6, often),
            new Fault(new Effect.Down(500_000, Effect.NEVER), List.of("p2.h*"), 2, often),
            new Fault(CUT, List.of("p1.t1.*"), 2, often),
            new Fault(new Effect.Silent(), List.of("p*.t1.*"), 1, often),
            new Fault(new Effect.Slow(100_000_000_000L), List.of("p*.t0.*>t1.*"), 4, often),
            new Fault(new Effect.Delay(2_000_000), List.of("p*.t1.*-t0.*"), 8, often),
            new Fault(new Effect.Lossy(0.05, 0), List.of("p1.t0.*-t1.*"), 3, often),
            new Fault(new Effect.Burst(0.01, 0.1, 0.8, 0), List.of("p2.t0.*-t1.*"), 3, often),
            new Fault(new Effect.Corrupting(1e-6), List.of("p*.t0.*-t1.*"), 6, often),
            at(new Effect.Miswired(), 30_000_001, 40_000_000, "p1.t0.0-t1.6", "p1.t0.1-t1.7"));
    Fabric fabric = simulation.run();
    assertThat(fabric.faults()).hasSizeGreaterThan(20);
    long blamed = fabric.faults().stream().mapToLong(FaultCost::packetsLost).sum();
    assertThat(dropped(fabric)).isPositive();
    // What is damaged is blamed at once, and found a little later.
    assertThat(blamed - dropped(fabric)).isBetween(0L, 4L);
    assertThat(Simulation.results(simulation.run())).isEqualTo(Simulation.results(fabric));
  }
}
