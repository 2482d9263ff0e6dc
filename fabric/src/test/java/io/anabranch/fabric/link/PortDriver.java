package io.anabranch.fabric.link;

import io.anabranch.fabric.event.EventQueue;
import io.anabranch.wire.mrc.DscpMap;
import io.anabranch.wire.mrc.Frame;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Ports on their own: takes their events and keeps what reached the far ends. */
final class PortDriver {
  static final int TRIMMED_BYTES = 64;
  static final long RATE = 400_000_000_000L;

  /** At {@link #RATE}. */
  static final long PS_PER_BYTE = 20;

  static final long DELAY_PS = 1_000_000;

  /** A link from a host, one to a switch, one to a host. */
  static final int FROM_HOST = 0;

  static final int TO_SWITCH = 1;
  static final int TO_HOST = 2;

  /** A packet at the end of a link, as it was there. */
  record Arrival(int link, int packet, long atPs, int bytes, int flags, int dscp, int ecn) {}

  final EventQueue events = new EventQueue();
  final Packets packets = new Packets(false);
  final Ports ports;
  final List<Arrival> arrivals = new ArrayList<>();
  private final Frame frame = new Frame();

  PortDriver(QueueConfig queue) {
    this(RATE, queue, 1, null);
  }

  PortDriver(long rate, QueueConfig queue, long seed, @Nullable PortWatch watch) {
    LinkConfig link = new LinkConfig(rate, DELAY_PS);
    Ports.Kind[] kinds = {
      new Ports.Kind(link, null, false, 0, Integer.MAX_VALUE),
      new Ports.Kind(link, queue, false, 0, Integer.MAX_VALUE),
      new Ports.Kind(link, queue, true, 0, Integer.MAX_VALUE)
    };
    byte[] kindOf = {FROM_HOST, TO_SWITCH, TO_HOST};
    ports =
        new Ports(
            events, packets, kinds, kindOf, TRIMMED_BYTES, DscpMap.DEFAULT, seed, watch, null);
  }

  static QueueConfig queue(long dataBytes, long controlBytes, Overflow overflow, double arriving) {
    return new QueueConfig(dataBytes, controlBytes, null, overflow, arriving);
  }

  /** A data packet, ECT. */
  int data(int bytes) {
    return packet(bytes, Packets.DATA, 1);
  }

  int control(int bytes) {
    return packet(bytes, Packets.CONTROL, 0);
  }

  int packet(int bytes, int flags, int ecn) {
    int packet = packets.take();
    packets.wrap(frame, packet).clear();
    frame.ecn(ecn);
    packets.describe(packet, bytes, flags, 0, 0);
    return packet;
  }

  /** Takes all events before a time. */
  void runTo(long untilPs) {
    for (int target = events.take(untilPs); target >= 0; target = events.take(untilPs)) {
      if (target < Ports.ARRIVE) {
        ports.free(target, events.nowPs());
        continue;
      }
      int link = target - Ports.ARRIVE;
      int packet = ports.arrived(link);
      packets.wrap(frame, packet);
      arrivals.add(
          new Arrival(
              link,
              packet,
              events.nowPs(),
              packets.bytes(packet),
              packets.flags(packet),
              frame.dscp(),
              frame.ecn()));
      packets.release(packet);
    }
  }

  /** Takes all events there are; the packets that arrived, in order. */
  List<Integer> finish() {
    runTo(Long.MAX_VALUE / 2);
    return arrivals.stream().map(Arrival::packet).toList();
  }
}
