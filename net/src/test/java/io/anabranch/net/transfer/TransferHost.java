package io.anabranch.net.transfer;

import io.anabranch.engine.Application;
import io.anabranch.engine.Command;
import io.anabranch.engine.CommandResult;
import io.anabranch.engine.Engine;
import io.anabranch.engine.EngineEvent;
import io.anabranch.engine.QpSnapshot;
import io.anabranch.engine.Sink;
import io.anabranch.engine.Status;
import io.anabranch.engine.config.EngineConfig;
import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.config.NsccConfig;
import io.anabranch.engine.config.PeerConfig;
import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.engine.config.QpConfig;
import io.anabranch.engine.config.RequestorAttributes;
import io.anabranch.engine.config.ResponderAttributes;
import io.anabranch.engine.endpoint.MrcEngine;
import io.anabranch.net.capture.Capture;
import io.anabranch.net.capture.CaptureIo;
import io.anabranch.net.device.PacketIo;
import io.anabranch.net.fault.FaultIo;
import io.anabranch.net.fault.FaultSpec;
import io.anabranch.net.loop.DutyCycle;
import io.anabranch.net.loop.LoopConfig;
import io.anabranch.net.socket.SocketConfig;
import io.anabranch.net.socket.SocketIo;
import io.anabranch.wire.mrc.DscpMap;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint with the real engine and one queue pair, for tests: all of its memory is a region.
 */
final class TransferHost implements Application, Sink, AutoCloseable {
  static final int MESSAGE_BYTES = 256 << 10;
  private final int qp;
  private static final int KEY = 0x77777777;
  private static final long ADDRESS = 0x7000_0000_0000L;
  private static final int OUTSTANDING = 16;

  final FaultIo faults;
  final DutyCycle cycle;
  final ByteBuffer memory;
  final List<PlaneAddress> planes = new ArrayList<>();
  final List<String> events = Collections.synchronizedList(new ArrayList<>());
  private final Command.PostWrite write = new Command.PostWrite();
  private volatile List<Command> commands = List.of();
  private volatile long goal;
  private volatile CountDownLatch reached = new CountDownLatch(0);
  private final AtomicReference<@Nullable QpSnapshot> snapshot = new AtomicReference<>();
  private long posted;
  private long completed;
  private @Nullable Status failed;

  TransferHost(
      String name,
      String address,
      int ports,
      String fault,
      int memoryBytes,
      @Nullable Capture capture)
      throws IOException {
    List<InetAddress> addresses = Collections.nCopies(ports, InetAddress.ofLiteral(address));
    PacketIo sockets = SocketIo.open(SocketConfig.of(addresses).withUdpPort(0));
    FaultSpec spec = fault.isEmpty() ? FaultSpec.NONE : FaultSpec.parse(fault);
    faults = new FaultIo(sockets, spec, 42, DscpMap.DEFAULT);
    PacketIo io = capture == null ? faults : new CaptureIo(faults, capture, name, false);
    for (int i = 0; i < ports; i++) {
      planes.add(io.address(i));
    }
    qp = 0x10000 + planes.getFirst().udpPort();
    memory = ByteBuffer.allocateDirect(memoryBytes);
    EngineConfig config = EngineConfig.sockets(planes, 1);
    cycle =
        new DutyCycle(
            io,
            placer -> new MrcEngine(config, placer, null),
            LoopConfig.DEFAULT.withThreadName(name));
    cycle.attach(this);
  }

  /** Makes both known to each other and starts them. */
  static void connect(TransferHost a, TransferHost b) {
    a.setUp(b);
    b.setUp(a);
    b.cycle.start();
    a.cycle.start();
  }

  private void setUp(TransferHost peer) {
    EvTable evs = cycle.connect(peer.planes);
    long window = peer.cycle.receiveBufferBytes();
    int mtu = cycle.mtuBytes();
    commands =
        List.of(
            new Command.AddPeer(
                0,
                new PeerConfig(
                    peer.planes, evs, 200_000, NsccConfig.sockets(10_000_000_000L, mtu, window))),
            new Command.CreateQp(qp, new QpConfig(1, 64, 0, 4, 64)),
            new Command.ReadyToReceive(
                qp, new ResponderAttributes(0, peer.qp, 0xffff00, 0, mtu, 255 * 128, false, 32)),
            new Command.ReadyToSend(
                qp, new RequestorAttributes(0xffff00, 0, 255 * 128, false, 32, 16, 7, 25)),
            new Command.RegisterRegion(KEY, 0, ADDRESS, memory.capacity(), 1, true));
  }

  /** Begins to write its first bytes to the same place at the peer. */
  CountDownLatch send(int bytes) {
    CountDownLatch latch = new CountDownLatch(1);
    reached = latch;
    goal = bytes / MESSAGE_BYTES;
    cycle.wakeup();
    return latch;
  }

  @Nullable Status failed() {
    return failed;
  }

  QpSnapshot snapshot() {
    QpSnapshot last = snapshot.get();
    if (last == null) {
      throw new IllegalStateException("nothing was sent");
    }
    return last;
  }

  @Override
  public boolean turn(Engine engine, long nowNs) {
    for (Command command : commands) {
      CommandResult result = engine.submit(command, nowNs);
      if (result != CommandResult.OK) {
        throw new IllegalStateException(command + ": " + result);
      }
    }
    commands = List.of();
    engine.poll(this);
    boolean any = false;
    while (posted < goal && posted - completed < OUTSTANDING) {
      write.qp = qp;
      write.payloadRef = (int) posted;
      write.remoteAddress = ADDRESS + posted * MESSAGE_BYTES;
      write.rKey = KEY;
      write.length = MESSAGE_BYTES;
      if (engine.submit(write, nowNs) != CommandResult.OK) {
        break;
      }
      posted++;
      any = true;
    }
    if (goal > 0 && reached.getCount() > 0 && (completed >= goal || failed != null)) {
      snapshot.set(engine.snapshot(qp));
      reached.countDown();
    }
    return any;
  }

  @Override
  public void read(int payloadRef, long offset, ByteBuffer into) {
    int count = into.remaining();
    int at = payloadRef * MESSAGE_BYTES + (int) offset;
    into.put(into.position(), memory, at, count).position(into.position() + count);
  }

  @Override
  public void write(int region, long offset, ByteBuffer from) {
    memory.put((int) offset, from, from.position(), from.remaining());
  }

  @Override
  public void completion(
      int number,
      long wrId,
      Status status,
      Operation operation,
      long byteLength,
      int immediate,
      boolean solicited) {
    completed++;
    if (status != Status.SUCCESS) {
      failed = status;
    }
  }

  @Override
  public void event(EngineEvent event, int number, long detail) {
    events.add(event + " " + (int) detail);
  }

  @Override
  public void close() {
    cycle.close();
  }
}
