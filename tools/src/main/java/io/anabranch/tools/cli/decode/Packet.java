package io.anabranch.tools.cli.decode;

import io.anabranch.wire.ib.Bth;
import io.anabranch.wire.ib.Field;
import io.anabranch.wire.ib.Header;
import io.anabranch.wire.ib.Icrc;
import io.anabranch.wire.ip.IpView;
import io.anabranch.wire.ip.LinkView;
import io.anabranch.wire.ip.Protocol;
import io.anabranch.wire.ip.Udp;
import io.anabranch.wire.mrc.DecodeResult;
import io.anabranch.wire.mrc.DscpMap;
import io.anabranch.wire.mrc.Mark;
import io.anabranch.wire.mrc.Opcode;
import io.anabranch.wire.mrc.Seth;
import io.anabranch.wire.mrc.TransportView;
import io.anabranch.wire.pcap.CaptureReader;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The frame that a capture reader stands on, taken apart as far as it goes. One object serves a
 * whole capture; it learns on which UDP ports MRC runs.
 */
public final class Packet {
  /** What {@link #read} found. */
  public enum Kind {
    /** MRC. */
    MRC,
    /** RoCEv2: RC, UC, UD or CNP. */
    ROCE,
    /** Damaged before one could tell, or with an opcode of neither. */
    UNCLEAR,
    /** Something else; nothing more is known about it. */
    OTHER
  }

  /** What is known about the ICRC. */
  public enum IcrcState {
    GOOD("good"),
    BAD("bad"),
    /** Trimmed: there is none. */
    ABSENT("absent"),
    /** Not all bytes are here. */
    UNVERIFIABLE("unverifiable");

    private final String text;

    IcrcState(String text) {
      this.text = text;
    }

    /** As shown. */
    public String text() {
      return text;
    }
  }

  private static final int DEFAULT_P_KEY = 0xffff;

  private final LinkView link = new LinkView();
  private final IpView outer = new IpView();
  private final IpView ip = new IpView();
  private final TransportView transport = new TransportView();
  private final Icrc icrcComputer = new Icrc();
  private final DscpMap dscpMap = DscpMap.DEFAULT;
  private final boolean[] mrcPorts = new boolean[0x10000];

  private ByteBuffer data = ByteBuffer.allocate(0);
  private long number;
  private boolean timed;
  private long timeNs;
  private String interfaceName = "";
  private boolean cutByCapture;
  private boolean hasIp;
  private boolean hasUdp;
  private boolean hasBth;
  private boolean tunnelled;
  private int udp;
  private int payloadBytes;
  private @Nullable DecodeResult error;
  private IcrcState icrc = IcrcState.UNVERIFIABLE;
  private boolean goodForIdentificationZero;
  private long found;

  /** A packet that takes RoCEv2's port, the one that MRC's text prints, and {@code ports}. */
  public Packet(int... ports) {
    mrcPorts[Udp.PORT_ROCE] = true;
    mrcPorts[Udp.PORT_MRC_PRINTED] = true;
    for (int port : ports) {
      mrcPorts[port] = true;
    }
  }

  /** Takes the frame apart that {@code reader} stands on; valid until the reader moves. */
  public Kind read(CaptureReader reader) {
    number = reader.number();
    timed = reader.isTimed();
    timeNs = reader.timeNs();
    String name = reader.interfaceName();
    interfaceName = name.isEmpty() ? Integer.toString(reader.interfaceId()) : name;
    data = reader.data();
    cutByCapture = reader.originalBytes() > data.remaining();
    hasIp = false;
    hasUdp = false;
    hasBth = false;
    tunnelled = false;
    payloadBytes = -1;
    error = null;
    icrc = IcrcState.UNVERIFIABLE;
    goodForIdentificationZero = false;
    if (!link.wrap(reader.linkType(), data, data.position(), data.limit()) || !link.isIp()) {
      return Kind.OTHER;
    }
    return network(link.l3Start(), data.limit());
  }

  private Kind network(int at, int limit) {
    IpView.Status status = ip.wrap(data, at, limit);
    if (status == IpView.Status.OK && ip.upper() == Protocol.IP6_IN_IP6) {
      outer.wrap(data, at, limit);
      tunnelled = true;
      status = ip.wrap(data, outer.upperStart(), outer.limit());
    }
    hasIp = status == IpView.Status.OK || status == IpView.Status.FRAGMENT;
    switch (status) {
      case TRUNCATED -> {
        return unclear(DecodeResult.TRUNCATED);
      }
      case BAD_HEADER -> {
        return unclear(DecodeResult.BAD_IP_HEADER);
      }
      case FRAGMENT -> {
        boolean mayBeUdp = ip.upper() == Protocol.UDP || ip.upper() == Protocol.FRAGMENT;
        return mayBeUdp ? unclear(DecodeResult.FRAGMENT) : Kind.OTHER;
      }
      case OK -> {}
    }
    if (ip.upper() != Protocol.UDP) {
      return Kind.OTHER;
    }
    udp = ip.upperStart();
    if (ip.limit() - udp < Udp.BYTES) {
      return unclear(DecodeResult.TRUNCATED);
    }
    hasUdp = true;
    return beyondUdp();
  }

  private Kind unclear(DecodeResult why) {
    error = why;
    return Kind.UNCLEAR;
  }

  private Kind beyondUdp() {
    int bth = udp + Udp.BYTES;
    int end = ip.limit();
    int told = udpLength() - Udp.BYTES;
    boolean whole = !ip.isCut() && end - bth == told;
    boolean trimmed =
        !whole && (dscpMap.isTrimmed(ip.dscp()) || tunnelled && dscpMap.isTrimmed(outer.dscp()));
    hasBth = end - bth >= Bth.BYTES;
    DecodeResult headers = transport.wrap(data, bth, end);
    boolean roomForIcrc = hasBth && end - bth >= Bth.BYTES + Icrc.BYTES;
    if (whole && roomForIcrc) {
      int tail = end - Icrc.BYTES;
      int carried = Icrc.read(data, tail);
      boolean good = icrcComputer.compute(data, ip.start(), udp, tail) == carried;
      icrc = good ? IcrcState.GOOD : IcrcState.BAD;
      goodForIdentificationZero = !good && ip.version() == 4 && assumingZero(bth, tail) == carried;
    } else if (trimmed) {
      icrc = IcrcState.ABSENT;
    }
    if (!mrcPorts[dstPort()] && !looksLikeMrc(bth, headers)) {
      return Kind.OTHER;
    }
    if (transport.isMrc() && icrc == IcrcState.GOOD) {
      mrcPorts[dstPort()] = true;
    }
    judge(headers, whole, trimmed, end, told - (end - bth));
    boolean roce = transport.name() != null;
    return !roce ? Kind.UNCLEAR : transport.isMrc() ? Kind.MRC : Kind.ROCE;
  }

  private int assumingZero(int bth, int tail) {
    return icrcComputer.compute(
        ip.srcHi(), ip.srcLo(), ip.dstHi(), ip.dstLo(), srcPort(), dstPort(), data, bth, tail);
  }

  /**
   * On a port not known for it: an opcode of MRC's, all headers, and a right ICRC or the usual key.
   */
  private boolean looksLikeMrc(int bth, DecodeResult headers) {
    if (headers != DecodeResult.OK || !transport.isMrc()) {
      return false;
    }
    if (icrc == IcrcState.GOOD) {
      return true;
    }
    boolean reservedClear = data.get(bth + 4) == 0 && (data.get(bth + 8) & 0xf) == 0;
    return reservedClear && Bth.P_KEY.read(data, bth) == DEFAULT_P_KEY;
  }

  private void judge(DecodeResult headers, boolean whole, boolean trimmed, int end, int missing) {
    boolean mayBeShort = hasBth && trimmed || cutByCapture;
    if (headers != DecodeResult.OK && !(headers == DecodeResult.TRUNCATED && mayBeShort)) {
      error = headers;
      return;
    }
    if (!whole) {
      if (!mayBeShort) {
        error = missing > 0 ? DecodeResult.TRUNCATED : DecodeResult.BAD_LENGTH;
      }
      return;
    }
    int payload = end - transport.payloadStart() - Icrc.BYTES - padCount();
    boolean unexpected = payload > 0 && transport.isMrc() && !Opcode.isWrite(transport.opcode());
    if (payload < 0 || unexpected) {
      error = DecodeResult.BAD_LENGTH;
      return;
    }
    payloadBytes = payload;
    if (icrc == IcrcState.BAD) {
      error = DecodeResult.BAD_ICRC;
    } else if (transport.opcode() == Opcode.SACK
        && Seth.MARK.read(data, transport.start(0)) == Mark.RESERVED) {
      error = DecodeResult.RESERVED_VALUE;
    }
  }

  /** Number of the frame in its capture, from 1. */
  public long number() {
    return number;
  }

  /** Whether the capture tells a time. */
  public boolean isTimed() {
    return timed;
  }

  /** Nanoseconds since 1970. */
  public long timeNs() {
    return timeNs;
  }

  /** Name of the interface, or its number where it has none. */
  public String interfaceName() {
    return interfaceName;
  }

  /** Whether addresses are known. */
  public boolean hasIp() {
    return hasIp;
  }

  /** Whether the UDP header is known. */
  public boolean hasUdp() {
    return hasUdp;
  }

  /** Whether BTH is known. */
  public boolean hasBth() {
    return hasBth;
  }

  /** Whether an outer IPv6 header (SRv6) is around the packet. */
  public boolean isTunnelled() {
    return tunnelled;
  }

  /** The outer header of a tunnelled packet. */
  public IpView outer() {
    return outer;
  }

  /** The header that carries UDP. */
  public IpView ip() {
    return ip;
  }

  /** The headers after BTH. */
  public TransportView transport() {
    return transport;
  }

  /** The captured bytes. */
  public ByteBuffer data() {
    return data;
  }

  /** Where BTH begins. */
  public int bthStart() {
    return udp + Udp.BYTES;
  }

  /** Payload bytes, or −1 where that cannot be told. */
  public int payloadBytes() {
    return payloadBytes;
  }

  /** What is wrong, or null. */
  public @Nullable DecodeResult error() {
    return error;
  }

  /** What is known about the ICRC. */
  public IcrcState icrc() {
    return icrc;
  }

  /**
   * Whether a wrong ICRC is right for IPv4 identification 0: what endpoints over plain sockets
   * compute, since their kernel chooses the identification.
   */
  public boolean isGoodForIdentificationZero() {
    return goodForIdentificationZero;
  }

  /** Entropy value: flow label bits 15:0 and UDP source port. */
  public int ev() {
    return ip.flowLabel() << 16 | srcPort();
  }

  /** UDP source port. */
  public int srcPort() {
    return Udp.sourcePort(data, udp);
  }

  /** UDP destination port. */
  public int dstPort() {
    return Udp.destinationPort(data, udp);
  }

  /** Length in the UDP header. */
  public int udpLength() {
    return Udp.length(data, udp);
  }

  private int padCount() {
    return Bth.PAD_COUNT.readInt(data, bthStart());
  }

  /** A field of BTH; only when {@link #hasBth()}. */
  public int bth(Field field) {
    return field.readInt(data, bthStart());
  }

  /** Looks for a number by its name; {@link #found()} then has it. */
  public boolean find(String name) {
    if (name.equals("frame")) {
      return found(number);
    }
    if (tunnelled && name.equals("outerDscp")) {
      return found(outer.dscp());
    }
    if (tunnelled && name.equals("outerEcn")) {
      return found(outer.ecn());
    }
    if (hasIp && name.equals("dscp")) {
      return found(ip.dscp());
    }
    if (hasIp && name.equals("ecn")) {
      return found(ip.ecn());
    }
    return hasUdp && findInUdp(name) || hasBth && findInTransport(name);
  }

  private boolean findInUdp(String name) {
    return switch (name) {
      case "ev" -> found(ev() & 0xffff_ffffL);
      case "srcPort" -> found(srcPort());
      case "dstPort" -> found(dstPort());
      case "udpLength" -> found(udpLength());
      case "payloadLength" -> payloadBytes >= 0 && found(payloadBytes);
      default -> false;
    };
  }

  private boolean findInTransport(String name) {
    if (findIn(Bth.HEADER, bthStart(), name)) {
      return true;
    }
    for (int i = 0; i < transport.count(); i++) {
      if (findIn(transport.header(i), transport.start(i), name)) {
        return true;
      }
    }
    return false;
  }

  private boolean findIn(Header header, int at, String name) {
    for (Field f : header.fields()) {
      if (f.name().equals(name)) {
        return found(f.read(data, at));
      }
    }
    return false;
  }

  private boolean found(long value) {
    found = value;
    return true;
  }

  /** The number that {@link #find} found. */
  public long found() {
    return found;
  }
}
