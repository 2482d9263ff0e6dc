package io.anabranch.wire.srv6;

import io.anabranch.wire.ip.Address;
import io.anabranch.wire.ip.Ip6;
import io.anabranch.wire.ip.IpView;
import io.anabranch.wire.ip.Protocol;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** What sources and segment endpoints do with packets (RFC 8986, RFC 9800). */
public final class Srv6 {
  private static final int ECT_CE = 3;

  private Srv6() {}

  /**
   * Writes {@code inner} wrapped in an outer IPv6 header towards {@code path}, with the inner
   * traffic class copied and flow label 0.
   *
   * @param inner a whole IPv6 packet between position and limit, which stay
   * @param source the NIC port's own address
   * @param path first container: the outer destination
   * @param further second container, carried in a one-segment SRH; null for none
   * @param out written from its position, which moves behind the packet
   * @return bytes written
   */
  public static int encapsulate(
      ByteBuffer inner,
      Address source,
      UsidContainer path,
      @Nullable UsidContainer further,
      int hopLimit,
      ByteBuffer out) {
    int start = out.position();
    int bytes = inner.remaining();
    int trafficClass = inner.getInt(inner.position()) >>> 20 & 0xff;
    Srh srh = further == null ? null : Srh.oneSegment(further);
    int payload = bytes + (srh == null ? 0 : srh.bytes());
    Ip6.write(
        out,
        trafficClass,
        0,
        srh == null ? Protocol.IP6_IN_IP6 : Protocol.ROUTING,
        hopLimit,
        source.hi(),
        source.lo(),
        path.hi(),
        path.lo(),
        payload);
    if (srh != null) {
      srh.write(out);
    }
    int at = out.position();
    out.put(at, inner, inner.position(), bytes);
    out.position(at + bytes);
    return out.position() - start;
  }

  /**
   * What the endpoint of the active uSID does to a packet that goes on, in place: shifts the uSIDs;
   * after the last one of a container, takes the next segment from the SRH.
   *
   * @param outer the packet's outer header
   * @return false when the path ends here and the packet is to be decapsulated; then nothing
   *     changed
   */
  public static boolean advance(ByteBuffer packet, IpView outer) {
    UsidContainer now = new UsidContainer(outer.dstHi(), outer.dstLo());
    UsidContainer next = now.shifted();
    if (next.count() == 0) {
      int srh = outer.srhStart();
      int left = srh < 0 ? 0 : packet.get(srh + Srh.SEGMENTS_LEFT_OFFSET) & 0xff;
      if (left == 0) {
        return false;
      }
      int segment = srh + Srh.FIXED_BYTES + Srh.SEGMENT_BYTES * (left - 1);
      if (segment + Srh.SEGMENT_BYTES > outer.upperStart()) {
        return false;
      }
      next = new UsidContainer(packet.getLong(segment), packet.getLong(segment + 8));
      packet.put(srh + Srh.SEGMENTS_LEFT_OFFSET, (byte) (left - 1));
    }
    int destination = outer.start() + Ip6.DESTINATION;
    packet.putLong(destination, next.hi()).putLong(destination + 8, next.lo());
    return true;
  }

  /**
   * Takes the outer header off, in place: a congestion mark on it moves to an inner header that
   * allows one (RFC 6040).
   *
   * @return where the inner packet begins, or −1 when there is none
   */
  public static int decapsulate(ByteBuffer packet, IpView outer) {
    int inner = outer.upperStart();
    if (outer.upper() != Protocol.IP6_IN_IP6 || outer.limit() - inner < Ip6.BYTES) {
      return -1;
    }
    int first = packet.getInt(inner);
    if (outer.ecn() == ECT_CE && (first >>> 20 & 3) != 0) {
      packet.putInt(inner, first | ECT_CE << 20);
    }
    return inner;
  }
}
