package io.anabranch.tools.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.tools.scenario.Scenario;
import io.anabranch.tools.scenario.ScenarioReader;
import io.anabranch.tools.scenario.Setting;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SimRunTest {
  private static final Path SCENARIOS = Path.of("../scenarios");

  private static Scenario scenario(String file, String... settings) throws Exception {
    return ScenarioReader.read(
        SCENARIOS.resolve(file), Stream.of(settings).map(Setting::parse).toList(), null);
  }

  private static SimResult run(Scenario scenario) throws Exception {
    return new SimRun(scenario, new SimRun.Options(false, true, true, null), SimWatch.NOBODY).run();
  }

  @Test
  void aLonePacketAndALoneFlowTakeTheirClosedForm() throws Exception {
    SimResult packet = run(scenario("htsim/b0-packet.yaml"));
    assertThat(packet.passed()).isTrue();
    assertThat(packet.flows().fctUs().max()).isEqualTo(new BigDecimal("8.337920"));
    // Four links there, four links back.
    assertThat(packet.packets().hops()).isGreaterThanOrEqualTo(8);
    SimResult flow = run(scenario("htsim/b0-flow.yaml"));
    assertThat(flow.passed()).isTrue();
    assertThat(flow.flows().lastFinishUs()).isEqualTo(new BigDecimal("50.853120"));
    assertThat(flow.simulatedUs()).isEqualTo(flow.flows().lastFinishUs());
    // 2 MiB in 50.85312 us.
    assertThat(flow.flows().goodputGbps()).isEqualTo(new BigDecimal("329.915175"));
    assertThat(flow.packets().delivered()).isEqualTo(512);
    assertThat(flow.planes()).containsExactly(new SimResult.Plane(1, 512, 1));
  }

  @Test
  void threadsChangeNothing() throws Exception {
    SimResult one = run(scenario("htsim/b1.yaml"), 1);
    assertThat(one.passed()).isTrue();
    for (int threads : new int[] {2, 3}) {
      SimResult more = run(scenario("htsim/b1.yaml"), threads);
      assertThat(more.flows()).isEqualTo(one.flows());
      assertThat(more.packets()).isEqualTo(one.packets());
      assertThat(more.planes()).isEqualTo(one.planes());
      assertThat(more.host().events()).isEqualTo(one.host().events());
    }
  }

  private static SimResult run(Scenario scenario, int threads) throws Exception {
    SimRun.Options options = new SimRun.Options(false, false, true, null, false, null, threads);
    return new SimRun(scenario, options, SimWatch.NOBODY).run();
  }

  @Test
  void percentilesAreNearestRank() {
    long[] times = new long[200];
    for (int i = 0; i < times.length; i++) {
      times[i] = (i + 1) * 1_000_000L;
    }
    assertThat(FlowFigures.rank(times, 0)).isEqualByComparingTo("1");
    assertThat(FlowFigures.rank(times, 50)).isEqualByComparingTo("100");
    assertThat(FlowFigures.rank(times, 99)).isEqualByComparingTo("198");
    assertThat(FlowFigures.rank(times, 100)).isEqualByComparingTo("200");
    assertThat(FlowFigures.rank(new long[] {7}, 99)).isEqualByComparingTo("0.000007");
    assertThat(FlowFigures.rank(new long[0], 50)).isNull();
  }

  @Test
  void unfinishedFlowsAreNoSuccess() throws Exception {
    SimResult result = run(scenario("htsim/b0-flow.yaml", "end=30us"));
    assertThat(result.result()).isEqualTo(SimResult.FAIL);
    assertThat(result.reason()).contains("1 of 1 flows did not finish by 30us: flow 0 (0 to 127, ");
    assertThat(result.flows().unfinished()).isEqualTo(1);
    assertThat(result.flows().goodputGbps()).isNull();
    assertThat(result.simulatedUs()).isEqualByComparingTo("30");
    assertThat(result.expect()).anySatisfy(each -> assertThat(each.got()).isNull());
  }

  @Test
  void failedFlowsAreNoSuccess() throws Exception {
    SimResult result =
        run(
            scenario(
                "htsim/b0-flow.yaml",
                "loss=[{link: '*', probability: 1}]",
                "transport.linear_retries=1",
                "transport.exponential_retries=0"));
    assertThat(result.result()).isEqualTo(SimResult.FAIL);
    assertThat(result.flows().failed()).isEqualTo(1);
    assertThat(result.reason()).contains("1 of 1 flows failed");
    assertThat(result.packets().dropped().get("link_loss")).isPositive();
    assertThat(result.packets().dropped().get("total"))
        .isEqualTo(result.packets().dropped().get("link_loss"));
  }

  @Test
  void aMissedExpectationIsNoSuccess() throws Exception {
    SimResult result = run(scenario("htsim/b0-packet.yaml", "expect.flows.fct_us.max=8.337921"));
    assertThat(result.result()).isEqualTo(SimResult.FAIL);
    assertThat(result.reason()).isEqualTo("1 of 3 expectations not met");
    assertThat(result.expect())
        .contains(
            new SimResult.Expected(
                "flows.fct_us.max", "8.337921", new BigDecimal("8.337920"), false));
  }

  @Test
  void expectationsAreJudgedOnlyOnRequest() throws Exception {
    Scenario scenario = scenario("htsim/b0-packet.yaml", "expect.flows.completed=2");
    SimResult result =
        new SimRun(scenario, new SimRun.Options(true, true, false, null), SimWatch.NOBODY).run();
    assertThat(result.passed()).isTrue();
    assertThat(result.expect()).isNull();
  }

  @Test
  void theSameSeedGivesTheSameFiles(@TempDir Path dir) throws Exception {
    Map<String, String> first = files(dir.resolve("a"), 3, "200ns");
    assertThat(first.keySet())
        .containsExactly(
            "evs.csv",
            "flow_results.csv",
            "flows.csv",
            "links.csv",
            "queues.csv",
            "result",
            "windows.csv");
    assertThat(first.values())
        .allSatisfy(text -> assertThat(text.lines().count()).isGreaterThan(2));
    assertThat(files(dir.resolve("b"), 3, "200ns")).isEqualTo(first);
    Map<String, String> other = files(dir.resolve("c"), 4, "200ns");
    assertThat(other.get("links.csv")).isNotEqualTo(first.get("links.csv"));
    // Sampling does not change what happens.
    assertThat(files(dir.resolve("d"), 3, "5us").get("result")).isEqualTo(first.get("result"));
  }

  private static Map<String, String> files(Path dir, long seed, String interval) throws Exception {
    Scenario scenario =
        ScenarioReader.read(
            SCENARIOS.resolve("htsim/b1.yaml"),
            List.of(
                Setting.parse("traffic=[{kind: incast, senders: 64-71, to: 0, size: 256KiB}]"),
                Setting.parse("interval=" + interval)),
            seed);
    SimResult result =
        new SimRun(scenario, new SimRun.Options(false, false, false, dir), SimWatch.NOBODY).run();
    assertThat(result.passed()).isTrue();
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> list = Files.list(dir)) {
      for (Path file : list.toList()) {
        files.put(file.getFileName().toString(), Files.readString(file));
      }
    }
    String json = ResultJson.text(result);
    files.put("result", json.substring(0, json.indexOf("\"host\" : {\n    \"wall_s\"")));
    return files;
  }

  @Test
  void linksCarryWhatWasSentAndFlowsEndAtTheirSize(@TempDir Path dir) throws Exception {
    Scenario scenario = scenario("htsim/b0-flow.yaml", "interval=7us");
    new SimRun(scenario, new SimRun.Options(false, false, false, dir), SimWatch.NOBODY).run();
    long onFirstLink = 0;
    for (String line : Files.readAllLines(dir.resolve("links.csv"))) {
      String[] cells = line.split(",", -1);
      onFirstLink += cells[2].equals("p1.h0>t0.0") ? Long.parseLong(cells[4]) : 0;
    }
    assertThat(onFirstLink).isEqualTo(512 * 4160);
    assertThat(Files.readAllLines(dir.resolve("flows.csv")).getLast())
        .isEqualTo("1,50.853120,0,0,127,2097152");
    assertThat(Files.readAllLines(dir.resolve("flow_results.csv")))
        .containsExactly(
            "version,flow,source,destination,bytes,start_us,finish_us,fct_us,state",
            "1,0,0,127,2097152,0.000000,50.853120,50.853120,completed");
  }

  @Test
  void aStoppedRunSaysSoAndLeavesWholeFiles(@TempDir Path dir) throws Exception {
    Scenario scenario = scenario("htsim/b0-flow.yaml");
    SimRun run =
        new SimRun(scenario, new SimRun.Options(false, false, false, dir), SimWatch.NOBODY);
    run.stop();
    SimResult result = run.run();
    assertThat(result.result()).isEqualTo(SimResult.INTERRUPTED);
    assertThat(result.reason()).contains("stopped at 0ps");
    try (Stream<Path> list = Files.list(dir)) {
      assertThat(list.map(file -> file.getFileName().toString()))
          .hasSize(6)
          .noneMatch(name -> name.endsWith(".part"));
    }
    assertThat(Files.readAllLines(dir.resolve("flow_results.csv")).getLast())
        .isEqualTo("1,0,0,127,2097152,,,,not_started");
  }

  @Test
  void evSharesAreGivenWhereAFlowHasEvsOfItsOwn() throws Exception {
    Scenario scenario =
        scenario(
            "paper/a11-load-balance.yaml",
            "traffic=[{kind: flow, from: 0, to: 2, size: 1MiB, evs: [1]}, {kind: flow, from: 3, to: 1, size: 1MiB}]");
    SimResult result =
        new SimRun(scenario, new SimRun.Options(false, true, false, null), SimWatch.NOBODY).run();
    assertThat(result.evs()).hasSize(1);
    assertThat(result.evs().getFirst().host()).isZero();
    assertThat(result.evs().getFirst().shares())
        .containsExactly(new SimResult.EvShare(1, 1, 256, 1));
  }

  @Test
  void aFileAppearsOnlyWhenItIsWhole(@TempDir Path dir) throws Exception {
    Path path = dir.resolve("x.json");
    Files.writeString(path, "old");
    try (WholeFile file = new WholeFile(path)) {
      file.writer().write("half");
    }
    assertThat(path).hasContent("old");
    WholeFile.write(path, "new");
    assertThat(path).hasContent("new");
    try (Stream<Path> list = Files.list(dir)) {
      assertThat(list).hasSize(1);
    }
  }

  /**
   * A plane of two is cut from 20 us to 120 us: what the flow's host received before and while that
   * was so, and the phases, from the same bytes.
   */
  @Test
  void faultsAndPhasesAreInTheResult(@TempDir Path dir) throws Exception {
    Scenario scenario =
        scenario(
            "htsim/b0-flow.yaml",
            "topology.planes=2",
            "traffic.0.size=16MiB",
            "faults=[{kind: down, target: p2.h0, at: 20us, for: 100us, detect: 0}]",
            "phases=[{name: whole, to: 20us}, {name: half, from: 20us, to: 120us}]");
    SimResult result =
        new SimRun(scenario, new SimRun.Options(false, true, false, dir), SimWatch.NOBODY).run();
    assertThat(result.reason()).isNull();
    SimResult.Fault fault = result.faults().getFirst();
    assertThat(result.faults()).hasSize(1);
    assertThat(fault.kind()).isEqualTo("down");
    assertThat(fault.target()).isEqualTo("p2.h0");
    assertThat(fault.startUs()).isEqualByComparingTo("20");
    assertThat(fault.endUs()).isEqualByComparingTo("120");
    assertThat(fault.packetsLost()).isPositive();
    assertThat(fault.copiesResent()).isPositive().isLessThanOrEqualTo(fault.packetsLost());
    assertThat(fault.queuePairs()).isEqualTo(1);
    assertThat(fault.pathsLeft()).isEqualTo(fault.paths());
    assertThat(fault.lastLeftUs()).isEqualByComparingTo("0");
    assertThat(fault.goodputBeforeGbps()).isEqualByComparingTo(goodput(result, 0));
    assertThat(fault.goodputGbps()).isEqualByComparingTo(goodput(result, 1));
    assertThat(fault.goodputLostGbps())
        .isEqualByComparingTo(goodput(result, 0).subtract(goodput(result, 1)));
    // One of two planes of 400 Gb/s, 4096 of 4160 bytes, and what was already on three links of the
    // other, 1.0832 us each.
    double rate = 400 * 4096.0 / 4160 * (100 + 3 * 1.0832) / 100;
    assertThat(goodput(result, 1).doubleValue()).isBetween(0.995 * rate, 1.005 * rate);
    List<String> lines = Files.readAllLines(dir.resolve("faults.csv"));
    assertThat(lines).hasSize(2);
    assertThat(lines.getFirst()).startsWith("version,rule,kind,target,start_us,end_us,");
    assertThat(lines.getLast()).startsWith("1,0,down,p2.h0,20.000000,120.000000,");
    assertThat(lines.getLast().split(",", -1)).hasSameSizeAs(lines.getFirst().split(",", -1));
  }

  private static BigDecimal goodput(SimResult result, int phase) {
    BigDecimal goodput = result.phases().get(phase).goodputGbps();
    assertThat(goodput).isNotNull();
    return goodput;
  }
}
