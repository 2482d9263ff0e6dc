package io.anabranch.fabric;

import java.nio.ByteBuffer;
import java.util.List;

/** Takes packets as they pass ports, as bytes. */
@FunctionalInterface
public interface PacketTap {
  /**
   * Where packets are taken.
   *
   * @param link its number in the wiring
   * @param arriving where the link ends, as a host takes the packet in; false = where it begins, as
   *     the packet's first bit leaves
   */
  record Point(int link, boolean arriving) {}

  /**
   * What to take.
   *
   * @param points each with a number, its place in this list
   * @param tap takes the packets
   */
  record Taps(List<Point> points, PacketTap tap) {
    /** Copies the list. */
    public Taps {
      points = List.copyOf(points);
    }
  }

  /**
   * A packet passes.
   *
   * @param point the number of the point
   * @param nowPs simulated time
   * @param packet from the IP header on, between position and limit; only for the time of the call
   */
  void packet(int point, long nowPs, ByteBuffer packet);
}
