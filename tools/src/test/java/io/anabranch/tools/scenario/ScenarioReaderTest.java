package io.anabranch.tools.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anabranch.engine.config.CcConfig;
import io.anabranch.engine.config.NsccConfig;
import io.anabranch.fabric.Loss;
import io.anabranch.fabric.Transport;
import io.anabranch.fabric.link.EcnRamp;
import io.anabranch.fabric.link.Overflow;
import io.anabranch.fabric.link.SizeConfig;
import io.anabranch.fabric.topology.GraphConfig;
import io.anabranch.fabric.topology.TwoTierConfig;
import io.anabranch.fabric.workload.Traffic;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScenarioReaderTest {
  /** The smallest scenario: three numbers and one flow. Lines are counted below. */
  private static final String SMALL =
      """
      version: 1
      topology:
        leaves: 8
        hosts_per_leaf: 16
        spines: 16
      traffic:
        - {kind: flow, from: 0, to: 127, size: 4096B}
      """;

  private static Scenario read(String text, String... settings) throws ScenarioException {
    return ScenarioReader.read(
        text, "s.yaml", "s", null, List.of(settings).stream().map(Setting::parse).toList(), null);
  }

  private static TwoTierConfig twoTier(Scenario s) {
    return (TwoTierConfig) s.topology();
  }

  /** An SRH of one segment is 8 + 16 bytes, which no size of the file holds. */
  @Test
  void anSrhTakesItsBytesOnLinks() throws Exception {
    Scenario s = read(SMALL, "transport.routing=srv6-srh", "sizes.control=80B");
    assertThat(s.sizes()).isEqualTo(new SizeConfig(64 + 24, 80 + 24, 64 + 24));
    // 2 · 4 · 1 us + 4 · (4184 + 104) · 8 / 400 Gb/s.
    assertThat(s.figures().baseRttPs()).isEqualTo(8_343_040);
    assertThat(String.valueOf(s.filled().get("sizes"))).contains("control=80B");
    assertThat(read(SMALL, "transport.routing=srv6").sizes()).isEqualTo(new SizeConfig(64, 64, 64));
  }

  @Test
  void theDefaultsAreThoseOfTheClosedForm() throws Exception {
    Scenario s = read(SMALL);
    assertThat(s.name()).isEqualTo("s");
    assertThat(s.seed()).isEqualTo(1);
    assertThat(s.figures().hosts()).isEqualTo(128);
    assertThat(s.figures().links()).isEqualTo(512);
    // 2 · 4 · 1 us + 4 · (4160 + 64) · 8 / 400 Gb/s, told in whole nanoseconds.
    assertThat(s.figures().baseRttPs()).isEqualTo(8_337_920);
    assertThat(s.mrc().baseRttNs()).isEqualTo(8338);
    // 101 packets of 4160 B; marked from packet 21 to packet 81; the control queue twice as long.
    var up = twoTier(s).leafUp();
    assertThat(up.dataBytes()).isEqualTo(420_160);
    assertThat(up.controlBytes()).isEqualTo(840_320);
    assertThat(up.ecn()).isEqualTo(new EcnRamp(87_360, 336_960));
    assertThat(up.overflow()).isEqualTo(Overflow.TRIM);
    assertThat(twoTier(s).spineDown()).isEqualTo(up);
    assertThat(twoTier(s).leafDown().ecn()).isNull();
    // 15 us + 6 · 420160 B / 400 Gb/s = 65.4 us; the next step of 1.024 us · 2^t is t = 6.
    assertThat(s.mrc().timeout()).isEqualTo(6);
    assertThat(s.mrc().cc()).isEqualTo(NsccConfig.of(400_000_000_000L, 4096, true, true));
    assertThat(s.figures().idealPs()).isEqualTo(8_337_920);
    assertThat(s.endPs()).isEqualTo(10_000_000_000L);
  }

  @Test
  void aLoneFlowsIdealTimeIsItsClosedForm() throws Exception {
    assertThat(read(SMALL, "traffic.0.size=2MiB").figures().idealPs()).isEqualTo(50_853_120);
    // On one leaf: 2 · 2 · 1 us + 2 · (4160 + 64) · 8 / 400 Gb/s.
    assertThat(read(SMALL, "traffic.0.to=1").figures().idealPs()).isEqualTo(4_168_960);
  }

  @Test
  void portsTakeWhatAllSaysUnlessTheySayItThemselves() throws Exception {
    Scenario s =
        read(
            SMALL,
            "queues={all: {data: 83200B, ecn: on, trim_arriving: 25%}, leaf_down: {overflow: drop}}",
            "queues.leaf_up.ecn={low: 8320B, high: 16640B}");
    assertThat(twoTier(s).leafUp().ecn()).isEqualTo(new EcnRamp(8320, 16_640));
    // 20 packets: marked from the 5th to the 17th.
    assertThat(twoTier(s).leafDown().ecn()).isEqualTo(new EcnRamp(20_800, 70_720));
    assertThat(twoTier(s).leafDown().overflow()).isEqualTo(Overflow.DROP);
    assertThat(twoTier(s).spineDown().controlBytes()).isEqualTo(166_400);
    assertThat(twoTier(s).spineDown().trimArriving()).isEqualTo(0.25);
    assertThat(((NsccConfig) s.mrc().cc()).trimming()).isFalse();
  }

  @Test
  void transportTakesEveryForm() throws Exception {
    Scenario s =
        read(
            SMALL,
            "topology.planes=4",
            "transport={routing: srv6, active_evs_per_plane: 8, spraying: oblivious, mtu: 1KiB,"
                + " cc: {fixed: 625KiB}, ack_timeout: off, exponential_retries: forever,"
                + " base_rtt: 9us, qps_per_pair: 4, message: 32KiB, reverse_probes: off}");
    assertThat(s.mrc().evsPerPlane()).isEqualTo(16);
    assertThat(s.mrc().activeEvsPerPlane()).isEqualTo(8);
    assertThat(s.mrc().reactive()).isFalse();
    assertThat(s.mrc().cc()).isEqualTo(new CcConfig.FixedWindow(640_000));
    assertThat(s.mrc().timeout()).isZero();
    assertThat(s.mrc().exponentialRetries()).isEqualTo(25);
    assertThat(s.mrc().baseRttNs()).isEqualTo(9000);
    assertThat(s.mrc().messageBytes()).isEqualTo(32_768);
    assertThat(s.mrc().reverseProbes()).isFalse();
    NsccConfig nscc =
        (NsccConfig) read(SMALL, "transport.cc.nscc={gamma: 0.5, alpha: 2}").mrc().cc();
    assertThat(nscc.gains().gamma()).isEqualTo(0.5);
    assertThat(nscc.gains().alpha()).isEqualTo(2);
    assertThat(nscc.gains().fi()).isEqualTo(5);
  }

  @Test
  void timeoutsAreRoundedUpToAStep() throws Exception {
    assertThat(read(SMALL, "transport.ack_timeout=65.4us").mrc().timeout()).isEqualTo(6);
    assertThat(read(SMALL, "transport.ack_timeout=65.536us").mrc().timeout()).isEqualTo(6);
    assertThat(read(SMALL, "transport.ack_timeout=65.537us").mrc().timeout()).isEqualTo(7);
    assertThat(read(SMALL, "transport.ack_timeout=1ns").mrc().timeout()).isEqualTo(1);
  }

  @Test
  void everyRuleOfTrafficMakesItsFlows() throws Exception {
    Traffic t =
        read(
                SMALL,
                "traffic=[{kind: flow, from: 0, to: 1, size: 1B, count: 3, start: 2us, evs: [3, 5]},"
                    + " {kind: permutation, size: 1KiB, hosts: 0-7},"
                    + " {kind: permutation, size: 1KiB, from: '0-3', to: [4, '5-7']},"
                    + " {kind: incast, senders: '4,6-7', to: 0, size: 1KiB},"
                    + " {kind: all-to-all, hosts: 0-3, size: 1KiB, outstanding: 2},"
                    + " {kind: rings, rings: 2, members: 4, size: 1KiB, placement: across-leaves}]")
            .traffic();
    assertThat(t.flows()).isEqualTo(3 + 8 + 4 + 3 + 12 + 2 * 4 * 6);
    assertThat(t.startPs(2)).isEqualTo(2_000_000);
    assertThat(t.evSet(2)).isZero();
    assertThat(t.evSet(3)).isEqualTo(Traffic.NONE);
    assertThat(t.destination(15)).isZero();
  }

  @Test
  void aFlowsEvsAreTheSamePlacesOnEveryPlane() throws Exception {
    Scenario s = read(SMALL, "topology.planes=2", "traffic.0.evs=[0, 3]");
    assertThat(s.evSets()).containsExactly(List.of(0, 3, 64, 67));
  }

  @Test
  void lossesNamePlanesFromOne() throws Exception {
    Scenario s =
        read(
            SMALL,
            "topology.planes=2",
            "loss=[{link: '*', probability: 0.1%}, {host: 3, plane: 2, ev: 5, probability: 0.2},"
                + " {link: p2.t0.3>t1.15, probability: 1}]");
    assertThat(s.losses())
        .containsExactly(
            new Loss.OnLink("*", 0.001),
            new Loss.OnEv(3, 1, 5, 0.2),
            new Loss.OnLink("p2.t0.3>t1.15", 1));
  }

  @Test
  void aMatrixIsReadFromTheScenariosFolder(@TempDir Path dir) throws Exception {
    Files.writeString(dir.resolve("m.cm"), "Nodes 4\n0->1 id 1 start 5 size 9\n");
    Path file = dir.resolve("s.yml");
    Files.writeString(file, SMALL.replaceAll("\\{kind.*}", "{kind: matrix, file: m.cm}"));
    Scenario s = ScenarioReader.read(file, List.of(), 7L);
    assertThat(s.name()).isEqualTo("s");
    assertThat(s.seed()).isEqualTo(7);
    assertThat(s.traffic().flows()).isEqualTo(1);
    Files.writeString(dir.resolve("m.cm"), "Nodes 4\n\n0->7 id 1 start 5 size 9\n");
    assertThatThrownBy(() -> ScenarioReader.read(file, List.of(), null))
        .hasMessageContaining("s.yml:7: traffic.0.file: m.cm:3: destination: 7, allowed 0…3");
    Files.writeString(
        dir.resolve("m.cm"), "Nodes 400\n0->7 id 1 start 5 size 9\n9->300 start 0 size 1\n");
    assertThatThrownBy(() -> ScenarioReader.read(file, List.of(), null))
        .hasMessageContaining("traffic.0.file: 'm.cm', allowed hosts 0…127", "flow 2", "300");
  }

  @Test
  void mistakesAreNamedByLineFieldValueAndRange() {
    refused(SMALL.replace("version: 1", "version: 2"), "s.yaml:1: version: '2', allowed 1…1");
    refused(SMALL.replace("version: 1\n", ""), "version: missing, allowed 1");
    refused(
        SMALL.replace("leaves: 8", "leaves: 0"), "s.yaml:3: topology.leaves: '0', allowed 1…65535");
    refused(SMALL.replace("  leaves: 8\n", ""), "topology.leaves: missing, allowed 1…65535");
    refused(SMALL.replace("leaves: 8", "leaves:"), "s.yaml:3: topology.leaves: no value");
    refused(
        SMALL.replace("  leaves: 8", "  leafs: 8\n  leaves: 8"),
        "s.yaml:3: topology.leafs: no such key, allowed fabric_link, forwarding");
    refused(
        SMALL.replace("4096B", "4096"),
        "s.yaml:7: traffic.0.size: '4096', allowed a unit too, one of B, KiB");
    refused(SMALL.replace("4096B", "0B"), "s.yaml:7: traffic.0.size: '0B', allowed 1B…256GiB");
    refused(SMALL.replace("to: 127", "to: 128"), "s.yaml:7: traffic.0.to: '128', allowed 0…127");
    refused(SMALL.replace("to: 127", "to: 0"), "s.yaml:7: traffic.0.to: '0', allowed a host other");
    refused(
        SMALL.replace("flow", "flows"), "s.yaml:7: traffic.0.kind: 'flows', allowed flow, perm");
    refused(
        SMALL.replace("leaves: 8", "leaves: 8\n  leaves: 9"), "s.yaml:4: leaves: written twice");
    refused("- 1\n", "s.yaml:1: allowed keys and values");
    refused("", "empty");
    refused("version: [1\n", "s.yaml:", "not YAML");
    refused(SMALL + "---\nversion: 1\n", "a second document");
    refused("a: &x 1\nb: *x\n", "s.yaml:2: an alias");
  }

  @Test
  void conditionsBetweenFieldsAreChecked() {
    refusedWith("--set traffic=[]: traffic: empty, allowed at least one of", "traffic=[]");
    refusedWith("queues.all.data: '4159B', allowed 4160B…1GiB", "queues.all.data=4159B");
    refusedWith("queues.all.control: '10B', allowed 64B…1GiB", "queues.all.control=10B");
    refusedWith(
        "ecn.high: '8000B', allowed 9000B…1GiB", "queues.all.ecn={low: 9000B, high: 8000B}");
    refusedWith("queues.all.ecn: 'maybe', allowed on, off, or {low", "queues.all.ecn=maybe");
    refusedWith("allowed 2…1048576", "topology.hosts_per_leaf=65535", "topology.leaves=65535");
    refusedWith("links, allowed 16777216", "topology.planes=32", "topology.spines=65535");
    refusedWith(
        "evs_per_plane: '17', allowed 1…16", "transport={routing: srv6, evs_per_plane: 17}");
    refusedWith("'5', allowed 1…4", "transport={evs_per_plane: 4, active_evs_per_plane: 5}");
    refusedWith("multiples of the MTU, 4096B", "transport.message=1000B");
    refusedWith("multiples of 128", "transport.max_psn_range=1100");
    refusedWith("'999ps', allowed 1ns…10s", "transport.base_rtt=999ps");
    refusedWith("allowed whole nanoseconds", "transport.base_rtt=1000.5ns");
    refusedWith(
        "transport.cc: a group of keys, allowed nscc,", "transport.cc={fixed: 1B, nscc: {}}");
    refusedWith(
        "traffic.0.evs: '64', allowed a list of EVs, each once, 0…63", "traffic.0.evs=[64]");
    refusedWith("not among the senders", "traffic.0={kind: incast, senders: 0-3, to: 2, size: 1B}");
    refusedWith("hosts 0…127", "traffic.0={kind: incast, senders: 120-128, to: 2, size: 1B}");
    refusedWith("at least 2 hosts", "traffic.0={kind: all-to-all, hosts: 5, size: 1B}");
    refusedWith("as many as 'from'", "traffic.0={kind: permutation, from: 0-3, to: 4-6, size: 1B}");
    refusedWith("'none.cm', allowed a file that can be", "traffic.0={kind: matrix, file: none.cm}");
    refusedWith("allowed later than the start of flow 0, 20ms", "traffic.0.start=20ms", "end=1ms");
    refusedWith("traffic.0.count: '16777217', allowed 1…16777216", "traffic.0.count=16777217");
    refusedWith(
        "a name such as p1.h0>t0.0 or p1.t0.7>h127",
        "loss=[{link: p1.t0.9>t1.0, probability: 1%}]");
    refusedWith("loss.0.probability: '101%', allowed 0%…100%", "loss=[{ev: 0, probability: 101%}]");
    refusedWith("loss.0.ev: missing", "loss=[{probability: 1%}]");
    refusedWith("no such field, allowed simulated_us, flows.", "expect={flows.fct_us.p51: 1}");
    refusedWith("max: '1', allowed at least min, 2", "expect={flows.failed: {min: 2, max: 1}}");
    refusedWith("there is '16', allowed --set 'topology.spines={x: …}'", "topology.spines.x=1");
    refusedWith("'1' in traffic, allowed 0…0", "traffic.1.size=1B");
  }

  @Test
  void aTriggerThatNothingFiresIsAMistake(@TempDir Path dir) throws Exception {
    Files.writeString(
        dir.resolve("m.cm"),
        "Nodes 4\n0->1 start 0 size 9\n1->2 trigger 1 size 9\ntrigger id 1 oneshot\n");
    Path file = dir.resolve("s.yaml");
    Files.writeString(file, SMALL.replaceAll("\\{kind.*}", "{kind: matrix, file: m.cm}"));
    assertThatThrownBy(() -> ScenarioReader.read(file, List.of(), null))
        .hasMessageContaining("flow 1 (1 to 2) can never start");
  }

  @Test
  void severalMistakesAreToldAtOnce() {
    assertThatThrownBy(
            () -> read(SMALL.replace("leaves: 8", "leaves: x").replace("spines: 16", "spines: y")))
        .isInstanceOfSatisfying(ScenarioException.class, e -> assertThat(e.mistakes()).hasSize(2));
  }

  @Test
  void settingsReachKeysThatAreNotThereAndKeysWithDots() throws Exception {
    Scenario s = read(SMALL, "expect.flows.fct_us.p50.max=3", "expect.flows.failed=0", "about=x y");
    assertThat(s.expectations()).hasSize(2);
    assertThat(s.expectations().getFirst().wanted()).isEqualTo("at most 3");
  }

  @Test
  void aRunHasOneTransport() throws Exception {
    assertThat(read(SMALL, "transports=[rocev2]").transport()).isInstanceOf(Transport.Rocev2.class);
    assertThat(read(SMALL, "transports=[{name: mrc}]").transport())
        .isInstanceOf(Transport.Mrc.class);
    assertThatThrownBy(() -> read(SMALL, "transports=[mrc, rocev2]"))
        .hasMessageContaining("transports: 2 of them, allowed 1 in a run: leave one in");
  }

  @Test
  void aValueThatIsWrongForSeveralThingsIsNamedOnce() {
    assertThatThrownBy(
            () -> read(SMALL, "transports=[{name: rocev2}]", "queues={all: {overflow: trim}}"))
        .isInstanceOfSatisfying(
            ScenarioException.class,
            e ->
                assertThat(e.mistakes())
                    .filteredOn(mistake -> mistake.field().equals("queues.all.overflow"))
                    .hasSize(1));
  }

  private static void refused(String text, String... parts) {
    assertThatThrownBy(() -> read(text))
        .as(text)
        .isInstanceOf(ScenarioException.class)
        .hasMessageContainingAll(parts);
  }

  private static void refusedWith(String part, String... settings) {
    assertThatThrownBy(() -> read(SMALL, settings))
        .as(settings[0])
        .isInstanceOf(ScenarioException.class)
        .hasMessageContaining(part);
  }

  private static final String GRAPH =
      """
      version: 1
      topology:
        kind: graph
        hosts: 2
        links:
          - {from: h0, to: left, count: 2}
          - {from: left, to: right, count: 4, rate: 100Gbps, delay: 2us}
          - {from: right, to: h1, count: 2}
      traffic:
        - {kind: flow, from: 0, to: 1, size: 4096B}
      """;

  @Test
  void aGraphIsReadLinkByLink() throws Exception {
    Scenario s = read(GRAPH);
    GraphConfig graph = (GraphConfig) s.topology();
    assertThat(graph.planes()).isEqualTo(2);
    assertThat(graph.switches()).containsExactly("left", "right");
    assertThat(graph.links()).isEqualTo(2 * (2 + 4 + 2));
    assertThat(s.figures().diameterLinks()).isEqualTo(3);
    // 4160 and 64 bytes: 84.48 ns on each 400 Gb/s link, 337.92 on the slower one.
    assertThat(s.figures().baseRttPs()).isEqualTo(2 * 4_000_000 + 2 * 84_480 + 337_920);
    assertThat(read(GRAPH, "loss=[{link: left>right.3, probability: 1%}]").losses())
        .containsExactly(new Loss.OnLink("left>right.3", 0.01));
  }

  @Test
  void whatAGraphCannotBeIsToldByLine() {
    for (String[] wrong :
        new String[][] {
          {"topology.links.0.to=h1", "s.yaml", "topology.links.0.to: 'h1', allowed a switch"},
          {"topology.links.0.from=h2", "topology.links.0.from: 'h2', allowed hosts h0…h1"},
          {"topology.links.1.to=left", "topology.links.1.to: 'left', allowed another node"},
          {"topology.links.1.to=Up", "topology.links.1.to: 'Up', allowed a host (h0, h1, …)"},
          {"topology.links.0.count=1", "s.yaml:6: topology.links: h1 has 2 cables and h0 1"},
          {"topology.links.1.to=other", "s.yaml:6: topology.links: h1 cannot be reached from h0"},
          {"topology.planes=2", "topology.planes: no such key"},
          {
            "queues.leaf_up={data: 8KiB}",
            "queues.leaf_up: no such key, allowed all, shared, to_host"
          },
        }) {
      assertThatThrownBy(() -> read(GRAPH, wrong[0]))
          .isInstanceOf(ScenarioException.class)
          .hasMessageContaining(wrong[wrong.length - 1]);
    }
    // Two switches that choose among 256 links each.
    String wide =
        GRAPH.replace(
            "{from: left, to: right, count: 4, rate: 100Gbps, delay: 2us}",
            "{from: left, to: mid, count: 256}\n    - {from: mid, to: right, count: 256}");
    assertThatThrownBy(() -> read(wide, "transport.routing=structured"))
        .isInstanceOf(ScenarioException.class)
        .hasMessageContainingAll(
            "transport.routing: 'structured', allowed another one here",
            "16 bits here, allowed 14");
  }

  @Test
  void oneSwitchHasOneKindOfPort() throws Exception {
    String text =
        """
        version: 1
        topology: {kind: one-switch, hosts: 8, planes: 2, host_link: {rate: 100Gbps, delay: 500ns}}
        traffic:
          - {kind: flow, from: 0, to: 7, size: 4096B}
        """;
    Scenario s = read(text);
    assertThat(s.topology().hosts()).isEqualTo(8);
    assertThat(s.topology().links()).isEqualTo(2 * 2 * 8);
    assertThat(s.figures().diameterLinks()).isEqualTo(2);
    assertThat(s.figures().baseRttPs()).isEqualTo(2 * 1_000_000 + 2 * 337_920);
    assertThat(read(text, "transport.routing=srv6").mrc().evsPerPlane()).isEqualTo(1);
    assertThatThrownBy(() -> read(text, "queues.leaf_up={data: 8KiB}"))
        .hasMessageContaining("queues.leaf_up: no such key, allowed all, leaf_down, shared");
  }
}
