package io.anabranch.wire.srv6;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anabranch.wire.Vectors;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class EvLayoutTest {
  private static EvLayout layout(JsonNode e) {
    List<Integer> widths = e.get("fmtFields").valueStream().map(JsonNode::asInt).toList();
    int sum = widths.stream().mapToInt(Integer::intValue).sum();
    EvMode srv6 = sum > 128 ? EvMode.SRV6_SRH : EvMode.SRV6;
    boolean stev = e.get("types").get(0).asString().equals("STEV");
    List<EvField> fields =
        e.get("fields")
            .valueStream()
            .map(f ->
                new EvField(
                    f.get("width").asInt(),
                    f.get("initVal").asLong(),
                    f.get("minVal").asLong(),
                    f.get("maxVal").asLong(),
                    f.get("mask").asLong()))
            .toList();
    return new EvLayout(new EvFormat(stev ? EvMode.STEV : srv6, widths), fields);
  }

  @Test
  void expandsEveryVectorExactly() {
    int count = 0;
    for (JsonNode e : Vectors.json("ev-expansion.json")) {
      EvLayout layout = layout(e);
      for (int i = 0; i < e.get("evs").size(); i++) {
        byte[] packed = HexFormat.of().parseHex(e.get("evs").get(i).asString());
        assertThat(HexFormat.of().formatHex(layout.expand(packed)))
            .as("%s %d", e.get("name").asString(), i)
            .isEqualTo(e.get("expanded").get(i).asString());
        count++;
      }
    }
    assertThat(count).isEqualTo(80);
  }

  @Test
  void refusesWhatDoesNotFitAndSaysWhat() {
    EvFormat two = new EvFormat(EvMode.STEV, List.of(16, 16));
    EvField whole = new EvField(16, 0, 0, 0xffff, 0xffff);
    refused(() -> new EvFormat(EvMode.UDP, List.of(16, 1)), "sum 17, allowed 1…16");
    refused(() -> new EvFormat(EvMode.STEV, List.of(33)), "width: 33, allowed 1…32");
    refused(() -> new EvFormat(EvMode.SRV6, List.of(64, 65)), "sum 129, allowed 1…128");
    refused(() -> new EvFormat(EvMode.SRV6_SRH, List.of(128, 128, 1)), "sum 257, allowed 1…256");
    refused(() -> new EvLayout(two, List.of(whole, whole, whole)), "fields: 3, allowed 1…2");
    refused(() -> new EvLayout(two, List.of()), "fields: 0, allowed 1…2");
    refused(
        () -> new EvLayout(two, List.of(new EvField(32, 0, 0, 0, 0), whole)),
        "sum 48, allowed 1…32");
    refused(
        () -> new EvLayout(two, List.of(new EvField(17, 0, 0, 0, 0))),
        "width of field 0: 17, allowed 1…16");
    refused(() -> new EvField(4, 0x10, 0, 0, 0), "initial value: 0x10, allowed 0…0xf");
    refused(() -> new EvField(4, 0, 0, 0, 0x1f), "mask: 0x1f, allowed 0…0xf");
    refused(() -> new EvField(16, 0, 0, 16, 0xf0), "maximum: 0x10, allowed 0…0xf");
    refused(() -> new EvField(16, 0, 3, 2, 0xf), "minimum: 3, allowed 0…2");
    refused(() -> new EvField(65, 0, 0, 0, 0), "field width: 65, allowed 1…64");
    refused(() -> new EvLayout(two, List.of(whole)).expand(new byte[4]), "ev: 4 bytes");
  }

  private static void refused(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String message) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void widestFieldTakes64Bits() {
    EvLayout layout =
        new EvLayout(
            new EvFormat(EvMode.SRV6, List.of(64, 64)),
            List.of(new EvField(64, 5, 0, -1, -1), new EvField(64, -1, 0, 0, 0)));
    byte[] packed = new byte[32];
    packed[0] = (byte) 0x80;
    packed[7] = 1;
    packed[8] = 0x55;
    assertThat(HexFormat.of().formatHex(layout.expand(packed)))
        .isEqualTo("8000000000000001" + "ff".repeat(8) + "00".repeat(16));
    assertThat(layout.packedBits()).isEqualTo(64);
  }
}
