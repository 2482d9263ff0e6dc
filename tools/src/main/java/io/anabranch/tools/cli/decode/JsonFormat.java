package io.anabranch.tools.cli.decode;

import io.anabranch.wire.ib.Bth;
import io.anabranch.wire.ib.Field;
import io.anabranch.wire.ib.Header;
import io.anabranch.wire.ip.Address;
import io.anabranch.wire.ip.IpView;
import io.anabranch.wire.mrc.CcState;
import io.anabranch.wire.mrc.DecodeResult;
import io.anabranch.wire.mrc.TransportView;
import io.anabranch.wire.srv6.Srh;
import io.anabranch.wire.srv6.UsidContainer;

/**
 * One JSON object a packet with every field that could be read: numbers are numbers; identifiers
 * are hex strings of the field's full width; CC_STATE is nested, all else flat.
 */
public final class JsonFormat implements PacketFormat {
  private static final long NS_PER_S = 1_000_000_000L;

  /** The format. */
  public JsonFormat() {}

  @Override
  public void append(Packet p, Line line) {
    line.text("{\"frame\":").number(p.number());
    if (p.isTimed()) {
      long s = Math.floorDiv(p.timeNs(), NS_PER_S);
      line.text(",\"time\":\"").number(s).put('.');
      line.digits(Math.floorMod(p.timeNs(), NS_PER_S), 9).put('"');
    }
    line.text(",\"interface\":").quoted(p.interfaceName());
    if (p.isTunnelled()) {
      outer(p, line);
    }
    if (p.hasIp()) {
      IpView ip = p.ip();
      name(line, "src").put('"').text(ip.src().toString()).put('"');
      name(line, "dst").put('"').text(ip.dst().toString()).put('"');
      name(line, "dscp").number(ip.dscp());
      name(line, "ecn").number(ip.ecn());
    }
    if (p.hasUdp()) {
      name(line, "ev").text("\"0x").hex(p.ev(), 8).put('"');
      name(line, "srcPort").number(p.srcPort());
      name(line, "dstPort").number(p.dstPort());
      name(line, "udpLength").number(p.udpLength());
    }
    if (p.hasBth()) {
      transport(p, line);
    }
    DecodeResult error = p.error();
    if (error != null) {
      name(line, "error").put('"').text(error.name()).put('"');
    }
    line.text(",\"icrc\":\"").text(p.icrc().text()).put('"');
    if (p.isGoodForIdentificationZero()) {
      line.text(",\"icrcNote\":\"good for IPv4 identification 0\"");
    }
    line.text("}\n");
  }

  private static Line name(Line line, String name) {
    return line.text(",\"").text(name).text("\":");
  }

  private static void outer(Packet p, Line line) {
    IpView outer = p.outer();
    name(line, "outerSrc").put('"').text(outer.src().toString()).put('"');
    name(line, "outerDst").put('"').text(outer.dst().toString()).put('"');
    name(line, "outerDscp").number(outer.dscp());
    name(line, "outerEcn").number(outer.ecn());
    usids(name(line, "usids"), new UsidContainer(outer.dstHi(), outer.dstLo()));
    Srh srh = outer.srhStart() < 0 ? null : Srh.read(p.data(), outer.srhStart(), outer.limit());
    if (srh != null) {
      name(line, "segmentsLeft").number(srh.segmentsLeft());
      name(line, "segments").put('[');
      for (int i = 0; i < srh.segments().size(); i++) {
        Address segment = srh.segments().get(i);
        line.text(i == 0 ? "\"" : ",\"").text(segment.toString()).put('"');
      }
      line.put(']');
    }
  }

  private static void usids(Line line, UsidContainer path) {
    line.put('[');
    for (int i = 0; i < path.count(); i++) {
      line.text(i == 0 ? "\"" : ",\"").hex(path.usid(i), 4).put('"');
    }
    line.put(']');
  }

  private static void transport(Packet p, Line line) {
    TransportView transport = p.transport();
    String opcode = transport.name();
    if (opcode != null) {
      name(line, "transport").text(transport.isMrc() ? "\"MRC\"" : "\"RoCEv2\"");
      name(line, "opcodeName").put('"').text(opcode).put('"');
    }
    fields(Bth.HEADER, p.bthStart(), p, line, ',');
    for (int i = 0; i < transport.count(); i++) {
      Header header = transport.header(i);
      if (header.equals(CcState.HEADER)) {
        name(line, "ccState");
        fields(header, transport.start(i), p, line, '{');
        line.put('}');
      } else {
        fields(header, transport.start(i), p, line, ',');
      }
    }
    if (p.payloadBytes() >= 0) {
      name(line, "payloadLength").number(p.payloadBytes());
    }
  }

  private static void fields(Header header, int at, Packet p, Line line, char first) {
    char before = first;
    for (Field field : header.fields()) {
      boolean quoted = field.kind() == Field.Kind.HEX;
      line.put(before).put('"').text(field.name()).text(quoted ? "\":\"" : "\":");
      line.value(field, field.read(p.data(), at));
      if (quoted) {
        line.put('"');
      }
      before = ',';
    }
  }
}
