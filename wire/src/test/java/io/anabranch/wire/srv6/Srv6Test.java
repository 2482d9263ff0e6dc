package io.anabranch.wire.srv6;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anabranch.wire.Vectors;
import io.anabranch.wire.ip.Address;
import io.anabranch.wire.ip.IpView;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class Srv6Test {
  private static final int LOCATOR = 0xfcbbbb00;

  private static String hex(String name) {
    return Vectors.wire("l3").stream()
        .filter(e -> e.name().equals(name))
        .findFirst()
        .orElseThrow()
        .hex();
  }

  private static Address address(String text) {
    return Objects.requireNonNull(Address.parse(text));
  }

  private static IpView view(ByteBuffer packet) {
    IpView view = new IpView();
    assertThat(view.wrap(packet, packet.position(), packet.limit())).isEqualTo(IpView.Status.OK);
    return view;
  }

  @Test
  void encapsulatesAsTheVectorShows() {
    ByteBuffer out = ByteBuffer.allocate(256);
    UsidContainer path = UsidContainer.of(LOCATOR, 0x0101, 0x0201, 0x0102, 0x000b);
    ByteBuffer inner = Vectors.direct(hex("write_only_v6"));
    int bytes = Srv6.encapsulate(inner, address("2001:db8:0:a::1"), path, null, 64, out);
    assertThat(bytes).isEqualTo(out.position());
    assertThat(Vectors.hex(out.flip())).isEqualTo(hex("srv6_write_only"));
    assertThat(path.address()).hasToString("fcbb:bb00:101:201:102:b::");
  }

  @Test
  void shiftsAsTheVectorShowsAndEndsAtTheLastUsid() {
    ByteBuffer packet = Vectors.direct(hex("srv6_write_only"));
    IpView outer = view(packet);
    assertThat(UsidContainer.of(outer.dst()).active()).isEqualTo(0x0101);
    assertThat(Srv6.advance(packet, outer)).isTrue();
    assertThat(Vectors.hex(packet)).isEqualTo(hex("srv6_after_one_shift"));
    assertThat(UsidContainer.of(outer.dst()).usids()).containsExactly(0x0201, 0x0102, 0x000b);
    assertThat(Srv6.advance(packet, outer)).isTrue();
    assertThat(Srv6.advance(packet, outer)).isTrue();
    assertThat(UsidContainer.of(outer.dst()).active()).isEqualTo(0x000b);
    assertThat(Srv6.advance(packet, outer)).isFalse();
    assertThat(outer.dst()).hasToString("fcbb:bb00:b::");
    packet.position(Srv6.decapsulate(packet, outer));
    assertThat(Vectors.hex(packet)).isEqualTo(hex("write_only_v6"));
  }

  @Test
  void aSecondContainerFollowsTheFirst() {
    ByteBuffer packet = ByteBuffer.allocate(256);
    UsidContainer first = UsidContainer.of(LOCATOR, 1, 2, 3, 4, 5, 6);
    UsidContainer second = UsidContainer.of(LOCATOR, 7, 8);
    ByteBuffer inner = Vectors.direct(hex("write_only_v6"));
    Srv6.encapsulate(inner, address("::1"), first, second, 64, packet);
    packet.flip();
    IpView outer = view(packet);
    // RFC 8754: type 4, 2 units of 8 bytes after the first, one segment left, last entry 0.
    assertThat(Vectors.hex(packet.duplicate().position(40).limit(64)))
        .isEqualTo("2902040100000000" + "fcbbbb00000700080000000000000000");
    assertThat(Srh.read(packet, outer.srhStart(), packet.limit()))
        .isEqualTo(new Srh(41, 1, 0, 0, List.of(second.address())));
    for (int usid = 1; usid <= 8; usid++) {
      assertThat(UsidContainer.of(outer.dst()).active()).isEqualTo(usid);
      assertThat(Srv6.advance(packet, outer)).isEqualTo(usid < 8);
    }
    assertThat(packet.get(43)).isZero();
    packet.position(Srv6.decapsulate(packet, outer));
    assertThat(Vectors.hex(packet)).isEqualTo(hex("write_only_v6"));
  }

  @Test
  void aMarkOnTheOutsideGoesIn() {
    ByteBuffer packet = Vectors.direct(hex("srv6_write_only"));
    packet.put(1, (byte) (packet.get(1) | 0x30));
    int inner = Srv6.decapsulate(packet, view(packet));
    assertThat(packet.get(inner + 1) >> 4 & 3).isEqualTo(3);
    ByteBuffer control = ByteBuffer.allocate(256);
    UsidContainer path = UsidContainer.of(LOCATOR, 9);
    Srv6.encapsulate(Vectors.direct(hex("sack_v6")), address("::1"), path, null, 64, control);
    control.flip().put(1, (byte) (control.get(1) | 0x30));
    inner = Srv6.decapsulate(control, view(control));
    assertThat(control.get(inner + 1) >> 4 & 3).as("Not-ECT stays").isZero();
    assertThat(
            Srv6.decapsulate(Vectors.direct(hex("sack_v6")), view(Vectors.direct(hex("sack_v6")))))
        .isEqualTo(-1);
  }

  @Test
  void containersHoldSixUsids() {
    UsidContainer full = UsidContainer.of(LOCATOR, 1, 2, 3, 4, 5, 6);
    assertThat(full.address()).hasToString("fcbb:bb00:1:2:3:4:5:6");
    assertThat(full.count()).isEqualTo(6);
    assertThat(full.locator()).isEqualTo(LOCATOR);
    assertThat(full.shifted()).isEqualTo(UsidContainer.of(LOCATOR, 2, 3, 4, 5, 6));
    assertThat(UsidContainer.of(LOCATOR).count()).isZero();
    assertThatThrownBy(() -> UsidContainer.of(LOCATOR, 1, 2, 3, 4, 5, 6, 7))
        .hasMessageContaining("usids: 7, allowed 0…6");
    assertThatThrownBy(() -> UsidContainer.of(LOCATOR, 0)).hasMessageContaining("usid: 0");
  }

  @Test
  void refusesRoutingHeadersThatContradictThemselves() {
    ByteBuffer good = Vectors.direct("2902040100000000" + "fcbbbb00000700080000000000000000");
    Srh srh = Objects.requireNonNull(Srh.read(good, 0, 24));
    ByteBuffer again = ByteBuffer.allocate(24);
    srh.write(again);
    assertThat(Vectors.hex(again.flip())).isEqualTo(Vectors.hex(good));
    for (int n = 0; n < 24; n++) {
      assertThat(Srh.read(good, 0, n)).isNull();
    }
    assertThat(Srh.read(Vectors.direct("2902030100000000" + "00".repeat(16)), 0, 24)).isNull();
    assertThat(Srh.read(Vectors.direct("2902040201000000" + "00".repeat(16)), 0, 24)).isNull();
    assertThat(Srh.read(Vectors.direct("2902040900000000" + "00".repeat(16)), 0, 24)).isNull();
  }
}
