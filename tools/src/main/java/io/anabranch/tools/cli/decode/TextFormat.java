package io.anabranch.tools.cli.decode;

import io.anabranch.wire.ib.Aeth;
import io.anabranch.wire.ib.Bth;
import io.anabranch.wire.ib.Field;
import io.anabranch.wire.ib.Header;
import io.anabranch.wire.mrc.DecodeResult;
import io.anabranch.wire.mrc.NackReason;
import io.anabranch.wire.mrc.Neth;
import io.anabranch.wire.mrc.Seth;
import io.anabranch.wire.mrc.Syndrome;
import io.anabranch.wire.mrc.TransportView;
import io.anabranch.wire.srv6.Srh;
import io.anabranch.wire.srv6.UsidContainer;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One line a packet, for people; fields carry the names that {@code --json} and filters use. */
public final class TextFormat implements PacketFormat {
  private static final long NS_PER_S = 1_000_000_000L;
  private static final int S_PER_DAY = 86_400;
  private static final int CE = 3;

  /** Fields that are almost always the same: shown only when they are not. */
  private static final Set<String> DULL =
      Set.of("tsr", "ccType", "ccFlags", "vendorInfo", "spdcid", "dpdcid", "rcvCwndPenalty");

  private static final String[] MARKS = {"NONE", "SKIP_ONCE", "ALWAYS_SKIP", "RESERVED"};

  /** The format. */
  public TextFormat() {}

  @Override
  public void append(Packet p, Line line) {
    line.number(p.number()).put(' ');
    if (p.isTimed()) {
      time(p.timeNs(), line);
    } else {
      line.put('-');
    }
    line.put(' ').text(p.interfaceName());
    if (p.hasIp()) {
      line.put(' ').text(p.ip().src().toString()).text(" > ").text(p.ip().dst().toString());
    }
    if (p.isTunnelled()) {
      path(p, line);
    }
    if (p.hasUdp()) {
      line.text(" ev=0x").hex(p.ev(), 8);
    }
    if (p.hasBth()) {
      transport(p, line);
    }
    if (p.isTunnelled() && p.outer().ecn() == CE || p.hasIp() && p.ip().ecn() == CE) {
      line.text(" CE");
    }
    if (p.icrc() == Packet.IcrcState.ABSENT) {
      line.text(" TRIMMED");
    }
    DecodeResult error = p.error();
    if (p.hasBth()) {
      line.text(" icrc=").text(p.icrc().text());
    }
    if (p.isGoodForIdentificationZero()) {
      line.text(" (good for IPv4 identification 0)");
    }
    if (error != null) {
      line.text(" DAMAGED: ").text(error.name());
    }
    line.put('\n');
  }

  /** UTC time of day. */
  private static void time(long ns, Line line) {
    long s = Math.floorMod(Math.floorDiv(ns, NS_PER_S), S_PER_DAY);
    line.digits(s / 3600, 2).put(':').digits(s / 60 % 60, 2).put(':').digits(s % 60, 2);
    line.put('.').digits(Math.floorMod(ns, NS_PER_S), 9);
  }

  private static void path(Packet p, Line line) {
    line.text(" via ");
    container(new UsidContainer(p.outer().dstHi(), p.outer().dstLo()), line);
    int at = p.outer().srhStart();
    Srh srh = at < 0 ? null : Srh.read(p.data(), at, p.outer().limit());
    if (srh != null) {
      for (int i = Math.min(srh.segmentsLeft(), srh.segments().size()) - 1; i >= 0; i--) {
        line.text(" then ");
        container(UsidContainer.of(srh.segments().get(i)), line);
      }
    }
  }

  private static void container(UsidContainer path, Line line) {
    line.hex(path.locator() & 0xffff_ffffL, 8);
    for (int i = 0; i < path.count(); i++) {
      line.put(':').hex(path.usid(i), 4);
    }
  }

  private static void transport(Packet p, Line line) {
    TransportView transport = p.transport();
    String name = transport.name();
    line.put(' ');
    if (name == null) {
      line.text("opcode=0x").hex(transport.opcode(), 2);
    } else {
      line.text(name);
    }
    line.text(" qp=0x").hex(p.bth(Bth.DEST_QP), 6).text(" psn=").number(p.bth(Bth.PSN));
    flag(p, Bth.ACK_REQ, " A", line);
    if (transport.isMrc()) {
      flag(p, Bth.RTX, " RTX", line);
    }
    flag(p, Bth.SOLICITED, " SE", line);
    for (int i = 0; i < transport.count(); i++) {
      Header header = transport.header(i);
      for (Field field : header.fields()) {
        field(field, field.read(p.data(), transport.start(i)), line);
      }
    }
    if (p.payloadBytes() > 0) {
      line.text(" payloadLength=").number(p.payloadBytes());
    }
  }

  private static void flag(Packet p, Field field, String text, Line line) {
    if (p.bth(field) != 0) {
      line.text(text);
    }
  }

  private static void field(Field field, long value, Line line) {
    boolean asAlways = field.name().equals("fType") ? value == 1 : value == 0;
    boolean dull = field.name().equals("fType") || DULL.contains(field.name());
    if (dull && asAlways || field.name().endsWith("pdcid")) {
      return;
    }
    line.put(' ').text(field.name()).put('=');
    String symbol = symbol(field, (int) value);
    if (symbol != null) {
      line.text(symbol);
    } else {
      line.value(field, value);
    }
  }

  private static @Nullable String symbol(Field field, int value) {
    if (field.equals(Seth.MARK)) {
      return MARKS[value];
    }
    if (field.equals(Neth.REASON)) {
      return NackReason.name(value);
    }
    if (field.equals(Aeth.SYNDROME)) {
      return switch (value) {
        case Syndrome.ACK -> "ACK";
        case Syndrome.NAK_INVALID_REQUEST -> "NAK_INVALID_REQUEST";
        case Syndrome.NAK_REMOTE_ACCESS -> "NAK_REMOTE_ACCESS";
        case Syndrome.NAK_REMOTE_OPERATION -> "NAK_REMOTE_OPERATION";
        default -> null;
      };
    }
    return null;
  }
}
