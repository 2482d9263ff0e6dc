package io.anabranch.tools.transfer;

import io.anabranch.engine.QpSnapshot;
import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.net.loop.LoopStats;
import io.anabranch.net.socket.Addresses;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * What one side of a transfer has carried.
 *
 * @param dataPackets data packets it sent, copies included
 * @param retransmitted copies among them
 * @param loopGapNs longest time that its sockets were not looked at
 * @param planes what each plane carried, plane 1 first
 */
public record Traffic(long dataPackets, long retransmitted, long loopGapNs, List<Plane> planes) {
  /** Nothing yet. */
  public static final Traffic NONE = new Traffic(0, 0, 0, List.of());

  /** Copies the list. */
  public Traffic {
    planes = List.copyOf(planes);
  }

  /**
   * One plane.
   *
   * @param address its local end
   * @param usable whether every queue pair may use it
   * @param dataPackets data packets sent on it
   * @param packetsSent packets of every kind
   * @param packetsReceived packets of every kind
   * @param bytesReceived their UDP payload
   */
  public record Plane(
      String address,
      boolean usable,
      long dataPackets,
      long packetsSent,
      long packetsReceived,
      long bytesReceived) {}

  static Traffic of(List<PlaneAddress> addresses, LoopStats stats, List<QpSnapshot> snapshots) {
    List<Plane> planes = new ArrayList<>();
    for (int p = 0; p < addresses.size(); p++) {
      PlaneAddress at = addresses.get(p);
      long data = 0;
      boolean usable = stats.ports().get(p).up();
      for (QpSnapshot qp : snapshots) {
        // The peer may have fewer planes.
        if (p < qp.planes().size()) {
          data += qp.planes().get(p).packetsSent();
          usable &= qp.planes().get(p).usable();
        }
      }
      LoopStats.Port port = stats.ports().get(p);
      planes.add(
          new Plane(
              HostPort.show(new InetSocketAddress(Addresses.of(at.hi(), at.lo()), at.udpPort())),
              usable,
              data,
              port.packetsSent(),
              port.packetsReceived(),
              port.bytesReceived()));
    }
    return new Traffic(
        snapshots.stream().mapToLong(QpSnapshot::packetsSent).sum(),
        snapshots.stream().mapToLong(QpSnapshot::retransmitted).sum(),
        stats.loopGapNsMax(),
        planes);
  }
}
