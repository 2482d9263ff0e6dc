package io.anabranch.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anabranch.fabric.event.EventQueue;
import io.anabranch.fabric.host.Hosts;
import io.anabranch.fabric.host.PlacementWatch;
import io.anabranch.fabric.link.Packets;
import io.anabranch.fabric.link.Ports;
import io.anabranch.fabric.node.Network;
import io.anabranch.fabric.topology.Routing;
import io.anabranch.fabric.topology.Topology;
import io.anabranch.wire.mrc.DscpMap;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

/** Transfers over hosts and a network whose writes a test can lose. */
class TransfersTest {
  private static final int PACKETS = 20;

  private final Simulation simulation = new Simulation();
  private final Packets packets = new Packets(true);

  private void run(PlacementWatch placed, IntConsumer whenComplete) {
    FabricConfig config = simulation.config();
    EventQueue events = new EventQueue();
    Topology wiring = config.topology().wiring(Routing.SRV6, 1);
    Ports.Kind[] kinds = new Ports.Kind[wiring.kinds()];
    for (int k = 0; k < kinds.length; k++) {
      kinds[k] =
          new Ports.Kind(
              wiring.linkOf(k), wiring.queueOf(k), wiring.toHost(k), 0, Integer.MAX_VALUE);
    }
    byte[] kindOf = new byte[wiring.links()];
    for (int link = 0; link < kindOf.length; link++) {
      kindOf[link] = (byte) wiring.kind(link);
    }
    Ports ports = new Ports(events, packets, kinds, kindOf, 64, DscpMap.DEFAULT, 1, null, null);
    Transport.Mrc mrc = (Transport.Mrc) config.transport();
    Transfers transfers = new Transfers(config.traffic(), config.transport(), events, whenComplete);
    Hosts hosts =
        new Hosts(
            1,
            events,
            packets,
            ports,
            wiring,
            config.sizes(),
            mrc.config(),
            List.of(Hosts.evTable(wiring, mrc.config().routing(), 8, 1)),
            List.of(),
            host -> null,
            placed,
            null,
            null,
            transfers);
    Network network = new Network(events, packets, ports, wiring, hosts, null, 1, null);
    transfers.begin(hosts);
    while (transfers.anyLeft() && network.step(Long.MAX_VALUE)) {
      // One event a turn.
    }
  }

  private Invariants watch() {
    simulation.traffic.add(0, 15, (long) PACKETS * Simulation.PAYLOAD_BYTES, 0);
    FabricConfig config = simulation.config();
    return new Invariants(config, config.topology().wiring(Routing.SRV6, 1), packets);
  }

  @Test
  void eachFlowThatEndsWellIsToldOnce() {
    simulation.traffic.add(1, 14, 100, 0);
    Invariants watch = watch();
    List<Integer> told = new ArrayList<>();
    run(
        watch,
        flow -> {
          watch.completed(flow);
          told.add(flow);
        });
    assertThat(told).containsExactlyInAnyOrder(0, 1);
  }

  @Test
  void aWriteThatIsMissingIsNoticedWhenItsFlowCompletes() {
    Invariants watch = watch();
    PlacementWatch forgets =
        (flow, offset, bytes) -> {
          if (offset != 7L * Simulation.PAYLOAD_BYTES) {
            watch.placed(flow, offset, bytes);
          }
        };
    assertThatThrownBy(() -> run(forgets, watch::completed))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("a flow completes only when all of it was written")
        .hasMessageContaining("19 of 20 packets");
  }
}
