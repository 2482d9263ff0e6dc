package io.anabranch.wire.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.wire.Vectors;
import io.anabranch.wire.mrc.DecodeResult;
import io.anabranch.wire.mrc.Opcode;
import io.anabranch.wire.mrc.TransportView;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class RoceOpcodeTest {
  /** Extension bytes of InfiniBand volume 1, table 38, from opcode 0 on; −1 = reserved. */
  private static final int[] RC = {
    0, 0, 0, 4, 0, 4, 16, 0, 0, 4, 16, 20, 16, 4, 0, 4, 4, 4, 12, 28, 28, -1, 4, 4
  };

  private static final int[] UC = {0, 0, 0, 4, 0, 4, 16, 0, 0, 4, 16, 20};

  private static int expected(int code) {
    if (code < RC.length) {
      return RC[code];
    }
    if (code >= 0x20 && code < 0x20 + UC.length) {
      return UC[code - 0x20];
    }
    return switch (code) {
      case 0x64 -> 8;
      case 0x65 -> 12;
      case 0x81 -> 16;
      default -> -1;
    };
  }

  @Test
  void headersHaveTheSizesOfTheTable() {
    for (int code = 0; code < 256; code++) {
      RoceOpcode opcode = RoceOpcode.of(code);
      int bytes = opcode == null ? -1 : opcode.headers().stream().mapToInt(Header::bytes).sum();
      assertThat(bytes).as("opcode %02x", code).isEqualTo(expected(code));
      assertThat(opcode != null && Opcode.isMrc(code)).isFalse();
    }
  }

  @Test
  void viewsPublishedPackets() {
    TransportView view = new TransportView();
    var vectors = Vectors.json("roce-icrc.json");
    ByteBuffer write = Vectors.direct(vectors.get(0).get("hex").asString());
    assertThat(view.wrap(write, 42, write.limit())).isEqualTo(DecodeResult.OK);
    assertThat(view.name()).isEqualTo("RC_WRITE_ONLY");
    assertThat(view.isMrc()).isFalse();
    assertThat(Reth.VIRTUAL_ADDRESS.read(write, view.start(0))).isEqualTo(0x1230);
    ByteBuffer read = Vectors.direct(vectors.get(1).get("hex").asString());
    assertThat(view.wrap(read, 42, read.limit())).isEqualTo(DecodeResult.OK);
    assertThat(view.name()).isEqualTo("RC_READ_REQUEST");
    assertThat(Reth.DMA_LENGTH.read(read, view.start(0))).isEqualTo(16);
    assertThat(view.wrap(read, 42, 42 + 27)).isEqualTo(DecodeResult.TRUNCATED);
    assertThat(view.count()).isZero();
  }
}
