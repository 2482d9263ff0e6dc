package io.anabranch.wire.mrc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.anabranch.wire.ip.Address;
import io.anabranch.wire.ip.LinkView;
import io.anabranch.wire.ip.Protocol;
import io.anabranch.wire.pcap.PcapWriter;
import io.anabranch.wire.pcap.PcapngWriter;
import io.anabranch.wire.srv6.Srv6;
import io.anabranch.wire.srv6.UsidContainer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** tshark reads what we write and agrees on addresses, opcode, QP and PSN. */
class TsharkTest {
  private static final String[] FIELDS = {
    "frame.time_epoch",
    "frame.interface_name",
    "ipv6.src",
    "ipv6.dst",
    "ip.src",
    "ip.dst",
    "udp.srcport",
    "udp.length",
    "infiniband.bth.opcode",
    "infiniband.bth.padcnt",
    "infiniband.bth.destqp",
    "infiniband.bth.psn"
  };

  @TempDir Path dir;

  @BeforeAll
  static void needsTshark() {
    boolean there = false;
    try {
      Process p = new ProcessBuilder("tshark", "--version").redirectErrorStream(true).start();
      p.getInputStream().readAllBytes();
      there = p.waitFor() == 0;
    } catch (IOException e) {
      // Not installed: told below.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if ("true".equals(System.getenv("CI"))) {
      assertThat(there).as("tshark must be installed in CI (apt-get install tshark)").isTrue();
    }
    assumeTrue(there, "tshark is not installed: its agreement was not checked");
  }

  private static List<String> tshark(Path capture) throws Exception {
    List<String> command = new ArrayList<>(List.of("tshark", "-n", "-r", capture.toString()));
    command.addAll(List.of("-T", "fields", "-E", "separator=|"));
    for (String field : FIELDS) {
      command.add("-e");
      command.add(field);
    }
    Process p = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String text = new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(p.waitFor()).isZero();
    return text.lines().toList();
  }

  private record Written(long timeNs, String device, Frame frame, String outer, ByteBuffer packet) {
    String expected() {
      Address src = new Address(frame.srcHi(), frame.srcLo());
      Address dst = new Address(frame.dstHi(), frame.dstLo());
      boolean v4 = src.isIp4();
      String path = outer.isEmpty() ? "" : "2001:db8::99,";
      return String.join(
          "|",
          "%d.%09d".formatted(timeNs / 1_000_000_000L, timeNs % 1_000_000_000L),
          device,
          v4 ? "" : path + src,
          v4 ? "" : outer + dst,
          v4 ? src.toString() : "",
          v4 ? dst.toString() : "",
          Integer.toString(frame.srcPort()),
          Integer.toString(frame.udpLength()),
          Integer.toString(frame.opcode()),
          Integer.toString(frame.padCount()),
          "0x%06x".formatted(frame.destQp()),
          Integer.toString(frame.psn()));
    }

    ByteBuffer ethernet() {
      ByteBuffer out = ByteBuffer.allocate(packet.remaining() + LinkView.ETHERNET_BYTES);
      boolean v4 = outer.isEmpty() && frame.srcHi() == 0;
      int type = v4 ? Protocol.ETHERTYPE_IP4 : Protocol.ETHERTYPE_IP6;
      LinkView.writeEthernet(out, 0x0200_0000_0001L, 0x0200_0000_0002L, type);
      return out.put(packet.duplicate()).flip();
    }
  }

  private static List<Written> packets() {
    SplittableRandom r = new SplittableRandom(20);
    FrameCodec codec = new FrameCodec(DscpMap.DEFAULT);
    List<Written> all = new ArrayList<>();
    Address source = new Address(0x2001_0db8_0000_0000L, 0x99);
    for (int opcode : RandomFrames.OPCODES) {
      for (int kind = 0; kind < 4; kind++) {
        Frame f = RandomFrames.next(r, opcode, kind == 1).dstPort(4791);
        if (kind == 1) {
          // Unicast addresses outside the ranges that tshark warns about.
          f.src(0, 0xffff_c000_0201L).dst(0, 0xffff_c000_0202L);
        } else {
          f.src(0x2001_0db8_0000_0000L, r.nextLong()).dst(0x2001_0db8_0001_0000L, r.nextLong());
        }
        f.trimmed(kind == 3);
        if (kind == 3) {
          f.dscp(12);
        }
        ByteBuffer out = ByteBuffer.allocateDirect(10_000);
        codec.encodePacket(f, ByteBuffer.allocateDirect(f.trimmed() ? 0 : f.payloadLength()), out);
        out.flip();
        String outer = "";
        if (kind == 2) {
          UsidContainer path = UsidContainer.of(0xfcbbbb00, 0x101, 0x201, 0x102, 0xb);
          ByteBuffer wrapped = ByteBuffer.allocateDirect(10_000);
          Srv6.encapsulate(out, source, path, null, 64, wrapped);
          out = wrapped.flip();
          outer = path.address() + ",";
        }
        long timeNs = 1_700_000_000_000_000_000L + r.nextLong(1L << 50);
        all.add(new Written(timeNs, "plane" + all.size() % 2, f, outer, out));
      }
    }
    return all;
  }

  @Test
  void agreesOnPcapng() throws Exception {
    Path file = dir.resolve("a.pcapng");
    List<Written> packets = packets();
    try (PcapngWriter writer = new PcapngWriter(Files.newOutputStream(file))) {
      writer.addInterface("plane0", LinkView.ETHERNET);
      writer.addInterface("plane1", LinkView.ETHERNET);
      for (int i = 0; i < packets.size(); i++) {
        writer.write(i % 2, packets.get(i).timeNs, packets.get(i).ethernet());
      }
    }
    assertThat(tshark(file)).isEqualTo(packets.stream().map(Written::expected).toList());
  }

  @Test
  void agreesOnRawPcap() throws Exception {
    Path file = dir.resolve("a.pcap");
    List<Written> packets = packets();
    try (PcapWriter writer = new PcapWriter(Files.newOutputStream(file), LinkView.RAW)) {
      for (Written w : packets) {
        writer.write(w.timeNs, w.packet);
      }
    }
    assertThat(tshark(file))
        .isEqualTo(packets.stream().map(w -> w.expected().replaceFirst("plane[01]", "")).toList());
  }
}
