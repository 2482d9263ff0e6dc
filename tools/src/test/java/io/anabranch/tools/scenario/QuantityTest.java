package io.anabranch.tools.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class QuantityTest {
  @Test
  void unitsAreExact() {
    assertThat(Quantity.TIME.parse("1us")).isEqualTo(1_000_000);
    assertThat(Quantity.TIME.parse("8337.92ns")).isEqualTo(8_337_920);
    assertThat(Quantity.TIME.parse("2 µs")).isEqualTo(2_000_000);
    assertThat(Quantity.TIME.parse("0")).isZero();
    assertThat(Quantity.SIZE.parse("2MiB")).isEqualTo(2_097_152);
    assertThat(Quantity.SIZE.parse("1.5KiB")).isEqualTo(1536);
    assertThat(Quantity.SIZE.parse("32kB")).isEqualTo(32_000);
    assertThat(Quantity.RATE.parse("400Gbps")).isEqualTo(400_000_000_000L);
    assertThat(Quantity.RATE.parse("1.6Tbps")).isEqualTo(1_600_000_000_000L);
  }

  @Test
  void whatIsNoWholeUnitIsRefusedRatherThanRounded() {
    refused(Quantity.TIME, "0.5ps", "whole number of picoseconds");
    refused(Quantity.SIZE, "0.3KiB", "whole number of bytes");
    refused(Quantity.RATE, "0.1bps", "whole number of bit/s");
    refused(Quantity.TIME, "999999999999999999s", "below 2^63");
  }

  @Test
  void unitsAreNeededAndKnown() {
    refused(Quantity.TIME, "5", "a unit too, one of ps, ns, us, ms, s");
    refused(Quantity.SIZE, "5KB", "the units B, KiB");
    refused(Quantity.RATE, "400G", "the units bps, kbps");
    refused(Quantity.TIME, "-1us", "a number and a unit");
    refused(Quantity.TIME, "", "a number and a unit");
    refused(Quantity.TIME, "1e3us", "a number and a unit");
  }

  @Test
  void whatIsWrittenReadsBackTheSame() {
    for (long value :
        new long[] {0, 1, 999, 1000, 4096, 420_160, 8_337_920, 1L << 40, 123_456_789}) {
      for (Quantity quantity : new Quantity[] {Quantity.TIME, Quantity.SIZE, Quantity.RATE}) {
        assertThat(quantity.parse(quantity.format(value))).isEqualTo(value);
      }
    }
    assertThat(Quantity.TIME.format(8_337_920)).isEqualTo("8.33792us");
    assertThat(Quantity.SIZE.format(16_384)).isEqualTo("16KiB");
    assertThat(Quantity.SIZE.format(420_160)).isEqualTo("420160B");
    assertThat(Quantity.RATE.format(400_000_000_000L)).isEqualTo("400Gbps");
  }

  private static void refused(Quantity quantity, String text, String part) {
    assertThatThrownBy(() -> quantity.parse(text)).as(text).hasMessageContaining(part);
  }
}
