package io.anabranch.fabric;

import io.anabranch.engine.config.CcConfig;
import io.anabranch.fabric.fault.Fault;
import io.anabranch.fabric.host.TransportConfig;
import io.anabranch.fabric.link.EcnRamp;
import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.link.Overflow;
import io.anabranch.fabric.link.QueueConfig;
import io.anabranch.fabric.link.SharedBuffer;
import io.anabranch.fabric.link.SizeConfig;
import io.anabranch.fabric.topology.Forwarding;
import io.anabranch.fabric.topology.Routing;
import io.anabranch.fabric.topology.TopologyConfig;
import io.anabranch.fabric.topology.TwoTierConfig;
import io.anabranch.fabric.workload.Traffic;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A small simulation with everything plain, of which a test changes what it is about. */
final class Simulation {
  static final int PAYLOAD_BYTES = 4096;
  static final int DATA_BYTES = 4160;
  static final int CONTROL_BYTES = 64;

  long seed = 1;

  /** Instead of the two-tier one that the next fields make. */
  @Nullable TopologyConfig topology;

  int planes = 1;
  int leaves = 4;
  int hostsPerLeaf = 4;
  int spines = 8;
  LinkConfig hostLink = new LinkConfig(400_000_000_000L, 1_000_000);
  LinkConfig fabricLink = new LinkConfig(400_000_000_000L, 1_000_000);
  QueueConfig queue =
      new QueueConfig(420_160, 840_320, new EcnRamp(87_360, 336_960), Overflow.TRIM, 0.5);
  @Nullable SharedBuffer buffer;
  long latencyPs;
  Forwarding forwarding = Forwarding.STORE_AND_FORWARD;

  /** Instead of MRC, as the next fields have it. */
  @Nullable Transport transport;

  Routing routing = Routing.SRV6;
  int evsPerPlane = 8;
  int exponentialRetries = 25;
  int qpsPerPair = 1;
  long messageBytes;
  List<Loss> losses = List.of();
  List<Fault> faults = List.of();
  long windowBytes = 1 << 22;
  long endPs = 100_000_000_000L;
  boolean wire;
  boolean check = true;
  boolean permuteTies;
  final Traffic traffic = new Traffic();

  private TopologyConfig twoTier() {
    return new TwoTierConfig(
        planes,
        leaves,
        hostsPerLeaf,
        spines,
        hostLink,
        fabricLink,
        queue,
        queue,
        queue,
        latencyPs,
        forwarding);
  }

  private Transport mrc() {
    return new Transport.Mrc(
        new TransportConfig(
            routing,
            evsPerPlane,
            evsPerPlane,
            true,
            PAYLOAD_BYTES,
            1024,
            6,
            1,
            exponentialRetries,
            16 << 10,
            new CcConfig.FixedWindow(windowBytes),
            10_000,
            qpsPerPair,
            messageBytes,
            false));
  }

  FabricConfig config() {
    return new FabricConfig(
        seed,
        topology == null ? twoTier() : topology,
        buffer,
        new SizeConfig(DATA_BYTES - PAYLOAD_BYTES, CONTROL_BYTES, 64),
        transport == null ? mrc() : transport,
        List.of(),
        traffic,
        losses,
        faults,
        endPs,
        wire,
        check,
        permuteTies);
  }

  /** Runs until nothing is left to do. */
  Fabric run() {
    Fabric fabric = new Fabric(config(), null);
    while (fabric.runTo(Long.MAX_VALUE)) {
      // Until nothing is left.
    }
    return fabric;
  }

  /** All that a run can tell. */
  static String results(Fabric fabric) {
    StringBuilder b = new StringBuilder();
    FlowTable flows = fabric.flows();
    for (int f = 0; f < flows.count(); f++) {
      b.append(flows.startPs(f)).append(' ').append(flows.finishPs(f)).append(' ');
      b.append(flows.ackedBytes(f)).append(' ').append(flows.failed(f)).append('\n');
    }
    LinkTable links = fabric.links();
    for (int link = 0; link < links.count(); link++) {
      b.append(links.packets(link)).append(' ').append(links.bytes(link)).append(' ');
      b.append(links.peakQueuedBytes(link)).append(' ').append(links.trimmed(link)).append(' ');
      b.append(links.marked(link)).append(' ').append(links.dropped(link)).append('\n');
    }
    return b.append(fabric.totals()).append(fabric.nowPs()).toString();
  }
}
