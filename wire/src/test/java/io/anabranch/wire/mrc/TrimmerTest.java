package io.anabranch.wire.mrc;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.wire.Vectors;
import io.anabranch.wire.ip.Ip4;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class TrimmerTest {
  private final Trimmer trimmer = new Trimmer(DscpMap.DEFAULT);
  private final FrameCodec codec = new FrameCodec(DscpMap.DEFAULT);

  private static Vectors.Entry entry(String name) {
    return Vectors.wire("l3").stream().filter(e -> e.name().equals(name)).findFirst().orElseThrow();
  }

  @Test
  void trimsAsTheVectorShows() {
    ByteBuffer packet = entry("write_first_v6").bytes();
    assertThat(trimmer.trim(packet, false)).isTrue();
    assertThat(Vectors.hex(packet)).isEqualTo(entry("trimmed_write_first_v6").hex());
  }

  @Test
  void theLastHopSaysSoAndKeepsTheMark() {
    ByteBuffer packet = entry("write_middle_v6_ce").bytes();
    assertThat(trimmer.trim(packet, true)).isTrue();
    Frame f = new Frame();
    assertThat(codec.decodePacket(packet, f)).isEqualTo(DecodeResult.OK);
    assertThat(f.dscp()).isEqualTo(16);
    assertThat(f.ecn()).isEqualTo(3);
    assertThat(f.trimmed()).isTrue();
    assertThat(f.payloadLength()).isEqualTo(64);
    assertThat(f.virtualAddress()).isEqualTo(0x10000080L);
  }

  @Test
  void correctsTheIp4Header() {
    ByteBuffer packet = entry("write_only_v4").bytes();
    assertThat(trimmer.trim(packet, false)).isTrue();
    assertThat(Ip4.checksum(packet, 0, Ip4.BYTES)).isZero();
    assertThat(packet.getShort(2)).isEqualTo((short) (20 + 8 + 12 + 4 + 4 + 16));
    assertThat(packet.limit()).isEqualTo(packet.getShort(2));
    assertThat(packet.get(1)).isEqualTo((byte) (12 << 2 | 2));
  }

  @Test
  void trimsInsideAPath() {
    ByteBuffer packet = entry("srv6_write_only").bytes();
    assertThat(trimmer.trim(packet, false)).isTrue();
    assertThat(packet.limit()).isEqualTo(40 + 40 + 8 + 12 + 4 + 4 + 16);
    assertThat(packet.getShort(4)).isEqualTo((short) (packet.limit() - 40));
    assertThat(packet.getShort(44)).isEqualTo((short) (packet.limit() - 80));
    Frame f = new Frame();
    assertThat(codec.decodePacket(packet, f)).isEqualTo(DecodeResult.OK);
    assertThat(f.trimmed()).isTrue();
    assertThat(f.dscp()).isEqualTo(12);
  }

  @Test
  void keepsImmediateData() {
    ByteBuffer packet = entry("write_last_imm_v6").bytes();
    assertThat(trimmer.trim(packet, false)).isTrue();
    Frame f = new Frame();
    codec.decodePacket(packet, f);
    assertThat(f.immediate()).isEqualTo(0x11223344);
  }

  @Test
  void leavesEverythingElseAlone() {
    for (String name :
        new String[] {"sack_v6", "port_status_update_v6", "sack_v4", "truncated_63"}) {
      ByteBuffer packet = entry(name).bytes();
      assertThat(trimmer.trim(packet, false)).as(name).isFalse();
      assertThat(Vectors.hex(packet)).isEqualTo(entry(name).hex());
    }
  }

  @Test
  void retransmissionsAreTrimmable() {
    ByteBuffer packet = entry("write_last_v6_rtx").bytes();
    assertThat(trimmer.trim(packet, false)).isTrue();
    assertThat(packet.limit()).isEqualTo(40 + 8 + 12 + 4 + 16);
  }
}
