package io.anabranch.net.fault;

import io.anabranch.net.device.Packet;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The rules of one way (a port and a direction) at work. Each rule has a random stream of its own
 * for each way, seeded, and draws from it once a packet: what it does to a way's packets does not
 * depend on other ways or rules.
 */
final class FaultState {
  private static final long REORDER_MAX_NS = 10_000_000;
  private static final int MAX_EVS = 4096;
  private static final int WAYS = 64;
  private static final int ICRC_BYTES = 4;
  private static final int BTH_BYTES = 12;

  /** Not covered by the ICRC. */
  private static final int BTH_RESERVED_BYTE = 4;

  private final FaultRule[] rules;
  private final SplittableRandom[] random;
  private final int[] burstLeft;
  private final int[] evs;
  private int evCount;

  /** What to do with the packet judged last. */
  boolean drop;

  boolean duplicate;
  boolean mark;
  boolean trim;
  int corruptBit;
  long delayNs;
  int passes;

  FaultState(List<FaultRule> all, long seed, int port, boolean sent) {
    int way = 2 * port + (sent ? 1 : 0);
    List<FaultRule> mine = new ArrayList<>();
    List<SplittableRandom> streams = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      FaultRule rule = all.get(i);
      boolean here = rule.plane() == 0 || rule.plane() == port + 1;
      if (here && rule.direction().includes(sent)) {
        mine.add(rule);
        streams.add(new SplittableRandom(seed + (long) i * WAYS + way).split());
      }
    }
    rules = mine.toArray(new FaultRule[0]);
    random = streams.toArray(new SplittableRandom[0]);
    burstLeft = new int[rules.length];
    boolean needsEvs = java.util.Arrays.stream(rules).anyMatch(r -> r.ev() > 0);
    evs = new int[needsEvs ? MAX_EVS : 0];
  }

  boolean isEmpty() {
    return rules.length == 0;
  }

  /**
   * Decides on a packet.
   *
   * @param sinceNs time since the first data packet, or −1
   */
  void judge(Packet packet, boolean sent, long sinceNs, long nowNs, FaultTally tally) {
    drop = false;
    duplicate = false;
    mark = false;
    trim = false;
    corruptBit = -1;
    delayNs = 0;
    passes = 0;
    int ev = evs.length == 0 ? 0 : evNumber(packet.ev);
    for (int i = 0; i < rules.length; i++) {
      FaultRule rule = rules[i];
      if (rule.active(sinceNs) && (rule.ev() == 0 || rule.ev() == ev) && hits(rule, i, packet)) {
        tally.count(rule.kind(), sent, packet, nowNs);
      }
      if (drop) {
        return;
      }
    }
  }

  private boolean hits(FaultRule rule, int i, Packet packet) {
    SplittableRandom r = random[i];
    if (rule.kind() == FaultKind.BLACKHOLE) {
      drop = true;
      return true;
    }
    if (rule.kind() == FaultKind.DELAY) {
      delayNs += rule.delayNs() + (rule.jitterNs() > 0 ? r.nextLong(rule.jitterNs() + 1) : 0);
      return true;
    }
    if (rule.kind() == FaultKind.BURST && burstLeft[i] > 0) {
      burstLeft[i]--;
      drop = true;
      return true;
    }
    if (r.nextDouble() >= rule.probability()) {
      return false;
    }
    switch (rule.kind()) {
      case LOSS -> drop = true;
      case BURST -> {
        burstLeft[i] = rule.count() - 1;
        drop = true;
      }
      case REORDER -> passes = Math.max(passes, rule.count());
      case DUPLICATE -> duplicate = true;
      case CORRUPT -> {
        return corrupt(packet, r);
      }
      case MARK -> {
        mark |= packet.ecn != 0;
        return packet.ecn != 0;
      }
      case TRIM -> {
        int headers = packet.headerBytes();
        boolean can = packet.isData() && headers > 0 && headers < packet.bytes.limit();
        trim |= can;
        return can;
      }
      case BLACKHOLE, DELAY -> throw new IllegalStateException(rule + " has no probability");
    }
    return true;
  }

  /** Picks a bit of what the ICRC covers, or of the ICRC. */
  private boolean corrupt(Packet packet, SplittableRandom r) {
    int bytes = packet.bytes.limit();
    if (bytes < BTH_BYTES + ICRC_BYTES || packet.cut || packet.trimmed) {
      return false;
    }
    int bit = r.nextInt((bytes - 1) * 8);
    corruptBit = bit < BTH_RESERVED_BYTE * 8 ? bit : bit + 8;
    return true;
  }

  /** How long a packet that others shall overtake waits at most. */
  static long reorderMaxNs() {
    return REORDER_MAX_NS;
  }

  private int evNumber(int ev) {
    for (int i = 0; i < evCount; i++) {
      if (evs[i] == ev) {
        return i + 1;
      }
    }
    if (evCount == evs.length) {
      return -1;
    }
    evs[evCount++] = ev;
    return evCount;
  }
}
