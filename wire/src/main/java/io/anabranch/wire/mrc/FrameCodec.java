package io.anabranch.wire.mrc;

import io.anabranch.wire.ib.Aeth;
import io.anabranch.wire.ib.Bth;
import io.anabranch.wire.ib.Icrc;
import io.anabranch.wire.ib.ImmDt;
import io.anabranch.wire.ib.Reth;
import io.anabranch.wire.ip.Address;
import io.anabranch.wire.ip.Ip4;
import io.anabranch.wire.ip.Ip6;
import io.anabranch.wire.ip.IpView;
import io.anabranch.wire.ip.Protocol;
import io.anabranch.wire.ip.Udp;
import java.nio.ByteBuffer;

/**
 * Turns frames into bytes and back. Buffers are big-endian, best direct; nothing is allocated per
 * packet. Holds scratch space: one codec a thread of use.
 *
 * <p>Two levels. A socket sees the UDP payload only: {@link #encodeHeaders}, the payload by the
 * caller, {@link #finish}; and {@link #decode}. Raw packets begin at the IP header: {@link
 * #encodePacket} and {@link #decodePacket}.
 */
public final class FrameCodec {
  /** Most bytes that BTH and the headers after it take. */
  public static final int MAX_HEADER_BYTES = Bth.BYTES + Eeth.BYTES;

  /** Hop limit and TTL of packets that {@link #encodePacket} writes. */
  public static final int HOP_LIMIT = 64;

  private static final int CE = 3;

  private final Icrc icrc = new Icrc();
  private final DscpMap dscpMap;
  private final IpView ip = new IpView();
  private final IpView outer = new IpView();
  private int payloadStart;

  /** A codec that knows trimmed packets by the DSCP values of {@code dscpMap}. */
  public FrameCodec(DscpMap dscpMap) {
    this.dscpMap = dscpMap;
  }

  /**
   * Writes BTH and the headers after it at {@code out}'s position, which moves behind them.
   *
   * @return bytes written: {@link Frame#headerBytes()}
   * @throws IllegalArgumentException when the opcode is not MRC's
   */
  public static int encodeHeaders(Frame f, ByteBuffer out) {
    int bytes = f.headerBytes();
    if (bytes < 0) {
      throw new IllegalArgumentException("opcode: " + f.opcode() + ", not one of MRC's");
    }
    int at = out.position();
    int end = at + bytes;
    for (int i = at; i < end; i += 4) {
      out.putInt(i, 0);
    }
    out.put(at, (byte) f.opcode());
    int se = f.solicited() ? 0x80 : 0;
    int migration = f.migration() ? 0x40 : 0;
    out.put(at + 1, (byte) (se | migration | f.padCount() << 4));
    Bth.P_KEY.write(out, at, f.pKey());
    Bth.DEST_QP.write(out, at, f.destQp());
    Bth.ACK_REQ.write(out, at, f.ackRequest() ? 1 : 0);
    Bth.RTX.write(out, at, f.rtx() ? 1 : 0);
    Bth.TS.write(out, at, f.timestamped() ? 1 : 0);
    Bth.PSN.write(out, at, f.psn());
    at += Bth.BYTES;
    switch (f.opcode()) {
      case Opcode.TRANSPORT_ACK -> {
        Aeth.SYNDROME.write(out, at, f.syndrome());
        Aeth.MSN.write(out, at, f.completedMsn());
      }
      case Opcode.ENDPOINT_REQUEST -> {
        Erth.OP.write(out, at, f.op());
        Erth.VENDOR_INFO.write(out, at, f.vendorInfo());
        Erth.PORT_STATUS_MASK.write(out, at, f.portStatusMask());
        Erth.TX_TIMESTAMP.write(out, at, f.timestamp());
        Erth.TSR.write(out, at, f.tsr());
        Erth.F_TYPE.write(out, at, f.fType());
      }
      case Opcode.ENDPOINT_RESPONSE -> {
        Eeth.OP.write(out, at, f.op());
        Eeth.TX_TIMESTAMP.write(out, at, f.timestamp());
      }
      case Opcode.SACK -> encodeSack(f, out, at);
      case Opcode.NACK -> encodeNack(f, out, at);
      case Opcode.PROBE -> {
        Peth.VENDOR_INFO.write(out, at, f.vendorInfo());
        Peth.PROBE_ID.write(out, at, f.probeId());
        Peth.SPDCID.write(out, at, f.spdcid());
        Peth.DPDCID.write(out, at, f.dpdcid());
        Peth.TX_TIMESTAMP.write(out, at, f.timestamp());
        Peth.TSR.write(out, at, f.tsr());
        Peth.F_TYPE.write(out, at, f.fType());
      }
      default -> encodeWrite(f, out, at);
    }
    out.position(end);
    return bytes;
  }

  private static void encodeWrite(Frame f, ByteBuffer out, int start) {
    int at = start;
    Meth.RQ_MSN.write(out, at, f.rqMsn());
    Meth.MSN.write(out, at, f.msn());
    at += Meth.BYTES;
    if (f.timestamped()) {
      Tseth.TX_TIMESTAMP.write(out, at, f.timestamp());
      Tseth.TSR.write(out, at, f.tsr());
      Tseth.F_TYPE.write(out, at, f.fType());
      at += Tseth.BYTES;
    }
    Reth.VIRTUAL_ADDRESS.write(out, at, f.virtualAddress());
    Reth.R_KEY.write(out, at, f.rKey());
    Reth.DMA_LENGTH.write(out, at, f.dmaLength());
    if (Opcode.hasImmediate(f.opcode())) {
      ImmDt.IMMEDIATE.write(out, at + Reth.BYTES, f.immediate());
    }
  }

  private static void encodeSack(Frame f, ByteBuffer out, int at) {
    Seth.MARK.write(out, at, f.mark());
    Seth.PROBE_RESPONSE.write(out, at, f.probeResponse());
    Seth.ACK_PSN_OFFSET.write(out, at, f.ackPsnOffset());
    Seth.ENTROPY.write(out, at, f.entropy());
    Seth.SPDCID.write(out, at, f.spdcid());
    Seth.DPDCID.write(out, at, f.dpdcid());
    Seth.CACK_PSN.write(out, at, f.cackPsn());
    Seth.CC_TYPE.write(out, at, f.ccType());
    Seth.CC_FLAGS.write(out, at, f.ccFlags());
    Seth.MPR.write(out, at, f.mpr());
    Seth.SACK_OFFSET.write(out, at, f.sackOffset());
    Seth.SACK_BITMAP.write(out, at, f.sackBitmap());
    int cc = at + Seth.BYTES;
    CcState.TX_TIMESTAMP.write(out, cc, f.timestamp());
    CcState.OOO_COUNT.write(out, cc, f.oooCount());
    CcState.RESTORE_CWND.write(out, cc, f.restoreCwnd());
    CcState.RCV_CWND_PENALTY.write(out, cc, f.rcvCwndPenalty());
    CcState.RCVD_BYTES.write(out, cc, f.rcvdBytes());
  }

  private static void encodeNack(Frame f, ByteBuffer out, int at) {
    Neth.REASON.write(out, at, f.reason());
    Neth.VENDOR_INFO.write(out, at, f.vendorInfo());
    Neth.ENTROPY.write(out, at, f.entropy());
    Neth.SPDCID.write(out, at, f.spdcid());
    Neth.DPDCID.write(out, at, f.dpdcid());
    Neth.NACK_PSN.write(out, at, f.nackPsn());
    Neth.CC_TYPE.write(out, at, f.ccType());
    Neth.CC_FLAGS.write(out, at, f.ccFlags());
    Neth.TX_TIMESTAMP.write(out, at, f.timestamp());
  }

  /**
   * Ends a packet whose headers and payload stand in {@code packet[start … position)}: writes the
   * pad and the ICRC, and moves the position behind them. The ICRC takes addresses, ports and pad
   * count from the frame.
   *
   * @return bytes of the whole UDP payload
   */
  public int finish(Frame f, ByteBuffer packet, int start) {
    for (int i = f.padCount(); i > 0; i--) {
      packet.put((byte) 0);
    }
    int end = packet.position();
    packet.putInt(Integer.reverseBytes(icrcOf(f, packet, start, end)));
    return end + Icrc.BYTES - start;
  }

  private int icrcOf(Frame f, ByteBuffer packet, int start, int end) {
    return icrc.compute(
        f.srcHi(), f.srcLo(), f.dstHi(), f.dstLo(), f.srcPort(), f.dstPort(), packet, start, end);
  }

  /**
   * Reads a UDP payload that a socket delivered: everything between position and limit, which stay.
   * The caller has set what only it knows: addresses, EV, UDP destination port, and DSCP and ECN
   * where it sees them; the rest of the frame is overwritten. Over IPv4 the ICRC assumes
   * identification 0 and "don't fragment".
   *
   * <p>{@link DecodeResult#BAD_ICRC} comes last: then every field is filled and {@link
   * Frame#icrcBad()} set. After any other refusal only the BTH fields may be looked at.
   */
  public DecodeResult decode(ByteBuffer udpPayload, Frame f) {
    return decode(udpPayload, f, udpPayload.remaining() + Udp.BYTES, dscpMap.isTrimmed(f.dscp()));
  }

  /**
   * As {@link #decode(ByteBuffer, Frame)} for a receiver that sees the UDP header.
   *
   * @param udpLength length in the UDP header; more than what is here when the packet was trimmed
   * @param trimmed whether the DSCP says so: then the ICRC is absent, headers beyond the cut read
   *     zero, and only BTH must be whole
   */
  public DecodeResult decode(ByteBuffer udpPayload, Frame f, int udpLength, boolean trimmed) {
    int start = udpPayload.position();
    DecodeResult result = transport(udpPayload, start, udpPayload.limit(), udpLength, trimmed, f);
    if (result != DecodeResult.OK || trimmed) {
      return result;
    }
    int end = udpPayload.limit() - Icrc.BYTES;
    return checked(f, icrcOf(f, udpPayload, start, end) == Icrc.read(udpPayload, end));
  }

  private static DecodeResult checked(Frame f, boolean icrcGood) {
    if (!icrcGood) {
      f.icrcBad(true);
      return DecodeResult.BAD_ICRC;
    }
    boolean reserved = f.opcode() == Opcode.SACK && f.mark() == Mark.RESERVED;
    return reserved ? DecodeResult.RESERVED_VALUE : DecodeResult.OK;
  }

  /** Index in the decoded buffer where the payload of the packet decoded last begins. */
  public int payloadStart() {
    return payloadStart;
  }

  private DecodeResult transport(
      ByteBuffer in, int start, int limit, int udpLength, boolean trimmed, Frame f) {
    f.clearTransport();
    int here = limit - start;
    if (here < Bth.BYTES) {
      return DecodeResult.TRUNCATED;
    }
    f.opcode(in.get(start));
    int flags = in.get(start + 1);
    f.solicited((flags & 0x80) != 0);
    f.migration((flags & 0x40) != 0);
    f.padCount(flags >> 4);
    f.pKey(Bth.P_KEY.readInt(in, start));
    f.destQp(Bth.DEST_QP.readInt(in, start));
    f.ackRequest(Bth.ACK_REQ.read(in, start) != 0);
    f.rtx(Bth.RTX.read(in, start) != 0);
    f.timestamped(Bth.TS.read(in, start) != 0);
    f.psn(Bth.PSN.readInt(in, start));
    f.trimmed(trimmed);
    if ((flags & 0xf) != 0) {
      return DecodeResult.BAD_VERSION;
    }
    int headers = f.headerBytes();
    if (headers < 0) {
      return DecodeResult.UNKNOWN_OPCODE;
    }
    int payload = udpLength - Udp.BYTES - headers - f.padCount() - Icrc.BYTES;
    payloadStart = Math.min(start + headers, limit);
    if (!trimmed) {
      if (here < udpLength - Udp.BYTES || here < headers) {
        return DecodeResult.TRUNCATED;
      }
      if (here > udpLength - Udp.BYTES || payload < 0) {
        return DecodeResult.BAD_LENGTH;
      }
      if (payload > 0 && !Opcode.isWrite(f.opcode())) {
        return DecodeResult.BAD_LENGTH;
      }
    }
    f.payloadLength(Math.max(payload, 0));
    extension(in, start + Bth.BYTES, limit, f);
    return DecodeResult.OK;
  }

  /** Reads the headers after BTH; one that does not end before {@code limit} stays zero. */
  private static void extension(ByteBuffer in, int at, int limit, Frame f) {
    int opcode = f.opcode();
    if (Opcode.isWrite(opcode)) {
      decodeWrite(in, at, limit, f);
      return;
    }
    if (at + Opcode.extensionBytes(opcode, false) > limit) {
      return;
    }
    switch (opcode) {
      case Opcode.TRANSPORT_ACK -> {
        f.syndrome(Aeth.SYNDROME.readInt(in, at));
        f.completedMsn(Aeth.MSN.readInt(in, at));
      }
      case Opcode.ENDPOINT_REQUEST -> {
        f.op(Erth.OP.readInt(in, at));
        f.vendorInfo(Erth.VENDOR_INFO.readInt(in, at));
        f.portStatusMask(Erth.PORT_STATUS_MASK.readInt(in, at));
        f.timestamp(Erth.TX_TIMESTAMP.readInt(in, at));
        f.tsr(Erth.TSR.readInt(in, at));
        f.fType(Erth.F_TYPE.readInt(in, at));
      }
      case Opcode.ENDPOINT_RESPONSE -> {
        f.op(Eeth.OP.readInt(in, at));
        f.timestamp(Eeth.TX_TIMESTAMP.readInt(in, at));
      }
      case Opcode.SACK -> decodeSack(in, at, f);
      case Opcode.NACK -> decodeNack(in, at, f);
      default -> {
        f.vendorInfo(Peth.VENDOR_INFO.readInt(in, at));
        f.probeId(Peth.PROBE_ID.readInt(in, at));
        f.spdcid(Peth.SPDCID.readInt(in, at));
        f.dpdcid(Peth.DPDCID.readInt(in, at));
        f.timestamp(Peth.TX_TIMESTAMP.readInt(in, at));
        f.tsr(Peth.TSR.readInt(in, at));
        f.fType(Peth.F_TYPE.readInt(in, at));
      }
    }
  }

  private static void decodeWrite(ByteBuffer in, int start, int limit, Frame f) {
    int at = start;
    if (at + Meth.BYTES > limit) {
      return;
    }
    f.rqMsn(Meth.RQ_MSN.readInt(in, at));
    f.msn(Meth.MSN.readInt(in, at));
    at += Meth.BYTES;
    if (f.timestamped()) {
      if (at + Tseth.BYTES > limit) {
        return;
      }
      f.timestamp(Tseth.TX_TIMESTAMP.readInt(in, at));
      f.tsr(Tseth.TSR.readInt(in, at));
      f.fType(Tseth.F_TYPE.readInt(in, at));
      at += Tseth.BYTES;
    }
    if (at + Reth.BYTES > limit) {
      return;
    }
    f.virtualAddress(Reth.VIRTUAL_ADDRESS.read(in, at));
    f.rKey(Reth.R_KEY.readInt(in, at));
    f.dmaLength(Reth.DMA_LENGTH.readInt(in, at));
    at += Reth.BYTES;
    if (Opcode.hasImmediate(f.opcode()) && at + ImmDt.BYTES <= limit) {
      f.immediate(ImmDt.IMMEDIATE.readInt(in, at));
    }
  }

  private static void decodeSack(ByteBuffer in, int at, Frame f) {
    f.mark(Seth.MARK.readInt(in, at));
    f.probeResponse(Seth.PROBE_RESPONSE.readInt(in, at));
    f.ackPsnOffset(Seth.ACK_PSN_OFFSET.readInt(in, at));
    f.entropy(Seth.ENTROPY.readInt(in, at));
    f.spdcid(Seth.SPDCID.readInt(in, at));
    f.dpdcid(Seth.DPDCID.readInt(in, at));
    f.cackPsn(Seth.CACK_PSN.readInt(in, at));
    f.ccType(Seth.CC_TYPE.readInt(in, at));
    f.ccFlags(Seth.CC_FLAGS.readInt(in, at));
    f.mpr(Seth.MPR.readInt(in, at));
    f.sackOffset(Seth.SACK_OFFSET.readInt(in, at));
    f.sackBitmap(Seth.SACK_BITMAP.read(in, at));
    int cc = at + Seth.BYTES;
    f.timestamp(CcState.TX_TIMESTAMP.readInt(in, cc));
    f.oooCount(CcState.OOO_COUNT.readInt(in, cc));
    f.restoreCwnd(CcState.RESTORE_CWND.readInt(in, cc));
    f.rcvCwndPenalty(CcState.RCV_CWND_PENALTY.readInt(in, cc));
    f.rcvdBytes(CcState.RCVD_BYTES.readInt(in, cc));
  }

  private static void decodeNack(ByteBuffer in, int at, Frame f) {
    f.reason(Neth.REASON.readInt(in, at));
    f.vendorInfo(Neth.VENDOR_INFO.readInt(in, at));
    f.entropy(Neth.ENTROPY.readInt(in, at));
    f.spdcid(Neth.SPDCID.readInt(in, at));
    f.dpdcid(Neth.DPDCID.readInt(in, at));
    f.nackPsn(Neth.NACK_PSN.readInt(in, at));
    f.ccType(Neth.CC_TYPE.readInt(in, at));
    f.ccFlags(Neth.CC_FLAGS.readInt(in, at));
    f.timestamp(Neth.TX_TIMESTAMP.readInt(in, at));
  }

  /**
   * Writes a whole packet from the IP header on: IPv4 when the frame's addresses are IPv4-mapped
   * (identification 0, "don't fragment"), else IPv6 (flow label = EV bits 31:16). A trimmed frame
   * is written trimmed: cut after its headers, UDP length as sent, no ICRC.
   *
   * @param payload exactly {@link Frame#payloadLength()} bytes between position and limit, which
   *     stay; not looked at when the frame is trimmed
   * @param out written from its position, which moves behind the packet
   * @return bytes written
   */
  public int encodePacket(Frame f, ByteBuffer payload, ByteBuffer out) {
    if (!f.trimmed() && payload.remaining() != f.payloadLength()) {
      throw new IllegalArgumentException(
          "payload: " + payload.remaining() + " bytes, the frame says " + f.payloadLength());
    }
    int start = out.position();
    int here = f.trimmed() ? Udp.BYTES + f.headerBytes() : f.udpLength();
    int trafficClass = f.dscp() << 2 | f.ecn();
    if (Address.isIp4(f.srcHi(), f.srcLo()) && Address.isIp4(f.dstHi(), f.dstLo())) {
      int src = (int) f.srcLo();
      Ip4.write(out, trafficClass, HOP_LIMIT, Protocol.UDP, src, (int) f.dstLo(), here);
    } else {
      Ip6.write(
          out,
          trafficClass,
          f.ev() >>> 16,
          Protocol.UDP,
          HOP_LIMIT,
          f.srcHi(),
          f.srcLo(),
          f.dstHi(),
          f.dstLo(),
          here);
    }
    Udp.write(out, f.srcPort(), f.dstPort(), f.udpLength());
    int transport = out.position();
    encodeHeaders(f, out);
    if (!f.trimmed()) {
      int at = out.position();
      int bytes = payload.remaining();
      out.put(at, payload, payload.position(), bytes);
      out.position(at + bytes);
      finish(f, out, transport);
    }
    return out.position() - start;
  }

  /**
   * Reads a whole packet between position and limit, which stay, from the IP header on; IPv6 in
   * IPv6 (SRv6) is unwrapped. Bytes behind the IP packet's own length (link-layer padding) are
   * ignored. A packet is taken as trimmed when a DSCP says so, the inner or the outer one; a
   * congestion mark on the outer header counts as one on the inner (RFC 6040). See {@link
   * #decode(ByteBuffer, Frame)} for what a refusal leaves.
   */
  public DecodeResult decodePacket(ByteBuffer packet, Frame f) {
    f.clear();
    payloadStart = packet.limit();
    IpView.Status status = ip.wrap(packet, packet.position(), packet.limit());
    boolean trimmed = false;
    int outerEcn = 0;
    if (status == IpView.Status.OK && ip.upper() == Protocol.IP6_IN_IP6) {
      outer.wrap(packet, packet.position(), packet.limit());
      if (outer.isCut()) {
        return DecodeResult.TRUNCATED;
      }
      trimmed = dscpMap.isTrimmed(outer.dscp());
      outerEcn = outer.ecn();
      status = ip.wrap(packet, outer.upperStart(), outer.limit());
    }
    switch (status) {
      case TRUNCATED -> {
        return DecodeResult.TRUNCATED;
      }
      case BAD_HEADER -> {
        return DecodeResult.BAD_IP_HEADER;
      }
      case FRAGMENT -> {
        return DecodeResult.FRAGMENT;
      }
      case OK -> {}
    }
    f.src(ip.srcHi(), ip.srcLo()).dst(ip.dstHi(), ip.dstLo());
    boolean marked = outerEcn == CE && ip.ecn() != 0;
    f.dscp(ip.dscp()).ecn(marked ? CE : ip.ecn());
    trimmed |= dscpMap.isTrimmed(ip.dscp());
    if (ip.upper() != Protocol.UDP) {
      return DecodeResult.NOT_UDP;
    }
    if (ip.isCut() && !trimmed) {
      return DecodeResult.TRUNCATED;
    }
    int udp = ip.upperStart();
    int end = ip.limit();
    if (end - udp < Udp.BYTES) {
      return DecodeResult.TRUNCATED;
    }
    f.ev(ip.flowLabel() << 16 | Udp.sourcePort(packet, udp));
    f.dstPort(Udp.destinationPort(packet, udp));
    int length = Udp.length(packet, udp);
    DecodeResult result = transport(packet, udp + Udp.BYTES, end, length, trimmed, f);
    if (result != DecodeResult.OK || trimmed) {
      return result;
    }
    int tail = end - Icrc.BYTES;
    return checked(f, icrc.compute(packet, ip.start(), udp, tail) == Icrc.read(packet, tail));
  }
}
