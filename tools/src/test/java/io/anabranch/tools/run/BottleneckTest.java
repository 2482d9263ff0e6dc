package io.anabranch.tools.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.tools.scenario.ScenarioReader;
import io.anabranch.tools.scenario.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What limits a run, where the answer is known by construction. */
class BottleneckTest {
  @TempDir Path dir;

  private SimResult run(String... settings) throws Exception {
    Path file = dir.resolve("s.yaml");
    Files.writeString(
        file,
        """
        version: 1
        topology: {leaves: 4, hosts_per_leaf: 8, spines: 8}
        traffic: [{kind: flow, from: 0, to: 31, size: 2MiB}]
        """);
    List<Setting> list = Stream.of(settings).map(Setting::parse).toList();
    SimResult result =
        new SimRun(
                ScenarioReader.read(file, list, null),
                new SimRun.Options(false, false, false, null),
                SimWatch.NOBODY)
            .run();
    assertThat(result.passed()).isTrue();
    return result;
  }

  @Test
  void aLoneFlowAtLineRateIsLimitedByItsHost() throws Exception {
    SimResult result = run();
    assertThat(result.limitedBy()).isEqualTo("host");
    // 512 packets of 4160 B at 400 Gb/s of its 50.86 µs, and all of the rate meanwhile.
    assertThat(result.limits().sending()).isBetween(0.83, 0.85);
    assertThat(result.limits().host()).isEqualTo(1);
  }

  @Test
  void anIncastIsLimitedByTheLastHop() throws Exception {
    SimResult result = run("traffic=[{kind: incast, senders: 1-16, to: 31, size: 1MiB}]");
    assertThat(result.limitedBy()).isEqualTo("last_hop");
    assertThat(result.limits().lastHop()).isGreaterThan(0.9);
    assertThat(result.limits().host()).isLessThan(0.2);
  }

  @Test
  void aSharedBufferIsFullBeforeTheQueuesLimit() throws Exception {
    SimResult result =
        run(
            "traffic=[{kind: incast, senders: 1-16, to: 31, size: 1MiB}]",
            "queues.shared={size: 256KiB, alpha: 0.25}",
            "queues.all={data: 16MiB, ecn: off}");
    assertThat(result.limitedBy()).isEqualTo("last_hop");
    assertThat(result.limits().lastHopQueue()).isGreaterThan(0.99);
  }

  @Test
  void anOversubscribedCoreIsTheLimit() throws Exception {
    for (int spines : new int[] {1, 2, 4}) {
      SimResult result =
          run(
              "traffic=[{kind: permutation, from: 0-15, to: 16-31, size: 2MiB}]",
              "topology.spines=" + spines);
      assertThat(result.limitedBy()).isEqualTo("fabric_core");
      // But for the first and the last round trip the links between switches never rest.
      assertThat(result.limits().fabricCore()).isGreaterThan(0.8);
      assertThat(result.limits().host()).isLessThan(0.7);
    }
  }

  @Test
  void aSmallFixedWindowIsTheLimit() throws Exception {
    SimResult result = run("transport.cc={fixed: 32KiB}");
    assertThat(result.limitedBy()).isEqualTo("window");
    // A window every round trip of 8.3 µs to 8.9 µs, of 400 Gb/s.
    assertThat(result.limits().host()).isBetween(0.06, 0.085);
    assertThat(
            run("transport.cc={fixed: 32KiB}", "traffic=[{kind: permutation, size: 1MiB}]")
                .limitedBy())
        .isEqualTo("window");
  }

  @Test
  void packetsNowAndThenAreLimitedByWhoSendsThem() throws Exception {
    assertThat(run("traffic.0.size=4KiB").limitedBy()).isEqualTo("application");
    SimResult result = run("traffic=[{kind: random, size: 64KiB, load: 5%, until: {time: 1ms}}]");
    assertThat(result.limitedBy()).isEqualTo("application");
    assertThat(result.limits().sending()).isBetween(0.03, 0.1);
  }

  @Test
  void lossesOnAnIdleNetworkAreTheLimit() throws Exception {
    SimResult result = run("loss=[{link: '*', probability: 1%}]");
    assertThat(result.limitedBy()).isEqualTo("faults");
  }
}
