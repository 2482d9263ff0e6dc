package io.anabranch.tests.sim;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.anabranch.engine.config.NsccConfig;
import io.anabranch.fabric.Fabric;
import io.anabranch.fabric.FabricConfig;
import io.anabranch.fabric.Transport;
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
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A simulation in steady state allocates nothing per packet: an incast that marks. */
class AllocationTest {
  private static final long RATE = 400_000_000_000L;

  @Test
  void nothingIsAllocatedPerPacket() {
    LinkConfig link = new LinkConfig(RATE, 1_000_000);
    QueueConfig queue =
        new QueueConfig(420_160, 840_320, new EcnRamp(87_360, 336_960), Overflow.TRIM, 0.5);
    TwoTierConfig topology =
        new TwoTierConfig(
            1, 2, 4, 4, link, link, queue, queue, queue, 0, Forwarding.STORE_AND_FORWARD);
    TransportConfig transport =
        new TransportConfig(
            Routing.ECMP,
            64,
            64,
            true,
            4096,
            1024,
            6,
            7,
            25,
            16 << 10,
            NsccConfig.of(RATE, 4096, true, true),
            8_338,
            1,
            0,
            true);
    Traffic traffic = new Traffic();
    for (int host = 1; host < 8; host++) {
      traffic.add(host, 0, 64 << 20, 0);
    }
    Fabric fabric =
        new Fabric(
            new FabricConfig(
                1,
                topology,
                null,
                new SizeConfig(64, 64, 64),
                new Transport.Mrc(transport),
                List.of(),
                traffic,
                List.of(),
                100_000_000_000L,
                false,
                false,
                false),
            null);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    fabric.runTo(2_000_000_000L);
    long packetsBefore = fabric.totals().delivered();
    final long markedBefore = fabric.totals().ecnMarked();
    long before = threads.getCurrentThreadAllocatedBytes();
    fabric.runTo(8_000_000_000L);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    long packets = fabric.totals().delivered() - packetsBefore;
    assertThat(packets).isGreaterThan(50_000);
    assertThat(fabric.totals().ecnMarked()).isGreaterThan(markedBefore);
    // A ring or a bucket may still double once; a byte a packet would be tens of kilobytes.
    assertThat((double) allocated / packets).isLessThan(0.5);
  }
}
