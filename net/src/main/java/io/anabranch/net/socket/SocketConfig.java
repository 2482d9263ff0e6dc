package io.anabranch.net.socket;

import io.anabranch.engine.config.Check;
import io.anabranch.wire.mrc.DscpMap;
import java.net.InetAddress;
import java.util.List;

/**
 * How to open sockets.
 *
 * @param addresses local address of each plane, 1 … 32 of them; planes may share one, but all are
 *     of one family. A wildcard is refused: the ICRC covers the address
 * @param udpPort UDP port wished for the first plane of an address, the next planes of the same
 *     address follow on; a port that is taken is replaced by a free one, which the exchange tells
 *     the peer. 0: any free ports. 0 … 65504
 * @param receiveBufferBytes SO_RCVBUF to ask for, each plane; the system grants less where its
 *     limit (net.core.rmem_max) is lower. 64 KiB … 1 GiB
 * @param sendBufferBytes SO_SNDBUF to ask for, each sending socket. 64 KiB … 1 GiB
 * @param maxMtuBytes path MTU never exceeds, 256 … 8192; 4096 by default, since larger packets take
 *     disproportionate buffer space
 * @param dscp traffic classes that packets are taken to have
 */
public record SocketConfig(
    List<InetAddress> addresses,
    int udpPort,
    int receiveBufferBytes,
    int sendBufferBytes,
    int maxMtuBytes,
    DscpMap dscp) {
  /** RoCEv2's port. */
  public static final int DEFAULT_UDP_PORT = 4791;

  /** Checks ranges, and that addresses are of one family and none is a wildcard. */
  public SocketConfig {
    addresses = List.copyOf(addresses);
    Check.range("addresses.size", addresses.size(), 1, 32);
    Class<?> family = addresses.getFirst().getClass();
    for (InetAddress address : addresses) {
      if (address.isAnyLocalAddress() || address.isMulticastAddress()) {
        throw new IllegalArgumentException(
            "addresses: " + address.getHostAddress() + ", allowed: addresses of one interface");
      }
      if (address.getClass() != family) {
        throw new IllegalArgumentException(
            "addresses: "
                + address.getHostAddress()
                + ", allowed: one family for all planes, as "
                + addresses.getFirst().getHostAddress());
      }
    }
    Check.range("udpPort", udpPort, 0, 65504);
    Check.range("receiveBufferBytes", receiveBufferBytes, 1 << 16, 1 << 30);
    Check.range("sendBufferBytes", sendBufferBytes, 1 << 16, 1 << 30);
    Check.range("maxMtuBytes", maxMtuBytes, 256, 8192);
  }

  /** Defaults: port 4791, 16 MiB to receive and 512 KiB to send if granted, 4096-byte packets. */
  public static SocketConfig of(List<InetAddress> addresses) {
    return new SocketConfig(
        addresses, DEFAULT_UDP_PORT, 16 << 20, 512 << 10, 4096, DscpMap.DEFAULT);
  }

  /** The same with another {@link #udpPort}. */
  public SocketConfig withUdpPort(int port) {
    return new SocketConfig(
        addresses, port, receiveBufferBytes, sendBufferBytes, maxMtuBytes, dscp);
  }

  /** The same with another {@link #maxMtuBytes}. */
  public SocketConfig withMaxMtuBytes(int bytes) {
    return new SocketConfig(addresses, udpPort, receiveBufferBytes, sendBufferBytes, bytes, dscp);
  }

  /** The same with another {@link #receiveBufferBytes}. */
  public SocketConfig withReceiveBufferBytes(int bytes) {
    return new SocketConfig(addresses, udpPort, bytes, sendBufferBytes, maxMtuBytes, dscp);
  }
}
