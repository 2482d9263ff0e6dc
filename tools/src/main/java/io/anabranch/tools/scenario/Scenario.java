package io.anabranch.tools.scenario;

import io.anabranch.fabric.FabricConfig;
import io.anabranch.fabric.Loss;
import io.anabranch.fabric.Transport;
import io.anabranch.fabric.fault.Fault;
import io.anabranch.fabric.host.TransportConfig;
import io.anabranch.fabric.link.SharedBuffer;
import io.anabranch.fabric.link.SizeConfig;
import io.anabranch.fabric.topology.TopologyConfig;
import io.anabranch.fabric.workload.Traffic;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * A scenario with every default filled in.
 *
 * @param name what results are filed under
 * @param about one line for people
 * @param seed of all chance
 * @param endPs when the run ends at the latest
 * @param intervalPs between two samples of the CSV files
 * @param topology switches and links
 * @param buffer that the ports of each switch share; null = each queue has its own
 * @param sizes what packets take on a link
 * @param label what the transport is called in results
 * @param transport what hosts exchange data by
 * @param evSets EV sets that flows have of their own
 * @param traffic what is sent
 * @param jobs names of the traffic's jobs; empty = it has none
 * @param losses random losses
 * @param faults what fails
 * @param phases parts of the run whose goodput is told
 * @param expectations what the result must be
 * @param figures what follows from all this
 * @param filled the scenario as a file could say it, with nothing left out: names to texts, groups
 *     or lists
 */
public record Scenario(
    String name,
    String about,
    long seed,
    long endPs,
    long intervalPs,
    TopologyConfig topology,
    @Nullable SharedBuffer buffer,
    SizeConfig sizes,
    String label,
    Transport transport,
    List<List<Integer>> evSets,
    Traffic traffic,
    List<String> jobs,
    List<Loss> losses,
    List<Fault> faults,
    List<Phase> phases,
    List<Expectation> expectations,
    Figures figures,
    SequencedMap<String, Object> filled) {
  /** How hosts use MRC; only where they do. */
  public TransportConfig mrc() {
    if (transport instanceof Transport.Mrc(TransportConfig config)) {
      return config;
    }
    throw new IllegalStateException("the transport is not MRC");
  }

  /** EVs on each plane; 0 where the transport has none. */
  public int evsPerPlane() {
    return transport instanceof Transport.Mrc(TransportConfig config) ? config.evsPerPlane() : 0;
  }

  /** What the fabric is built from. */
  public FabricConfig fabric(boolean wire, boolean check, boolean permuteTies) {
    return new FabricConfig(
        seed,
        topology,
        buffer,
        sizes,
        transport,
        evSets,
        traffic,
        losses,
        faults,
        endPs,
        wire,
        check,
        permuteTies);
  }
}
