package io.anabranch.fabric;

import io.anabranch.fabric.event.EventQueue;
import io.anabranch.fabric.link.DropCause;
import io.anabranch.fabric.link.Packets;
import io.anabranch.fabric.link.PortWatch;
import io.anabranch.wire.ip.Address;
import io.anabranch.wire.ip.Ip6;
import io.anabranch.wire.mrc.DscpMap;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.FrameCodec;
import io.anabranch.wire.srv6.Srh;
import io.anabranch.wire.srv6.Srv6;
import io.anabranch.wire.srv6.UsidContainer;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the packets that pass some ports, with a payload of zeros. On the outer header where
 * there is one, else on the only one, each switch has lowered the hop limit by one, and marks
 * stand.
 */
final class TapWatch implements PortWatch {
  private static final int MAX_PACKET_BYTES = 16384;
  private static final int FIRST_CAPACITY = 1024;
  private static final int ECT_0 = 2;
  private static final int CE = 3;
  private static final int ECN_SHIFT = 20;

  private final PacketTap.Taps taps;
  private final EventQueue events;
  private final Packets packets;
  private final boolean srv6;
  private final IntPredicate fromHost;
  private final @Nullable PortWatch next;
  private final FrameCodec codec = new FrameCodec(DscpMap.DEFAULT);
  private final Frame view = new Frame();
  private final Frame frame = new Frame();
  private final ByteBuffer payload = ByteBuffer.allocate(MAX_PACKET_BYTES);
  private final ByteBuffer inner = ByteBuffer.allocate(MAX_PACKET_BYTES);
  private final ByteBuffer outer = ByteBuffer.allocate(MAX_PACKET_BYTES);

  /** How many switches each packet has passed. */
  private byte[] switches = new byte[FIRST_CAPACITY];

  /**
   * @param fromHost whether a link begins at a host
   * @param srv6 whether packets travel in an outer header towards their uSID container
   * @param next is told everything too; null = nobody
   */
  TapWatch(
      PacketTap.Taps taps,
      EventQueue events,
      Packets packets,
      IntPredicate fromHost,
      boolean srv6,
      @Nullable PortWatch next) {
    this.taps = taps;
    this.events = events;
    this.packets = packets;
    this.fromHost = fromHost;
    this.srv6 = srv6;
    this.next = next;
  }

  @Override
  public void queued(int link, int packet, boolean control, long queuedBytes) {
    if (next != null) {
      next.queued(link, packet, control, queuedBytes);
    }
  }

  @Override
  public void unqueued(int link, int packet) {
    if (next != null) {
      next.unqueued(link, packet);
    }
  }

  @Override
  public void started(int link, int packet, boolean waited, long nowPs, long endPs) {
    if (next != null) {
      next.started(link, packet, waited, nowPs, endPs);
    }
    if (packet >= switches.length) {
      switches = Arrays.copyOf(switches, Math.max(packet + 1, 2 * switches.length));
    }
    switches[packet] = fromHost.test(link) ? 0 : (byte) (switches[packet] + 1);
    take(link, false, packet, nowPs);
  }

  @Override
  public void delivered(int link, int packet) {
    if (next != null) {
      next.delivered(link, packet);
    }
    take(link, true, packet, events.nowPs());
  }

  @Override
  public void dropped(int packet, DropCause cause) {
    if (next != null) {
      next.dropped(packet, cause);
    }
  }

  @Override
  public void linkState(int link, boolean up, long nowPs) {
    if (next != null) {
      next.linkState(link, up, nowPs);
    }
  }

  @Override
  public void passed(int link, int packet) {
    if (next != null) {
      next.passed(link, packet);
    }
  }

  private void take(int link, boolean arriving, int packet, long nowPs) {
    List<PacketTap.Point> points = taps.points();
    for (int i = 0; i < points.size(); i++) {
      PacketTap.Point point = points.get(i);
      if (point.link() == link && point.arriving() == arriving) {
        taps.tap().packet(i, nowPs, encoded(packet));
      }
    }
  }

  private ByteBuffer encoded(int packet) {
    frame.copy(packets.wrap(view, packet));
    boolean marked = frame.ecn() == CE;
    if (marked && srv6) {
      frame.ecn(ECT_0);
    }
    payload.clear().limit(frame.trimmed() ? 0 : frame.payloadLength());
    inner.clear();
    codec.encodePacket(frame, payload, inner);
    inner.flip();
    int hopLimit = FrameCodec.HOP_LIMIT - switches[packet];
    if (!srv6) {
      inner.put(Ip6.HOP_LIMIT, (byte) hopLimit);
      return inner;
    }
    outer.clear();
    boolean srh = packets.srh();
    UsidContainer further =
        srh ? new UsidContainer(packets.srhHi(packet), packets.srhLo(packet)) : null;
    UsidContainer path = new UsidContainer(packets.segmentsHi(packet), packets.segmentsLo(packet));
    Address source = new Address(frame.srcHi(), frame.srcLo());
    Srv6.encapsulate(inner, source, path, further, hopLimit, outer);
    outer.flip();
    if (srh) {
      outer.put(Ip6.BYTES + Srh.SEGMENTS_LEFT_OFFSET, (byte) packets.segmentsLeft(packet));
    }
    if (marked) {
      outer.putInt(0, outer.getInt(0) | CE << ECN_SHIFT);
    }
    return outer;
  }
}
