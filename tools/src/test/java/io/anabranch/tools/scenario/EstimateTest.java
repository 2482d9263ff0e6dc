package io.anabranch.tools.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.fabric.Fabric;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The hops that are estimated beside those that are counted. */
class EstimateTest {
  private static Scenario scenario(String name, String... settings) throws Exception {
    List<Setting> list = Stream.of(settings).map(Setting::parse).toList();
    return ScenarioReader.read(Path.of("../scenarios").resolve(name + ".yaml"), list, null);
  }

  private static long hops(Scenario scenario) {
    Fabric fabric = new Fabric(scenario.fabric(false, false, false), null);
    while (fabric.runTo(Long.MAX_VALUE)) {
      // Until nothing is left.
    }
    return fabric.totals().hops();
  }

  @ParameterizedTest
  @CsvSource({
    "htsim/b0-packet, 1.1",
    "htsim/b0-flow, 1.1",
    "htsim/b1, 1.1",
    "htsim/b7, 1.1",
    "htsim/b6, 2.1",
    "htsim/b5, 2.1",
    "traffic/jobs, 1.3",
    "traffic/websearch, 1.3",
    "paper/a2-cross, 1.3",
    "paper/a6-permutation, 1.3"
  })
  void hopsAreEstimatedWithinAFactor(String name, double factor) throws Exception {
    Scenario scenario = scenario(name);
    double counted = hops(scenario);
    double estimated = scenario.figures().estimate().hops();
    assertThat(counted / estimated).isBetween(1 / factor, factor);
  }

  @Test
  void aLonePacketTakesEightHopsAndTheSecondAcknowledgementFour() throws Exception {
    // Data, a SACK and a transport ACK over four links each.
    assertThat(scenario("htsim/b0-packet").figures().estimate().hops()).isEqualTo(12);
    // Between hosts of one leaf: two links.
    assertThat(scenario("htsim/b0-packet", "traffic.0.to=1").figures().estimate().hops())
        .isEqualTo(6);
  }

  @Test
  void costsGrowWithHopsHostsAndPairs() throws Exception {
    Estimate small = scenario("htsim/b1").figures().estimate();
    Estimate longer =
        scenario("htsim/b1", "traffic=[{kind: permutation, size: 20MiB}]").figures().estimate();
    Estimate pairs =
        scenario("htsim/b1", "traffic=[{kind: all-to-all, size: 1B}]").figures().estimate();
    assertThat(longer.hops() / (double) small.hops()).isBetween(9.0, 11.0);
    assertThat(longer.cpuS()).isGreaterThan(small.cpuS());
    assertThat(pairs.memoryMib()).isGreaterThan(small.memoryMib() + 80);
  }
}
