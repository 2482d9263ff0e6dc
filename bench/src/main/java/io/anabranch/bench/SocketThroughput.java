package io.anabranch.bench;

import com.sun.management.OperatingSystemMXBean;
import io.anabranch.engine.Application;
import io.anabranch.engine.Command;
import io.anabranch.engine.CommandResult;
import io.anabranch.engine.Engine;
import io.anabranch.engine.EngineEvent;
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
import io.anabranch.net.loop.DutyCycle;
import io.anabranch.net.loop.LoopConfig;
import io.anabranch.net.socket.BareLoopback;
import io.anabranch.net.socket.SocketConfig;
import io.anabranch.net.socket.SocketIo;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Memory to memory over loopback sockets: two endpoints in one process, each with its duty cycle's
 * thread, and in turn with it what bare DatagramChannels move of the same packet size. Prints both
 * and their ratio for each round; the first ones compile.
 *
 * <p>Arguments: rounds (5), bytes a round (1 GiB), address (::1), planes (4), MTU (4096).
 */
public final class SocketThroughput {
  private static final int QP = 100;
  private static final int KEY = 7;
  private static final int MESSAGE_BYTES = 1 << 20;
  private static final int OUTSTANDING = 16;
  private static final long RATE = 10_000_000_000L;
  private static final int EVS_PER_PLANE = 16;
  private static final long BARE_NS = 2_000_000_000L;

  private SocketThroughput() {}

  /** One endpoint and its memory. */
  private static final class Endpoint implements Application, Sink {
    final SocketIo io;
    final DutyCycle cycle;
    final List<PlaneAddress> planes = new ArrayList<>();
    final ByteBuffer memory = ByteBuffer.allocateDirect(MESSAGE_BYTES * OUTSTANDING);
    final Command.PostWrite write = new Command.PostWrite();
    volatile List<Command> setUp = List.of();
    volatile long goal;
    volatile long completed;
    volatile CountDownLatch reached = new CountDownLatch(0);
    private long posted;
    private long failures;

    Endpoint(String name, InetAddress address, int count, int mtu) throws IOException {
      List<InetAddress> addresses = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        addresses.add(address);
      }
      io = SocketIo.open(SocketConfig.of(addresses).withUdpPort(0).withMaxMtuBytes(mtu));
      for (int i = 0; i < count; i++) {
        planes.add(io.address(i));
      }
      EngineConfig config = EngineConfig.sockets(planes, 1);
      cycle =
          new DutyCycle(
              io,
              placer -> new MrcEngine(config, placer, null),
              LoopConfig.DEFAULT.withThreadName(name));
      cycle.attach(this);
    }

    void connect(Endpoint peer, boolean sends) {
      EvTable evs = cycle.connect(peer.planes, EVS_PER_PLANE);
      long window = peer.io.receiveBufferBytes();
      int mtu = io.mtuBytes();
      List<Command> list = new ArrayList<>();
      list.add(new Command.AddPeer(0, new PeerConfig(peer.planes, evs, 100_000, NsccConfig.sockets(RATE, mtu, window))));
      list.add(new Command.CreateQp(QP, new QpConfig(1, 64, 0, 4, 64)));
      list.add(
          new Command.ReadyToReceive(
              QP, new ResponderAttributes(0, QP, 1, 0, mtu, 255 * 128, false, 32)));
      list.add(
          new Command.ReadyToSend(
              QP, new RequestorAttributes(1, 0, 255 * 128, false, 32, 16, 3, 4)));
      if (!sends) {
        list.add(new Command.RegisterRegion(KEY, 0, 0x10000, memory.capacity(), 1, true));
      }
      setUp = List.copyOf(list);
    }

    void send(long messages) throws InterruptedException {
      CountDownLatch latch = new CountDownLatch(1);
      reached = latch;
      goal = completed + messages;
      cycle.wakeup();
      latch.await();
      if (failures > 0) {
        throw new IllegalStateException(failures + " work requests failed");
      }
    }

    @Override
    public boolean turn(Engine engine, long nowNs) {
      boolean any = false;
      if (!setUp.isEmpty()) {
        for (Command command : setUp) {
          CommandResult result = engine.submit(command, nowNs);
          if (result != CommandResult.OK) {
            throw new IllegalStateException(command + ": " + result);
          }
        }
        setUp = List.of();
        any = true;
      }
      engine.poll(this);
      while (posted < goal && posted - completed < OUTSTANDING) {
        int slot = (int) (posted % OUTSTANDING);
        write.qp = QP;
        write.payloadRef = slot;
        write.remoteAddress = 0x10000 + (long) slot * MESSAGE_BYTES;
        write.rKey = KEY;
        write.length = MESSAGE_BYTES;
        if (engine.submit(write, nowNs) != CommandResult.OK) {
          break;
        }
        posted++;
        any = true;
      }
      return any;
    }

    @Override
    public void read(int payloadRef, long offset, ByteBuffer into) {
      int at = payloadRef * MESSAGE_BYTES + (int) offset;
      int count = into.remaining();
      into.put(into.position(), memory, at, count).position(into.position() + count);
    }

    @Override
    public void write(int region, long offset, ByteBuffer from) {
      memory.put((int) offset, from, from.position(), from.remaining());
    }

    @Override
    public void completion(
        int qp,
        long wrId,
        Status status,
        Operation operation,
        long byteLength,
        int immediate,
        boolean solicited) {
      failures += status == Status.SUCCESS ? 0 : 1;
      long now = completed + 1;
      completed = now;
      if (now >= goal) {
        reached.countDown();
      }
    }

    @Override
    public void event(EngineEvent event, int qp, long detail) {
      System.out.println(event + " " + qp + " " + detail);
    }
  }

  /** Runs it. */
  public static void main(String[] args) throws IOException, InterruptedException {
    final int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 5;
    final long bytes = args.length > 1 ? Long.parseLong(args[1]) : 1L << 30;
    InetAddress address = InetAddress.ofLiteral(args.length > 2 ? args[2] : "::1");
    int planes = args.length > 3 ? Integer.parseInt(args[3]) : 4;
    int mtu = args.length > 4 ? Integer.parseInt(args[4]) : 4096;
    OperatingSystemMXBean os = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    Endpoint a = new Endpoint("sender", address, planes, mtu);
    Endpoint b = new Endpoint("receiver", address, planes, mtu);
    try (DutyCycle first = a.cycle;
        DutyCycle second = b.cycle) {
      a.connect(b, true);
      b.connect(a, false);
      second.start();
      first.start();
      // Headers with a TSETH, payload, ICRC: what a packet of the transfer has.
      int packetBytes = 12 + 24 + a.io.mtuBytes() + 4;
      System.out.printf(
          "%d planes, %d-byte packets, receive buffers hold %d KiB%n",
          planes, packetBytes, b.io.receiveBufferBytes() >> 10);
      for (int round = 1; round <= rounds; round++) {
        BareLoopback.Result bare =
            BareLoopback.run(address, planes, EVS_PER_PLANE, packetBytes, BARE_NS);
        long cpuNs = os.getProcessCpuTime();
        long startNs = System.nanoTime();
        long messages = Math.max(1, bytes / MESSAGE_BYTES);
        a.send(messages);
        long elapsedNs = System.nanoTime() - startNs;
        cpuNs = os.getProcessCpuTime() - cpuNs;
        double ours = messages * (double) MESSAGE_BYTES * 1e3 / elapsedNs;
        double theirs = bare.bytesPerSecond() / 1e6;
        double packets = messages * (double) MESSAGE_BYTES / a.io.mtuBytes();
        System.out.printf(
            "round %d: transfer %.0f MB/s, bare %.0f MB/s (lost %d), ratio %.2f,"
                + " CPU %.0f ns a packet, longest gap %.1f / %.1f ms%n",
            round,
            ours,
            theirs,
            bare.lost(),
            ours / theirs,
            cpuNs / packets,
            first.stats().loopGapNsMax() / 1e6,
            second.stats().loopGapNsMax() / 1e6);
      }
      System.out.println(first.stats());
      System.out.println(second.stats());
    }
  }
}
