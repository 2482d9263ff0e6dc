package io.anabranch.wire.mrc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anabranch.wire.Seeds;
import io.anabranch.wire.Vectors;
import io.anabranch.wire.ib.Icrc;
import io.anabranch.wire.ip.Address;
import io.anabranch.wire.ip.IpView;
import io.anabranch.wire.srv6.Srv6;
import io.anabranch.wire.srv6.UsidContainer;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FrameCodecPropertyTest {
  private static final int IP6 = 40;
  private static final int UDP = 8;

  /** Ones where a header has a field, by hand from the layouts; BTH's version stays zero. */
  private static final String BTH = "fff0ffff00ffffffb0ffffff";

  private static final String METH = "ffffffff";
  private static final String TSETH = "ffff800f";
  private static final String RETH = "ff".repeat(16);
  private static final String IMMDT = "ff".repeat(4);
  private static final String AETH = "ff".repeat(4);
  private static final String SETH =
      "0062ffffffffffffffffffff00ffffffffffffffffffffffffffffff" + "ffff7fffffffffff";
  private static final String NETH = "0000ffffffffffffffffffff00ffffffff00ffff";
  private static final String PETH = "000000ffffff0000ffffffffffff800f";
  private static final String ERTH = "000300ffffffffff00000000ffff800f";
  private static final String EETH = "000c" + "00".repeat(26) + "ffff" + "00".repeat(6);

  private final FrameCodec codec = new FrameCodec(DscpMap.DEFAULT);
  private final ByteBuffer out = ByteBuffer.allocateDirect(10_000);
  private final Frame back = new Frame();

  private ByteBuffer encode(Frame f, SplittableRandom r) {
    byte[] payload = new byte[f.trimmed() ? 0 : f.payloadLength()];
    r.nextBytes(payload);
    out.clear();
    assertThat(codec.encodePacket(f, Vectors.direct(payload), out)).isEqualTo(out.position());
    return out.flip();
  }

  @Test
  void whatIsEncodedDecodesToTheSameFrame() {
    Seeds.each(
        4000,
        r -> {
          Frame f = RandomFrames.next(r);
          ByteBuffer packet = encode(f, r);
          int ip = Address.isIp4(f.srcHi(), f.srcLo()) ? 20 : IP6;
          assertThat(packet.remaining()).isEqualTo(ip + f.udpLength());
          assertThat(codec.decodePacket(packet, back)).isEqualTo(DecodeResult.OK);
          assertThat(FrameFields.words(back)).isEqualTo(FrameFields.words(f));
          assertThat(codec.payloadStart()).isEqualTo(ip + UDP + f.headerBytes());
        });
  }

  @Test
  void aTrimmedFrameComesBackTrimmed() {
    Seeds.each(
        500,
        r -> {
          Frame f = RandomFrames.next(r).dscp(r.nextBoolean() ? 12 : 16).trimmed(true);
          assertThat(codec.decodePacket(encode(f, r), back)).isEqualTo(DecodeResult.OK);
          assertThat(FrameFields.words(back)).isEqualTo(FrameFields.words(f));
        });
  }

  @Test
  void socketAndPacketLevelAgree() {
    Seeds.each(
        500,
        r -> {
          Frame f = RandomFrames.next(r);
          String whole = Vectors.hex(encode(f, r));
          int skip = Address.isIp4(f.srcHi(), f.srcLo()) ? 28 : 48;
          ByteBuffer payload = out.duplicate().limit(skip + f.headerBytes() + f.payloadLength());
          payload.position(skip + f.headerBytes());
          ByteBuffer udp = ByteBuffer.allocateDirect(10_000).position(3);
          assertThat(FrameCodec.encodeHeaders(f, udp)).isEqualTo(f.headerBytes());
          udp.put(payload);
          assertThat(codec.finish(f, udp, 3)).isEqualTo(f.udpLength() - 8);
          udp.flip().position(3);
          assertThat(Vectors.hex(udp)).isEqualTo(whole.substring(2 * skip));
          back.clear().copy(f);
          assertThat(codec.decode(udp, back)).isEqualTo(DecodeResult.OK);
          assertThat(FrameFields.words(back)).isEqualTo(FrameFields.words(f));
        });
  }

  private static String fields(int opcode, boolean ts) {
    return BTH
        + switch (opcode) {
          case 0xD1 -> AETH;
          case 0xD8 -> ERTH;
          case 0xD9 -> EETH;
          case 0xDC -> SETH;
          case 0xDD -> NETH;
          case 0xDE -> PETH;
          default ->
              METH + (ts ? TSETH : "") + RETH + (opcode == 0xC9 || opcode == 0xCB ? IMMDT : "");
        };
  }

  @Test
  void anyHeaderBytesDecodedAndEncodedAreTheSameButForReservedBits() {
    Seeds.each(
        2000,
        r -> {
          Frame f = RandomFrames.next(r, RandomFrames.OPCODES[r.nextInt(12)], false);
          ByteBuffer packet = encode(f, r);
          byte[] mask = HexFormat.of().parseHex(fields(f.opcode(), f.timestamped()));
          assertThat(mask).hasSize(f.headerBytes());
          byte[] random = new byte[mask.length];
          r.nextBytes(random);
          // What decides about the layout stays: opcode, pad count and version, TS.
          random[0] = (byte) f.opcode();
          random[1] = (byte) (random[1] & 0xc0 | f.padCount() << 4);
          random[8] = (byte) (random[8] & 0xef | (f.timestamped() ? 0x10 : 0));
          if (f.opcode() == Opcode.SACK) {
            random[13] &= (byte) 0xbf;
          }
          int at = IP6 + UDP;
          packet.put(at, random);
          int end = packet.limit() - 4;
          Icrc.write(packet, end, new Icrc().compute(packet, 0, IP6, end));
          assertThat(codec.decodePacket(packet, back)).isEqualTo(DecodeResult.OK);
          ByteBuffer again = ByteBuffer.allocateDirect(mask.length);
          FrameCodec.encodeHeaders(back, again);
          for (int i = 0; i < mask.length; i++) {
            random[i] &= mask[i];
          }
          assertThat(Vectors.hex(again.flip())).isEqualTo(HexFormat.of().formatHex(random));
        });
  }

  @Test
  void anyBytesDecodeWithoutAnException() {
    List<Vectors.Entry> entries = Vectors.wire("l3");
    Trimmer trimmer = new Trimmer(DscpMap.DEFAULT);
    TransportView view = new TransportView();
    IpView ip = new IpView();
    Seeds.each(
        20_000,
        r -> {
          byte[] bytes;
          if (r.nextBoolean()) {
            bytes = new byte[r.nextInt(160)];
            r.nextBytes(bytes);
            if (bytes.length > 6 && r.nextBoolean()) {
              bytes[0] = (byte) (r.nextBoolean() ? 0x45 : 0x60);
              bytes[6] = (byte) List.of(0, 17, 41, 43, 44, 60).get(r.nextInt(6)).intValue();
              bytes[4] = 0;
            }
          } else {
            String hex = entries.get(r.nextInt(entries.size())).hex();
            bytes = HexFormat.of().parseHex(hex);
            for (int n = 1 + r.nextInt(4); n > 0; n--) {
              bytes[r.nextInt(r.nextBoolean() ? Math.min(64, bytes.length) : bytes.length)] =
                  (byte) r.nextInt();
            }
          }
          ByteBuffer packet = Vectors.direct(bytes);
          DecodeResult result = codec.decodePacket(packet, back);
          assertThat(result).isNotNull();
          assertThat(packet.remaining()).isEqualTo(bytes.length);
          assertThat(codec.payloadStart()).isBetween(0, bytes.length);
          codec.decode(packet, back);
          codec.decode(packet, back, r.nextInt(0x10000), r.nextBoolean());
          view.wrap(packet, 0, packet.limit());
          if (ip.wrap(packet, 0, packet.limit()) == IpView.Status.OK) {
            if (ip.version() == 6) {
              Srv6.advance(packet, ip);
            }
            Srv6.decapsulate(packet, ip);
          }
          trimmer.trim(packet, r.nextBoolean());
        });
  }

  static List<Vectors.Entry> all() {
    return Vectors.wire("l3").stream().filter(e -> !e.reject()).toList();
  }

  @ParameterizedTest
  @MethodSource("all")
  void everyTruncationIsRefusedOrMarked(Vectors.Entry entry) {
    ByteBuffer packet = entry.bytes();
    for (int n = 0; n < entry.hex().length() / 2; n++) {
      packet.limit(n);
      DecodeResult result = codec.decodePacket(packet, back);
      assertThat(result == DecodeResult.TRUNCATED || back.trimmed()).as("%d bytes", n).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void everyTruncationOfAUdpPayloadIsRefused(Vectors.Entry entry) {
    ByteBuffer packet = entry.bytes();
    if (entry.fields().has("usids")) {
      return;
    }
    Frame f = FrameFields.frame(entry.fields());
    int start = entry.hex().startsWith("4") ? 28 : 48;
    int end = packet.limit() - (f.trimmed() ? 0 : 1);
    for (int n = start; n <= end; n++) {
      packet.limit(n).position(start);
      back.copy(f);
      assertThat(codec.decode(packet, back, f.udpLength(), false))
          .as("%d bytes", n)
          .isEqualTo(DecodeResult.TRUNCATED);
      // As if the length had been made to fit: then the ICRC tells.
      back.copy(f).dscp(0);
      assertThat(codec.decode(packet, back)).as("%d bytes", n).isNotEqualTo(DecodeResult.OK);
    }
  }

  @Test
  void aTrimmedPacketMayEndAnywhereAfterBth() {
    Vectors.Entry entry =
        Vectors.wire("l3").stream()
            .filter(e -> e.name().equals("trimmed_write_first_v6"))
            .findFirst()
            .orElseThrow();
    Frame f = FrameFields.frame(entry.fields());
    for (int n = 0; n < entry.hex().length() / 2 - IP6; n++) {
      ByteBuffer packet = entry.bytes();
      packet.putShort(4, (short) n).limit(IP6 + n);
      boolean bth = n >= UDP + 12;
      assertThat(codec.decodePacket(packet, back))
          .isEqualTo(bth ? DecodeResult.OK : DecodeResult.TRUNCATED);
      if (bth) {
        assertThat(back.psn()).isEqualTo(f.psn());
        assertThat(back.destQp()).isEqualTo(f.destQp());
        assertThat(back.ev()).isEqualTo(f.ev());
        assertThat(back.trimmed()).isTrue();
        assertThat(back.payloadLength()).isEqualTo(64);
        assertThat(back.timestamp()).isEqualTo(n >= UDP + 20 ? 258 : 0);
        assertThat(back.virtualAddress()).isEqualTo(n >= UDP + 36 ? 0x10000040L : 0);
      }
    }
  }

  @Test
  void everyOtherOpcodeIsUnknown() {
    ByteBuffer packet = all().getFirst().bytes();
    List<Integer> known = java.util.Arrays.stream(RandomFrames.OPCODES).boxed().toList();
    for (int opcode = 0; opcode < 256; opcode++) {
      packet.put(IP6 + UDP, (byte) opcode);
      DecodeResult result = codec.decodePacket(packet, back);
      assertThat(result == DecodeResult.UNKNOWN_OPCODE).isEqualTo(!known.contains(opcode));
      assertThat(Opcode.isMrc(opcode)).isEqualTo(known.contains(opcode));
      assertThat(back.opcode()).isEqualTo(opcode);
      if (!known.contains(opcode)) {
        Frame f = new Frame().opcode(opcode);
        assertThatThrownBy(() -> FrameCodec.encodeHeaders(f, out))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("opcode: " + opcode);
      }
    }
  }

  @Test
  void everySingleBitFlipThatTheIcrcCoversIsSeen() {
    for (Vectors.Entry entry : all()) {
      Frame f = FrameFields.frame(entry.fields());
      if (f.trimmed()) {
        continue;
      }
      ByteBuffer packet = entry.bytes();
      int bth = packet.limit() - (f.udpLength() - 8);
      for (int bit = 8 * (bth - 8); bit < 8 * packet.limit(); bit++) {
        int i = bit / 8;
        boolean variant = i == bth - 2 || i == bth - 1 || i == bth + 4;
        packet.put(i, (byte) (packet.get(i) ^ 1 << bit % 8));
        assertThat(codec.decodePacket(packet, back) == DecodeResult.OK)
            .as("%s byte %d bit %d", entry, i, bit % 8)
            .isEqualTo(variant);
        packet.put(i, (byte) (packet.get(i) ^ 1 << bit % 8));
      }
    }
  }

  @Test
  void namedRefusals() {
    SplittableRandom r = new SplittableRandom(1);
    Frame f = RandomFrames.next(r, Opcode.SACK, false).mark(Mark.RESERVED);
    assertThat(codec.decodePacket(encode(f, r), back)).isEqualTo(DecodeResult.RESERVED_VALUE);
    f.mark(0);
    ByteBuffer packet = encode(f, r);
    packet.put(IP6 + UDP + 1, (byte) 1);
    assertThat(codec.decodePacket(packet, back)).isEqualTo(DecodeResult.BAD_VERSION);
    packet = encode(f, r);
    packet.put(IP6 + UDP + 1, (byte) 0x30);
    assertThat(codec.decodePacket(packet, back)).isEqualTo(DecodeResult.BAD_LENGTH);
    packet = encode(f, r);
    packet.put(6, (byte) 6);
    assertThat(codec.decodePacket(packet, back)).isEqualTo(DecodeResult.NOT_UDP);
    packet.put(0, (byte) 0x50);
    assertThat(codec.decodePacket(packet, back)).isEqualTo(DecodeResult.BAD_IP_HEADER);
    packet = encode(RandomFrames.next(r, Opcode.NACK, true), r);
    packet.put(6, (byte) 0x20);
    assertThat(codec.decodePacket(packet, back)).isEqualTo(DecodeResult.FRAGMENT);
  }

  @Test
  void aPathAroundThePacketChangesNothing() {
    Seeds.each(
        300,
        r -> {
          Frame f = RandomFrames.next(r, RandomFrames.OPCODES[r.nextInt(12)], false);
          ByteBuffer inner = encode(f, r);
          ByteBuffer wrapped = ByteBuffer.allocateDirect(11_000);
          UsidContainer path = UsidContainer.of(r.nextInt(), 1 + r.nextInt(99), 7);
          UsidContainer more = r.nextBoolean() ? UsidContainer.of(5, 6) : null;
          Srv6.encapsulate(inner, new Address(1, 2), path, more, 9, wrapped);
          assertThat(codec.decodePacket(wrapped.flip(), back)).isEqualTo(DecodeResult.OK);
          assertThat(FrameFields.words(back)).isEqualTo(FrameFields.words(f));
          // A switch on the path marks what it sees: the outer header.
          wrapped.put(1, (byte) (wrapped.get(1) | 0x30));
          assertThat(codec.decodePacket(wrapped, back)).isEqualTo(DecodeResult.OK);
          assertThat(back.ecn()).isEqualTo(f.ecn() == 0 ? 0 : 3);
        });
  }
}
