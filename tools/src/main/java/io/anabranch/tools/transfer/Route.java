package io.anabranch.tools.transfer;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.util.Collections;
import java.util.List;

/** Which address of this host leads to another. */
final class Route {
  private Route() {}

  /** The planes that the user named, or else the default number of them by the way to a peer. */
  static List<InetAddress> planes(List<InetAddress> named, InetSocketAddress peer)
      throws TransferException {
    return named.isEmpty()
        ? Collections.nCopies(TransferEndpoint.DEFAULT_PLANES, localAddress(peer))
        : named;
  }

  /** The local address that packets to a peer have; sends none. */
  static InetAddress localAddress(InetSocketAddress peer) throws TransferException {
    try (DatagramChannel channel = DatagramChannel.open(family(peer.getAddress()))) {
      channel.connect(peer);
      return ((InetSocketAddress) channel.getLocalAddress()).getAddress();
    } catch (IOException e) {
      throw new TransferException("no way to " + HostPort.show(peer) + ": " + e.getMessage(), e);
    }
  }

  private static ProtocolFamily family(InetAddress address) {
    return address instanceof Inet4Address
        ? StandardProtocolFamily.INET
        : StandardProtocolFamily.INET6;
  }
}
