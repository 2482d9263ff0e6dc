package io.anabranch.net.socket;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.PortUnreachableException;
import java.net.ProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/**
 * One EV to one peer on one plane: a socket whose source port is the EV's low half. Connected,
 * since then the system looks up the route once and not for every packet.
 */
final class SendSocket {
  /** What became of a packet. */
  enum Result {
    SENT,
    /** The system's queue is full; offer it again. */
    FULL,
    /** Refused on the way or too long: gone, as if lost. */
    LOST
  }

  private static final int MIN_RECEIVE_BUFFER_BYTES = 4096;

  private final DatagramChannel channel;
  private final InetSocketAddress peer;
  private final int localPort;
  private boolean connected;

  /** Opens it; the way to the peer need not exist yet. */
  SendSocket(ProtocolFamily family, InetAddress local, InetSocketAddress peer, int sendBufferBytes)
      throws IOException {
    this.peer = peer;
    channel = DatagramChannel.open(family);
    try {
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.SO_SNDBUF, sendBufferBytes);
      // Nobody has a reason to send here; what comes would only take memory.
      channel.setOption(StandardSocketOptions.SO_RCVBUF, MIN_RECEIVE_BUFFER_BYTES);
      channel.bind(new InetSocketAddress(local, 0));
      localPort = ((InetSocketAddress) channel.getLocalAddress()).getPort();
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
    try {
      connect();
    } catch (IOException e) {
      // No route now: send tries again, and reports the port as failed until it works.
      connected = false;
    }
  }

  private void connect() throws IOException {
    channel.connect(peer);
    connected = true;
  }

  int localPort() {
    return localPort;
  }

  /** Sends a packet; an exception means that the port failed. */
  Result send(ByteBuffer packet) throws IOException {
    if (!connected) {
      connect();
    }
    // An earlier packet's ICMP answer is reported by the next call, which then has sent nothing.
    for (int attempt = 0; attempt < 3; attempt++) {
      try {
        return channel.write(packet) > 0 ? Result.SENT : Result.FULL;
      } catch (PortUnreachableException | NoRouteToHostException e) {
        packet.rewind();
      } catch (IOException e) {
        packet.rewind();
        return classify(e);
      }
    }
    return Result.LOST;
  }

  /** The system says what went wrong in words only. */
  private static Result classify(IOException e) throws IOException {
    String text = String.valueOf(e.getMessage());
    if (text.contains("No buffer space") || text.contains("Cannot allocate memory")) {
      return Result.FULL;
    }
    if (text.contains("Message too long")) {
      return Result.LOST;
    }
    throw e;
  }

  void close() {
    try {
      channel.close();
    } catch (IOException e) {
      // Nothing is buffered in it, and there is nothing else to free.
      connected = false;
    }
  }
}
