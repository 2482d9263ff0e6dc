package io.anabranch.verbs;

import io.anabranch.engine.Application;
import io.anabranch.engine.Command;
import io.anabranch.engine.CommandResult;
import io.anabranch.engine.Engine;
import io.anabranch.engine.EngineEvent;
import io.anabranch.engine.QpState;
import io.anabranch.engine.Sink;
import io.anabranch.engine.Status;
import io.anabranch.verbs.MrcException.Code;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The context's side on the driver's thread: takes commands to the engine, and completions, events
 * and bytes from it. Everything here belongs to that thread, but {@link #takeLeft}.
 *
 * <p>A work request goes to the engine under a tag: generation of its queue pair (bits 61:32), the
 * queue pair's place in the table (31:16) and the slot (15:0). Tags of an earlier generation are
 * those of before a RESET and are dropped. The tag's low half is also the payload reference.
 */
final class Dispatcher implements Application, Sink {
  static final int MAX_QPS = 1 << 14;

  /** Marks the tag of a receive in the command queue. */
  static final long RECEIVE = 1L << 63;

  private static final int GENERATION_MASK = 0x3fff_ffff;
  private static final Status[] STATUSES = Status.values();

  private final MrcContext context;
  private @Nullable QueuePair[] queuePairs = new QueuePair[8];
  private @Nullable MemoryRegion[] regions = new MemoryRegion[8];
  private final Map<Integer, QueuePair> byNumber = new HashMap<>();
  private final ArrayDeque<QueuePair> broken = new ArrayDeque<>();
  private final ArrayDeque<CompletionQueue> overflowed = new ArrayDeque<>();
  private final Command.PostWrite write = new Command.PostWrite();
  private int nextGeneration;
  private long reported;

  Dispatcher(MrcContext context) {
    this.context = context;
  }

  static void check(String what, CommandResult result) {
    Code code =
        switch (result) {
          case OK -> null;
          case NOT_FOUND -> Code.ENOENT;
          case IN_USE -> Code.EBUSY;
          case QUEUE_FULL -> Code.EAGAIN;
          case WRONG_STATE, INVALID -> Code.EINVAL;
        };
    if (code != null) {
      throw new MrcException(code, what + ": refused by the engine: " + result);
    }
  }

  // ---------------------------------------------------------------- tables

  /** Gives a queue pair its place and generation. */
  void add(QueuePair qp) {
    int i = freePlace(queuePairs);
    if (i == MAX_QPS) {
      throw new MrcException(Code.ENOMEM, "queue pairs: " + i + ", allowed " + MAX_QPS);
    }
    if (i == queuePairs.length) {
      queuePairs = Arrays.copyOf(queuePairs, i * 2);
    }
    queuePairs[i] = qp;
    qp.place(i, generation());
  }

  private int generation() {
    nextGeneration = nextGeneration + 1 & GENERATION_MASK;
    return nextGeneration;
  }

  private static int freePlace(@Nullable Object[] table) {
    for (int i = 0; i < table.length; i++) {
      if (table[i] == null) {
        return i;
      }
    }
    return table.length;
  }

  void remove(QueuePair qp) {
    queuePairs[qp.index()] = null;
  }

  int addRegion(MemoryRegion region) {
    int i = freePlace(regions);
    if (i == regions.length) {
      regions = Arrays.copyOf(regions, i * 2);
    }
    regions[i] = region;
    return i;
  }

  void removeRegion(int handle) {
    regions[handle] = null;
  }

  /** RESET → INIT: the engine gets to know it. */
  void create(Engine engine, QueuePair qp, Command.CreateQp command, long nowNs) {
    check("create queue pair", engine.submit(command, nowNs));
    byNumber.put(qp.number(), qp);
    qp.enter(QpState.INIT);
  }

  /** To RESET: the engine forgets it; its completions to come are those of an old generation. */
  void reset(Engine engine, QueuePair qp, long nowNs) {
    take(engine);
    if (byNumber.remove(qp.number()) != null) {
      engine.submit(new Command.DestroyQp(qp.number()), nowNs);
    }
    qp.reset(generation());
  }

  /** To ERROR. */
  void error(Engine engine, QueuePair qp, long nowNs) {
    if (byNumber.containsKey(qp.number())) {
      engine.submit(new Command.ErrorQp(qp.number()), nowNs);
    }
    qp.enter(QpState.ERROR);
  }

  // ---------------------------------------------------------------- a turn

  @Override
  public boolean turn(Engine engine, long nowNs) {
    if (context.failed()) {
      return false;
    }
    try {
      boolean worked = failBroken(engine, nowNs);
      worked |= carryOut(engine, nowNs);
      worked |= take(engine);
      worked |= failOverflowed(engine, nowNs);
      return worked;
    } catch (Throwable t) {
      context.fail(t);
      throw t;
    }
  }

  @Override
  public void failed(Throwable cause) {
    if (!context.failed()) {
      context.fail(cause);
    }
  }

  private boolean carryOut(Engine engine, long nowNs) {
    context.wakeupSeen();
    CommandQueue commands = context.commands;
    int most = context.config().commandsPerTurn();
    for (int n = 0; n < most; n++) {
      Object item = commands.poll();
      if (item == null) {
        if (n > 0) {
          context.waiter.signal();
        }
        return n > 0;
      }
      if (item instanceof QueuePair qp) {
        post(engine, qp, commands.argument(), nowNs);
      } else if (item instanceof Task task) {
        task.run(engine, nowNs);
      }
    }
    context.waiter.signal();
    return true;
  }

  private void post(Engine engine, QueuePair qp, long tag, long nowNs) {
    if ((int) (tag >>> 32 & GENERATION_MASK) != qp.generation()) {
      return;
    }
    boolean isReceive = tag < 0;
    long id = tag & ~RECEIVE;
    int slot = (int) tag & 0xffff;
    CommandResult result =
        isReceive
            ? engine.submit(new Command.PostReceive(qp.number(), id), nowNs)
            : engine.submit(describe(qp, id, slot), nowNs);
    switch (result) {
      case OK -> {}
      case WRONG_STATE, NOT_FOUND -> {
        // In ERROR since it was posted. What was flushed before it has its completion first.
        take(engine);
        Operation operation = Operation.RECEIVE_WRITE_WITH_IMMEDIATE;
        if (!isReceive) {
          operation = write.withImmediate ? Operation.WRITE_WITH_IMMEDIATE : Operation.WRITE;
        }
        completion(qp.number(), id, Status.WR_FLUSH_ERR, operation, 0, 0, false);
      }
      default ->
          throw new IllegalStateException(
              "engine refused a checked work request of queue pair " + qp.number() + ": " + result);
    }
  }

  private Command.PostWrite describe(QueuePair qp, long id, int number) {
    SendSlot slot = qp.sends().slot(number);
    Command.PostWrite w = write;
    w.qp = qp.number();
    w.wrId = id;
    w.payloadRef = (int) id;
    w.remoteAddress = slot.remoteAddress;
    w.rKey = slot.rKey;
    w.length = slot.lengthBytes;
    w.withImmediate = slot.withImmediate;
    w.immediate = slot.immediate;
    // Every completion is wanted here: it frees the slot. Unsignaled ones end in completion().
    w.signaled = true;
    w.solicited = slot.solicited;
    return w;
  }

  private boolean take(Engine engine) {
    long before = reported;
    engine.poll(this);
    return reported != before;
  }

  private boolean failBroken(Engine engine, long nowNs) {
    QueuePair qp = broken.poll();
    if (qp == null) {
      return false;
    }
    while (qp != null) {
      fail(engine, qp, Status.LOC_PROT_ERR, nowNs);
      qp = broken.poll();
    }
    return true;
  }

  private void fail(Engine engine, QueuePair qp, Status status, long nowNs) {
    if (qp.state() != QpState.ERROR && qp.state() != QpState.RESET) {
      error(engine, qp, nowNs);
      context.events.add(AsyncEvent.Type.QP_FATAL, qp, null, 0, status);
    }
  }

  private boolean failOverflowed(Engine engine, long nowNs) {
    CompletionQueue cq = overflowed.poll();
    if (cq == null) {
      return false;
    }
    while (cq != null) {
      context.events.add(AsyncEvent.Type.CQ_ERROR, null, cq, 0, Status.SUCCESS);
      for (QueuePair qp : queuePairs) {
        if (qp != null && qp.uses(cq)) {
          fail(engine, qp, Status.GENERAL_ERR, nowNs);
        }
      }
      take(engine);
      cq = overflowed.poll();
    }
    return true;
  }

  // ---------------------------------------------------------------- from the engine

  @Override
  public void completion(
      int qpNumber,
      long tag,
      Status status,
      Operation operation,
      long byteLength,
      int immediate,
      boolean solicited) {
    reported++;
    int index = (int) (tag >>> 16) & 0xffff;
    QueuePair qp = index < queuePairs.length ? queuePairs[index] : null;
    if (qp == null || qp.generation() != (int) (tag >>> 32)) {
      return;
    }
    int number = (int) tag & 0xffff;
    CompletionQueue cq;
    AtomicInteger unpolled;
    long id;
    Status how = status;
    boolean wanted = true;
    boolean isReceive = operation == Operation.RECEIVE_WRITE_WITH_IMMEDIATE;
    if (isReceive) {
      id = qp.receives().id(number);
      unpolled = qp.receives().unpolled;
      cq = qp.receiveCq();
    } else {
      SendSlot slot = qp.sends().slot(number);
      id = slot.id;
      if (slot.broken) {
        how = Status.LOC_PROT_ERR;
      }
      wanted = slot.signaled || how != Status.SUCCESS;
      unpolled = qp.sends().unpolled;
      cq = qp.sendCq();
    }
    long bytes = how == Status.SUCCESS ? byteLength : 0;
    if (wanted) {
      // Before it is freed, so that it holds its place all the time.
      unpolled.incrementAndGet();
    }
    // Before the completion can be seen: who takes it may close the memory and post again at once.
    if (isReceive) {
      qp.receives().free(number);
    } else {
      qp.sends().free(number);
    }
    if (wanted && !cq.add(id, how, operation, bytes, immediate, qp.number(), solicited, unpolled)) {
      overflowed.add(cq);
    }
  }

  @Override
  public void event(EngineEvent event, int qpNumber, long detail) {
    reported++;
    QueuePair qp = byNumber.get(qpNumber);
    switch (event) {
      case QP_FATAL -> failed(AsyncEvent.Type.QP_FATAL, qp, STATUSES[(int) detail]);
      case QP_ACCESS_ERROR -> failed(AsyncEvent.Type.QP_ACCESS_ERROR, qp, ofSyndrome((int) detail));
      case PORT_ACTIVE -> port(AsyncEvent.Type.PORT_ACTIVE, detail);
      case PORT_DOWN -> port(AsyncEvent.Type.PORT_DOWN, detail);
      case PLANE_LEFT -> plane(AsyncEvent.Type.PLANE_LEFT, detail);
      case PLANE_BACK -> plane(AsyncEvent.Type.PLANE_BACK, detail);
    }
  }

  private void failed(AsyncEvent.Type type, @Nullable QueuePair qp, Status status) {
    if (qp != null) {
      qp.enter(QpState.ERROR);
      context.events.add(type, qp, null, 0, status);
    }
  }

  /** The status that the requestor will see for an AETH syndrome (IBTA 1.7, 9.7.5.2.8). */
  private static Status ofSyndrome(int syndrome) {
    return switch (syndrome & 0x1f) {
      case 1 -> Status.REM_INV_REQ_ERR;
      case 2 -> Status.REM_ACCESS_ERR;
      case 3 -> Status.REM_OP_ERR;
      default -> Status.GENERAL_ERR;
    };
  }

  private void port(AsyncEvent.Type type, long detail) {
    context.events.add(type, null, null, (int) detail + 1, Status.SUCCESS);
  }

  private void plane(AsyncEvent.Type type, long detail) {
    if (context.config().planeEvents()) {
      port(type, detail & 0xffff_ffffL);
    }
  }

  // ---------------------------------------------------------------- bytes

  @Override
  public void read(int payloadRef, long offset, ByteBuffer into) {
    QueuePair qp = queuePairs[payloadRef >>> 16];
    if (qp == null) {
      throw new IllegalStateException("payload of a queue pair that is no more");
    }
    if (!qp.sends().read(payloadRef & 0xffff, offset, into)) {
      broken.add(qp);
    }
  }

  @Override
  public void write(int handle, long offset, ByteBuffer from) {
    MemoryRegion region = regions[handle];
    if (region == null) {
      throw new IllegalStateException("payload for a region that is no more");
    }
    try {
      region.write(offset, from);
    } catch (IllegalStateException e) {
      // The caller closed the arena before the region: nobody can read what is lost here.
      from.position(from.limit());
    }
  }

  /** Refuses the commands that are left. Only when the driver's thread makes no turns any more. */
  void takeLeft(MrcException why) {
    Object item = context.commands.poll();
    while (item != null) {
      if (item instanceof Task task) {
        task.refuse(why);
      }
      item = context.commands.poll();
    }
  }
}
