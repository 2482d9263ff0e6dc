package io.anabranch.wire.mrc;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.wire.Vectors;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** wire.json, packets: both ways through the codec. */
class WireVectorsTest {
  private final FrameCodec codec = new FrameCodec(DscpMap.DEFAULT);

  static List<Vectors.Entry> packets() {
    return Vectors.wire("l3").stream()
        .filter(e -> !e.reject() && !e.fields().has("usids"))
        .toList();
  }

  static List<Vectors.Entry> all() {
    return Vectors.wire("l3").stream().filter(e -> !e.reject()).toList();
  }

  static List<Vectors.Entry> rejects() {
    return Vectors.wire("l3").stream().filter(Vectors.Entry::reject).toList();
  }

  @ParameterizedTest
  @MethodSource("all")
  void decodes(Vectors.Entry entry) {
    Frame f = new Frame();
    ByteBuffer in = entry.bytes();
    assertThat(codec.decodePacket(in, f)).isEqualTo(DecodeResult.OK);
    assertThat(FrameFields.words(f))
        .isEqualTo(FrameFields.words(FrameFields.frame(entry.fields())));
    assertThat(f.srcPort()).isEqualTo(entry.fields().get("srcPort").asInt());
    assertThat(f.udpLength()).isEqualTo(entry.fields().get("udpLength").asInt());
    assertThat(in.position()).isZero();
  }

  @ParameterizedTest
  @MethodSource("packets")
  void encodes(Vectors.Entry entry) {
    Frame f = FrameFields.frame(entry.fields());
    ByteBuffer payload = ByteBuffer.allocateDirect(f.trimmed() ? 0 : f.payloadLength());
    for (int i = 0; i < payload.capacity(); i++) {
      payload.put(i, (byte) i);
    }
    ByteBuffer out = ByteBuffer.allocateDirect(256);
    assertThat(codec.encodePacket(f, payload, out)).isEqualTo(entry.hex().length() / 2);
    assertThat(Vectors.hex(out.flip())).isEqualTo(entry.hex());
  }

  @ParameterizedTest
  @MethodSource("packets")
  void decodesAsASocketSeesIt(Vectors.Entry entry) {
    Frame expected = FrameFields.frame(entry.fields());
    ByteBuffer in = entry.bytes();
    boolean v4 = entry.hex().startsWith("4");
    in.position(v4 ? 28 : 48);
    Frame f = new Frame().copy(expected).psn(99).rtx(true).sackBitmap(-1).payloadLength(1);
    DecodeResult result = codec.decode(in, f, expected.udpLength(), expected.trimmed());
    assertThat(result).isEqualTo(DecodeResult.OK);
    assertThat(FrameFields.words(f)).isEqualTo(FrameFields.words(expected));
    assertThat(codec.payloadStart()).isEqualTo(in.position() + expected.headerBytes());
  }

  @ParameterizedTest
  @MethodSource("rejects")
  void refuses(Vectors.Entry entry) {
    Frame f = new Frame();
    DecodeResult result = codec.decodePacket(entry.bytes(), f);
    boolean flipped = entry.name().equals("bad_icrc_v6");
    assertThat(result).isEqualTo(flipped ? DecodeResult.BAD_ICRC : DecodeResult.TRUNCATED);
    assertThat(f.icrcBad()).isEqualTo(flipped);
  }
}
