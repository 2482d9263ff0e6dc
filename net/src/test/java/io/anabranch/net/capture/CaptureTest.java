package io.anabranch.net.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.anabranch.net.device.FakeIo;
import io.anabranch.net.device.Packet;
import io.anabranch.net.device.Packets;
import io.anabranch.net.fault.FaultIo;
import io.anabranch.net.fault.FaultSpec;
import io.anabranch.wire.mrc.DecodeResult;
import io.anabranch.wire.mrc.DscpMap;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.FrameCodec;
import io.anabranch.wire.pcap.CaptureReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class CaptureTest {
  @TempDir Path dir;

  private static Packet ipv4(Packet p) {
    Frame f = new Frame();
    new FrameCodec(DscpMap.DEFAULT).decode(p.bytes, f);
    f.src(0, 0xffff_7f00_0001L).dst(0, 0xffff_7f00_0002L).ev(p.ev).dstPort(p.dstPort);
    return Packets.of(f.dscp(p.dscp).ecn(p.ecn), p.port);
  }

  private Path twoEndpoints() throws IOException {
    Path file = dir.resolve("two.pcapng");
    try (Capture capture = Capture.open(file)) {
      FakeIo wire = new FakeIo(2);
      // Loses everything below the capture, which shall hold it all the same.
      FaultIo cut = new FaultIo(wire, FaultSpec.parse("blackhole"), 1, DscpMap.DEFAULT);
      CaptureIo left = new CaptureIo(cut, capture, "left", false);
      FakeIo other = new FakeIo(2);
      CaptureIo right = new CaptureIo(other, capture, "right", true);
      for (int i = 0; i < 300; i++) {
        left.send(Packets.data(i % 2, 0x1234_c000 + i, i, 4000 + i % 5), System.nanoTime());
        right.send(Packets.sack(i % 2, 50_000, i), System.nanoTime());
      }
      left.send(ipv4(Packets.data(1, 40_000, 300, 10)), System.nanoTime());
      other.arrive(Packets.data(1, 7, 301, 99));
      assertThat(right.receive(1, new Packet(), System.nanoTime())).isTrue();
      assertThat(right.receive(1, new Packet(), System.nanoTime())).isFalse();
      assertThat(wire.sent).isEmpty();
      assertThat(other.sent).hasSize(300);
      assertThat(capture.frames()).isEqualTo(602);
      assertThat(capture.missed()).isZero();
    }
    return file;
  }

  @Test
  void holdsWholeFramesWithRightIcrcAndAnInterfaceAPlane() throws IOException {
    long before = System.currentTimeMillis() * 1_000_000;
    Path file = twoEndpoints();
    FrameCodec codec = new FrameCodec(DscpMap.DEFAULT);
    Frame f = new Frame();
    List<String> names = new ArrayList<>();
    long last = 0;
    try (CaptureReader reader = CaptureReader.open(Files.newInputStream(file))) {
      for (CaptureReader.Event e = reader.next(); e != CaptureReader.Event.END; e = reader.next()) {
        assertThat(e).isEqualTo(CaptureReader.Event.FRAME);
        assertThat(reader.linkType()).isEqualTo(1);
        assertThat(reader.timeNs()).isGreaterThanOrEqualTo(last).isGreaterThan(before - 50_000_000);
        last = reader.timeNs();
        ByteBuffer ip = reader.data().slice();
        ip.position(14);
        assertThat(codec.decodePacket(ip, f)).isEqualTo(DecodeResult.OK);
        names.add(reader.interfaceName());
      }
    }
    assertThat(names).hasSize(602);
    assertThat(names.subList(0, 4))
        .containsExactly("left plane 1", "right plane 1", "left plane 2", "right plane 2");
  }

  @Test
  void tsharkReadsIt() throws Exception {
    if (System.getenv("CI") == null) {
      assumeThat(Path.of("/usr/bin/tshark")).exists();
    }
    Path file = twoEndpoints();
    Process tshark =
        new ProcessBuilder(
                "tshark",
                "-r",
                file.toString(),
                "-T",
                "fields",
                "-e",
                "ipv6.src",
                "-e",
                "ip.dst",
                "-e",
                "udp.srcport",
                "-e",
                "udp.length",
                "-e",
                "ipv6.flow",
                "-e",
                "udp.payload",
                "-d",
                "udp.port==4791,data")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    List<String> lines =
        new String(tshark.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    assertThat(tshark.waitFor()).isZero();
    assertThat(lines).hasSize(602);
    String[] first = lines.getFirst().split("\t", -1);
    assertThat(first[0]).isEqualTo("2001:db8::64");
    assertThat(first[2]).isEqualTo("49152");
    assertThat(first[3]).isEqualTo(String.valueOf(8 + 32 + 4000 + 4));
    assertThat(first[4]).endsWith("1234");
    assertThat(first[5]).startsWith("ca");
    String[] ipv4 = lines.get(600).split("\t", -1);
    assertThat(ipv4[1]).isEqualTo("127.0.0.2");
    assertThat(ipv4[2]).isEqualTo("40000");
  }

  @Test
  void aFullDiskStopsTheCaptureOnly() throws Exception {
    assumeThat(Path.of("/dev/full")).exists();
    Capture capture = Capture.open(Path.of("/dev/full"));
    FakeIo wire = new FakeIo(1);
    CaptureIo io = new CaptureIo(wire, capture, "a", false);
    int sent = 0;
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (capture.failure() == null && System.nanoTime() < end) {
      sent += io.send(Packets.data(0, 1, sent, 4096), System.nanoTime()) ? 1 : 0;
    }
    assertThat(capture.failure()).hasMessageContaining("No space left");
    assertThat(io.send(Packets.data(0, 1, sent, 4096), System.nanoTime())).isTrue();
    assertThat(wire.sent).hasSize(sent + 1);
    assertThat(capture.missed()).isPositive();
    capture.close();
  }

  /** A file that takes nothing until told. */
  private static final class StuckStream extends OutputStream {
    final CountDownLatch release = new CountDownLatch(1);
    final ByteArrayOutputStream written = new ByteArrayOutputStream();
    long bytes;

    @Override
    public void write(int b) throws IOException {
      write(new byte[1], 0, 1);
    }

    @Override
    public void write(byte[] b, int from, int count) throws IOException {
      try {
        release.await();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
      bytes += count;
      written.write(b, from, count);
    }
  }

  @Test
  void aSlowFileHoldsUpSendersBoundedlyAndLosesNothing() throws Exception {
    StuckStream file = new StuckStream();
    Capture capture = Capture.to(file);
    FakeIo wire = new FakeIo(1);
    CaptureIo io = new CaptureIo(wire, capture, "a", false);
    Packet p = Packets.data(0, 1, 1, 4096);
    int sent = 0;
    while (io.send(p, 0)) {
      sent++;
    }
    assertThat(sent).isBetween(500, 2_000);
    // Two seconds without a byte: the capture gives up, the traffic goes on.
    assertThat(io.send(p, 1_999_000_000L)).isFalse();
    assertThat(io.send(p, 2_001_000_000L)).isFalse();
    assertThat(io.send(p, 2_001_000_001L)).isTrue();
    assertThat(capture.failure()).hasMessageContaining("takes nothing for 2000 ms");
    assertThat(wire.sent).hasSize(sent + 1);
    file.release.countDown();
    capture.close();

    StuckStream slow = new StuckStream();
    Capture later = Capture.to(slow);
    CaptureIo patient = new CaptureIo(wire, later, "b", false);
    while (patient.send(p, 0)) {
      sent++;
    }
    slow.release.countDown();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    boolean gone = false;
    while (!gone && System.nanoTime() < end) {
      gone = patient.send(p, 1);
    }
    assertThat(gone).isTrue();
    later.close();
    assertThat(later.failure()).isNull();
    assertThat(later.missed()).isZero();
    assertThat(slow.bytes).isGreaterThan(later.frames() * 4096);
  }

  @Test
  void planesThatWaitForRoomAreCapturedInTheOrderInWhichTheyWereOffered() throws Exception {
    StuckStream file = new StuckStream();
    Capture capture = Capture.to(file);
    CaptureIo io = new CaptureIo(new FakeIo(4), capture, "a", false);
    int psn = 0;
    while (io.send(Packets.data(2, 1, psn, 4096), 0)) {
      psn++;
    }
    Packet[] waiting = new Packet[4];
    for (int i = 0; i < 4; i++) {
      waiting[(2 + i) % 4] = Packets.data((2 + i) % 4, 1, psn + i, 4096);
      assertThat(io.send(waiting[(2 + i) % 4], 0)).isFalse();
    }
    file.release.countDown();
    // Whichever port finds room first, the capture keeps the order.
    for (int port : new int[] {1, 0, 3, 2}) {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      boolean gone = false;
      while (!gone && System.nanoTime() < end) {
        gone = io.send(waiting[port], 1);
      }
      assertThat(gone).isTrue();
    }
    capture.close();
    FrameCodec codec = new FrameCodec(DscpMap.DEFAULT);
    Frame f = new Frame();
    int expected = 0;
    InputStream in = new ByteArrayInputStream(file.written.toByteArray());
    try (CaptureReader reader = CaptureReader.open(in)) {
      for (CaptureReader.Event e = reader.next(); e != CaptureReader.Event.END; e = reader.next()) {
        ByteBuffer ip = reader.data().slice();
        ip.position(14);
        assertThat(codec.decodePacket(ip, f)).isEqualTo(DecodeResult.OK);
        assertThat(f.psn()).isEqualTo(expected++);
      }
    }
    assertThat(expected).isEqualTo(psn + 4);
  }
}
