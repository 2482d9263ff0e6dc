package io.anabranch.fabric.pair;

import io.anabranch.engine.Engine;
import io.anabranch.engine.config.EngineConfig;
import io.anabranch.engine.trace.TraceSink;
import java.util.Arrays;
import java.util.List;

/** One side: its engine, memory, ports and the frames that wait to be taken in. */
final class PairHost {
  final int side;
  final Engine engine;
  final PairMemory memory;
  final PairChannel out;
  final boolean[] busy;
  final boolean[] down;
  long stalledUntilNs = Long.MIN_VALUE;
  boolean dead;
  long deadlineNs = Engine.NEVER;
  long turnAtNs = Engine.NEVER;

  private int[] waiting = new int[64];
  private int first;
  private int count;
  long waitingBytes;

  PairHost(
      PairScenario scenario,
      PairPlan plan,
      int side,
      EngineFactory factory,
      PairMemory.Watch watch,
      TraceSink trace) {
    this.side = side;
    int planes = scenario.shape().planes();
    busy = new boolean[planes];
    down = new boolean[planes];
    memory = new PairMemory(plan.regionBytes[side], scenario.work().virtual(), watch);
    EngineConfig config =
        EngineConfig.fabric(List.of(plan.addresses[side]), scenario.seed() * 2 + side)
            .withSackBytes(scenario.shape().sackBytes())
            .withTimestamps(scenario.shape().timestamps());
    engine = factory.create(config, memory, trace);
    out = new PairChannel(scenario, side, config.dscp());
  }

  boolean idle(long nowNs) {
    return dead || nowNs < stalledUntilNs;
  }

  void enqueue(int slot, int bytes) {
    if (count == waiting.length) {
      int[] larger = new int[count * 2];
      for (int i = 0; i < count; i++) {
        larger[i] = waiting[first + i & count - 1];
      }
      waiting = larger;
      first = 0;
    }
    waiting[first + count++ & waiting.length - 1] = slot;
    waitingBytes += bytes;
  }

  /** The oldest waiting frame, or −1. */
  int dequeue() {
    if (count == 0) {
      waitingBytes = 0;
      return -1;
    }
    int slot = waiting[first];
    first = first + 1 & waiting.length - 1;
    count--;
    return slot;
  }

  int waiting() {
    return count;
  }

  @Override
  public String toString() {
    return "side " + side + ", busy " + Arrays.toString(busy);
  }
}
