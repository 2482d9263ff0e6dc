package io.anabranch.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Captures of the simulated network, read back by our decoder and by tshark. */
class SimCaptureTest {
  /** A packet takes 83.2 ns on a link and 1 µs along it; a SACK or ACK 1.28 ns. */
  private static final String SCENARIO =
      """
      version: 1
      topology: {leaves: 2, hosts_per_leaf: 2, spines: 2}
      transport: {reverse_probes: off, routing: ROUTING}
      traffic: [{kind: flow, from: 0, to: 3, size: 8KiB}]
      """;

  @TempDir Path dir;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int mrc(String... arguments) {
    out.getBuffer().setLength(0);
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    return line.execute(arguments);
  }

  private String scenario(String routing) throws IOException {
    Path file = dir.resolve("s.yaml");
    Files.writeString(file, SCENARIO.replace("ROUTING", routing));
    return file.toString();
  }

  private List<JsonNode> decoded(Path file) {
    ByteArrayOutputStream sink = new ByteArrayOutputStream();
    CommandLine line = new CommandLine(new DecodeCommand(sink));
    assertThat(line.execute(file.toString(), "--json")).isZero();
    List<JsonNode> packets = new ArrayList<>();
    sink.toString(StandardCharsets.UTF_8)
        .lines()
        .forEach(text -> packets.add(new JsonMapper().readTree(text)));
    return packets;
  }

  private static List<String> lines(List<JsonNode> packets, String... fields) {
    List<String> lines = new ArrayList<>();
    for (JsonNode packet : packets) {
      List<String> cells = new ArrayList<>();
      for (String field : fields) {
        cells.add(packet.path(field).asString());
      }
      lines.add(String.join(" ", cells));
    }
    return lines;
  }

  @Test
  void aHostsPortShowsBothWaysWithSimulatedTimes() throws Exception {
    Path file = dir.resolve("h.pcapng");
    assertThat(mrc("sim", scenario("ecmp"), "--pcap", "0:1=" + file, "--quiet", "--check"))
        .as(err.toString())
        .isZero();
    List<JsonNode> packets = decoded(file);
    // Two packets, sent at 0 and behind it; the first SACK returns after the base RTT.
    List<String> shown = lines(packets, "time", "interface", "opcodeName");
    assertThat(shown.subList(0, 3))
        .containsExactly(
            "0.000000000 p1.h0>t0.0 WRITE_FIRST",
            "0.000000083 p1.h0>t0.0 WRITE_LAST",
            "0.000008337 p1.t0.0>h0 SACK");
    assertThat(packets).allMatch(packet -> packet.path("icrc").asString().equals("good"));
    assertThat(lines(packets, "payloadLength").subList(0, 2)).containsExactly("4096", "4096");
    assertThat(lines(packets, "opcodeName")).contains("TRANSPORT_ACK");
    assertThat(new ArrayList<>(shown)).isSortedAccordingTo((a, b) -> time(a).compareTo(time(b)));
  }

  private static BigDecimal time(String line) {
    return new BigDecimal(line.substring(0, line.indexOf(' ')));
  }

  @Test
  void theOuterAddressIsTheOneAtThatHop() throws Exception {
    Path nic = dir.resolve("nic.pcapng");
    Path core = dir.resolve("core.pcapng");
    Path end = dir.resolve("end.pcapng");
    String scenario = scenario("srv6");
    int code =
        mrc(
            "sim",
            scenario,
            "--pcap",
            "p1.h0>t0.0=" + nic,
            "--pcap",
            "p1.t0.0>t1.0=" + core,
            "--pcap",
            "p1.t0.0>t1.1=" + core,
            "--pcap",
            "p1.t0.1>h3=" + end);
    assertThat(code).as(err.toString()).isZero();
    // uSIDs: leaves 1 and 2, spines 3 and 4, a leaf's downlinks 5 and 6.
    for (JsonNode packet : decoded(nic)) {
      int uplink = packet.path("usids").get(1).asString().equals("0003") ? 3 : 4;
      assertThat(packet.path("usids").toString())
          .isEqualTo("[\"0001\",\"000" + uplink + "\",\"0002\",\"0006\"]");
    }
    List<JsonNode> between = decoded(core);
    assertThat(between).hasSize(2);
    for (JsonNode packet : between) {
      String spine = packet.path("interface").asString().endsWith("t1.0") ? "3" : "4";
      assertThat(packet.path("usids").toString())
          .isEqualTo("[\"000" + spine + "\",\"0002\",\"0006\"]");
    }
    for (JsonNode packet : decoded(end)) {
      assertThat(packet.path("usids").toString()).isEqualTo("[\"0006\"]");
      assertThat(packet.path("icrc").asString()).isEqualTo("good");
    }
  }

  @Test
  void marksAreOnTheOuterHeaderAndTrimmedPacketsAreCut() throws Exception {
    Path file = dir.resolve("h3.pcapng");
    Path json = dir.resolve("r.json");
    int code =
        mrc(
            "sim",
            scenario("srv6"),
            "--set",
            "traffic=[{kind: incast, senders: 0-2, to: 3, size: 512KiB}]",
            "--set",
            "queues.all={data: 64KiB, ecn: {low: 8KiB, high: 32KiB}}",
            "--pcap",
            "3:1=" + file,
            "--json",
            json.toString());
    assertThat(code).as(err.toString()).isZero();
    JsonNode result = new JsonMapper().readTree(Files.readString(json));
    List<JsonNode> packets = decoded(file);
    long delivered = 0;
    long trimmed = 0;
    for (JsonNode packet : packets) {
      if (!packet.path("interface").asString().equals("p1.t0.1>h3")
          || !packet.path("opcodeName").asString().startsWith("WRITE")) {
        continue;
      }
      assertThat(packet.path("outerDscp").asInt()).isEqualTo(packet.path("dscp").asInt());
      assertThat(packet.path("ecn").asInt()).isEqualTo(2);
      if (packet.path("icrc").asString().equals("good")) {
        delivered++;
      } else {
        trimmed++;
      }
    }
    assertThat(delivered).isEqualTo(result.at("/packets/delivered").asLong());
    assertThat(trimmed).isPositive().isLessThanOrEqualTo(result.at("/packets/trimmed").asLong());
    assertThat(packets).anyMatch(packet -> packet.path("outerEcn").asInt() == 3);
  }

  @Test
  void aSnapLengthKeepsHeadersAndTheOriginalLength() throws Exception {
    Path file = dir.resolve("cut.pcapng");
    Path whole = dir.resolve("whole.pcapng");
    String scenario = scenario("ecmp");
    assertThat(mrc("sim", scenario, "--pcap", "0:1=" + file, "--snap", "128")).isZero();
    assertThat(mrc("sim", scenario, "--pcap", "0:1=" + whole)).isZero();
    assertThat(Files.size(file)).isLessThan(Files.size(whole) - 5000);
    assertThat(lines(decoded(file), "time", "opcodeName", "psn", "udpLength"))
        .isEqualTo(lines(decoded(whole), "time", "opcodeName", "psn", "udpLength"));
  }

  @Test
  void captureDoesNotChangeTheRun() throws Exception {
    Path a = dir.resolve("a.json");
    Path b = dir.resolve("b.json");
    String scenario = scenario("ecmp");
    assertThat(mrc("sim", scenario, "--json", a.toString())).isZero();
    String capture = "3:1=" + dir.resolve("x.pcapng");
    assertThat(mrc("sim", scenario, "--json", b.toString(), "--pcap", capture)).isZero();
    assertThat(mrc("diff", a.toString(), b.toString())).as(out.toString()).isZero();
  }

  @Test
  void portsThatAreNotThereAreRefused() throws Exception {
    String scenario = scenario("ecmp");
    for (String wrong : List.of("4:1=x", "0:2=x", "0:0=x", "p1.h0=x", "0:1", "=x", "0:1=")) {
      assertThat(mrc("sim", scenario, "--pcap", wrong)).as(wrong).isEqualTo(2);
    }
    assertThat(err.toString())
        .contains("--pcap: '4:1=x', allowed HOST:PORT=FILE, hosts 0…3, ports 1…1, or LINK=FILE");
    assertThat(mrc("sim", scenario, "--snap", "0")).isEqualTo(2);
    assertThat(err.toString()).contains("--snap: 0, allowed 1…65535");
  }

  @Test
  void tsharkReadsTheSame() throws Exception {
    assumeTrue(tsharkIsThere(), "tshark is not installed: its agreement was not checked");
    Path file = dir.resolve("t.pcapng");
    assertThat(mrc("sim", scenario("srv6"), "--pcap", "0:1=" + file)).isZero();
    List<String> ours =
        lines(decoded(file), "time", "interface", "outerDst", "dst", "opcode", "psn");
    assertThat(
            tshark(
                file,
                "frame.time_epoch",
                "frame.interface_name",
                "ipv6.dst",
                "infiniband.bth.opcode",
                "infiniband.bth.psn"))
        .isEqualTo(ours);
  }

  @Test
  void tsharkReadsTheSrh() throws Exception {
    assumeTrue(tsharkIsThere(), "tshark is not installed: its agreement was not checked");
    Path file = dir.resolve("t.pcapng");
    String scenario = scenario("srv6-srh");
    assertThat(mrc("sim", scenario, "--pcap", "0:1=" + file, "--pcap", "p1.t0.1>h3=" + file))
        .isZero();
    List<JsonNode> packets = decoded(file);
    List<String> ours = new ArrayList<>();
    for (JsonNode packet : packets) {
      ours.add(
          packet.path("segmentsLeft").asString()
              + " "
              + packet.path("segments").get(0).asString()
              + " "
              + packet.path("psn").asString());
    }
    assertThat(tshark(file, "ipv6.routing.segleft", "ipv6.routing.srh.addr", "infiniband.bth.psn"))
        .isEqualTo(ours);
    // uSIDs: leaves 1 and 2, a leaf's downlinks 5 and 6; the SRH holds the way down to host 3.
    JsonNode first = packets.getFirst();
    assertThat(first.path("segments").get(0).asString()).isEqualTo("fd00:1:2:6::");
    assertThat(first.path("usids")).hasSize(2);
    assertThat(first.path("segmentsLeft").asInt()).isEqualTo(1);
    assertThat(packets)
        .filteredOn(packet -> packet.path("interface").asString().equals("p1.t0.1>h3"))
        .isNotEmpty()
        .allMatch(packet -> packet.path("outerDst").asString().equals("fd00:1:6::"))
        .allMatch(packet -> packet.path("segmentsLeft").asInt() == 0)
        .allMatch(packet -> packet.path("icrc").asString().equals("good"));
  }

  private static List<String> tshark(Path file, String... fields) throws Exception {
    List<String> command =
        new ArrayList<>(List.of("tshark", "-n", "-r", file.toString(), "-T", "fields"));
    for (String field : fields) {
      command.addAll(List.of("-e", field));
    }
    Process p = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String text = new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(p.waitFor()).isZero();
    return text.lines().map(line -> line.replace('\t', ' ').replace(',', ' ')).toList();
  }

  private static boolean tsharkIsThere() throws InterruptedException {
    try {
      Process p = new ProcessBuilder("tshark", "--version").redirectErrorStream(true).start();
      p.getInputStream().readAllBytes();
      return p.waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
