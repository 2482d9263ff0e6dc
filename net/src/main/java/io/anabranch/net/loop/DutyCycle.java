package io.anabranch.net.loop;

import io.anabranch.engine.Application;
import io.anabranch.engine.Driver;
import io.anabranch.engine.Engine;
import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.net.device.Packet;
import io.anabranch.net.device.PacketIo;
import io.anabranch.net.device.PeerLink;
import io.anabranch.wire.ip.Address;
import io.anabranch.wire.mrc.DecodeResult;
import io.anabranch.wire.mrc.DscpMap;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.FrameCodec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Drives one engine with real packets and real time, on a platform thread of its own.
 *
 * <p>A turn, in this order, each step bounded:
 *
 * <ol>
 *   <li>takes in the packets that wait: all of them from the sockets into a ring, then from the
 *       ring into the engine, the sockets looked at again every few packets. So an application that
 *       is slow to store bytes overruns the ring, which is answered with NO_PKT_BUFFER, and not the
 *       sockets, which would lose packets silently
 *   <li>runs timers, but only once no packet waits, or for {@value #MAX_TIMER_HOLD_NS} ns there was
 *       always one: what this thread was too late to read must not count as silence of the peer
 *   <li>lets the application have its turn
 *   <li>sends, one frame a port in turn
 * </ol>
 *
 * <p>It turns at least every {@value #MAX_PARK_NS} ns, so that an engine can tell a stall of this
 * thread from a quiet network.
 */
public final class DutyCycle implements Driver {
  /** EVs a plane that lead to a peer, if not told otherwise. */
  public static final int EVS_PER_PLANE = 16;

  private static final int MAX_RING_PACKETS = 65_536;
  private static final int REDRAIN_PACKETS = 32;
  private static final int REOPEN_ROUNDS = 8;
  private static final long HELD_UP_NS = 100_000;
  private static final long MAX_TIMER_HOLD_NS = 50_000_000;
  private static final long MAX_PARK_NS = 100_000_000;
  private static final long FULL_RETRY_NS = 200_000;
  private static final long JOIN_MS = 5_000;

  private final PacketIo io;
  private final LoopConfig config;
  private final Engine engine;
  private final FrameCodec codec = new FrameCodec(DscpMap.DEFAULT);
  private final Thread thread;
  private final int ports;
  private final PortSender[] senders;
  private final long[] packetsReceived;
  private final long[] bytesReceived;
  private final ReceiveRing ring;
  private final Packet headersOnly = new Packet(Packet.HEADERS_ONLY_BYTES);
  private final Map<EvTable, PeerLink> links = Collections.synchronizedMap(new IdentityHashMap<>());
  private final Frame received = new Frame();
  private final Frame toSend = new Frame();
  private @Nullable Application application;
  private @Nullable Packet current;
  private long turnCount;
  private long framesTaken;
  private long malformed;
  private long noBuffer;
  private long loopGapNsMax;
  private long expiredAtNs;
  private long lastTurnNs;
  private long wantedSleepNs;
  private long lastWorkNs;
  private long interfacePollAtNs;
  private int nextPort;
  // Written at the end of every turn: who reads it sees the counters of that turn.
  private volatile long turns;
  private volatile boolean stopped;
  private volatile @Nullable Throwable failure;

  /**
   * Makes it; {@link #attach} and {@link #start} follow.
   *
   * @param io the device; it closes with this driver
   * @param factory makes the engine
   */
  public DutyCycle(PacketIo io, EngineFactory factory, LoopConfig config) {
    this.io = io;
    this.config = config;
    ports = io.ports();
    senders = new PortSender[ports];
    for (int i = 0; i < ports; i++) {
      senders[i] = new PortSender(io, i, codec);
    }
    packetsReceived = new long[ports];
    bytesReceived = new long[ports];
    // Whatever the sockets hold fits: a peer that keeps to its window is never refused.
    long inSockets = io.receiveBufferBytes() / io.mtuBytes();
    int capacity = (int) Math.max(config.ringPackets(), Math.min(inSockets, MAX_RING_PACKETS));
    ring = new ReceiveRing(capacity, io.mtuBytes() + Packet.HEADERS_ONLY_BYTES);
    engine = factory.create(this::place);
    thread = Thread.ofPlatform().daemon().name(config.threadName()).unstarted(this::run);
  }

  @Override
  public void attach(Application application) {
    if (this.application != null) {
      throw new IllegalStateException("an application is attached");
    }
    this.application = application;
  }

  @Override
  public void start() {
    if (application == null) {
      throw new IllegalStateException("no application is attached");
    }
    thread.start();
  }

  @Override
  public void wakeup() {
    io.wakeup();
  }

  @Override
  public int ports() {
    return ports;
  }

  @Override
  public long addressHi(int port) {
    return io.address(port).hi();
  }

  @Override
  public long addressLo(int port) {
    return io.address(port).lo();
  }

  @Override
  public int udpPort(int port) {
    return io.address(port).udpPort();
  }

  @Override
  public int mtuBytes() {
    return io.mtuBytes();
  }

  @Override
  public long receiveBufferBytes() {
    return io.receiveBufferBytes();
  }

  /**
   * {@inheritDoc} {@value #EVS_PER_PLANE} EVs a plane. Any thread may call it.
   *
   * @throws UncheckedIOException when the system has no sockets left, or an address is not of the
   *     family of this side's
   */
  @Override
  public EvTable connect(List<PlaneAddress> peer) {
    return connect(peer, EVS_PER_PLANE);
  }

  /** As {@link #connect(List)}, with {@code evsPerPlane} EVs a plane: 1 … 256. */
  public EvTable connect(List<PlaneAddress> peer, int evsPerPlane) {
    PeerLink link;
    try {
      link = io.connect(peer, evsPerPlane);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    links.put(link.evs(), link);
    return link.evs();
  }

  /**
   * Gives up the paths to a peer, after its RemovePeer. Any thread may call it.
   *
   * @param evs what {@link #connect} returned
   */
  @Override
  public void disconnect(EvTable evs) {
    PeerLink link = links.remove(evs);
    if (link != null) {
      link.close();
    }
  }

  /** What made the thread end before {@link #close}, or null. */
  public @Nullable Throwable failure() {
    return failure;
  }

  /** What has been done until the end of the last turn; any thread may ask. */
  public LoopStats stats() {
    long seen = turns;
    List<LoopStats.Port> list = new ArrayList<>(ports);
    long full = 0;
    for (int i = 0; i < ports; i++) {
      PortSender s = senders[i];
      full += s.full;
      list.add(
          new LoopStats.Port(
              s.up(), s.packets, s.bytes, packetsReceived[i], bytesReceived[i], s.failures));
    }
    return new LoopStats(seen, malformed, noBuffer, full, loopGapNsMax, list);
  }

  /** Stops the thread, waits for it, and closes the device. */
  @Override
  public void close() {
    stopped = true;
    io.wakeup();
    boolean interrupted = false;
    if (thread.isAlive() && Thread.currentThread() != thread) {
      try {
        thread.join(JOIN_MS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    io.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    Application app = application;
    if (app == null) {
      throw new IllegalStateException("no application is attached");
    }
    long nowNs = System.nanoTime();
    lastTurnNs = nowNs;
    lastWorkNs = nowNs;
    expiredAtNs = nowNs;
    interfacePollAtNs = nowNs;
    try {
      while (!stopped) {
        turn(app);
      }
    } catch (Throwable t) {
      // The engine's state may be broken: nothing of it can be used any more.
      if (!stopped) {
        failure = t;
        app.failed(t);
      }
    }
  }

  private void turn(Application app) {
    long nowNs = System.nanoTime();
    loopGapNsMax = Math.max(loopGapNsMax, nowNs - lastTurnNs - wantedSleepNs);
    lastTurnNs = nowNs;
    wantedSleepNs = 0;
    io.advance(nowNs);
    long before = framesTaken;
    boolean caughtUp = takeIn();
    boolean worked = framesTaken != before;
    nowNs = System.nanoTime();
    if (caughtUp || nowNs - expiredAtNs > MAX_TIMER_HOLD_NS) {
      engine.expire(nowNs);
      expiredAtNs = nowNs;
    }
    worked |= app.turn(engine, nowNs);
    worked |= send(app);
    if (nowNs >= interfacePollAtNs) {
      interfacePollAtNs = nowNs + config.interfacePollNs();
      for (int i = 0; i < ports; i++) {
        senders[i].interfaceUp(io.isUp(i), engine, nowNs);
      }
    }
    turns = ++turnCount;
    if (worked || !caughtUp) {
      lastWorkNs = nowNs;
    } else if (nowNs - lastWorkNs < config.spinNs()) {
      Thread.onSpinWait();
    } else {
      sleep();
    }
  }

  /** Takes in what waits; returns whether nothing waits any more. */
  private boolean takeIn() {
    long end = framesTaken + config.receiveBurst();
    while (true) {
      boolean empty = drain();
      for (int i = 0; i < REDRAIN_PACKETS; i++) {
        Packet packet = ring.poll();
        if (packet == null) {
          break;
        }
        framesTaken++;
        takeIn(packet);
        ring.release(packet);
      }
      if (empty && ring.isEmpty()) {
        return true;
      }
      if (framesTaken >= end) {
        return false;
      }
    }
  }

  /**
   * Empties the sockets into the ring, bounded; returns whether all were seen empty.
   *
   * <p>One packet of each port in turn, and ports seen empty are looked at again every few rounds,
   * at once when this thread was held up: the ports looked at after that would otherwise get ahead
   * of the ones before, and packets that still wait there would look lost to the peer.
   */
  private boolean drain() {
    int budget = config.receiveBurst();
    long all = -1L >>> 64 - ports;
    long open = all;
    long nowNs = System.nanoTime();
    for (int round = 1; open != 0 && budget > 0; round++) {
      long any = 0;
      for (long left = open; left != 0; left &= left - 1) {
        int port = Long.numberOfTrailingZeros(left);
        if (receive(port, nowNs)) {
          budget--;
          any |= 1L << port;
        }
      }
      long thenNs = nowNs;
      nowNs = System.nanoTime();
      boolean reopen = round % REOPEN_ROUNDS == 0 || nowNs - thenNs > HELD_UP_NS;
      open = any != 0 && reopen ? all : any;
    }
    return open == 0;
  }

  private boolean receive(int port, long nowNs) {
    Packet free = ring.take();
    Packet into = free == null ? headersOnly : free;
    boolean got;
    try {
      got = io.receive(port, into, nowNs);
    } catch (IOException e) {
      if (senders[port].up()) {
        senders[port].fail(engine, nowNs, config.retryNs());
      }
      got = false;
    }
    if (!got) {
      if (free != null) {
        ring.release(free);
      }
      return false;
    }
    packetsReceived[port]++;
    bytesReceived[port] += into.bytes.limit();
    if (free != null) {
      ring.add(free);
    } else {
      framesTaken++;
      takeIn(headersOnly);
    }
    return true;
  }

  private void takeIn(Packet packet) {
    Frame f = received;
    f.clear();
    f.src(packet.srcHi, packet.srcLo).dst(packet.dstHi, packet.dstLo);
    f.ev(packet.ev).dstPort(packet.dstPort).dscp(packet.dscp).ecn(packet.ecn);
    if (packet.cut) {
      noBuffer++;
      if (codec.decode(packet.bytes, f, 0, true) == DecodeResult.OK) {
        engine.receive(f.trimmed(false).noBuffer(true), packet.port, System.nanoTime());
      }
      return;
    }
    DecodeResult result = codec.decode(packet.bytes, f, packet.udpLength, packet.trimmed);
    if (result == DecodeResult.BAD_ICRC && Address.isIp4(packet.srcHi, packet.srcLo)) {
      // The kernel chose the identification, which the ICRC covers and a socket does not see.
      f.icrcBad(false);
    } else if (result != DecodeResult.OK && result != DecodeResult.BAD_ICRC) {
      malformed++;
      return;
    }
    current = packet;
    engine.receive(f, packet.port, System.nanoTime());
    current = null;
  }

  /** The engine's way to memory: the payload of the packet it is being handed. */
  private void place(int region, long offset, Frame frame) {
    Packet packet = current;
    Application app = application;
    if (packet == null || app == null) {
      throw new IllegalStateException("payload placed outside of receive");
    }
    ByteBuffer bytes = packet.bytes;
    int limit = bytes.limit();
    int start = codec.payloadStart();
    bytes.limit(start + frame.payloadLength()).position(start);
    app.write(region, offset, bytes);
    bytes.limit(limit).position(0);
  }

  private boolean send(Application app) {
    int budget = config.sendBurst();
    int refused = 0;
    while (budget > 0 && refused < ports) {
      int port = nextPort;
      nextPort = port + 1 == ports ? 0 : port + 1;
      if (senders[port].sendOne(engine, app, toSend, System.nanoTime(), config.retryNs())) {
        budget--;
        refused = 0;
      } else {
        refused++;
      }
    }
    return budget < config.sendBurst();
  }

  private void sleep() {
    long nowNs = System.nanoTime();
    long untilNs = Math.min(engine.nextDeadlineNs(), io.nextDeadlineNs());
    untilNs = Math.min(untilNs, interfacePollAtNs);
    for (PortSender sender : senders) {
      untilNs = Math.min(untilNs, sender.waits() ? nowNs + FULL_RETRY_NS : sender.retryAtNs());
    }
    long sleepNs = Math.min(untilNs - nowNs, MAX_PARK_NS);
    if (sleepNs > 0) {
      io.await(sleepNs);
      wantedSleepNs = Math.min(sleepNs, System.nanoTime() - nowNs);
    }
  }
}
