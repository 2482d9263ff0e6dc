package io.anabranch.wire.ip;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.wire.Seeds;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressTest {
  /** Examples of RFC 5952 and RFC 4291. */
  @ParameterizedTest
  @CsvSource({
    "2001:0db8:0000:0000:0001:0000:0000:0001, 2001:db8::1:0:0:1",
    "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
    "2001:db8:0:0:0::1, 2001:db8::1",
    "2001:DB8::A, 2001:db8::a",
    "0:0:0:0:0:0:0:0, ::",
    "0:0:0:0:0:0:0:1, ::1",
    "ff01:0:0:0:0:0:0:101, ff01::101",
    "1:0:0:2:0:0:0:3, 1:0:0:2::3",
    "fe80::, fe80::",
    "::ffff:192.0.2.1, 192.0.2.1",
    "192.0.2.255, 192.0.2.255",
    "64:ff9b::192.0.2.33, 64:ff9b::c000:221"
  })
  void textIsCanonical(String text, String canonical) {
    assertThat(Address.parse(text)).hasToString(canonical);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ":",
        ":::",
        "1",
        "1.2.3",
        "1.2.3.4.5",
        "1.2.3.256",
        "1.2..4",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "1::2::3",
        "12345::",
        "g::",
        "1:2:3:4:5:6:7::8:9",
        "1:2:3:4:5:6:7:8::",
        "::1.2.3",
        "1:",
        ":1",
        "::1:",
        "1.2.3.4:5",
        "::-1",
        "a.b.c.d",
        "::١"
      })
  void otherTextIsNone(String text) {
    assertThat(Address.parse(text)).isNull();
  }

  @Test
  void anyAddressSurvivesItsText() {
    Seeds.each(
        3000,
        r -> {
          ByteBuffer b = ByteBuffer.allocate(16);
          for (int i = 0; i < 16; i += 2) {
            b.putShort(i, (short) (r.nextInt(3) == 0 ? r.nextInt() : 0));
          }
          Address a = new Address(b.getLong(0), b.getLong(8));
          assertThat(Address.parse(a.toString())).isEqualTo(a);
          if (!a.isIp4()) {
            assertThat(InetAddress.getByName(a.toString()).getAddress()).isEqualTo(b.array());
          }
        });
  }

  @Test
  void ordersUnsigned() {
    assertThat(new Address(-1, 0)).isGreaterThan(new Address(1, 0));
    assertThat(new Address(1, -1)).isGreaterThan(new Address(1, 1));
  }
}
