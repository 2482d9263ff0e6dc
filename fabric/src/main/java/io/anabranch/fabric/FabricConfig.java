package io.anabranch.fabric;

import io.anabranch.engine.config.Check;
import io.anabranch.fabric.fault.Fault;
import io.anabranch.fabric.link.SharedBuffer;
import io.anabranch.fabric.link.SizeConfig;
import io.anabranch.fabric.topology.TopologyConfig;
import io.anabranch.fabric.workload.Traffic;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A simulation: what is built, what runs on it, and what goes wrong. With the seed it determines
 * every result.
 *
 * @param seed of all chance
 * @param topology switches and links
 * @param buffer that the ports of each switch share; null = each queue has its own
 * @param sizes what packets take on a link
 * @param transport what hosts exchange data by
 * @param evSets EV sets that flows may name; each a list of EV indices of the common profile
 * @param traffic what is sent
 * @param losses random losses
 * @param faults what fails
 * @param endPs when the run ends at the latest
 * @param wire whether every packet is encoded, checked and decoded at the host that receives it
 * @param check whether invariants are watched throughout
 * @param permuteTies whether events at the same instant are taken in an order drawn from the seed
 */
public record FabricConfig(
    long seed,
    TopologyConfig topology,
    @Nullable SharedBuffer buffer,
    SizeConfig sizes,
    Transport transport,
    List<List<Integer>> evSets,
    Traffic traffic,
    List<Loss> losses,
    List<Fault> faults,
    long endPs,
    boolean wire,
    boolean check,
    boolean permuteTies) {
  /** Checks ranges. */
  public FabricConfig {
    evSets = evSets.stream().map(List::copyOf).toList();
    losses = List.copyOf(losses);
    faults = List.copyOf(faults);
    Check.range("endPs", endPs, 1, 1_000_000_000_000_000L);
    if (transport instanceof Transport.Mrc(var mrc) && mrc.routing().namesPaths()) {
      Check.range("evsPerPlane", mrc.evsPerPlane(), 1, topology.namedPaths(mrc.routing()));
    }
    int hosts = topology.hosts();
    for (int f = 0; f < traffic.flows(); f++) {
      Check.range("source of flow " + f, traffic.source(f), 0, hosts - 1);
      Check.range("destination of flow " + f, traffic.destination(f), 0, hosts - 1);
      Check.range("EV set of flow " + f, traffic.evSet(f), Traffic.NONE, evSets.size() - 1);
    }
  }

  /** One in which nothing fails. */
  public FabricConfig(
      long seed,
      TopologyConfig topology,
      @Nullable SharedBuffer buffer,
      SizeConfig sizes,
      Transport transport,
      List<List<Integer>> evSets,
      Traffic traffic,
      List<Loss> losses,
      long endPs,
      boolean wire,
      boolean check,
      boolean permuteTies) {
    this(
        seed,
        topology,
        buffer,
        sizes,
        transport,
        evSets,
        traffic,
        losses,
        List.of(),
        endPs,
        wire,
        check,
        permuteTies);
  }
}
