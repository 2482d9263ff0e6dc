package io.anabranch.wire.mrc;

import io.anabranch.wire.Vectors;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import tools.jackson.databind.JsonNode;

/** Frame fields by the names of wire.json. */
final class FrameFields {
  private FrameFields() {}

  /** Number of a JSON value: numbers as they are, identifiers from hex. */
  static long number(JsonNode value) {
    return value.isNumber()
        ? value.asLong()
        : Long.parseUnsignedLong(value.asString().substring(2), 16);
  }

  /** A frame with the values of {@code fields}. */
  static Frame frame(JsonNode fields) {
    Frame f = new Frame();
    int opcode = fields.get("opcode").asInt();
    f.opcode(opcode);
    for (var e : fields.properties()) {
      if (e.getKey().equals("ccState")) {
        for (var cc : e.getValue().properties()) {
          set(f, cc.getKey(), number(cc.getValue()));
        }
      } else if (e.getKey().equals("src")) {
        ByteBuffer a = address(e.getValue().asString());
        f.src(a.getLong(0), a.getLong(8));
      } else if (e.getKey().equals("dst")) {
        ByteBuffer a = address(e.getValue().asString());
        f.dst(a.getLong(0), a.getLong(8));
      } else if (e.getKey().equals("icrc")) {
        f.trimmed(e.getValue().asString().equals("absent"));
      } else if (!e.getKey().startsWith("outer") && !e.getKey().equals("usids")) {
        set(f, e.getKey(), number(e.getValue()));
      }
    }
    if (f.trimmed()) {
      f.payloadLength(fields.get("udpLength").asInt() - 8 - f.headerBytes() - f.padCount() - 4);
    }
    return f;
  }

  private static ByteBuffer address(String text) {
    try {
      byte[] a = InetAddress.getByName(text).getAddress();
      ByteBuffer b = ByteBuffer.allocate(16);
      if (a.length == 4) {
        b.putShort(10, (short) 0xffff);
      }
      return b.put(16 - a.length, a);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  private static void set(Frame f, String name, long value) {
    int v = (int) value;
    boolean ack = f.opcode() == Opcode.TRANSPORT_ACK;
    switch (name) {
      case "opcode", "srcPort", "udpLength" -> {}
      case "dscp" -> f.dscp(v);
      case "ecn" -> f.ecn(v);
      case "ev" -> f.ev(v);
      case "dstPort" -> f.dstPort(v);
      case "padCount" -> f.padCount(v);
      case "pKey" -> f.pKey(v);
      case "destQp" -> f.destQp(v);
      case "ackReq" -> f.ackRequest(v != 0);
      case "rtx" -> f.rtx(v != 0);
      case "ts" -> f.timestamped(v != 0);
      case "psn" -> f.psn(v);
      case "rqMsn" -> f.rqMsn(v);
      case "msn" -> {
        if (ack) {
          f.completedMsn(v);
        } else {
          f.msn(v);
        }
      }
      case "txTimestamp" -> f.timestamp(v);
      case "tsr" -> f.tsr(v);
      case "fType" -> f.fType(v);
      case "virtualAddress" -> f.virtualAddress(value);
      case "rKey" -> f.rKey(v);
      case "dmaLength" -> f.dmaLength(v);
      case "immediate" -> f.immediate(v);
      case "payloadLength" -> f.payloadLength(v);
      case "syndrome" -> f.syndrome(v);
      case "m" -> f.mark(v);
      case "probeResponse" -> f.probeResponse(v);
      case "ackPsnOffset" -> f.ackPsnOffset(v);
      case "entropy" -> f.entropy(v);
      case "spdcid" -> f.spdcid(v);
      case "dpdcid" -> f.dpdcid(v);
      case "cackPsn" -> f.cackPsn(v);
      case "ccType" -> f.ccType(v);
      case "mpr" -> f.mpr(v);
      case "sackOffset" -> f.sackOffset(v);
      case "sackBitmap" -> f.sackBitmap(value);
      case "oooCount" -> f.oooCount(v);
      case "restoreCwnd" -> f.restoreCwnd(v);
      case "rcvCwndPenalty" -> f.rcvCwndPenalty(v);
      case "rcvdBytes" -> f.rcvdBytes(v);
      case "reason" -> f.reason(v);
      case "vendorInfo" -> f.vendorInfo(v);
      case "nackPsn" -> f.nackPsn(v);
      case "probeId" -> f.probeId(v);
      case "op" -> f.op(v);
      case "portStatusMask" -> f.portStatusMask(v);
      default -> throw new IllegalArgumentException("no field " + name);
    }
  }

  /** All words of a frame, for comparison and messages. */
  static String words(Frame f) {
    long[] words = new long[Frame.WORDS];
    f.store(words, 0);
    ByteBuffer b = ByteBuffer.allocate(8 * Frame.WORDS);
    for (long word : words) {
      b.putLong(word);
    }
    return Vectors.hex(b.flip());
  }
}
