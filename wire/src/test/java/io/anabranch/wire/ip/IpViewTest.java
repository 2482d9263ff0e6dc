package io.anabranch.wire.ip;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.wire.Vectors;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class IpViewTest {
  private static final String ADDRESSES =
      "20010db8000000000000000000000001" + "20010db8000000000000000000000002";

  private final IpView view = new IpView();

  private IpView.Status wrap(String hex) {
    ByteBuffer in = Vectors.direct(hex);
    return view.wrap(in, 0, in.limit());
  }

  @Test
  void walksExtensionHeaders() {
    // Hop-by-hop, destination options (16 bytes), routing type 4 with one segment, atomic fragment.
    String chain =
        "3c00010400000000"
            + "2b01010c000000000000000000000000"
            + "2c02040000000000"
            + "00".repeat(16)
            + "1100000012345678";
    String hex = "6b812345" + "0040" + "00" + "07" + ADDRESSES + chain + "00".repeat(8);
    assertThat(wrap(hex)).isEqualTo(IpView.Status.OK);
    assertThat(view.upper()).isEqualTo(17);
    assertThat(view.upperStart()).isEqualTo(40 + 8 + 16 + 24 + 8);
    assertThat(view.srhStart()).isEqualTo(40 + 8 + 16);
    assertThat(view.end()).isEqualTo(104);
    assertThat(view.isCut()).isFalse();
    assertThat(view.dscp()).isEqualTo(46);
    assertThat(view.ecn()).isZero();
    assertThat(view.flowLabel()).isEqualTo(0x12345);
    assertThat(view.hopLimit()).isEqualTo(7);
    assertThat(view.src()).hasToString("2001:db8::1");
    assertThat(view.dst()).hasToString("2001:db8::2");
    ByteBuffer in = Vectors.direct(hex);
    for (int n = 0; n < 40 + 8 + 16 + 24 + 8; n++) {
      assertThat(view.wrap(in, 0, n)).as("%d bytes", n).isEqualTo(IpView.Status.TRUNCATED);
    }
  }

  @Test
  void seesFragments() {
    String fragment = "6000000000102c40" + ADDRESSES + "1100000100000001" + "00".repeat(8);
    assertThat(wrap(fragment)).isEqualTo(IpView.Status.FRAGMENT);
    assertThat(view.dst()).hasToString("2001:db8::2");
    assertThat(wrap("4500001c000120004011000001020304" + "05060708" + "00".repeat(8)))
        .isEqualTo(IpView.Status.FRAGMENT);
    assertThat(view.src()).hasToString("1.2.3.4");
  }

  @Test
  void skipsIp4Options() {
    assertThat(wrap("46b90020abcd40002511000001020304050607089404000000".concat("00".repeat(7))))
        .isEqualTo(IpView.Status.OK);
    assertThat(view.upperStart()).isEqualTo(24);
    assertThat(view.identification()).isEqualTo(0xabcd);
    assertThat(view.hopLimit()).isEqualTo(0x25);
    assertThat(view.dscp()).isEqualTo(46);
    assertThat(view.ecn()).isEqualTo(1);
    assertThat(view.dst()).hasToString("5.6.7.8");
    assertThat(view.end()).isEqualTo(32);
  }

  @Test
  void refusesContradictions() {
    assertThat(wrap("44000014" + "00".repeat(16))).isEqualTo(IpView.Status.BAD_HEADER);
    assertThat(wrap("45000013" + "00".repeat(16))).isEqualTo(IpView.Status.BAD_HEADER);
    assertThat(wrap("46000018" + "00".repeat(16))).isEqualTo(IpView.Status.TRUNCATED);
    assertThat(wrap("50")).isEqualTo(IpView.Status.BAD_HEADER);
    assertThat(wrap("")).isEqualTo(IpView.Status.TRUNCATED);
    // The hop-by-hop header would end behind the packet.
    assertThat(wrap("6000000000080040" + ADDRESSES + "1101000000000000" + "00".repeat(8)))
        .isEqualTo(IpView.Status.TRUNCATED);
  }

  @Test
  void readsLinkLayers() {
    LinkView link = new LinkView();
    ByteBuffer out = ByteBuffer.allocate(64);
    LinkView.writeEthernet(
        out, 0x0000_1122_3344_5566L, 0x0000_aabb_ccdd_eeffL, 0x86dd, 0x88a8_0064, 0x8100_e005);
    assertThat(Vectors.hex(out.flip())).isEqualTo("112233445566aabbccddeeff88a800648100e00586dd");
    assertThat(link.wrap(LinkView.ETHERNET, out, 0, out.limit())).isTrue();
    assertThat(link.l3Start()).isEqualTo(22);
    assertThat(link.vlans()).isEqualTo(2);
    assertThat(link.vlan()).isEqualTo(5);
    assertThat(link.isIp()).isTrue();
    for (int n = 0; n < 22; n++) {
      assertThat(link.wrap(LinkView.ETHERNET, out, 0, n)).isFalse();
    }
    ByteBuffer sll = Vectors.direct("00000001000600112233445500000800" + "45");
    assertThat(link.wrap(LinkView.LINUX_SLL, sll, 0, 17)).isTrue();
    assertThat(link.l3Start()).isEqualTo(16);
    assertThat(link.etherType()).isEqualTo(0x0800);
    ByteBuffer sll2 = Vectors.direct("86dd0000000000020001040600112233445500ff" + "60");
    assertThat(link.wrap(LinkView.LINUX_SLL2, sll2, 0, 21)).isTrue();
    assertThat(link.l3Start()).isEqualTo(20);
    assertThat(link.etherType()).isEqualTo(0x86dd);
    for (int raw : new int[] {12, 101, 228, 229}) {
      assertThat(link.wrap(raw, Vectors.direct("45"), 0, 1)).isTrue();
      assertThat(link.l3Start()).isZero();
      assertThat(link.etherType()).isEqualTo(0x0800);
    }
    assertThat(link.wrap(147, sll, 0, 17)).isFalse();
    assertThat(LinkView.isKnown(147)).isFalse();
  }
}
