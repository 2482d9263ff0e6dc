package io.anabranch.net.socket;

import io.anabranch.engine.config.Check;
import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.net.device.Packet;
import io.anabranch.net.device.PacketIo;
import io.anabranch.net.device.PeerLink;
import io.anabranch.wire.mrc.DscpMap;
import io.anabranch.wire.mrc.Opcode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ProtocolFamily;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A device on plain UDP sockets. They hide DSCP, ECN, flow label and a trimmed packet's length, so
 * a packet that arrives is taken to have the class that its opcode is sent with and no mark;
 * BTH.FECN stands for an ECN mark, and a write that ends right after its headers, where a whole one
 * has at least an ICRC, for a trimmed packet: fault devices of the sending side make use of both.
 *
 * <p>An EV is the local port of a socket that is connected to one peer on one plane: 16 … 32 a
 * plane and peer are plenty. One thread sends and receives; links are made and closed by any.
 */
public final class SocketIo implements PacketIo {
  private static final int PORTS = 1 << 16;
  private static final int UDP_BYTES = 8;
  private static final long MILLISECOND_NS = 1_000_000;
  private static final long MAX_BLIND_SLEEP_NS = 50_000;

  private final SocketConfig config;
  private final boolean ipv4;
  private final Plane[] planes;
  private final Selector selector;
  private final int mtuBytes;
  private final long receiveBufferBytes;
  private final AtomicLong noSocket = new AtomicLong();
  private final AtomicLong lost = new AtomicLong();
  private volatile @Nullable Thread waiter;
  private volatile boolean woken;

  /** One port: its receiving socket, the sending sockets by local port, and the last source. */
  private static final class Plane {
    final InetAddress address;
    final NetworkInterface networkInterface;
    final DatagramChannel receiver;
    final PlaneAddress where;
    final @Nullable SendSocket[] senders = new SendSocket[PORTS];
    @Nullable InetAddress lastSource;
    long lastSourceHi;
    long lastSourceLo;

    Plane(InetAddress address, NetworkInterface networkInterface, DatagramChannel receiver)
        throws IOException {
      this.address = address;
      this.networkInterface = networkInterface;
      this.receiver = receiver;
      int udpPort = ((InetSocketAddress) receiver.getLocalAddress()).getPort();
      where = new PlaneAddress(Addresses.hi(address), Addresses.lo(address), udpPort);
    }
  }

  private SocketIo(SocketConfig config) throws IOException {
    this.config = config;
    ipv4 = config.addresses().getFirst() instanceof Inet4Address;
    planes = new Plane[config.addresses().size()];
    selector = Selector.open();
    try {
      int mtu = config.maxMtuBytes();
      for (int i = 0; i < planes.length; i++) {
        planes[i] = openPlane(i);
        mtu = Math.min(mtu, planeMtuBytes(i));
      }
      mtuBytes = Integer.highestOneBit(mtu);
      long granted = 0;
      for (Plane plane : planes) {
        int bytes = plane.receiver.getOption(StandardSocketOptions.SO_RCVBUF);
        granted += PathMtu.payloadBytes(bytes, mtuBytes, ipv4);
      }
      receiveBufferBytes = granted;
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Opens the receiving sockets.
   *
   * @throws IOException when an address is not this host's, an interface is too small for 256-byte
   *     packets, or there are no sockets left; it names the plane
   */
  public static SocketIo open(SocketConfig config) throws IOException {
    return new SocketIo(config);
  }

  private ProtocolFamily family() {
    return ipv4 ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6;
  }

  private Plane openPlane(int index) throws IOException {
    InetAddress address = config.addresses().get(index);
    DatagramChannel channel = DatagramChannel.open(family());
    try {
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.SO_RCVBUF, config.receiveBufferBytes());
      bind(channel, address, index);
      channel.register(selector, SelectionKey.OP_READ);
      return new Plane(address, interfaceOf(address), channel);
    } catch (IOException e) {
      channel.close();
      throw new IOException(
          "plane " + (index + 1) + ", " + address.getHostAddress() + ": " + e.getMessage(), e);
    }
  }

  private void bind(DatagramChannel channel, InetAddress address, int index) throws IOException {
    int port = config.udpPort();
    if (port != 0) {
      for (int i = 0; i < index; i++) {
        if (planes[i].address.equals(address)) {
          port++;
        }
      }
      try {
        channel.bind(new InetSocketAddress(address, port));
        return;
      } catch (BindException e) {
        // Taken, by another endpoint of this host: any other will do, the exchange tells it. An
        // address that is not of this host fails again below.
        port = 0;
      }
    }
    channel.bind(new InetSocketAddress(address, port));
  }

  private static NetworkInterface interfaceOf(InetAddress address) throws IOException {
    NetworkInterface found = NetworkInterface.getByInetAddress(address);
    if (found == null && address.isLoopbackAddress()) {
      // All of 127/8 is the loopback's, though it is configured with one address.
      found = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
      found = found == null ? NetworkInterface.getByName("lo") : found;
    }
    if (found == null) {
      throw new IOException("no interface has this address");
    }
    return found;
  }

  private int planeMtuBytes(int index) throws IOException {
    int interfaceMtu = planes[index].networkInterface.getMTU();
    int mtu = PathMtu.of(interfaceMtu, ipv4, config.maxMtuBytes());
    if (mtu == 0) {
      throw new IOException(
          "plane "
              + (index + 1)
              + ": interface MTU "
              + interfaceMtu
              + ", needed at least "
              + (256 + PathMtu.overheadBytes(ipv4)));
    }
    return mtu;
  }

  @Override
  public int ports() {
    return planes.length;
  }

  @Override
  public PlaneAddress address(int port) {
    return planes[port].where;
  }

  @Override
  public int mtuBytes() {
    return mtuBytes;
  }

  @Override
  public long receiveBufferBytes() {
    return receiveBufferBytes;
  }

  @Override
  public boolean isUp(int port) {
    try {
      return planes[port].networkInterface.isUp();
    } catch (SocketException e) {
      // The interface is gone.
      return false;
    }
  }

  @Override
  public PeerLink connect(List<PlaneAddress> peer, int evsPerPlane) throws IOException {
    Check.range("evsPerPlane", evsPerPlane, 1, 256);
    Check.range("planes.size", peer.size(), 1, 32);
    int used = Math.min(planes.length, peer.size());
    SendSocket[] sockets = new SendSocket[used * evsPerPlane];
    int[] evs = new int[sockets.length];
    int[] ports = new int[sockets.length];
    int opened = 0;
    try {
      for (int p = 0; p < used; p++) {
        InetSocketAddress remote = remote(p, peer.get(p));
        for (int i = 0; i < evsPerPlane; i++) {
          SendSocket socket =
              new SendSocket(family(), planes[p].address, remote, config.sendBufferBytes());
          sockets[opened] = socket;
          evs[opened] = socket.localPort();
          ports[opened++] = p;
        }
      }
    } catch (IOException | RuntimeException e) {
      for (int i = 0; i < opened; i++) {
        sockets[i].close();
      }
      throw e;
    }
    for (int i = 0; i < opened; i++) {
      // Seen by the sending thread before the EV is: the table travels to it through a queue.
      planes[ports[i]].senders[evs[i]] = sockets[i];
    }
    return new Link(sockets, new EvTable(evs, ports));
  }

  private InetSocketAddress remote(int port, PlaneAddress to) throws IOException {
    InetAddress local = planes[port].address;
    InetAddress address = Addresses.of(to.hi(), to.lo(), local);
    if (address instanceof Inet4Address != ipv4) {
      throw new IOException(
          "plane "
              + (port + 1)
              + ": peer has "
              + address.getHostAddress()
              + ", this side "
              + local.getHostAddress()
              + ": not of one family");
    }
    return new InetSocketAddress(address, to.udpPort());
  }

  /** The sockets to one peer. */
  private final class Link implements PeerLink {
    private final SendSocket[] sockets;
    private final EvTable evs;

    Link(SendSocket[] sockets, EvTable evs) {
      this.sockets = sockets;
      this.evs = evs;
    }

    @Override
    public EvTable evs() {
      return evs;
    }

    @Override
    public void close() {
      for (int i = 0; i < sockets.length; i++) {
        @Nullable SendSocket[] senders = planes[evs.port(i)].senders;
        // The port may already serve a newer link.
        if (senders[evs.ev(i)] == sockets[i]) {
          senders[evs.ev(i)] = null;
        }
        sockets[i].close();
      }
    }
  }

  @Override
  public boolean send(Packet packet, long nowNs) throws IOException {
    SendSocket socket = planes[packet.port].senders[packet.ev & 0xffff];
    if (socket == null) {
      noSocket.incrementAndGet();
      return true;
    }
    SendSocket.Result result;
    try {
      result = socket.send(packet.bytes);
    } catch (java.nio.channels.ClosedChannelException e) {
      // The link was closed between the look-up and the call.
      noSocket.incrementAndGet();
      return true;
    } finally {
      packet.bytes.rewind();
    }
    if (result == SendSocket.Result.LOST) {
      lost.incrementAndGet();
    }
    return result != SendSocket.Result.FULL;
  }

  @Override
  public boolean receive(int port, Packet into, long nowNs) throws IOException {
    Plane plane = planes[port];
    into.bytes.clear();
    InetSocketAddress from = (InetSocketAddress) plane.receiver.receive(into.bytes);
    if (from == null) {
      into.bytes.limit(0);
      return false;
    }
    into.bytes.flip();
    InetAddress source = from.getAddress();
    if (!source.equals(plane.lastSource)) {
      plane.lastSource = source;
      plane.lastSourceHi = Addresses.hi(source);
      plane.lastSourceLo = Addresses.lo(source);
    }
    into.port = port;
    into.srcHi = plane.lastSourceHi;
    into.srcLo = plane.lastSourceLo;
    into.dstHi = plane.where.hi();
    into.dstLo = plane.where.lo();
    into.ev = from.getPort();
    into.dstPort = plane.where.udpPort();
    assume(into);
    return true;
  }

  /** Sets what the socket hid. */
  private void assume(Packet packet) {
    int length = packet.bytes.limit();
    DscpMap dscp = config.dscp();
    // A packet of exactly the capacity might be whole; none that MRC sends fills it.
    packet.cut = length == packet.bytes.capacity();
    packet.udpLength = packet.cut ? 0 : UDP_BYTES + length;
    packet.trimmed = false;
    int opcode = packet.opcode();
    if (Opcode.isWrite(opcode)) {
      packet.ecn = packet.fecn() ? Packet.CE : Packet.ECT_0;
      packet.trimmed = !packet.cut && length == packet.headerBytes();
      packet.dscp = packet.trimmed ? dscp.trimmed() : dscp.trimmable();
    } else if (opcode == Opcode.PROBE || opcode == Opcode.ENDPOINT_REQUEST) {
      packet.ecn = packet.fecn() ? Packet.CE : Packet.ECT_0;
      packet.dscp = dscp.trimmable();
    } else {
      packet.ecn = 0;
      packet.dscp = dscp.control();
    }
  }

  /** Packets discarded since no socket had their EV. */
  public long noSocket() {
    return noSocket.get();
  }

  /** Packets that the system refused: nobody listens at the peer, no route to it, or too long. */
  public long refused() {
    return lost.get();
  }

  @Override
  public void advance(long nowNs) {
    // Holds nothing.
  }

  @Override
  public long nextDeadlineNs() {
    return NEVER;
  }

  @Override
  public void await(long maxNs) {
    if (maxNs <= 0) {
      return;
    }
    waiter = Thread.currentThread();
    try {
      if (woken) {
        return;
      }
      if (maxNs >= MILLISECOND_NS) {
        selector.select(maxNs / MILLISECOND_NS);
        selector.selectedKeys().clear();
      } else {
        // A selector counts in milliseconds, and packets that come wait until this sleep ends.
        LockSupport.parkNanos(Math.min(maxNs, MAX_BLIND_SLEEP_NS));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      waiter = null;
      woken = false;
    }
  }

  @Override
  public void wakeup() {
    woken = true;
    Thread sleeping = waiter;
    if (sleeping != null) {
      selector.wakeup();
      LockSupport.unpark(sleeping);
    }
  }

  @Override
  public void close() {
    for (Plane plane : planes) {
      if (plane == null) {
        continue;
      }
      closeQuietly(plane.receiver);
      for (SendSocket socket : plane.senders) {
        if (socket != null) {
          socket.close();
        }
      }
    }
    try {
      selector.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void closeQuietly(DatagramChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // It is out of use either way.
      return;
    }
  }
}
