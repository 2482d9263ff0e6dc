package io.anabranch.tools.run;

import io.anabranch.tools.scenario.Expectation;
import io.anabranch.tools.scenario.Scenario;
import io.anabranch.tools.topo.TopologyFigures;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a scenario's topology comes to.
 *
 * @param version of this layout
 * @param scenario its name
 * @param topology in figures
 * @param expect each expectation of the topology and whether it was met; null = nobody asked
 * @param result PASS or FAIL
 * @param reason why not PASS, or null
 */
public record TopoResult(
    int version,
    String scenario,
    TopologyFigures topology,
    @Nullable List<SimResult.Expected> expect,
    String result,
    @Nullable String reason) {
  /** This layout. */
  public static final int VERSION = 1;

  /** Of a scenario. */
  public static TopoResult of(Scenario scenario, boolean expect) {
    TopologyFigures figures = TopologyFigures.of(scenario.topology());
    if (!expect) {
      return new TopoResult(VERSION, scenario.name(), figures, null, SimResult.PASS, null);
    }
    List<SimResult.Expected> judged = expected(scenario);
    long missed = judged.stream().filter(each -> !each.ok()).count();
    return new TopoResult(
        VERSION,
        scenario.name(),
        figures,
        judged,
        missed == 0 ? SimResult.PASS : SimResult.FAIL,
        missed == 0 ? null : missed + " of " + judged.size() + " expectations not met");
  }

  /** What a scenario expects of its topology, judged. */
  static List<SimResult.Expected> expected(Scenario scenario) {
    List<Expectation> wanted =
        scenario.expectations().stream().filter(Expectation::isOfTopology).toList();
    if (wanted.isEmpty()) {
      return List.of();
    }
    TopologyFigures figures = TopologyFigures.of(scenario.topology());
    return ResultJson.judge(
        new TopoResult(VERSION, scenario.name(), figures, null, SimResult.PASS, null), wanted);
  }

  /** Whether everything expected was met. */
  public boolean passed() {
    return result.equals(SimResult.PASS);
  }
}
