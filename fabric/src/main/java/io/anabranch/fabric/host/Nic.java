package io.anabranch.fabric.host;

import io.anabranch.engine.endpoint.MrcEngine;
import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A host's NIC: its engine, and what its driver has to remember. */
final class Nic {
  static final long NEVER = Long.MAX_VALUE;
  private static final int FIRST_QP = 16;

  final int host;
  final MrcEngine engine;

  /** Peers made known to the engine. */
  final BitSet peers = new BitSet();

  /** When the engine will be woken; later events of the same kind are stale. */
  long wakePs = NEVER;

  /** The chance by which EVs lose packets of this host; null = not needed so far. */
  @Nullable SplittableRandom evChance;

  private int nextQp = FIRST_QP;
  private int[] senderOf = new int[FIRST_QP];

  Nic(int host, MrcEngine engine) {
    this.host = host;
    this.engine = engine;
  }

  int newQp() {
    return nextQp++;
  }

  /** The queue pair at the other end of a receiving one. */
  int senderOf(int qp) {
    return senderOf[qp];
  }

  void senderOf(int qp, int sender) {
    if (qp >= senderOf.length) {
      senderOf = Arrays.copyOf(senderOf, Math.max(qp + 1, senderOf.length * 2));
    }
    senderOf[qp] = sender;
  }
}
