package io.anabranch.fabric.pair;

import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.Opcode;

/** Frames as one readable line each. */
final class FrameText {
  private FrameText() {}

  static String name(int opcode) {
    return switch (opcode) {
      case Opcode.WRITE_FIRST -> "FIRST";
      case Opcode.WRITE_MIDDLE -> "MIDDLE";
      case Opcode.WRITE_LAST -> "LAST";
      case Opcode.WRITE_LAST_IMM -> "LAST_IMM";
      case Opcode.WRITE_ONLY -> "ONLY";
      case Opcode.WRITE_ONLY_IMM -> "ONLY_IMM";
      case Opcode.TRANSPORT_ACK -> "ACK";
      case Opcode.ENDPOINT_REQUEST -> "EP_REQ";
      case Opcode.ENDPOINT_RESPONSE -> "EP_RSP";
      case Opcode.SACK -> "SACK";
      case Opcode.NACK -> "NACK";
      case Opcode.PROBE -> "PROBE";
      default -> "0x" + Integer.toHexString(opcode);
    };
  }

  static void append(StringBuilder to, Frame f) {
    to.append(name(f.opcode()))
        .append(" qp ")
        .append(Integer.toHexString(f.destQp()))
        .append(" psn ")
        .append(f.psn())
        .append(" ev ")
        .append(Integer.toHexString(f.ev()));
    int opcode = f.opcode();
    if (Opcode.isWrite(opcode)) {
      to.append(" msn ").append(f.msn()).append(" rqmsn ").append(f.rqMsn());
      to.append(" va ").append(Long.toHexString(f.virtualAddress()));
      to.append(" dma ").append(Integer.toUnsignedLong(f.dmaLength()));
      to.append(" len ").append(f.payloadLength());
    } else if (opcode == Opcode.SACK) {
      to.append(" cack ").append(f.cackPsn());
      if (f.probeResponse() != 0) {
        to.append(" answers ").append(f.ackPsnOffset() & 0xffff);
      } else {
        to.append(" trigger ").append(f.cackPsn() + f.ackPsnOffset() & 0xffffff);
      }
      to.append(" map ").append(f.sackOffset()).append('+');
      to.append(Long.toHexString(f.sackBitmap()));
      to.append(" rcvd ").append(f.rcvdBytes()).append(" of ev ");
      to.append(Integer.toHexString(f.entropy())).append(" m ").append(f.mark());
    } else if (opcode == Opcode.NACK) {
      to.append(" nack ").append(f.nackPsn()).append(" reason ").append(f.reason());
      to.append(" of ev ").append(Integer.toHexString(f.entropy()));
    } else if (opcode == Opcode.TRANSPORT_ACK) {
      to.append(" msn ").append(f.completedMsn());
      to.append(" syndrome ").append(Integer.toHexString(f.syndrome()));
    } else if (opcode == Opcode.PROBE) {
      to.append(" id ").append(f.probeId());
    } else if (opcode == Opcode.ENDPOINT_REQUEST || opcode == Opcode.ENDPOINT_RESPONSE) {
      to.append(" op ").append(f.op());
      to.append(" mask ").append(Integer.toHexString(f.portStatusMask()));
    }
    if (f.ackRequest()) {
      to.append(" A");
    }
    if (f.rtx()) {
      to.append(" RTX");
    }
    if (f.ecn() == 3) {
      to.append(" CE");
    }
    if (f.trimmed()) {
      to.append(" trimmed/").append(f.dscp());
    }
    if (f.icrcBad()) {
      to.append(" bad-icrc");
    }
  }
}
