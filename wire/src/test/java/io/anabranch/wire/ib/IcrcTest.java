package io.anabranch.wire.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.wire.Vectors;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class IcrcTest {
  private static final int ETHERNET = 14;
  private static final int IP4 = 20;

  @Test
  void agreesWithPublishedPackets() {
    for (JsonNode e : Vectors.json("roce-icrc.json")) {
      ByteBuffer frame = Vectors.direct(e.get("hex").asString());
      int end = frame.limit() - Icrc.BYTES;
      int icrc = new Icrc().compute(frame, ETHERNET, ETHERNET + IP4, end);
      ByteBuffer stored = ByteBuffer.allocate(4);
      Icrc.write(stored, 0, icrc);
      assertThat(HexFormat.of().formatHex(stored.array())).isEqualTo(e.get("icrc").asString());
      assertThat(Icrc.read(frame, end)).isEqualTo(icrc);
    }
  }
}
