package io.anabranch.tools.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The published schema, the reader and the shipped files agree. */
class SchemaTest {
  private static final Pattern ALLOWED = Pattern.compile("no such key, allowed (.*)");
  private static final String TWO_TIER = "{leaves: 2, hosts_per_leaf: 4, spines: 2}";
  private static final String THREE_TIER =
      "{kind: three-tier, pods: 2, leaves_per_pod: 2, hosts_per_leaf: 2, spines_per_pod: 2,"
          + " cores_per_spine: 2}";
  private static final String GRAPH =
      "{kind: graph, hosts: 2, links: [{from: h0, to: a}, {from: a, to: b}, {from: b, to: h1}]}";
  private static final String BASE =
      """
      version: 1
      topology: {leaves: 2, hosts_per_leaf: 4, spines: 2}
      traffic: [{kind: flow, from: 0, to: 1, size: 1KiB}]
      """;

  private final String text = published();
  private final JsonNode tree = new JsonMapper().readTree(text);
  private final Schema schema =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12).getSchema(text);
  private final YAMLMapper yaml = new YAMLMapper();

  private static String published() {
    try {
      return Files.readString(Shipped.ROOT.resolve("docs/schema/scenario.schema.json"));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void theProgramCarriesThePublishedSchema() throws Exception {
    try (InputStream in = ScenarioReader.class.getResourceAsStream("scenario.schema.json")) {
      assertThat(in).isNotNull();
      assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(text);
    }
  }

  @Test
  void everyShippedScenarioIsValidAndReadable() throws Exception {
    assertThat(Shipped.scenarios()).hasSizeGreaterThanOrEqualTo(13);
    for (Path file : Shipped.scenarios()) {
      assertThat(schema.validate(yaml.readTree(Files.readString(file))))
          .as(file.toString())
          .isEmpty();
      Scenario scenario = ScenarioReader.read(file, List.of(), null);
      assertThat(scenario.name()).isEqualTo(file.getFileName().toString().replace(".yaml", ""));
      assertThat(scenario.expectations()).as(file.toString()).isNotEmpty();
    }
  }

  @Test
  void aScenarioInFullIsValidAndReadsBackTheSame() throws Exception {
    for (Path file : Shipped.scenarios()) {
      Scenario scenario = ScenarioReader.read(file, List.of(), null);
      String full = Explanation.of(scenario);
      assertThat(schema.validate(yaml.readTree(full))).as(full).isEmpty();
      Scenario again =
          ScenarioReader.read(full, "full.yaml", "x", file.getParent(), List.of(), null);
      assertThat(again.filled()).isEqualTo(scenario.filled());
      assertThat(again.transport()).isEqualTo(scenario.transport());
      assertThat(again.topology()).isEqualTo(scenario.topology());
      assertThat(again.expectations()).isEqualTo(scenario.expectations());
      assertThat(again.endPs()).isEqualTo(scenario.endPs());
      assertThat(Explanation.of(again)).isEqualTo(full);
    }
  }

  @Test
  void schemaAndReaderKnowTheSameKeys() throws Exception {
    JsonNode all = tree.get("properties");
    same("zzz", all, "version");
    for (JsonNode kind : all.at("/topology/oneOf")) {
      String name = kind.at("/properties/kind/const").asString();
      same("topology={kind: " + name + ", zzz: 1}", kind.get("properties"));
    }
    same(
        "topology={kind: graph, hosts: 2, links: [{from: h0, to: a, zzz: 1}]}",
        all.at("/topology/oneOf/3/properties/links/items/properties"));
    same("topology.host_link.zzz", all.at("/topology/oneOf/0/properties/host_link/properties"));
    same("sizes.zzz", all.at("/sizes/properties"));
    // The schema does not know which kind of network has which kinds of port; the reader does.
    SortedSet<String> kinds = allowed(BASE.replace(TWO_TIER, THREE_TIER), "queues.zzz=1");
    kinds.addAll(allowed(BASE.replace(TWO_TIER, GRAPH), "queues.zzz=1"));
    assertThat(kinds)
        .containsExactlyElementsOf(new TreeSet<>(all.at("/queues/properties").propertyNames()));
    same("queues.shared={size: 1MiB, zzz: 1}", all.at("/queues/properties/shared/properties"));
    same("queues.spine_down.zzz", all.at("/queues/properties/spine_down/properties"));
    same("transport.zzz", all.at("/transport/properties"));
    same(
        "transport.cc={nscc: {zzz: 1}}",
        all.at("/transport/properties/cc/anyOf/2/properties/nscc/properties"));
    for (JsonNode kind : all.at("/transports/items/anyOf/1/oneOf")) {
      String name = kind.at("/properties/name/const").asString();
      same("transports=[{name: " + name + ", zzz: 1}]", kind.get("properties"));
    }
    JsonNode roce = all.at("/transports/items/anyOf/1/oneOf/1/properties");
    same(
        "transports=[{name: rocev2, cc: {dcqcn: {zzz: 1}}}]",
        roce.at("/cc/anyOf/1/properties/dcqcn/properties"));
    same(
        "transports=[{name: rocev2, recovery: {selective_repeat: {zzz: 1}}}]",
        roce.at("/recovery/anyOf/1/properties/selective_repeat/properties"));
    for (JsonNode kind : tree.at("/$defs/traffic/items/oneOf")) {
      String name = kind.at("/properties/kind/const").asString();
      same("traffic.0={kind: " + name + ", zzz: 1, size: 1B}", kind.get("properties"));
    }
    same("jobs=[{zzz: 1}]", all.at("/jobs/items/properties"));
    same(
        "jobs=[{name: a, until: {zzz: 1}, traffic: []}]",
        all.at("/jobs/items/properties/until/properties"));
    same(
        "traffic.0={kind: random, size: {zzz: 1}}",
        tree.at("/$defs/none"),
        "uniform",
        "exponential",
        "lognormal",
        "cdf");
    for (JsonNode kind : all.at("/faults/items/oneOf")) {
      String name = kind.at("/properties/kind/const").asString();
      same("faults=[{kind: " + name + ", zzz: 1}]", kind.get("properties"));
    }
    same("phases=[{zzz: 1}]", all.at("/phases/items/properties"));
    same("loss=[{link: '*', zzz: 1}]", all.at("/loss/items/oneOf/0/properties"));
    // Of the other kind of loss the reader also names the key that would make it the first kind.
    same("loss=[{zzz: 1}]", all.at("/loss/items/oneOf/1/properties"), "link");
  }

  private static void same(String setting, JsonNode properties, String... beside) {
    TreeSet<String> expected = new TreeSet<>(properties.propertyNames());
    expected.addAll(List.of(beside));
    assertThat(allowed(BASE, setting.contains("=") ? setting : setting + "=1"))
        .as(setting)
        .containsExactlyElementsOf(expected);
  }

  /** The keys that the reader allows where it found one that it does not know. */
  private static SortedSet<String> allowed(String base, String setting) {
    TreeSet<String> keys = new TreeSet<>();
    assertThatThrownBy(
            () -> ScenarioReader.read(base, "s", "s", null, List.of(Setting.parse(setting)), null))
        .isInstanceOfSatisfying(
            ScenarioException.class,
            e -> {
              Matcher m = ALLOWED.matcher(String.valueOf(e.getMessage()));
              assertThat(m.find()).as(e.getMessage()).isTrue();
              keys.addAll(List.of(m.group(1).split(", ", -1)));
            });
    return keys;
  }

  @Test
  void whatTheReaderRefusesByFormTheSchemaRefusesToo() throws Exception {
    for (String setting :
        List.of(
            "version=2",
            "seed=-1",
            "end=5",
            "topology.leaves=0",
            "topology.planes=33",
            "topology.kind=ring",
            "topology.host_link={rate: 400}",
            "topology.host_link={delay: 1min}",
            "topology.forwarding=magic",
            "topology={kind: one-switch, hosts: 1}",
            "topology={kind: graph, hosts: 2, links: []}",
            "topology={kind: graph, hosts: 2, links: [{from: h0, to: S}]}",
            "topology={kind: graph, hosts: 2, links: [{from: h0, to: a, count: 0}]}",
            "topology={kind: three-tier, pods: 2, leaves_per_pod: 2}",
            "sizes.control=64",
            "queues.all.overflow=keep",
            "queues.shared={alpha: 1}",
            "queues.shared={size: 1MiB, alpha: 0}",
            "queues.all.ecn=maybe",
            "queues.all.trim_arriving=2",
            "transport.cc=dctcp",
            "transport.ack_timeout=never",
            "transport.exponential_retries=25",
            "transport.max_psn_range=1100",
            "transports=[]",
            "transports=[tcp]",
            "transports=[{label: a}]",
            "transports=[{name: rocev2, retry_count: 8}]",
            "transports=[{name: rocev2, cc: nscc}]",
            "transports=[{name: rocev2, recovery: {go_back_n: {}}}]",
            "queues.all.ecn={max: 2}",
            "traffic=[]",
            "traffic.0.kind=burst",
            "traffic.0={kind: random, size: {pareto: 1KiB}, load: 10%, until: {flows: 1}}",
            "traffic.0={kind: random, size: {uniform: {min: 1KiB}}, load: 10%, until: {flows: 1}}",
            "traffic.0={kind: random, size: 1KiB, load: 1.1, until: {flows: 1}}",
            "traffic.0={kind: random, size: 1KiB, load: 10%, until: {}}",
            "traffic.0={kind: random, size: 1KiB, load: 10%}",
            "jobs=[{name: a, traffic: [{kind: permutation, size: 1KiB}]}]",
            "traffic.0.size=0.5",
            "traffic.0={kind: incast, senders: a-b, to: 0, size: 1B}",
            "loss=[{probability: 1%}]",
            "loss=[{link: '*', probability: 101}]",
            "faults=[{kind: down}]",
            "faults=[{kind: broken, target: p1.t1.0}]",
            "faults=[{kind: down, target: []}]",
            "faults=[{kind: down, target: p1.t1.0, at: 5}]",
            "faults=[{kind: down, target: p1.t1.0, detect: soon}]",
            "faults=[{kind: down, target: p1.t1.0, mtbf: {normal: 1us}, mttr: 1us}]",
            "faults=[{kind: slow, target: p1.t1.0}]",
            "faults=[{kind: lossy, target: p1.t1.0, probability: 101%x}]",
            "faults=[{kind: down, target: p1.t1.0, pick: 0}]",
            "phases=[{from: 1us}]",
            "expect={fct: 1}",
            "expect={flows.failed: {}}",
            "expect={flows.failed: many}")) {
      assertThatThrownBy(() ->
              ScenarioReader.read(BASE, "s", "s", null, List.of(Setting.parse(setting)), null))
          .as(setting)
          .isInstanceOf(ScenarioException.class);
      assertThat(schema.validate(changed(setting))).as(setting).isNotEmpty();
    }
  }

  @Test
  void theTemplateIsValidAndSaysWhatTheReaderReads() throws Exception {
    assertThat(schema.validate(yaml.readTree(Template.text()))).isEmpty();
    Scenario scenario =
        ScenarioReader.read(Template.text(), "template", "t", null, List.of(), null);
    assertThat(scenario.jobs()).containsExactly("training", "storage");
  }

  private JsonNode changed(String setting) {
    JsonNode root = yaml.readTree(BASE);
    int equals = setting.indexOf('=');
    String[] path = setting.substring(0, equals).split("\\.", -1);
    JsonNode at = root;
    for (int i = 0; i < path.length - 1; i++) {
      if (at.isObject() && !at.has(path[i])) {
        at.asObject().putObject(path[i]);
      }
      at = at.isArray() ? at.get(Integer.parseInt(path[i])) : at.get(path[i]);
    }
    JsonNode value = yaml.readTree(setting.substring(equals + 1));
    if (at.isArray()) {
      at.asArray().set(Integer.parseInt(path[path.length - 1]), value);
    } else {
      at.asObject().set(path[path.length - 1], value);
    }
    return root;
  }
}
