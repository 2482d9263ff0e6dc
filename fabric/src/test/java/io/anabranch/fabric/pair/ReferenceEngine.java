package io.anabranch.fabric.pair;

import io.anabranch.engine.Command;
import io.anabranch.engine.CommandResult;
import io.anabranch.engine.DropReason;
import io.anabranch.engine.Engine;
import io.anabranch.engine.EngineEvent;
import io.anabranch.engine.Memory;
import io.anabranch.engine.QpSnapshot;
import io.anabranch.engine.Sink;
import io.anabranch.engine.config.CcConfig;
import io.anabranch.engine.config.EngineConfig;
import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.config.NsccConfig;
import io.anabranch.engine.config.PeerConfig;
import io.anabranch.engine.trace.TraceSink;
import io.anabranch.wire.mrc.EndpointOp;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.Opcode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A small honest engine that proves the harness: it acknowledges every packet, sends again what a
 * NACK or a timeout says, and spreads over the planes in turn. With a {@link Mutation} it is wrong
 * in one way.
 */
final class ReferenceEngine implements Engine {
  final EngineConfig config;
  final Memory memory;
  final TraceSink trace;
  final Mutation mutation;
  final List<ReferenceQp> qps = new ArrayList<>();
  final TreeMap<Integer, Command.RegisterRegion> regions = new TreeMap<>();
  final ArrayDeque<Consumer<Sink>> reports = new ArrayDeque<>();
  final List<ArrayDeque<Frame>> control = new ArrayList<>();
  final boolean[] down;
  final boolean[] peerDown;
  @Nullable PeerConfig peer;
  long inflightBytes;
  private int requestIds;
  private int asks;

  ReferenceEngine(EngineConfig config, Memory memory, TraceSink trace, Mutation mutation) {
    this.config = config;
    this.memory = memory;
    this.trace = trace;
    this.mutation = mutation;
    this.down = new boolean[config.ports()];
    this.peerDown = new boolean[config.ports()];
    for (int i = 0; i < config.ports(); i++) {
      control.add(new ArrayDeque<>());
    }
  }

  static EngineFactory factory(Mutation mutation) {
    return (config, memory, trace) -> new ReferenceEngine(config, memory, trace, mutation);
  }

  boolean is(Mutation which) {
    return mutation == which;
  }

  PeerConfig peer() {
    if (peer == null) {
      throw new IllegalStateException("no peer");
    }
    return peer;
  }

  /** The reference steers no window: it keeps the largest that it may have. */
  long windowBytes() {
    return switch (peer().cc()) {
      case CcConfig.FixedWindow fixed -> fixed.windowBytes();
      case CcConfig.Unlimited unlimited -> CcConfig.MAX_WINDOW_BYTES;
      case NsccConfig nscc -> nscc.maxWndBytes();
    };
  }

  boolean usable(int port) {
    return (!down[port] || is(Mutation.SENDS_ON_DOWN_PORT))
        && (!peerDown[port] || is(Mutation.IGNORES_PORT_STATUS));
  }

  int ev(int port, int turn) {
    EvTable table = peer().evs();
    int perPort = table.size() / config.ports();
    return table.ev(port * perPort + Math.floorMod(turn, perPort));
  }

  void envelope(Frame f, int port, int ev) {
    var from = config.planes().get(port);
    var to = peer().planes().get(port);
    f.src(from.hi(), from.lo()).dst(to.hi(), to.lo()).dstPort(to.udpPort()).ev(ev);
  }

  /** Queues a control frame on a port that is up. */
  Frame control(int port, boolean data) {
    Frame f = new Frame();
    int p = port;
    while (down[p]) {
      p = (p + 1) % down.length;
      if (p == port) {
        break;
      }
    }
    envelope(f, p, ev(p, requestIds++));
    f.dscp(data ? config.dscp().trimmable() : config.dscp().control()).ecn(data ? 2 : 0);
    control.get(p).add(f);
    return f;
  }

  @Override
  public void receive(Frame f, int port, long nowNs) {
    if (f.icrcBad() || peer == null) {
      return;
    }
    var from = peer.planes().get(port);
    if (f.srcHi() != from.hi() || f.srcLo() != from.lo()) {
      return;
    }
    if (is(Mutation.THROWS) && f.psn() % 7 == 3) {
      throw new IllegalStateException("thrown on purpose");
    }
    if (f.opcode() == Opcode.ENDPOINT_REQUEST && !f.trimmed()) {
      if (f.op() == EndpointOp.PORT_STATUS) {
        for (int i = 0; i < peerDown.length; i++) {
          peerDown[i] = (f.portStatusMask() >>> i & 1) == 0;
        }
      }
      Frame answer = control(port, false);
      answer.opcode(Opcode.ENDPOINT_RESPONSE).destQp(EndpointOp.QP).psn(f.psn()).op(f.op());
      return;
    }
    for (ReferenceQp qp : qps) {
      if (qp.number == f.destQp() && qp.up) {
        qp.receive(f, port, nowNs);
      }
    }
  }

  @Override
  public boolean nextFrame(int port, long nowNs, Frame slot) {
    Frame queued = control.get(port).poll();
    if (queued != null) {
      slot.copy(queued);
      return true;
    }
    if (is(Mutation.LATE_FRAME_WITHOUT_CALL) && ++asks % 3 != 0) {
      return false;
    }
    for (ReferenceQp qp : qps) {
      if (qp.up && qp.next(port, nowNs, slot)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void expire(long nowNs) {
    for (ReferenceQp qp : qps) {
      qp.expire(nowNs);
    }
  }

  @Override
  public long nextDeadlineNs() {
    long first = NEVER;
    for (ReferenceQp qp : qps) {
      first = Math.min(first, qp.deadlineNs);
    }
    return is(Mutation.DEADLINE_STUCK) && first != NEVER ? 0 : first;
  }

  @Override
  public CommandResult submit(Command command, long nowNs) {
    switch (command) {
      case Command.AddPeer c -> peer = c.config();
      case Command.CreateQp c -> qps.add(new ReferenceQp(this, c.qp(), c.config()));
      case Command.RegisterRegion c -> regions.put(c.rKey(), c);
      case Command.ReadyToReceive c -> qp(c.qp()).in = c.attributes();
      case Command.ReadyToSend c -> qp(c.qp()).start(c.attributes());
      case Command.PostReceive c -> qp(c.qp()).receives.add(c.wrId());
      case Command.PostWrite c -> {
        return qp(c.qp).post(c, nowNs);
      }
      default -> {
        return CommandResult.INVALID;
      }
    }
    return CommandResult.OK;
  }

  private ReferenceQp qp(int number) {
    for (ReferenceQp qp : qps) {
      if (qp.number == number) {
        return qp;
      }
    }
    throw new IllegalStateException("no qp " + number);
  }

  @Override
  public void poll(Sink sink) {
    while (!reports.isEmpty()) {
      reports.remove().accept(sink);
    }
  }

  @Override
  public void portState(int port, boolean up, long nowNs) {
    down[port] = !up;
    int mask = 0;
    for (int i = 0; i < down.length; i++) {
      mask |= down[i] ? 0 : 1 << i;
    }
    for (int i = 0; i < 3; i++) {
      Frame f = control(port, true);
      f.opcode(Opcode.ENDPOINT_REQUEST).destQp(EndpointOp.QP).op(EndpointOp.PORT_STATUS);
      f.psn(requestIds++ & 0xffff).portStatusMask(mask);
    }
    reports.add(sink -> sink.event(up ? EngineEvent.PORT_ACTIVE : EngineEvent.PORT_DOWN, -1, port));
    for (ReferenceQp qp : qps) {
      java.util.Arrays.fill(qp.sentOn, 0);
    }
  }

  @Override
  public @Nullable QpSnapshot snapshot(int number) {
    for (ReferenceQp qp : qps) {
      if (qp.number == number) {
        return qp.snapshot();
      }
    }
    return null;
  }

  @Override
  public long drops(DropReason reason) {
    return 0;
  }
}
