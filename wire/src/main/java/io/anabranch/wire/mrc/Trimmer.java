package io.anabranch.wire.mrc;

import io.anabranch.wire.ib.Bth;
import io.anabranch.wire.ip.Ip4;
import io.anabranch.wire.ip.Ip6;
import io.anabranch.wire.ip.IpView;
import io.anabranch.wire.ip.Protocol;
import io.anabranch.wire.ip.Udp;
import java.nio.ByteBuffer;

/**
 * What a switch does to a data packet whose queue is full: cuts it after its transport headers,
 * corrects the IP length, leaves the UDP length as sent, rewrites the DSCP and keeps an ECN mark.
 * With SRv6 both IP headers are corrected. Holds two views: one object a thread of use.
 */
public final class Trimmer {
  private final DscpMap dscpMap;
  private final IpView outer = new IpView();
  private final IpView inner = new IpView();

  /** A trimmer for the classes of {@code dscpMap}. */
  public Trimmer(DscpMap dscpMap) {
    this.dscpMap = dscpMap;
  }

  /**
   * Trims the packet between position and limit in place; the position stays, the limit moves to
   * the new end.
   *
   * @param lastHop whether the egress leads to the receiver
   * @return false when the packet may not be trimmed (its DSCP does not say so, or it is not
   *     MRC's); then nothing changed
   */
  public boolean trim(ByteBuffer packet, boolean lastHop) {
    if (outer.wrap(packet, packet.position(), packet.limit()) != IpView.Status.OK
        || outer.isCut()
        || !mayTrim(outer.dscp())) {
      return false;
    }
    boolean tunnel = outer.upper() == Protocol.IP6_IN_IP6;
    int at = tunnel ? outer.upperStart() : outer.start();
    if (inner.wrap(packet, at, outer.limit()) != IpView.Status.OK
        || inner.isCut()
        || inner.upper() != Protocol.UDP) {
      return false;
    }
    int bth = inner.upperStart() + Udp.BYTES;
    if (inner.limit() - bth < Bth.BYTES) {
      return false;
    }
    boolean timestamped = Bth.TS.read(packet, bth) != 0;
    int extension = Opcode.extensionBytes(Bth.OPCODE.readInt(packet, bth), timestamped);
    int end = bth + Bth.BYTES + extension;
    if (extension < 0 || end > inner.limit()) {
      return false;
    }
    int dscp = lastHop ? dscpMap.trimmedLastHop() : dscpMap.trimmed();
    rewrite(packet, inner, dscp, end);
    if (tunnel) {
      rewrite(packet, outer, dscp, end);
    }
    packet.limit(end);
    return true;
  }

  private boolean mayTrim(int dscp) {
    return dscp == dscpMap.trimmable() || dscp == dscpMap.trimmableRetx();
  }

  private static void rewrite(ByteBuffer packet, IpView ip, int dscp, int end) {
    if (ip.version() == 4) {
      Ip4.rewrite(packet, ip.start(), dscp, end - ip.start());
    } else {
      Ip6.rewrite(packet, ip.start(), dscp, end - ip.start() - Ip6.BYTES);
    }
  }
}
