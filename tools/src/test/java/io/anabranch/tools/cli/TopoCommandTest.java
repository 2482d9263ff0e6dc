package io.anabranch.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class TopoCommandTest {
  private static final String A1 = "../scenarios/paper/a1-topology.yaml";
  private static final String B0 = "../scenarios/htsim/b0-packet.yaml";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int mrc(String... args) {
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    return line.execute(args);
  }

  @Test
  void thePapersTopologyIsAsThePaperSays() {
    assertThat(mrc("topo", A1, "--expect")).isZero();
    assertThat(out.toString())
        .contains("131,072 NICs of 800 Gb/s, 8 planes, 6,144 switches")
        .contains("4,096 switches of 512 ports")
        .contains("2,048 switches of 512 ports")
        .contains("ends at 65,536 NICs")
        .contains("14 of 14 met");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void aMissIsALineAndExitOne() {
    assertThat(mrc("topo", A1, "--expect", "--set", "topology.spines=128")).isEqualTo(1);
    assertThat(err.toString())
        .contains("MISSED: topology.tiers.1.switches is 1024, expected 2048")
        .contains("FAIL: ");
  }

  @Test
  void nothingToExpectIsWrongUse() {
    assertThat(mrc("topo", B0, "--expect")).isEqualTo(2);
    assertThat(err.toString()).contains("expects nothing of 'topology.…'");
    assertThat(mrc("topo", "none.yaml")).isEqualTo(2);
    assertThat(err.toString()).contains("none.yaml: no such file");
  }

  @Test
  void jsonHasAVersionAndTheDocumentedFields() {
    assertThat(mrc("topo", B0, "--json", "-")).isZero();
    JsonNode json = new JsonMapper().readTree(out.toString());
    assertThat(json.propertyNames())
        .containsExactly("version", "scenario", "topology", "expect", "result", "reason");
    assertThat(json.get("version").asInt()).isEqualTo(1);
    assertThat(json.get("topology").propertyNames())
        .containsExactly(
            "kind",
            "hosts",
            "planes",
            "nic_gbps",
            "switches",
            "cables",
            "optics",
            "tiers",
            "links",
            "paths",
            "bisection_gbps",
            "bisection_by",
            "failures",
            "per_nic",
            "compared");
    assertThat(json.at("/topology/tiers/0/switches").asInt()).isEqualTo(8);
    assertThat(json.at("/topology/paths/per_pair").asInt()).isEqualTo(16);
    assertThat(err.toString()).contains("128 NICs of 400 Gb/s");
  }

  @Test
  void aNetworkAloneIsEnough(@TempDir Path dir) throws Exception {
    Path file = dir.resolve("network.yaml");
    Files.writeString(
        file,
        """
        version: 1
        topology:
          kind: graph
          hosts: 4
          links:
            - {from: h0, to: left}
            - {from: h1, to: right}
            - {from: h2, to: left}
            - {from: h3, to: right}
            - {from: left, to: right, count: 3, rate: 100Gbps}
        expect: {topology.bisection_gbps: 300}
        """);
    assertThat(mrc("topo", file.toString(), "--expect")).as(err.toString()).isZero();
    assertThat(out.toString())
        .contains("bisection  0.3 Tb/s each way, between any two halves of the hosts");
    assertThat(mrc("sim", file.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("traffic: empty, allowed at least one of");
    assertThat(mrc("topo", file.toString(), "--set", "traffic=[{kind: flow}]")).isEqualTo(2);
  }

  private static Document svg(String text) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
    return factory.newDocumentBuilder().parse(new InputSource(new StringReader(text)));
  }

  /** Well-formed, of a bounded size however large the fabric, and everything inside the picture. */
  @Test
  void drawingsAreSmallAndInsideTheirFrame(@TempDir Path dir) throws Exception {
    for (String name : List.of("paper/a1-topology", "htsim/b4", "htsim/b1", "scale/131k")) {
      Path file = dir.resolve("t.svg");
      assertThat(mrc("topo", "../scenarios/" + name + ".yaml", "--svg", file.toString())).isZero();
      String text = Files.readString(file);
      assertThat(text.length()).isLessThan(40_000);
      Document document = svg(text);
      int width = Integer.parseInt(document.getDocumentElement().getAttribute("width"));
      int height = Integer.parseInt(document.getDocumentElement().getAttribute("height"));
      TreeSet<String> places = new TreeSet<>();
      NodeList boxes = document.getElementsByTagName("rect");
      for (int i = 0; i < boxes.getLength(); i++) {
        var box = boxes.item(i).getAttributes();
        if (box.getNamedItem("class") != null) {
          int x = Integer.parseInt(box.getNamedItem("x").getNodeValue());
          int y = Integer.parseInt(box.getNamedItem("y").getNodeValue());
          int w = Integer.parseInt(box.getNamedItem("width").getNodeValue());
          int h = Integer.parseInt(box.getNamedItem("height").getNodeValue());
          assertThat(x).isNotNegative();
          assertThat(y).isNotNegative();
          assertThat(x + w).isLessThanOrEqualTo(width);
          assertThat(y + h).isLessThanOrEqualTo(height);
          assertThat(places.add(x + " " + y)).as("boxes on each other").isTrue();
        }
      }
    }
  }

  /** Every cable of a small fabric is a line; of a large one each kind. */
  @Test
  void dotHasEveryCable() {
    assertThat(mrc("topo", B0, "--dot", "-")).isZero();
    long edges = Pattern.compile(" -- ").matcher(out.toString()).results().count();
    assertThat(edges).isEqualTo(128 + 8 * 16);
    assertThat(out.toString())
        .contains("\"p1.t0.7\" -- \"h127\"")
        .contains("\"p1.t0.7\" -- \"p1.t1.15\"");
    out.getBuffer().setLength(0);
    assertThat(mrc("topo", A1, "--dot", "-")).isZero();
    assertThat(Pattern.compile(" -- ").matcher(out.toString()).results().count()).isEqualTo(2);
  }
}
