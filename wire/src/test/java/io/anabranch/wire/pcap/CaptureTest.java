package io.anabranch.wire.pcap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anabranch.wire.Seeds;
import io.anabranch.wire.Vectors;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CaptureTest {
  /** Capture files by hand, as the formats' documents draw them. */
  private static final class File {
    private final ByteBuffer b = ByteBuffer.allocate(1 << 16);

    File(boolean little) {
      b.order(little ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
    }

    File section() {
      return block(0x0A0D0D0A, 0x1A2B3C4D, 0x0001_0000, -1, -1);
    }

    /** A block whose body is these 32-bit words; the section's version is two 16-bit words. */
    File block(int type, int... words) {
      int bytes = 12 + 4 * words.length;
      b.putInt(type).putInt(bytes);
      for (int i = 0; i < words.length; i++) {
        if (type == 0x0A0D0D0A && i == 1 || type == 1 && i == 0) {
          b.putShort((short) (words[i] >>> 16)).putShort((short) words[i]);
        } else {
          b.putInt(words[i]);
        }
      }
      b.putInt(bytes);
      return this;
    }

    File bytes(String hex) {
      b.put(Vectors.direct(hex));
      return this;
    }

    File option(int code, int length) {
      b.putShort((short) code).putShort((short) length);
      return this;
    }

    byte[] done() {
      return Arrays.copyOf(b.array(), b.position());
    }
  }

  private static List<String> read(byte[] capture) throws IOException {
    return read(new ByteArrayInputStream(capture));
  }

  private static List<String> read(InputStream in) throws IOException {
    List<String> seen = new ArrayList<>();
    try (CaptureReader reader = CaptureReader.open(in)) {
      while (true) {
        switch (reader.next()) {
          case FRAME ->
              seen.add(
                  "%d %s%d.%s/%d %s of %d"
                      .formatted(
                          reader.number(),
                          reader.isTimed() ? reader.timeNs() + " " : "",
                          reader.interfaceId(),
                          reader.interfaceName(),
                          reader.linkType(),
                          Vectors.hex(reader.data()),
                          reader.originalBytes()));
          case DAMAGED -> seen.add("damaged: " + reader.problem());
          case END -> {
            if (reader.problem() != null) {
              seen.add("end: " + reader.problem());
            }
            return seen;
          }
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void readsEveryKindOfBlock(boolean little) throws IOException {
    File file = new File(little).section();
    file.block(1, 1 << 16, 0);
    file.block(1, 101 << 16, 3);
    file.block(4, 0, 0);
    file.block(5, 0, 0, 0);
    file.block(0x0BAD, 1, 2, 3);
    file.block(6, 1, 0x0005_0000, 1_000_000, 4, 4, little ? 0x04030201 : 0x01020304);
    file.block(6, 0, 0, 7, 3, 9, little ? 0x00030201 : 0x01020300);
    file.block(3, 2, little ? 0x0000bbaa : 0xaabb0000);
    file.block(2, little ? 0x0005_0001 : 0x0001_0005, 0, 9, 1, 1, little ? 0xee : 0xee000000);
    assertThat(read(file.done()))
        .containsExactly(
            "1 1407374884553280000 1./101 01020304 of 4"
                .replace(
                    "1407374884553280000", Long.toString((0x0005_0000L << 32 | 1_000_000) * 1000)),
            "2 7000 0./1 010203 of 9",
            "3 0./1 aabb of 2",
            "4 9000 1./101 ee of 1");
  }

  @Test
  void aNewSectionForgetsTheOldInterfacesAndMayTurnTheByteOrder() throws IOException {
    byte[] a = new File(true).section().block(1, 1 << 16, 0).block(3, 4, 0).done();
    byte[] b = new File(false).section().block(6, 0, 0, 7, 0, 0).block(1, 113 << 16, 0).done();
    byte[] c = new File(false).block(6, 0, 0, 7, 0, 0).done();
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(a);
    all.writeBytes(b);
    all.writeBytes(c);
    assertThat(read(all.toByteArray()))
        .containsExactly(
            "1 0./1 00000000 of 4",
            "damaged: block at byte 96: interface 0 was not described",
            "2 7000 0./113  of 0");
  }

  /** Expected times by arithmetic with arbitrary precision, outside this code. */
  @ParameterizedTest
  @CsvSource({
    "9, 0, 1700000000123456789, 1700000000123456789",
    "6, 0, 1700000000123456, 1700000000123456000",
    "0, 0, 1700000000, 1700000000000000000",
    "3, 5, 1700000000123, 1700000005123000000",
    "6, -10, 1700000000123456, 1699999990123456000",
    "12, 0, 1700000000123456789, 1700000000123456",
    "28, 0, 9000000000000000000, 0",
    "127, 0, 9000000000000000000, 0",
    "128, 0, 1700000000, 1700000000000000000",
    "148, 0, 1782579200000001, 1700000000000000953",
    "159, 0, 3650722201600000001, 1700000000000000000",
    "192, 0, 9223372036854775807, 499999999",
    "255, 0, 9223372036854775807, 0",
    "6, 9223372036854775807, 1, 9223372036854775807",
    "0, 0, 9223372036854775807, 9223372036854775807"
  })
  void knowsEveryTimeResolution(int resolution, long offsetS, long units, long ns)
      throws IOException {
    for (boolean little : new boolean[] {true, false}) {
      File file = new File(little).section();
      file.b.putInt(1).putInt(44).putShort((short) 1).putShort((short) 0).putInt(0);
      file.option(9, 1).bytes("%02x000000".formatted(resolution));
      file.option(14, 8).b.putLong(offsetS);
      file.option(0, 0).b.putInt(44);
      file.block(6, 0, (int) (units >>> 32), (int) units, 0, 0);
      assertThat(read(file.done())).containsExactly("1 " + ns + " 0./1  of 0");
    }
  }

  @Test
  void readsInterfaceNames() throws IOException {
    File file = new File(true).section();
    file.b.putInt(1).putInt(32).putShort((short) 228).putShort((short) 0).putInt(0);
    file.option(2, 5).bytes("6574683039000000").b.putInt(32);
    file.block(3, 0);
    assertThat(read(file.done())).containsExactly("1 0.eth09/228  of 0");
  }

  @ParameterizedTest
  @CsvSource({"a1b2c3d4, 1000", "a1b23c4d, 1"})
  void readsPcapOfEitherOrder(String magic, int unitNs) throws IOException {
    for (boolean little : new boolean[] {true, false}) {
      File file = new File(little);
      file.b.putInt((int) Long.parseLong(magic, 16)).putShort((short) 2).putShort((short) 4);
      file.b.putLong(0).putInt(65535).putInt(0x1000_0000 | 276);
      file.b.putInt(1700000000).putInt(5).putInt(2).putInt(70);
      file.bytes("abcd").b.putInt(-1).putInt(0).putInt(0).putInt(0);
      assertThat(read(file.done()))
          .containsExactly(
              "1 " + (1_700_000_000_000_000_000L + 5L * unitNs) + " 0./276 abcd of 70",
              "2 4294967295000000000 0./276  of 0");
    }
  }

  @Test
  void whatIsNoCaptureIsRefusedByName() {
    refused("", "empty");
    refused("0a0d", "only 2 bytes");
    refused("7f454c4602010100", "neither pcapng nor pcap (it begins with 7f454c46)");
    refused("1f8b080000000000", "compressed with gzip");
    refused("a1b2c3d400020004", "pcap header cut after 8 bytes");
  }

  private static void refused(String hex, String message) {
    byte[] bytes = java.util.HexFormat.of().parseHex(hex);
    assertThatThrownBy(() -> CaptureReader.open(new ByteArrayInputStream(bytes)))
        .isInstanceOf(NotACaptureException.class)
        .hasMessageContaining(message);
  }

  @Test
  void damageIsNamedAndTheRestRead() throws IOException {
    File file = new File(true).section().block(1, 1 << 16, 0);
    file.block(6, 0, 0, 0, 400, 400);
    file.block(6, 0, 0);
    file.block(6, 7, 0, 0, 0, 0);
    file.block(3, 999);
    file.block(1);
    int at = file.b.position();
    file.block(5, 1);
    file.b.putInt(at + 12, 20);
    file.block(6, 0, 0, 1, 0, 0);
    file.b.putInt(6).putInt(13);
    assertThat(read(file.done()))
        .containsExactly(
            "damaged: block at byte 48: 400 captured bytes do not fit it",
            "damaged: block at byte 80: too short for a packet",
            "damaged: block at byte 100: interface 7 was not described",
            "damaged: block at byte 132: 999 captured bytes do not fit it",
            "damaged: block at byte 148: too short for an interface",
            "damaged: block at byte 160: its two lengths differ",
            "1 1000 0./1  of 0",
            "end: the capture ends within the block at byte 208");
    file.b.putInt(0).putInt(0);
    assertThat(read(file.done()).getLast())
        .isEqualTo("end: block at byte 208: length 13, allowed multiples of 4 from 12");
  }

  @Test
  void aBlockTooLargeIsPassedOverInBoundedMemory() throws IOException {
    byte[] head = new File(true).section().block(1, 1 << 16, 0).done();
    int huge = CaptureReader.MAX_RECORD_BYTES + 4;
    File block = new File(true);
    block.b.putInt(6).putInt(huge);
    InputStream zeros =
        new InputStream() {
          private long left = huge - 8L;

          @Override
          public int read() {
            return left-- > 0 ? 0 : -1;
          }

          @Override
          public int read(byte[] to, int at, int n) {
            int got = (int) Math.min(n, left);
            left -= got;
            Arrays.fill(to, at, at + got, (byte) 0);
            return got == 0 ? -1 : got;
          }
        };
    byte[] tail = new File(true).block(3, 0).done();
    InputStream all =
        new java.io.SequenceInputStream(
            java.util.Collections.enumeration(
                List.of(
                    new ByteArrayInputStream(head),
                    new ByteArrayInputStream(block.done()),
                    zeros,
                    new ByteArrayInputStream(tail))));
    assertThat(read(all))
        .containsExactly(
            "damaged: block at byte 48: " + huge + " bytes, allowed " + (huge - 4), "1 0./1  of 0");
  }

  private static byte[] sample(List<String> expected) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (PcapngWriter writer = new PcapngWriter(bytes)) {
      int a = writer.addInterface("plane1", 1);
      int b = writer.addInterface("plänê2", 101);
      writer.write(a, 1_700_000_000_123_456_789L, Vectors.direct("0102"));
      writer.write(b, 5, Vectors.direct("010203"), 90);
      int c = writer.addInterface("", 1);
      writer.write(c, 6, Vectors.direct("ff".repeat(100_001)));
    }
    expected.add("1 1700000000123456789 0.plane1/1 0102 of 2");
    expected.add("2 5 1.plänê2/101 010203 of 90");
    expected.add("3 6 2./1 " + "ff".repeat(100_001) + " of 100001");
    return bytes.toByteArray();
  }

  @Test
  void writtenPcapngReadsBack() throws IOException {
    List<String> expected = new ArrayList<>();
    byte[] capture = sample(expected);
    assertThat(read(capture)).isEqualTo(expected);
    // As a pipe gives it: a few bytes at a time.
    InputStream slow =
        new ByteArrayInputStream(capture) {
          @Override
          public synchronized int read(byte[] to, int at, int n) {
            return super.read(to, at, Math.min(n, 7));
          }
        };
    assertThat(read(slow)).isEqualTo(expected);
  }

  @Test
  void everythingBeforeACutIsRead() throws IOException {
    List<String> expected = new ArrayList<>();
    byte[] capture = sample(expected);
    for (int n = 4; n < capture.length; n += n < 400 ? 1 : 9999) {
      List<String> seen = read(Arrays.copyOf(capture, n));
      boolean told = seen.removeIf(s -> s.startsWith("end: the capture ends within the block"));
      assertThat(seen).isEqualTo(expected.subList(0, seen.size()));
      boolean border = n == 28 || n == 28 + 44 || n == 28 + 44 + 44;
      assertThat(told || border || !seen.isEmpty()).as("%d bytes", n).isTrue();
    }
  }

  @Test
  void writtenPcapReadsBack() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (PcapWriter writer = new PcapWriter(bytes, 101)) {
      writer.write(1_700_000_000_123_456_789L, Vectors.direct("0102"));
      writer.write(5, Vectors.direct("010203"), 90);
    }
    assertThat(read(bytes.toByteArray()))
        .containsExactly("1 1700000000123456789 0./101 0102 of 2", "2 5 0./101 010203 of 90");
  }

  @Test
  void writerRefusesWhatItCannotSay() throws IOException {
    try (PcapngWriter writer = new PcapngWriter(new ByteArrayOutputStream())) {
      assertThatThrownBy(() -> writer.write(0, 0, Vectors.direct("00")))
          .hasMessageContaining("interface: 0");
      assertThatThrownBy(() -> writer.addInterface("x".repeat(256), 1))
          .hasMessageContaining("interface name: 256 bytes, allowed 0…255");
    }
  }

  @Test
  void anyBytesEndWithoutAnythingButARefusal() {
    Seeds.each(
        3000,
        r -> {
          byte[] capture;
          if (r.nextBoolean()) {
            File file = new File(r.nextBoolean()).section().block(1, 1 << 16, 0);
            file.block(6, 0, 0, 7, 3, 9, 0).block(3, 2, 0).block(2, 0, 0, 9, 1, 1, 0);
            capture = file.done();
          } else {
            capture = Arrays.copyOf(Vectors.resource("wire.pcap"), 700);
          }
          for (int n = r.nextInt(6); n > 0; n--) {
            capture[r.nextInt(capture.length)] = (byte) r.nextInt(r.nextBoolean() ? 256 : 8);
          }
          try {
            assertThat(read(capture)).hasSizeLessThan(1000);
          } catch (NotACaptureException e) {
            assertThat(e).hasMessageNotContaining("null");
          }
        });
  }

  @Test
  void readsTheVectorsCapture() throws IOException {
    List<String> frames = read(Vectors.resource("wire.pcap"));
    List<String> expected =
        Vectors.wire("l3").stream().filter(e -> !e.reject()).map(Vectors.Entry::hex).toList();
    assertThat(frames).hasSameSizeAs(expected);
    for (int i = 0; i < expected.size(); i++) {
      assertThat(frames.get(i)).contains("0./1 ").contains(expected.get(i) + " of ");
    }
  }
}
