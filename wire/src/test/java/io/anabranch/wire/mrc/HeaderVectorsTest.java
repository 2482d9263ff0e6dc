package io.anabranch.wire.mrc;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.wire.Vectors;
import io.anabranch.wire.ib.Aeth;
import io.anabranch.wire.ib.Bth;
import io.anabranch.wire.ib.Field;
import io.anabranch.wire.ib.Header;
import io.anabranch.wire.ib.ImmDt;
import io.anabranch.wire.ib.Reth;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** wire.json, headers alone: both ways through the field tables. */
class HeaderVectorsTest {
  private static final List<Header> HEADERS =
      List.of(
          Bth.HEADER,
          Meth.HEADER,
          Tseth.HEADER,
          Reth.HEADER,
          ImmDt.HEADER,
          Aeth.HEADER,
          Seth.HEADER,
          CcState.HEADER,
          Neth.HEADER,
          Peth.HEADER,
          Erth.HEADER,
          Eeth.HEADER);

  static List<Vectors.Entry> headers() {
    return Vectors.wire("header");
  }

  private static Header header(String entry) {
    return HEADERS.stream()
        .filter(h -> entry.startsWith(h.name().toLowerCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow();
  }

  private static Field field(Header header, String name) {
    return header.fields().stream().filter(f -> f.name().equals(name)).findFirst().orElseThrow();
  }

  @ParameterizedTest
  @MethodSource("headers")
  void reads(Vectors.Entry entry) {
    Header header = header(entry.name());
    ByteBuffer in = entry.bytes();
    check(header, entry.fields(), in, 0);
    if (entry.fields().has("ccState")) {
      check(CcState.HEADER, entry.fields().get("ccState"), in, Seth.BYTES);
    }
  }

  private static void check(Header header, JsonNode fields, ByteBuffer in, int at) {
    for (var e : fields.properties()) {
      if (!e.getValue().isObject()) {
        Field field = field(header, e.getKey());
        assertThat(field.read(in, at)).as(e.getKey()).isEqualTo(FrameFields.number(e.getValue()));
        assertThat(field.kind() == Field.Kind.HEX).isEqualTo(e.getValue().isString());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("headers")
  void writes(Vectors.Entry entry) {
    Header header = header(entry.name());
    JsonNode cc = entry.fields().get("ccState");
    ByteBuffer out = ByteBuffer.allocate(header.bytes() + (cc == null ? 0 : CcState.BYTES));
    fill(header, entry.fields(), out, 0);
    if (cc != null) {
      fill(CcState.HEADER, cc, out, Seth.BYTES);
    }
    assertThat(Vectors.hex(out)).isEqualTo(entry.hex());
  }

  private static void fill(Header header, JsonNode fields, ByteBuffer out, int at) {
    for (var e : fields.properties()) {
      if (!e.getValue().isObject()) {
        field(header, e.getKey()).write(out, at, FrameFields.number(e.getValue()));
      }
    }
  }

  @Test
  void everyHeaderHasAVector() {
    assertThat(headers().stream().map(e -> header(e.name())).distinct())
        .containsExactlyInAnyOrderElementsOf(HEADERS);
  }

  @Test
  void sizesAgreeWithTheSlot() {
    for (int opcode = 0; opcode < 256; opcode++) {
      for (boolean ts : new boolean[] {false, true}) {
        List<Header> headers = Opcode.headers(opcode, ts);
        int bytes = headers == null ? -1 : headers.stream().mapToInt(Header::bytes).sum();
        assertThat(Opcode.extensionBytes(opcode, ts)).isEqualTo(bytes);
        assertThat(Opcode.name(opcode) != null).isEqualTo(Opcode.isMrc(opcode));
      }
    }
  }
}
