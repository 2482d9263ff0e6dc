package io.anabranch.tests.sim;

import io.anabranch.engine.config.NsccConfig;
import io.anabranch.fabric.Fabric;
import io.anabranch.fabric.FabricConfig;
import io.anabranch.fabric.HostTraces;
import io.anabranch.fabric.Loss;
import io.anabranch.fabric.Transport;
import io.anabranch.fabric.fault.Fault;
import io.anabranch.fabric.host.TransportConfig;
import io.anabranch.fabric.link.EcnRamp;
import io.anabranch.fabric.link.LinkConfig;
import io.anabranch.fabric.link.Overflow;
import io.anabranch.fabric.link.QueueConfig;
import io.anabranch.fabric.link.SizeConfig;
import io.anabranch.fabric.topology.Forwarding;
import io.anabranch.fabric.topology.Routing;
import io.anabranch.fabric.topology.TwoTierConfig;
import io.anabranch.fabric.workload.Traffic;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Fabrics for tests: uet-htsim's two tiers of 8 leaves, 16 hosts each, and 16 spines, or parts. */
final class Fabrics {
  static final long RATE = 400_000_000_000L;

  /** 4160 bytes at 400 Gb/s. */
  static final long DATA_PS = 83_200;

  /** 64 bytes at 400 Gb/s. */
  static final long CONTROL_PS = 1_280;

  /** Propagation of each link. */
  static final long DELAY_PS = 1_000_000;

  int planes = 1;
  int leaves = 8;
  int hostsPerLeaf = 16;
  int spines = 16;
  long latencyPs;
  Forwarding forwarding = Forwarding.STORE_AND_FORWARD;
  Routing routing = Routing.ECMP;
  int evsPerPlane = 64;
  boolean reverseProbes;
  long seed = 1;
  long messageBytes;
  int qpsPerPair = 1;
  boolean wire;
  boolean check = true;
  List<Loss> losses = List.of();
  List<Fault> faults = List.of();
  long rttNs = 8_338;
  int mprPackets = 1024;
  final Traffic traffic = new Traffic();

  Fabric build() {
    return build(null);
  }

  Fabric build(@Nullable HostTraces traces) {
    LinkConfig link = new LinkConfig(RATE, DELAY_PS);
    QueueConfig queue =
        new QueueConfig(420_160, 840_320, new EcnRamp(87_360, 336_960), Overflow.TRIM, 0.5);
    TwoTierConfig topology =
        new TwoTierConfig(
            planes,
            leaves,
            hostsPerLeaf,
            spines,
            link,
            link,
            queue,
            queue,
            queue,
            latencyPs,
            forwarding);
    TransportConfig transport =
        new TransportConfig(
            routing,
            evsPerPlane,
            evsPerPlane,
            true,
            4096,
            mprPackets,
            6,
            7,
            25,
            16 << 10,
            NsccConfig.of(RATE * planes, 4096, true, true),
            rttNs,
            qpsPerPair,
            messageBytes,
            reverseProbes);
    return new Fabric(
        new FabricConfig(
            seed,
            topology,
            null,
            new SizeConfig(64, 64, 64),
            new Transport.Mrc(transport),
            List.of(),
            traffic,
            losses,
            faults,
            1_000_000_000_000L,
            wire,
            check,
            false),
        traces);
  }

  /** Runs to the end. */
  static void finish(Fabric fabric) {
    while (fabric.runTo(Long.MAX_VALUE)) {
      // Until nothing is left.
    }
  }
}
