package io.anabranch.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.tools.cli.decode.PacketFilter;
import io.anabranch.wire.ip.LinkView;
import io.anabranch.wire.mrc.DscpMap;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.FrameCodec;
import io.anabranch.wire.mrc.Opcode;
import io.anabranch.wire.pcap.PcapWriter;
import io.anabranch.wire.pcap.PcapngWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class DecodeCommandTest {
  private static final Path VECTORS = Path.of("../wire/src/test/resources/vectors");
  private static final Path WIRE_PCAP = VECTORS.resolve("wire.pcap");

  /** Keys that are no fields of a packet. */
  private static final Set<String> BESIDE = Set.of("frame", "time", "interface");

  /** Fields that wire.json leaves out: always zero there, or names of what is there as a number. */
  private static final Set<String> MORE =
      Set.of("transport", "opcodeName", "solicited", "migration", "version", "ccFlags");

  @TempDir Path dir;

  private record Run(int exit, String out, String err) {
    List<String> lines() {
      return out.lines().toList();
    }

    List<JsonNode> json() {
      return out.lines().map(line -> JsonMapper.shared().readTree(line)).toList();
    }
  }

  private static Run run(OutputStream sink, String... args) {
    StringWriter err = new StringWriter();
    int exit =
        new CommandLine(new DecodeCommand(sink))
            .setErr(new PrintWriter(err, true))
            .setExecutionExceptionHandler((e, command, parsed) -> {
              command.getErr().println(Objects.requireNonNull(Failure.reason(e), "defect"));
              return 1;
            })
            .execute(args);
    String out =
        sink instanceof ByteArrayOutputStream bytes ? bytes.toString(StandardCharsets.UTF_8) : "";
    return new Run(exit, out, err.toString());
  }

  private static Run run(String... args) {
    return run(new ByteArrayOutputStream(), args);
  }

  private static JsonNode json(String name) throws IOException {
    return JsonMapper.shared().readTree(Files.readAllBytes(VECTORS.resolve(name)));
  }

  private static List<JsonNode> entries(boolean reject) throws IOException {
    return json("wire.json")
        .valueStream()
        .filter(e -> e.get("level").asString().equals("l3"))
        .filter(e -> e.get("fields").has("reject") == reject)
        .toList();
  }

  private static ByteBuffer bytes(String hex) {
    return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
  }

  /** A pcapng file of raw IP packets. */
  private Path capture(List<ByteBuffer> packets) throws IOException {
    Path file = dir.resolve("capture.pcapng");
    try (PcapngWriter writer = new PcapngWriter(Files.newOutputStream(file))) {
      writer.addInterface("plane 1", LinkView.RAW);
      for (ByteBuffer packet : packets) {
        writer.write(0, 1_700_000_000_000_000_000L, packet);
      }
    }
    return file;
  }

  @Test
  void jsonAgreesWithTheVectors() throws IOException {
    Run run = run(WIRE_PCAP.toString(), "--json");
    assertThat(run.exit).isZero();
    assertThat(run.err).isEmpty();
    List<JsonNode> lines = run.json();
    List<JsonNode> entries = entries(false);
    assertThat(lines).hasSameSizeAs(entries);
    for (int i = 0; i < lines.size(); i++) {
      JsonNode line = lines.get(i);
      JsonNode fields = entries.get(i).get("fields");
      for (var e : fields.properties()) {
        JsonNode seen = Objects.requireNonNull(line.get(e.getKey()), e.getKey());
        if (e.getKey().equals("ccState")) {
          assertThat(seen).isEqualTo(e.getValue());
        } else {
          assertThat(seen).as("%s of %s", e.getKey(), entries.get(i)).isEqualTo(e.getValue());
        }
      }
      List<String> beside = new ArrayList<>(line.propertyNames());
      beside.removeAll(fields.propertyNames());
      beside.removeAll(BESIDE);
      beside.removeAll(MORE);
      assertThat(beside).isEmpty();
      assertThat(line.get("frame").asInt()).isEqualTo(i + 1);
    }
    assertThat(lines.getFirst().get("time").asString()).isEqualTo("1700000000.000000000");
  }

  @Test
  void aLineAPacketForPeople() {
    Run run = run(WIRE_PCAP.toString());
    assertThat(run.lines()).hasSize(19);
    assertThat(run.lines().get(9))
        .isEqualTo(
            "10 22:13:20.000090000 0 2001:db8:0:a::1 > 2001:db8:0:b::1 ev=0x00010002 SACK"
                + " qp=0x000def psn=4 m=SKIP_ONCE probeResponse=0 ackPsnOffset=2"
                + " entropy=0x5a5ac0de cackPsn=4 mpr=32 sackOffset=1"
                + " sackBitmap=0x0000000000000076 txTimestamp=258 oooCount=5 restoreCwnd=0"
                + " rcvdBytes=12 icrc=good");
    assertThat(run.lines().get(16)).contains(" via fcbbbb00:0101:0201:0102:000b ev=0x5a5ac0de ");
    assertThat(run.lines().get(1)).contains(" CE ");
    assertThat(run.lines().get(2)).contains(" psn=3 RTX ");
    assertThat(run.lines().get(8)).contains("syndrome=ACK");
    assertThat(run.lines().get(11)).contains("reason=TRIMMED");
    assertThat(run.lines().get(18)).endsWith(" TRIMMED icrc=absent");
  }

  @Test
  void damagedPacketsAreNamedAndTheRestGoesOn() throws IOException {
    List<ByteBuffer> packets = new ArrayList<>();
    for (JsonNode e : entries(true)) {
      packets.add(bytes(e.get("hex").asString()));
    }
    packets.add(bytes(entries(false).getFirst().get("hex").asString()));
    Path file = capture(packets);
    Run run = run(file.toString());
    assertThat(run.exit).isZero();
    assertThat(run.lines()).hasSize(7);
    assertThat(run.lines().get(0)).endsWith("icrc=bad DAMAGED: BAD_ICRC");
    for (int i = 1; i < 6; i++) {
      assertThat(run.lines().get(i)).endsWith(" DAMAGED: TRUNCATED");
    }
    assertThat(run.lines().get(6)).endsWith("icrc=good").startsWith("7 22:13:20.000000000 plane 1");
    List<JsonNode> lines = run(file.toString(), "--json").json();
    assertThat(lines.get(0).get("error").asString()).isEqualTo("BAD_ICRC");
    assertThat(lines.get(0).get("icrc").asString()).isEqualTo("bad");
    assertThat(lines.get(0).get("psn").asInt()).isEqualTo(1);
    assertThat(lines.get(5).get("error").asString()).isEqualTo("TRUNCATED");
    assertThat(lines.get(5).get("icrc").asString()).isEqualTo("unverifiable");
    assertThat(lines.get(5).get("msn").asInt()).isEqualTo(17);
    assertThat(lines.get(6).has("error")).isFalse();
  }

  @Test
  void whatTheCaptureCutIsUnverifiableButNotDamaged() throws IOException {
    Path file = dir.resolve("snap.pcap");
    JsonNode e = entries(false).getFirst();
    ByteBuffer packet = bytes(e.get("hex").asString());
    try (PcapWriter writer = new PcapWriter(Files.newOutputStream(file), LinkView.RAW)) {
      int full = packet.remaining();
      for (int n : new int[] {full - 1, 90, 70, 60}) {
        writer.write(0, packet.limit(n), full);
      }
    }
    List<JsonNode> lines = run(file.toString(), "--json").json();
    assertThat(lines).hasSize(4);
    for (JsonNode line : lines) {
      assertThat(line.get("icrc").asString()).isEqualTo("unverifiable");
      assertThat(line.has("error")).isFalse();
      assertThat(line.has("payloadLength")).isFalse();
      assertThat(line.get("psn")).isEqualTo(e.get("fields").get("psn"));
    }
    assertThat(lines.get(1).has("dmaLength")).isTrue();
    assertThat(lines.get(2).has("dmaLength")).isFalse();
    assertThat(lines.get(2).has("txTimestamp")).isTrue();
    assertThat(lines.get(3).has("msn")).isFalse();
  }

  @Test
  void roceIsShownToo() throws IOException {
    Path file = dir.resolve("roce.pcap");
    try (PcapWriter writer = new PcapWriter(Files.newOutputStream(file), LinkView.ETHERNET)) {
      for (JsonNode e : json("roce-icrc.json")) {
        writer.write(0, bytes(e.get("hex").asString()));
      }
    }
    List<JsonNode> lines = run(file.toString(), "--json").json();
    assertThat(lines.get(0).get("opcodeName").asString()).isEqualTo("RC_WRITE_ONLY");
    assertThat(lines.get(0).get("transport").asString()).isEqualTo("RoCEv2");
    assertThat(lines.get(0).get("icrc").asString()).isEqualTo("good");
    assertThat(lines.get(0).get("payloadLength").asInt()).isEqualTo(16);
    assertThat(lines.get(1).get("opcodeName").asString()).isEqualTo("RC_READ_REQUEST");
    assertThat(lines.get(1).get("dmaLength").asInt()).isEqualTo(16);
    assertThat(run(file.toString()).lines().getFirst()).contains(" RC_WRITE_ONLY qp=0x000002 ");
  }

  private static ByteBuffer packet(int port, int opcode, int psn, int ev) {
    Frame f = new Frame().opcode(opcode).src(0x2001_0db8L << 32, 1).dst(0x2001_0db8L << 32, 2);
    f.dstPort(port).psn(psn).ev(ev).destQp(0x77).pKey(0xffff).fType(1).dscp(4).ecn(2);
    ByteBuffer out = ByteBuffer.allocate(256);
    f.payloadLength(Opcode.isWrite(opcode) ? 8 : 0);
    new FrameCodec(DscpMap.DEFAULT).encodePacket(f, ByteBuffer.allocate(f.payloadLength()), out);
    return out.flip();
  }

  @Test
  void otherPortsAreFoundByTheirIcrc() throws IOException {
    ByteBuffer damaged = packet(20_001, Opcode.WRITE_ONLY, 1, 5);
    damaged.put(damaged.limit() - 1, (byte) ~damaged.get(damaged.limit() - 1));
    // DNS-like: a UDP packet of something else, and one on MRC's port with an opcode of nobody's.
    ByteBuffer other = packet(53, Opcode.WRITE_ONLY, 1, 5).put(48, (byte) 0x12);
    ByteBuffer unknown = packet(4971, Opcode.SACK, 1, 5).put(48, (byte) 0xf0);
    Path file =
        capture(List.of(damaged, packet(20_001, Opcode.SACK, 2, 5), other, unknown, bytes("45")));
    Run run = run(file.toString());
    assertThat(run.lines()).hasSize(4);
    assertThat(run.lines().get(0)).endsWith("DAMAGED: BAD_ICRC");
    assertThat(run.lines().get(1)).contains(" SACK ").endsWith("icrc=good");
    assertThat(run.lines().get(2)).contains(" opcode=0xf0 ").endsWith("DAMAGED: UNKNOWN_OPCODE");
    assertThat(run.lines().get(3)).endsWith("DAMAGED: TRUNCATED");
    assertThat(run.err).isEqualTo("decode: 1 frames passed over, neither MRC nor RoCEv2\n");
    assertThat(run(file.toString(), "--port", "53").lines()).hasSize(5);
  }

  @ParameterizedTest
  @CsvSource({"1", "113", "276", "101", "229"})
  void linkLayersLeadToTheSamePacket(int linkType) throws IOException {
    String head =
        switch (linkType) {
          case 1 -> "02000000000102000000000288a8000a8100000b86dd";
          case 113 -> "000000010006020000000002000086dd";
          case 276 -> "86dd000000000002000100060200000000020000";
          default -> "";
        };
    JsonNode e = entries(false).getFirst();
    Path file = dir.resolve("link.pcap");
    try (PcapWriter writer = new PcapWriter(Files.newOutputStream(file), linkType)) {
      writer.write(0, bytes(head + e.get("hex").asString()));
    }
    JsonNode line = run(file.toString(), "--json").json().getFirst();
    assertThat(line.get("icrc").asString()).isEqualTo("good");
    assertThat(line.get("psn")).isEqualTo(e.get("fields").get("psn"));
  }

  @Test
  void unknownLinkTypesAreTold() throws IOException {
    Path file = dir.resolve("link.pcap");
    try (PcapWriter writer = new PcapWriter(Files.newOutputStream(file), 147)) {
      writer.write(0, bytes("00"));
    }
    assertThat(run(file.toString()).err).contains("link type 147 is not known");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "qp=0xdef | 10,11,12",
        "qp = 2748 and psn >= 5 and psn<6 | 5,8,17,18",
        "opcode=SACK | 10,11",
        "opcode=0xdc | 10,11",
        "opcode=WRITE and not (ts=1) | 3",
        "opcode!=WRITE and qp!=2 | 9,10,11,12,13",
        "ev=0x00010002 or src=192.0.2.1 | 8,10,11,12,15",
        "dst=192.0.2.2 | 8,11",
        "rtx=1 | 3",
        "usid=0x101 | 17",
        "outerDst=fcbb:bb00:201:102:b:: | 18",
        "icrc=absent | 19",
        "icrc!=good | 19",
        "error=OK and frame<3 | 1,2",
        "ackPsnOffset>-1 | 10,11",
        "sackBitmap>=0x76 | 10",
        "rcvdBytes=12 and m=1 | 10",
        "ecn=3 | 2",
        "immediate=0x55667788 or immediate = 1 | 6,7",
        "not frame>1 | 1",
        "transport=mrc and frame==19 | 19",
        "interface=\"0\" and reason=1 | 12",
        "payloadLength=0 and opcode=write | 7",
        "frame=1 or frame=2 and frame=3 | 1",
      })
  void filters(String filter, String frames) {
    Run run = run(WIRE_PCAP.toString(), "--json", "--filter", filter);
    assertThat(run.exit).isZero();
    assertThat(run.json().stream().map(line -> line.get("frame").asString()))
        .containsExactly(frames.split(",", -1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "psm=3 | position 1: no field 'psm'; fields: ackPsnOffset,",
        "psn | position 4: expected one of = != < <= > >=",
        "psn= | position 5: expected a value",
        "psn=abc | position 5: 'abc' is no number",
        "psn=3 psn=4 | position 7: expected 'and', 'or' or the end",
        "(psn=3 | position 7: expected ')' for the '(' at position 1",
        "psn=3) | position 6: expected 'and', 'or' or the end",
        "psn=3 and | position 10: expected a field",
        "not | position 4: expected a field",
        "opcode=SOCK | position 8: no opcode 'SOCK'; opcodes: WRITE, PROBE,",
        "opcode<SACK | position 8: 'opcode' can be compared with = and != only",
        "src=1.2.3 | position 5: '1.2.3' is no address",
        "icrc=wrong | position 6: no icrc 'wrong'; one of good, bad, absent, unverifiable",
        "error=x | position 7: no error 'x'; one of OK, TRUNCATED",
        "interface=\"x | position 11: the quotation has no end",
        "psn=-1 | position 5: '-1' is no number",
        "opcode=\"\" | position 8: no opcode ''",
      })
  void wrongFiltersAreExplained(String filter, String message) {
    Run run = run(WIRE_PCAP.toString(), "--filter", filter);
    assertThat(run.exit).isEqualTo(2);
    assertThat(run.err).startsWith("--filter: " + message);
    assertThat(run.out).isEmpty();
  }

  @Test
  void anyFilterIsCompiledOrRefused() {
    SplittableRandom r = new SplittableRandom(7);
    String[] parts = {
      "psn", "=", "not", "and", "or", "(", ")", " ", "SACK", "opcode", "0x", "3", "\"", ":", "!",
      "<"
    };
    for (int i = 0; i < 20_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int n = r.nextInt(12); n >= 0; n--) {
        text.append(parts[r.nextInt(parts.length)]);
      }
      int length = text.length();
      try {
        assertThat(PacketFilter.parse(text.toString())).isNotNull();
      } catch (PacketFilter.SyntaxException e) {
        assertThat(e.position()).as("%s", text).isBetween(1, length + 1);
      }
    }
    String deep = "(".repeat(100_000) + "psn=1";
    assertThat(run(WIRE_PCAP.toString(), "--filter", deep).err).contains("nested deeper than 64");
  }

  @Test
  void whatIsNoCaptureIsOneLine() throws IOException {
    Path text = Files.writeString(dir.resolve("a.txt"), "hello, world");
    assertFails(text + ": not a capture: neither pcapng nor pcap", text);
    assertFails(": not a capture: empty", Files.createFile(dir.resolve("empty")));
    assertFails(": no such file or directory", dir.resolve("missing"));
    assertFails(": is a directory", dir);
  }

  private static void assertFails(String message, Path file) {
    Run run = run(file.toString());
    assertThat(run.exit).isEqualTo(1);
    assertThat(run.err.lines()).hasSize(1);
    assertThat(run.err).contains(message);
    assertThat(run.out).isEmpty();
  }

  @Test
  void wrongUse() {
    assertThat(run().exit).isEqualTo(2);
    assertThat(run(WIRE_PCAP.toString(), "--jsn").exit).isEqualTo(2);
    Run run = run(WIRE_PCAP.toString(), "--port", "70000");
    assertThat(run.exit).isEqualTo(2);
    assertThat(run.err).contains("--port: 70000, allowed 0…65535");
  }

  @Test
  void aCutCaptureIsShownUpToTheCut() throws IOException {
    byte[] all = Files.readAllBytes(WIRE_PCAP);
    Path file = Files.write(dir.resolve("cut.pcap"), Arrays.copyOf(all, all.length - 3));
    Run run = run(file.toString());
    assertThat(run.exit).isEqualTo(1);
    assertThat(run.lines()).hasSize(18);
    assertThat(run.err).contains(file + ": the capture ends within the record at byte ");
  }

  @Test
  void readsStandardInput() throws IOException {
    InputStream before = System.in;
    System.setIn(new ByteArrayInputStream(Files.readAllBytes(WIRE_PCAP)));
    try {
      assertThat(run("-", "--json").lines()).hasSize(19);
    } finally {
      System.setIn(before);
    }
  }

  @Test
  void aClosedPipeIsNoFailure() throws IOException {
    List<ByteBuffer> many = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      many.add(packet(4791, Opcode.WRITE_ONLY, i, i));
    }
    Path file = capture(many);
    Run run = run(refusing("Broken pipe"), file.toString());
    assertThat(run.exit).isZero();
    assertThat(run.err).isEmpty();
    Run full = run(refusing("No space left on device"), file.toString());
    assertThat(full.exit).isEqualTo(1);
    assertThat(full.err).isEqualTo("standard output: No space left on device\n");
  }

  private static OutputStream refusing(String why) {
    return new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        throw new IOException(why);
      }
    };
  }

  @Test
  void summaryCountsGapsCopiesAndSpread() throws IOException {
    List<ByteBuffer> packets = new ArrayList<>();
    int[] psns = {0xfffffe, 0xffffff, 1, 2, 0, 2, 7, 5};
    for (int i = 0; i < psns.length; i++) {
      packets.add(packet(4791, Opcode.WRITE_MIDDLE, psns[i], i % 3));
    }
    packets.add(packet(4791, Opcode.SACK, 0, 9));
    Run run = run(capture(packets).toString(), "--summary");
    assertThat(run.lines()).hasSize(9);
    // Sent were fffffe…7, ten PSNs; 3, 4 and 6 never came; 2 came twice.
    assertThat(run.err)
        .isEqualTo(
            """
            9 MRC, 0 RoCEv2, 0 damaged (0 by the ICRC)
            qp 0x000077: 9 packets (SACK 1, WRITE_MIDDLE 8); data psn 16777214…7, 3 missing, \
            0 retransmitted, 1 seen again
              to 2001:db8::2 port 4791: 8 packets, 3 EVs, 2…3 packets each
            """);
  }

  @Test
  void anyDamageStillGivesJsonALine() throws IOException {
    SplittableRandom r = new SplittableRandom(99);
    List<JsonNode> entries = entries(false);
    List<ByteBuffer> packets = new ArrayList<>();
    for (int i = 0; i < 4000; i++) {
      byte[] bytes =
          HexFormat.of().parseHex(entries.get(r.nextInt(entries.size())).get("hex").asString());
      for (int n = r.nextInt(4); n >= 0; n--) {
        bytes[r.nextInt(Math.min(bytes.length, 130))] = (byte) r.nextInt();
      }
      packets.add(ByteBuffer.wrap(Arrays.copyOf(bytes, r.nextInt(bytes.length + 1))));
      packets.add(ByteBuffer.wrap(bytes));
    }
    Path file = capture(packets);
    Run json = run(file.toString(), "--json", "--summary");
    assertThat(json.exit).isZero();
    assertThat(json.json()).hasSizeGreaterThan(3000).allMatch(line -> line.has("frame"));
    assertThat(run(file.toString()).lines()).hasSameSizeAs(json.lines());
  }
}
