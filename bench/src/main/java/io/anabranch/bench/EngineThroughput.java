package io.anabranch.bench;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.anabranch.engine.Command;
import io.anabranch.engine.CommandResult;
import io.anabranch.engine.EngineEvent;
import io.anabranch.engine.Sink;
import io.anabranch.engine.Status;
import io.anabranch.engine.config.CcConfig;
import io.anabranch.engine.config.EngineConfig;
import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.config.PeerConfig;
import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.engine.config.QpConfig;
import io.anabranch.engine.config.RequestorAttributes;
import io.anabranch.engine.config.ResponderAttributes;
import io.anabranch.engine.endpoint.MrcEngine;
import io.anabranch.wire.mrc.Frame;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * The engine alone: a requestor and a responder exchange 4 KiB packets by hand, without I/O and
 * without copying a byte. Prints packets per CPU second and bytes allocated per packet, for each
 * round; the first ones compile.
 *
 * <p>Frames travel through a delay line a round trip long, so that a window is really in flight.
 */
public final class EngineThroughput {
  private static final int PORTS = 4;
  private static final int MTU = 4096;
  private static final int QP_A = 100;
  private static final int QP_B = 200;
  private static final int KEY = 7;
  private static final int LINE = 256;
  private static final long MESSAGE_BYTES = 1 << 20;

  private final MrcEngine a = engine(0);
  private final MrcEngine b = engine(1);
  private final long[] toB = new long[LINE * Frame.WORDS];
  private final long[] toA = new long[LINE * Frame.WORDS];
  private final int[] portToB = new int[LINE];
  private final int[] portToA = new int[LINE];
  private final Frame view = new Frame();
  private final Command.PostWrite write = new Command.PostWrite();
  private int headB;
  private int sizeB;
  private int headA;
  private int sizeA;
  private long nowNs = 1_000_000;
  private int outstanding;
  private long failures;
  private long placedBytes;

  private final Sink sink =
      new Sink() {
        @Override
        public void completion(
            int qp,
            long wrId,
            Status status,
            Operation operation,
            long byteLength,
            int immediate,
            boolean solicited) {
          outstanding--;
          failures += status == Status.SUCCESS ? 0 : 1;
        }

        @Override
        public void event(EngineEvent event, int qp, long detail) {
          failures++;
        }
      };

  private EngineThroughput() {}

  private static List<PlaneAddress> planes(int side) {
    List<PlaneAddress> list = new ArrayList<>();
    for (int p = 0; p < PORTS; p++) {
      list.add(new PlaneAddress(0xfd00L << 48 | p, side + 1, 4791));
    }
    return list;
  }

  private MrcEngine engine(int side) {
    return new MrcEngine(
        EngineConfig.fabric(planes(side), side),
        (region, offset, frame) -> placedBytes += frame.payloadLength(),
        null);
  }

  private void must(CommandResult result) {
    if (result != CommandResult.OK) {
      throw new IllegalStateException(result.toString());
    }
  }

  private void connect(MrcEngine engine, int side, int qp, int peerQp) {
    EvTable evs = EvTable.spread(PORTS, 32, side);
    must(
        engine.submit(
            new Command.AddPeer(0, new PeerConfig(planes(1 - side), evs, 10_000, new CcConfig.FixedWindow(128L * MTU))),
            nowNs));
    must(engine.submit(new Command.CreateQp(qp, new QpConfig(1, 16, 0, 4, 64)), nowNs));
    must(
        engine.submit(
            new Command.ReadyToReceive(
                qp, new ResponderAttributes(0, peerQp, 1, 0, MTU, 1024, false, 32)),
            nowNs));
    must(
        engine.submit(
            new Command.ReadyToSend(qp, new RequestorAttributes(1, 0, 1024, false, 32, 16, 3, 4)),
            nowNs));
  }

  private void step() {
    while (outstanding < 8) {
      write.qp = QP_A;
      write.remoteAddress = 0x10000;
      write.rKey = KEY;
      write.length = MESSAGE_BYTES;
      must(a.submit(write, nowNs));
      outstanding++;
    }
    for (int p = 0; p < PORTS; p++) {
      nowNs += 80;
      if (sizeB < LINE) {
        int at = (headB + sizeB) % LINE;
        if (a.nextFrame(p, nowNs, view.wrap(toB, at * Frame.WORDS))) {
          portToB[at] = p;
          sizeB++;
        }
      }
      if (sizeA < LINE) {
        int at = (headA + sizeA) % LINE;
        if (b.nextFrame(p, nowNs, view.wrap(toA, at * Frame.WORDS))) {
          portToA[at] = p;
          sizeA++;
        }
      }
      if (sizeB > 60 || sizeB > 0 && sizeA == 0) {
        b.receive(view.wrap(toB, headB * Frame.WORDS), portToB[headB], nowNs);
        headB = (headB + 1) % LINE;
        sizeB--;
      }
      if (sizeA > 0) {
        a.receive(view.wrap(toA, headA * Frame.WORDS), portToA[headA], nowNs);
        headA = (headA + 1) % LINE;
        sizeA--;
      }
    }
    if (a.nextDeadlineNs() <= nowNs) {
      a.expire(nowNs);
    }
    if (b.nextDeadlineNs() <= nowNs) {
      b.expire(nowNs);
    }
    a.poll(sink);
    b.poll(sink);
  }

  /** Runs rounds of {@code packets} each (default 4,000,000). */
  public static void main(String[] args) {
    final long packets = args.length > 0 ? Long.parseLong(args[0]) : 4_000_000;
    EngineThroughput bench = new EngineThroughput();
    bench.connect(bench.a, 0, QP_A, QP_B);
    bench.connect(bench.b, 1, QP_B, QP_A);
    bench.must(
        bench.b.submit(new Command.RegisterRegion(KEY, 0, 0x10000, 1 << 20, 1, true), 0));
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    OperatingSystemMXBean os =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    for (int round = 1; round <= 6; round++) {
      long goal = bench.placedBytes + packets * MTU;
      long bytes = threads.getCurrentThreadAllocatedBytes();
      long processNs = os.getProcessCpuTime();
      long cpuNs = threads.getCurrentThreadCpuTime();
      while (bench.placedBytes < goal) {
        bench.step();
      }
      cpuNs = threads.getCurrentThreadCpuTime() - cpuNs;
      processNs = os.getProcessCpuTime() - processNs;
      bytes = threads.getCurrentThreadAllocatedBytes() - bytes;
      System.out.printf(
          "round %d: %.2f M packets per CPU second (%.2f with the JVM's own threads),"
              + " %.3f bytes allocated per packet, failures %d%n",
          round,
          packets * 1e3 / cpuNs,
          packets * 1e3 / processNs,
          (double) bytes / packets,
          bench.failures);
    }
    System.out.println(bench.a.snapshot(QP_A));
  }
}
