package io.anabranch.net.socket;

import io.anabranch.engine.config.Check;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What bare DatagramChannels move over loopback, to compare a transfer with: the same sockets (one
 * receiving a plane, several connected ones sending), packets of the same size, one thread that
 * sends and one that receives, and nothing else: no headers, no checksum, no acknowledgement, no
 * copy beyond the system's. A counter in memory keeps the sender from overrunning the receiver.
 */
public final class BareLoopback {
  private static final int WINDOW_PACKETS = 512;
  private static final int BUFFER_BYTES = 16 << 20;
  private static final int BURST = 32;
  private static final long WRITE_OFF_NS = 500_000_000;

  private final List<DatagramChannel> receivers = new ArrayList<>();
  private final List<DatagramChannel> senders = new ArrayList<>();
  private final int packetBytes;
  private final long durationNs;
  private volatile long receivedPackets;
  private volatile long sentPackets;
  private volatile boolean done;

  /**
   * What was moved.
   *
   * @param packets packets received
   * @param bytes their UDP payload
   * @param lost packets sent and not received
   * @param elapsedNs time taken
   */
  public record Result(long packets, long bytes, long lost, long elapsedNs) {
    /** Bytes a second. */
    public double bytesPerSecond() {
      return bytes * 1e9 / elapsedNs;
    }
  }

  private BareLoopback(int packetBytes, long durationNs) {
    this.packetBytes = packetBytes;
    this.durationNs = durationNs;
  }

  /**
   * Moves packets for a while.
   *
   * @param address an address of this host that only this host reaches
   * @param planes receiving sockets, 1 … 32
   * @param socketsPerPlane sending sockets of each, 1 … 256
   * @param packetBytes UDP payload of a packet, 1 … 65000
   * @param durationNs how long, 1 ms … 1 min
   */
  public static Result run(
      InetAddress address, int planes, int socketsPerPlane, int packetBytes, long durationNs)
      throws IOException, InterruptedException {
    Check.range("planes", planes, 1, 32);
    Check.range("socketsPerPlane", socketsPerPlane, 1, 256);
    Check.range("packetBytes", packetBytes, 1, 65_000);
    Check.range("durationNs", durationNs, 1_000_000, 60_000_000_000L);
    BareLoopback bare = new BareLoopback(packetBytes, durationNs);
    try {
      bare.open(address, planes, socketsPerPlane);
      long startNs = System.nanoTime();
      AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
      Thread receiver = bare.thread("bare-receive", bare::receive, failure);
      Thread sender = bare.thread("bare-send", bare::send, failure);
      sender.join();
      bare.done = true;
      receiver.join();
      Throwable why = failure.get();
      if (why != null) {
        throw new IOException("bare loopback: " + why.getMessage(), why);
      }
      long elapsedNs = System.nanoTime() - startNs;
      long packets = bare.receivedPackets;
      long lost = bare.sentPackets - packets;
      return new Result(packets, packets * packetBytes, lost, elapsedNs);
    } finally {
      for (DatagramChannel channel : bare.senders) {
        channel.close();
      }
      for (DatagramChannel channel : bare.receivers) {
        channel.close();
      }
    }
  }

  private void open(InetAddress address, int planes, int socketsPerPlane) throws IOException {
    ProtocolFamily family =
        address instanceof Inet4Address
            ? StandardProtocolFamily.INET
            : StandardProtocolFamily.INET6;
    for (int p = 0; p < planes; p++) {
      DatagramChannel receiver = DatagramChannel.open(family);
      receivers.add(receiver);
      receiver.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER_BYTES);
      receiver.bind(new InetSocketAddress(address, 0));
      receiver.configureBlocking(false);
    }
    for (int i = 0; i < planes * socketsPerPlane; i++) {
      DatagramChannel sender = DatagramChannel.open(family);
      senders.add(sender);
      sender.bind(new InetSocketAddress(address, 0));
      sender.connect(receivers.get(i % planes).getLocalAddress());
      sender.configureBlocking(false);
    }
  }

  private Thread thread(String name, Runnable work, AtomicReference<@Nullable Throwable> failure) {
    return Thread.ofPlatform()
        .daemon()
        .name(name)
        .start(() -> {
          try {
            work.run();
          } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
            done = true;
          }
        });
  }

  private void send() {
    ByteBuffer packet = ByteBuffer.allocateDirect(packetBytes);
    long sent = 0;
    int next = 0;
    long waitSinceNs = 0;
    long writtenOff = 0;
    long endNs = System.nanoTime() + durationNs;
    try {
      for (long nowNs = 0; nowNs < endNs && !done; nowNs = System.nanoTime()) {
        if (sent - receivedPackets - writtenOff >= WINDOW_PACKETS) {
          waitSinceNs = waitSinceNs == 0 ? nowNs : waitSinceNs;
          if (nowNs - waitSinceNs > WRITE_OFF_NS) {
            // Lost, since the system granted less than asked for: they no longer count.
            writtenOff = sent - receivedPackets;
          }
          Thread.onSpinWait();
          continue;
        }
        waitSinceNs = 0;
        packet.clear();
        if (senders.get(next).write(packet) > 0) {
          sentPackets = ++sent;
          next = next + 1 == senders.size() ? 0 : next + 1;
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void receive() {
    ByteBuffer packet = ByteBuffer.allocateDirect(packetBytes + 1);
    long received = 0;
    try {
      while (!done || received < sentPackets) {
        boolean last = done;
        long before = received;
        for (DatagramChannel receiver : receivers) {
          for (int i = 0; i < BURST; i++) {
            packet.clear();
            if (receiver.receive(packet) == null) {
              break;
            }
            received++;
          }
          receivedPackets = received;
        }
        if (received == before) {
          if (last) {
            // Loopback delivers at once: what is not here by now is lost.
            return;
          }
          Thread.onSpinWait();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
