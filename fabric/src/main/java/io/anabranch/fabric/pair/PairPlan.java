package io.anabranch.fabric.pair;

import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.fabric.event.Streams;
import io.anabranch.fabric.pair.PairScenario.Fault;
import io.anabranch.fabric.pair.PairScenario.Poison;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** What follows from a scenario before anything runs: addresses, EVs, queue pairs, messages. */
final class PairPlan {
  /** Protection domain of every queue pair. */
  static final int DOMAIN = 7;

  /** Key of a region without remote write. */
  static final int KEY_NO_RIGHTS = 0x0bad_0001;

  /** Key of a region of another domain. */
  static final int KEY_OTHER_DOMAIN = 0x0bad_0002;

  private static final int KEY_UNKNOWN = 0x0bad_0003;
  private static final int GAP_BYTES = 32;
  private static final long FORBIDDEN_BYTES = 1 << 14;

  final PlaneAddress[][] addresses = new PlaneAddress[2][];
  final EvTable[] tables = new EvTable[2];
  final Flow[][] flows;
  final int[][] keys;
  final long[][] regionAddress = new long[2][];
  final long[][] regionBytes = new long[2][];

  PairPlan(PairScenario scenario) {
    PairScenario.Shape shape = scenario.shape();
    SplittableRandom random = Streams.of(scenario.seed(), "plan");
    int qps = shape.qps();
    flows = new Flow[2][qps];
    keys = new int[2][qps];
    for (int side = 0; side < 2; side++) {
      addresses[side] = new PlaneAddress[shape.planes()];
      for (int p = 0; p < shape.planes(); p++) {
        long hi = 0xfd00_0000_0000_0000L | (long) p << 16;
        addresses[side][p] = new PlaneAddress(hi, side + 1L, 4791);
      }
      tables[side] = table(shape, random);
      // The regions of side receive: one a queue pair, then the two forbidden ones.
      regionAddress[side] = new long[qps + 2];
      regionBytes[side] = new long[qps + 2];
      for (int r = 0; r < qps + 2; r++) {
        regionAddress[side][r] = random.nextLong(1L << 62) << 1;
        regionBytes[side][r] = FORBIDDEN_BYTES;
      }
    }
    int[] qpBase = {0x10_0003 + random.nextInt(1 << 12), 0x20_2003 + random.nextInt(1 << 12)};
    for (int q = 0; q < qps; q++) {
      for (int side = 0; side < 2; side++) {
        keys[1 - side][q] = random.nextInt() | 0x4000_0000;
        List<Message> messages = messages(scenario, side, q, random);
        flows[side][q] =
            new Flow(
                side,
                q,
                qpBase[side] + q * 7,
                qpBase[1 - side] + q * 7,
                shape.startPsn(),
                shape.startMsn(),
                messages,
                q);
        flows[side][q].mprPackets = shape.mprPackets();
        flows[side][q].grantedPackets = shape.mprPackets();
        flows[side][q].grantedBefore = shape.mprPackets();
        flows[side][q].mayFail =
            q == 0 && scenario.work().poison() != Poison.NONE
                || scenario.has(Fault.Kind.DIE)
                || q == 0 && scenario.has(Fault.Kind.POISONED_LIES);
      }
    }
  }

  private static EvTable table(PairScenario.Shape shape, SplittableRandom random) {
    return EvTable.spread(shape.planes(), shape.evsPerPlane(), random.nextLong());
  }

  private List<Message> messages(PairScenario scenario, int side, int q, SplittableRandom random) {
    PairScenario.Work work = scenario.work();
    List<Message> list = new ArrayList<>();
    int count = side == 1 && !work.bothWays() ? 0 : work.messages();
    int mtu = scenario.shape().mtuBytes();
    boolean poisonedFlow = side == 0 && q == 0 && work.poison() != Poison.NONE;
    int to = 1 - side;
    long offset = 0;
    int packets = 0;
    int immediates = 0;
    for (int i = 0; i < count; i++) {
      boolean poisoned = poisonedFlow && i == work.poisonAt();
      boolean immediate =
          random.nextInt(100) < work.immediatePercent()
              || poisoned && work.poison() == Poison.NO_RECEIVE;
      long least = Math.max(work.minBytes(), immediate && !poisoned ? 0 : 1);
      // Sizes spread over magnitudes: as many small ones as large ones.
      long span = 1 + random.nextLong(Math.max(1, work.maxBytes() - least + 1));
      long bytes = least + (random.nextBoolean() ? span - 1 : random.nextLong(span));
      bytes = Math.min(bytes, work.maxBytes());
      if (poisoned) {
        bytes = Math.min(bytes, FORBIDDEN_BYTES);
      }
      int n = (int) Math.max(1, (bytes + mtu - 1) / mtu);
      long address = regionAddress[to][q] + offset;
      int key = keys[to][q];
      long place = offset;
      if (poisoned) {
        switch (work.poison()) {
          case KEY -> key = KEY_UNKNOWN;
          case RIGHTS -> {
            key = KEY_NO_RIGHTS;
            address = regionAddress[to][scenario.shape().qps()];
          }
          case DOMAIN -> {
            key = KEY_OTHER_DOMAIN;
            address = regionAddress[to][scenario.shape().qps() + 1];
          }
          default -> {}
        }
      }
      list.add(
          new Message(
              i,
              side << 30 | q << 16 | i,
              bytes,
              immediate,
              random.nextInt(),
              random.nextInt(100) >= work.unsignaledPercent(),
              random.nextInt(4) == 0,
              place,
              address,
              key,
              packets,
              n,
              immediates,
              poisoned));
      offset += bytes + GAP_BYTES;
      packets += n;
      immediates += immediate ? 1 : 0;
    }
    regionBytes[to][q] = Math.max(offset, 64);
    if (poisonedFlow && work.poison() == Poison.BOUNDS) {
      Message m = list.get(work.poisonAt());
      // It begins behind all others and ends outside.
      regionBytes[to][q] += m.bytes();
      long place = regionBytes[to][q] - m.bytes() / 2;
      list.set(work.poisonAt(), moved(m, place, regionAddress[to][q] + place));
    }
    return List.copyOf(list);
  }

  private static Message moved(Message m, long place, long address) {
    return new Message(
        m.index(),
        m.ref(),
        m.bytes(),
        m.withImmediate(),
        m.immediate(),
        m.signaled(),
        m.solicited(),
        place,
        address,
        m.rKey(),
        m.firstPacket(),
        m.packets(),
        m.immediatesBefore(),
        true);
  }

  /** Receives that the responder of a flow posts. */
  static int receives(PairScenario scenario, Flow flow) {
    boolean noReceive =
        scenario.work().poison() == Poison.NO_RECEIVE && flow.side == 0 && flow.index == 0;
    return noReceive
        ? flow.messages.get(scenario.work().poisonAt()).immediatesBefore()
        : flow.immediates();
  }
}
