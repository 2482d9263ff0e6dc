package io.anabranch.net.loop;

import io.anabranch.engine.Command;
import io.anabranch.engine.CommandResult;
import io.anabranch.engine.DropReason;
import io.anabranch.engine.Engine;
import io.anabranch.engine.Memory;
import io.anabranch.engine.QpSnapshot;
import io.anabranch.engine.Sink;
import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.wire.mrc.DscpMap;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.Opcode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * No protocol: sends a given number of writes over all EVs of a table, each of one size, and counts
 * and places what arrives.
 */
public final class FakeEngine implements Engine {
  /** Something the engine was called for, in order. */
  public record Call(String what, int port, long nowNs) {}

  private final Memory memory;
  private final List<PlaneAddress> mine;
  public final List<Call> calls = new ArrayList<>();
  public int logged;
  public @Nullable EvTable evs;
  public List<PlaneAddress> peer = List.of();
  public int toSend;
  public int sent;
  public int payloadBytes;
  public int received;
  public int bad;
  public long mismatched;
  public long deadlineNs = NEVER;
  public int expired;
  public final int[] receivedOn = new int[32];
  public final List<Integer> receivedEvs = new ArrayList<>();
  public int lastEcn;
  public int trimmed;
  public int refused;
  private int[] cursor = new int[32];

  public FakeEngine(Memory memory, List<PlaneAddress> mine) {
    this.memory = memory;
    this.mine = mine;
  }

  private void log(String what, int port, long nowNs) {
    if (calls.size() < logged) {
      calls.add(new Call(what, port, nowNs));
    }
  }

  @Override
  public void receive(Frame frame, int port, long nowNs) {
    log("receive", port, nowNs);
    received++;
    receivedOn[port]++;
    lastEcn = frame.ecn();
    if (frame.noBuffer()) {
      refused++;
      return;
    }
    if (frame.icrcBad()) {
      bad++;
      return;
    }
    if (frame.trimmed()) {
      trimmed++;
      return;
    }
    if (receivedEvs.size() < 100_000) {
      receivedEvs.add(frame.ev());
    }
    if (!frameIsFor(frame, port)) {
      mismatched++;
    }
    if (Opcode.isWrite(frame.opcode()) && frame.payloadLength() > 0) {
      memory.place(frame.rKey(), frame.virtualAddress(), frame);
    }
  }

  private boolean frameIsFor(Frame frame, int port) {
    PlaneAddress here = mine.get(port);
    return frame.dstHi() == here.hi()
        && frame.dstLo() == here.lo()
        && frame.dstPort() == here.udpPort()
        && frame.srcPort() != 0;
  }

  @Override
  public boolean nextFrame(int port, long nowNs, Frame slot) {
    EvTable table = evs;
    if (table == null || sent >= toSend || port >= peer.size()) {
      return false;
    }
    int index = cursor[port];
    do {
      index = (index + 1) % table.size();
    } while (table.port(index) != port);
    cursor[port] = index;
    PlaneAddress to = peer.get(port);
    PlaneAddress from = mine.get(port);
    slot.clear();
    slot.opcode(Opcode.WRITE_ONLY).psn(sent).destQp(77).ev(table.ev(index)).dstPort(to.udpPort());
    slot.src(from.hi(), from.lo()).dst(to.hi(), to.lo());
    slot.dscp(DscpMap.DEFAULT.trimmable()).ecn(2).pKey(0xffff);
    slot.timestamped(true).fType(1).timestamp((int) (nowNs >> 7));
    slot.payloadLength(payloadBytes).padCount(-payloadBytes & 3).dmaLength(payloadBytes);
    slot.rKey(5).virtualAddress((long) sent * payloadBytes);
    slot.payload(9, (long) sent * payloadBytes);
    sent++;
    return true;
  }

  @Override
  public void expire(long nowNs) {
    log("expire", -1, nowNs);
    if (nowNs >= deadlineNs) {
      deadlineNs = NEVER;
      expired++;
    }
  }

  @Override
  public long nextDeadlineNs() {
    return deadlineNs;
  }

  @Override
  public CommandResult submit(Command command, long nowNs) {
    return CommandResult.INVALID;
  }

  @Override
  public void poll(Sink sink) {}

  @Override
  public void portState(int port, boolean up, long nowNs) {
    log(up ? "up" : "down", port, nowNs);
  }

  @Override
  public @Nullable QpSnapshot snapshot(int qp) {
    return null;
  }

  @Override
  public long drops(DropReason reason) {
    return 0;
  }
}
