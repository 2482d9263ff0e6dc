package io.anabranch.tools.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.tools.scenario.ScenarioReader;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Shipped scenarios come out as their files expect, invariants watched. */
class KnownAnswersTest {
  @ParameterizedTest
  @CsvSource({
    "htsim/b0-packet, 1",
    "htsim/b0-flow, 2",
    "htsim/b1, 1",
    "htsim/b1, 2",
    "htsim/b1, 3",
    "htsim/b1o, 1",
    "htsim/b1o, 2",
    "htsim/b1o, 3",
    "htsim/b2, 1",
    "htsim/b3, 1",
    "htsim/b5, 1",
    "htsim/b5, 2",
    "htsim/b5, 3",
    "htsim/b6, 1",
    "htsim/b6, 2",
    "htsim/b6, 3",
    "htsim/b7, 1",
    "htsim/b7, 2",
    "htsim/b7, 3",
    "paper/a1-topology, 1",
    "paper/a2-local, 1",
    "paper/a2-cross, 1",
    "paper/a6-permutation, 1",
    "paper/a7-links-down, 1",
    "paper/a8-nic-links, 1",
    "paper/a9-switch-down, 1",
    "paper/a10-lossy-ev, 1",
    "paper/a11-load-balance, 1",
    "paper/a12-slow-links, 1",
    "paper/a12-slow-links, 2",
    "paper/a13-cold-start, 1",
    "traffic/jobs, 1",
    "traffic/websearch, 1",
    "scale/131k, 1"
  })
  void comesOutAsExpected(String name, long seed) throws Exception {
    Path file = Path.of("../scenarios").resolve(name + ".yaml");
    SimRun.Options options = new SimRun.Options(false, true, true, null);
    SimResult result =
        new SimRun(ScenarioReader.read(file, List.of(), seed), options, SimWatch.NOBODY).run();
    assertThat(result.expect()).allMatch(SimResult.Expected::ok);
    assertThat(result.reason()).isNull();
  }
}
