package io.anabranch.tools.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What users write, and what goes over the life line. */
class FormsTest {
  @ParameterizedTest
  @CsvSource({
    "host, host, 4791",
    "host:1, host, 1",
    "10.0.0.1:65535, 10.0.0.1, 65535",
    "::1, ::1, 4791",
    "fd00::2, fd00::2, 4791",
    "[::1], ::1, 4791",
    "[::1]:0, ::1, 0",
    "[fe80::1%eth0]:80, fe80::1%eth0, 80",
    ":99, '', 99",
    "'', '', 4791",
  })
  void hostsAndPortsAreRead(String text, String host, int port) {
    assertThat(HostPort.parse(text)).isEqualTo(new HostPort(host, port));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a:", "a:b", "a:65536", "a:-1", "a:+1", "[::1", "[::1]x", "[::1]:"})
  void whatIsNoHostAndPortIsRefused(String text) {
    assertThatThrownBy(() -> HostPort.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'");
  }

  @Test
  void addressesAreShownAsTheyAreWritten() {
    assertThat(HostPort.show(new InetSocketAddress(InetAddress.ofLiteral("::1"), 5)))
        .isEqualTo("[::1]:5");
    assertThat(HostPort.show(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 5)))
        .isEqualTo("127.0.0.1:5");
    assertThat(HostPort.parse("[::1]:5")).hasToString("[::1]:5");
  }

  @ParameterizedTest
  @CsvSource({
    "500Mbps, 500000000",
    "1.5gbps, 1500000000",
    "64 kbps, 64000",
    "64000bps, 64000",
    "1000Gbps, 1000000000000",
  })
  void ratesAreRead(String text, long bps) {
    assertThat(Rate.parse(text)).isEqualTo(bps);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "Mbps", "-5Mbps", "5MB/s", "63kbps", "1001Gbps", "1e3Mbps"})
  void whatIsNoRateIsRefused(String text) {
    assertThatThrownBy(() -> Rate.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "', allowed");
  }

  @Test
  void paceKeepsTheAverageAndForgetsLongPauses() {
    Pace pace = new Pace(8_000_000, 0);
    assertThat(pace.waitNs(0)).isZero();
    pace.sent(1_000_000, 0);
    assertThat(pace.waitNs(0)).isEqualTo(1_000_000_000);
    assertThat(pace.waitNs(1_000_000_000)).isZero();
    pace.sent(1_000_000, 60_000_000_000L);
    assertThat(pace.waitNs(60_000_000_000L)).isBetween(970_000_000L, 1_000_000_000L);
    Pace none = new Pace(0, 0);
    none.sent(1L << 40, 0);
    assertThat(none.waitNs(0)).isZero();
    assertThat(Pace.blockBytes(0, 1 << 20)).isEqualTo(1 << 20);
    assertThat(Pace.blockBytes(64_000, 1 << 20)).isEqualTo(4096);
    assertThat(Pace.blockBytes(80_000_000, 1 << 20)).isEqualTo(100_000);
    assertThat(Pace.blockBytes(1_000_000_000_000L, 1 << 20)).isEqualTo(1 << 20);
  }

  @Test
  void aLongManifestComesInParts() throws TransferException {
    int count = 100_000;
    Manifest manifest = new Manifest(new Terms.Offer(count + 1, 1 + count * 8L, count, true));
    ByteBuffer message = ByteBuffer.allocate(60_000);
    Manifest.encode(Entry.directory("d"), message);
    for (int i = 0; i < count; i++) {
      Entry entry = Entry.file("d/" + (100_000 + i), 1);
      if (!Manifest.encode(entry, message)) {
        manifest.add(message.flip());
        assertThat(manifest.isComplete()).isFalse();
        Manifest.encode(entry, message.clear());
      }
    }
    manifest.add(message.flip());
    assertThat(manifest.isComplete()).isTrue();
    assertThat(manifest.entries()).hasSize(count + 1);
    assertThat(manifest.entries().getLast()).isEqualTo(Entry.file("d/199999", 1));
  }

  @Test
  void everyTruncationOfAManifestIsRefused() {
    ByteBuffer whole = ByteBuffer.allocate(100);
    Manifest.encode(new Entry("a", false, 5, true), whole);
    Manifest.encode(Entry.file("bb", 6), whole);
    whole.flip();
    for (int length = 0; length < whole.limit(); length++) {
      Manifest manifest = new Manifest(new Terms.Offer(2, 3, 11, true));
      ByteBuffer part = whole.slice(0, length);
      if (length == 0 || length == 12) {
        // Whole entries so far.
        assertThat(accepts(manifest, part)).isTrue();
        assertThat(manifest.isComplete()).isFalse();
      } else {
        assertThat(accepts(manifest, part)).as("%d bytes", length).isFalse();
      }
    }
    assertThat(accepts(new Manifest(new Terms.Offer(2, 3, 11, true)), whole)).isTrue();
  }

  private static boolean accepts(Manifest manifest, ByteBuffer message) {
    try {
      manifest.add(message);
      return true;
    } catch (TransferException e) {
      return false;
    }
  }

  @Test
  void termsComeBackAsTheyWere() throws TransferException {
    for (boolean hashed : new boolean[] {true, false}) {
      Terms.Offer offer = new Terms.Offer(3, 99, 1L << 45, hashed);
      assertThat(Terms.Offer.decode(offer.encode())).isEqualTo(offer);
      Terms.Grant grant = new Terms.Grant(1 << 20, 32, hashed);
      assertThat(Terms.Grant.decode(grant.encode())).isEqualTo(grant);
    }
    for (Terms.Grant bad :
        List.of(
            new Terms.Grant(0, 32, true),
            new Terms.Grant(1 << 20, 0, true),
            new Terms.Grant(1 << 25, 1, true),
            new Terms.Grant(16 << 20, 17, true))) {
      assertThatThrownBy(() -> Terms.Grant.decode(bad.encode()))
          .isInstanceOf(TransferException.class)
          .hasMessageContaining("allowed");
    }
  }

  @Test
  void termsAreLaidOutAsDocumentedAndOtherFlagsAndVersionsAreRefused() {
    ByteBuffer offer = new Terms.Offer(3, 99, 1L << 45, false).encode();
    assertThat(hex(offer))
        .isEqualTo("4d5243540002" + "00000003" + "0000000000000063" + "0000200000000000" + "01");
    ByteBuffer grant = new Terms.Grant(1 << 20, 32, true).encode();
    assertThat(hex(grant)).isEqualTo("4d5243540002" + "00100000" + "00000020" + "00");
    offer.put(offer.limit() - 1, (byte) 2);
    assertThatThrownBy(() -> Terms.Offer.decode(offer)).hasMessage("flags: 2, allowed 0…1");
    grant.put(grant.limit() - 1, (byte) -1);
    assertThatThrownBy(() -> Terms.Grant.decode(grant)).hasMessage("flags: 255, allowed 0…1");
    grant.put(5, (byte) 1);
    assertThatThrownBy(() -> Terms.Grant.decode(grant))
        .hasMessage("transfer version: 1, allowed 2…2");
  }

  private static String hex(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(bytes.position(), copy);
    return HexFormat.of().formatHex(copy);
  }
}
