package io.anabranch.net.fault;

import io.anabranch.net.device.Packet;
import io.anabranch.net.device.PacketIo;
import io.anabranch.net.device.WrappedIo;
import io.anabranch.wire.ip.Address;
import io.anabranch.wire.mrc.DscpMap;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Does to the packets of any device what a {@link FaultSpec} says.
 *
 * <p>Marks and trims that plain sockets cannot carry are made so that the peer's socket sees them:
 * see {@code net.socket}. Over IPv4 the ICRC is no reason to discard a packet, so there a damaged
 * one is lost, as the UDP checksum would see to.
 */
public final class FaultIo extends WrappedIo {
  private static final int MAX_HELD = 8192;
  private static final int MAX_LOST_IN_A_CALL = 4096;
  private static final long FULL_RETRY_NS = 50_000;

  private final DscpMap dscp;
  private final long seed;
  private final FaultTally tally;
  private final FaultState[] sending;
  private final FaultState[] receiving;
  private final HeldPackets[] toSend;
  private final HeldPackets[] toReceive;
  private final boolean[] judged;
  private final AtomicLong overflowed = new AtomicLong();
  private long sendRetryNs = Long.MIN_VALUE;
  private volatile @Nullable FaultSpec next;
  private volatile long firstDataNs = -1;
  private boolean started;

  /**
   * Wraps a device.
   *
   * @param seed of the random streams: the same seed hits the same packets of a way again
   * @param dscp the classes that trimmed packets are in
   * @throws IllegalArgumentException when a rule names a plane that the device does not have
   */
  public FaultIo(PacketIo inner, FaultSpec spec, long seed, DscpMap dscp) {
    super(inner);
    spec.check(inner.ports());
    this.seed = seed;
    this.dscp = dscp;
    int ports = inner.ports();
    tally = new FaultTally(ports);
    sending = new FaultState[ports];
    receiving = new FaultState[ports];
    toSend = new HeldPackets[ports];
    toReceive = new HeldPackets[ports];
    judged = new boolean[ports];
    HeldPackets.Pool pool = new HeldPackets.Pool(MAX_HELD);
    for (int i = 0; i < ports; i++) {
      toSend[i] = new HeldPackets(pool);
      toReceive[i] = new HeldPackets(pool);
    }
    install(spec);
  }

  private void install(FaultSpec spec) {
    for (int i = 0; i < sending.length; i++) {
      sending[i] = new FaultState(spec.rules(), seed, i, true);
      receiving[i] = new FaultState(spec.rules(), seed, i, false);
    }
  }

  /** Replaces the rules soon; times still count from the first data packet. Any thread may ask. */
  public void replace(FaultSpec spec) {
    spec.check(ports());
    next = spec;
    wakeup();
  }

  /** Whom to tell of every hit, or null. */
  public void listener(@Nullable FaultListener listener) {
    tally.listener(listener);
  }

  /** How many packets a kind of fault has hit on a port. */
  public long hits(FaultKind kind, boolean sent, int port) {
    return tally.count(kind, sent, port);
  }

  /** How many packets were lost since more than {@value #MAX_HELD} would have been held. */
  public long overflowed() {
    return overflowed.get();
  }

  /** When the first data packet passed, by the duty cycle's clock; −1 = none has. */
  public long firstDataNs() {
    return firstDataNs;
  }

  private long sinceNs(Packet packet, long nowNs) {
    if (!started) {
      if (!packet.isData()) {
        return -1;
      }
      started = true;
      firstDataNs = nowNs;
    }
    return nowNs - firstDataNs;
  }

  @Override
  public boolean send(Packet packet, long nowNs) throws IOException {
    int port = packet.port;
    FaultState state = sending[port];
    HeldPackets held = toSend[port];
    if (!judged[port]) {
      long sinceNs = sinceNs(packet, nowNs);
      if (!state.isEmpty()) {
        state.judge(packet, true, sinceNs, nowNs, tally);
        if (!applied(state, packet, true)) {
          return true;
        }
        if (state.delayNs > 0 || state.passes > 0) {
          hold(held, state, packet, nowNs);
          return true;
        }
      }
    }
    judged[port] = !inner.send(packet, nowNs);
    if (judged[port]) {
      return false;
    }
    if (state.duplicate) {
      state.duplicate = false;
      keep(held, packet, nowNs, 0);
    }
    held.passed(nowNs);
    flush(port, nowNs);
    return true;
  }

  /** Changes the packet as decided; false: it is lost. */
  private boolean applied(FaultState state, Packet packet, boolean sent) {
    if (state.drop || state.corruptBit >= 0 && Address.isIp4(packet.srcHi, packet.srcLo)) {
      return false;
    }
    if (state.mark) {
      if (sent) {
        packet.setFecn();
      } else {
        packet.ecn = Packet.CE;
      }
    }
    if (state.corruptBit >= 0) {
      int at = state.corruptBit >> 3;
      packet.bytes.put(at, (byte) (packet.bytes.get(at) ^ 1 << (state.corruptBit & 7)));
    }
    if (state.trim) {
      packet.bytes.limit(packet.headerBytes());
      packet.trimmed = true;
      packet.dscp = dscp.trimmed();
    }
    return true;
  }

  private void hold(HeldPackets held, FaultState state, Packet packet, long nowNs) {
    long dueNs = nowNs + state.delayNs;
    boolean byTime = state.passes == 0;
    keep(held, packet, byTime ? dueNs : dueNs + FaultState.reorderMaxNs(), state.passes);
    if (state.duplicate) {
      keep(held, packet, dueNs, 0);
    }
  }

  private void keep(HeldPackets held, Packet packet, long dueNs, int passes) {
    if (!held.hold(packet, dueNs, passes)) {
      overflowed.incrementAndGet();
    }
  }

  /** Sends what is due on a port. */
  private void flush(int port, long nowNs) {
    HeldPackets held = toSend[port];
    for (Packet due = held.due(nowNs); due != null; due = held.due(nowNs)) {
      try {
        if (!inner.send(due, nowNs)) {
          sendRetryNs = nowNs + FULL_RETRY_NS;
          return;
        }
      } catch (IOException e) {
        // The port failed: as a cable's, what was on it is lost. The next packet reports it.
        overflowed.incrementAndGet();
      }
      held.remove();
    }
  }

  @Override
  public boolean receive(int port, Packet into, long nowNs) throws IOException {
    FaultState state = receiving[port];
    HeldPackets held = toReceive[port];
    for (int i = 0; i < MAX_LOST_IN_A_CALL; i++) {
      Packet due = held.due(nowNs);
      if (due != null) {
        into.copy(due);
        held.remove();
        return true;
      }
      if (!inner.receive(port, into, nowNs)) {
        return false;
      }
      long sinceNs = sinceNs(into, nowNs);
      if (state.isEmpty()) {
        return true;
      }
      state.judge(into, false, sinceNs, nowNs, tally);
      if (!applied(state, into, false)) {
        continue;
      }
      if (state.delayNs > 0 || state.passes > 0) {
        hold(held, state, into, nowNs);
        continue;
      }
      if (state.duplicate) {
        keep(held, into, nowNs, 0);
      }
      held.passed(nowNs);
      return true;
    }
    return false;
  }

  @Override
  public void advance(long nowNs) {
    FaultSpec spec = next;
    if (spec != null) {
      next = null;
      install(spec);
    }
    for (int port = 0; port < toSend.length; port++) {
      flush(port, nowNs);
    }
    super.advance(nowNs);
  }

  @Override
  public long nextDeadlineNs() {
    long nextNs = NEVER;
    for (int port = 0; port < toSend.length; port++) {
      nextNs = Math.min(nextNs, Math.max(toSend[port].nextDueNs(), sendRetryNs));
      nextNs = Math.min(nextNs, toReceive[port].nextDueNs());
    }
    return Math.min(nextNs, inner.nextDeadlineNs());
  }
}
