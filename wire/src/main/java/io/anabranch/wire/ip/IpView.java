package io.anabranch.wire.ip;

import java.nio.ByteBuffer;

/**
 * One IP header over bytes, with its IPv4 options or IPv6 extension headers: reusable, allocates
 * nothing. {@link #wrap} checks once what all accessors need.
 */
public final class IpView {
  /** What {@link #wrap} found. */
  public enum Status {
    /** Readable up to the upper-layer header. */
    OK,
    /** Ends within the header or its extensions. */
    TRUNCATED,
    /** Not IP, or lengths that contradict each other. */
    BAD_HEADER,
    /** A fragment; addresses are readable. */
    FRAGMENT
  }

  private static final int SRH_TYPE = 4;

  private ByteBuffer in = ByteBuffer.allocate(0);
  private int at;
  private int version;
  private int end;
  private int limit;
  private int upper;
  private int upperAt;
  private int srhAt;

  /** A view over nothing; {@link #wrap} comes first. */
  public IpView() {}

  /**
   * Looks at the header at {@code at}; bytes from {@code limit} on are not there.
   *
   * <p>After anything but {@link Status#OK} and {@link Status#FRAGMENT} no other accessor may be
   * called.
   */
  public Status wrap(ByteBuffer in, int at, int limit) {
    this.in = in;
    this.at = at;
    this.limit = limit;
    srhAt = -1;
    if (at >= limit) {
      return Status.TRUNCATED;
    }
    version = in.get(at) >> 4 & 0xf;
    return switch (version) {
      case 4 -> wrap4();
      case 6 -> wrap6();
      default -> Status.BAD_HEADER;
    };
  }

  private Status wrap4() {
    if (limit - at < Ip4.BYTES) {
      return Status.TRUNCATED;
    }
    int header = 4 * (in.get(at) & 0xf);
    int total = in.getShort(at + Ip4.TOTAL_LENGTH) & 0xffff;
    if (header < Ip4.BYTES || total < header) {
      return Status.BAD_HEADER;
    }
    if (limit - at < header) {
      return Status.TRUNCATED;
    }
    end = at + total;
    upper = in.get(at + Ip4.PROTOCOL) & 0xff;
    upperAt = at + header;
    boolean fragment = (in.getShort(at + Ip4.FLAGS) & Ip4.FRAGMENTED) != 0;
    return fragment ? Status.FRAGMENT : Status.OK;
  }

  private Status wrap6() {
    if (limit - at < Ip6.BYTES) {
      return Status.TRUNCATED;
    }
    end = at + Ip6.BYTES + (in.getShort(at + Ip6.PAYLOAD_LENGTH) & 0xffff);
    upper = in.get(at + Ip6.NEXT_HEADER) & 0xff;
    upperAt = at + Ip6.BYTES;
    while (isExtension(upper)) {
      // Each turn moves on by 8 bytes at least, so the packet's length bounds the loop.
      if (Math.min(limit, end) - upperAt < 8) {
        return Status.TRUNCATED;
      }
      if (upper == Protocol.FRAGMENT) {
        boolean whole = (in.getShort(upperAt + 2) & 0xfff9) == 0;
        if (!whole) {
          return Status.FRAGMENT;
        }
        upper = in.get(upperAt) & 0xff;
        upperAt += 8;
        continue;
      }
      int bytes = 8 * ((in.get(upperAt + 1) & 0xff) + 1);
      if (Math.min(limit, end) - upperAt < bytes) {
        return Status.TRUNCATED;
      }
      if (upper == Protocol.ROUTING && srhAt < 0 && in.get(upperAt + 2) == SRH_TYPE) {
        srhAt = upperAt;
      }
      upper = in.get(upperAt) & 0xff;
      upperAt += bytes;
    }
    return Status.OK;
  }

  private static boolean isExtension(int next) {
    return next == Protocol.HOP_BY_HOP
        || next == Protocol.ROUTING
        || next == Protocol.FRAGMENT
        || next == Protocol.DESTINATION_OPTIONS;
  }

  /** 4 or 6. */
  public int version() {
    return version;
  }

  /** Where this header begins. */
  public int start() {
    return at;
  }

  /** Where the packet ends by its own length; beyond {@link #limit()} when it was cut. */
  public int end() {
    return end;
  }

  /** Where the bytes at hand end: the smaller of {@link #end()} and what was given. */
  public int limit() {
    return Math.min(limit, end);
  }

  /** Whether bytes that the header tells of are missing. */
  public boolean isCut() {
    return end > limit;
  }

  /** Protocol number of what follows. */
  public int upper() {
    return upper;
  }

  /** Where the upper-layer header begins. */
  public int upperStart() {
    return upperAt;
  }

  /** Where the first segment routing header begins, or −1. */
  public int srhStart() {
    return srhAt;
  }

  /** DSCP, 6 bits. */
  public int dscp() {
    return trafficClass() >> 2;
  }

  /** ECN, 2 bits. */
  public int ecn() {
    return trafficClass() & 3;
  }

  private int trafficClass() {
    return version == 4 ? in.get(at + Ip4.TRAFFIC_CLASS) & 0xff : in.getInt(at) >>> 20 & 0xff;
  }

  /** IPv6 flow label, 20 bits; 0 for IPv4. */
  public int flowLabel() {
    return version == 4 ? 0 : in.getInt(at) & 0xf_ffff;
  }

  /** Hop limit or TTL. */
  public int hopLimit() {
    return in.get(at + (version == 4 ? Ip4.TTL : Ip6.HOP_LIMIT)) & 0xff;
  }

  /** IPv4 identification; 0 for IPv6. */
  public int identification() {
    return version == 4 ? in.getShort(at + Ip4.IDENTIFICATION) & 0xffff : 0;
  }

  /** High 64 bits of the source; IPv4 is IPv4-mapped. */
  public long srcHi() {
    return version == 4 ? 0 : in.getLong(at + Ip6.SOURCE);
  }

  /** Low 64 bits of the source; IPv4 is IPv4-mapped. */
  public long srcLo() {
    return version == 4 ? mapped(in.getInt(at + Ip4.SOURCE)) : in.getLong(at + Ip6.SOURCE + 8);
  }

  /** High 64 bits of the destination; IPv4 is IPv4-mapped. */
  public long dstHi() {
    return version == 4 ? 0 : in.getLong(at + Ip6.DESTINATION);
  }

  /** Low 64 bits of the destination; IPv4 is IPv4-mapped. */
  public long dstLo() {
    return version == 4
        ? mapped(in.getInt(at + Ip4.DESTINATION))
        : in.getLong(at + Ip6.DESTINATION + 8);
  }

  /** Source address as a value. */
  public Address src() {
    return new Address(srcHi(), srcLo());
  }

  /** Destination address as a value. */
  public Address dst() {
    return new Address(dstHi(), dstLo());
  }

  private static long mapped(int address) {
    return 0xffffL << 32 | (address & 0xffff_ffffL);
  }
}
