package io.anabranch.fabric.pair;

import io.anabranch.engine.EngineEvent;
import io.anabranch.engine.Sink;
import io.anabranch.engine.Status;
import io.anabranch.fabric.pair.PairScenario.Poison;

/** Watches what an engine reports to its application. */
final class CompletionChecks {
  /** Work request ids of receives start here; those of sends are message numbers. */
  static final long RECEIVE_IDS = 1L << 32;

  private final PairChecker checker;

  CompletionChecks(PairChecker checker) {
    this.checker = checker;
  }

  void completion(
      int side,
      int qp,
      long wrId,
      Status status,
      Sink.Operation operation,
      long byteLength,
      int immediate,
      boolean solicited) {
    int index = checker.indexOfQp(side, qp);
    if (index < 0) {
      throw checker.breach(Invariant.COMPLETION_FIELDS, "completion of unknown qp " + qp);
    }
    if (operation == Sink.Operation.RECEIVE_WRITE_WITH_IMMEDIATE) {
      receive(checker.flow(1 - side, index), wrId, status, byteLength, immediate, solicited);
    } else {
      send(checker.flow(side, index), wrId, status, operation, byteLength, immediate);
    }
  }

  private void send(
      Flow flow,
      long wrId,
      Status status,
      Sink.Operation operation,
      long byteLength,
      int immediate) {
    if (wrId < 0 || wrId >= flow.posted) {
      throw fail(Invariant.COMPLETION_ONCE, flow, wrId, "was never posted");
    }
    if (wrId < flow.sendCursor) {
      throw fail(Invariant.COMPLETION_ONCE, flow, wrId, "completes again, or too late");
    }
    Message message = flow.messages.get((int) wrId);
    for (int i = flow.sendCursor; i < wrId; i++) {
      Message passed = flow.messages.get(i);
      if (passed.signaled() || flow.failureReported) {
        throw fail(Invariant.COMPLETION_ORDER, flow, wrId, "completes before " + i);
      }
      if (passed.lastPacket() > flow.highestCompleted && !flow.lied) {
        throw fail(Invariant.COMPLETION_EARLY, flow, i, "passed over without transport ACK");
      }
    }
    flow.sendCursor = (int) wrId + 1;
    if (operation
        != (message.withImmediate() ? Sink.Operation.WRITE_WITH_IMMEDIATE : Sink.Operation.WRITE)) {
      throw fail(Invariant.COMPLETION_FIELDS, flow, wrId, "says " + operation);
    }
    if (status == Status.SUCCESS) {
      sendSucceeded(flow, message, byteLength, immediate);
    } else {
      sendFailed(flow, message, status, byteLength);
    }
  }

  private void sendSucceeded(Flow flow, Message message, long byteLength, int immediate) {
    int id = message.index();
    if (!message.signaled()) {
      throw fail(Invariant.COMPLETION_ONCE, flow, id, "reports success though unsignaled");
    }
    if (flow.failureReported) {
      throw fail(Invariant.COMPLETION_ORDER, flow, id, "succeeds after a failure");
    }
    if (flow.highestCompleted < message.lastPacket() && !flow.lied) {
      throw fail(Invariant.COMPLETION_EARLY, flow, id, "succeeds before its transport ACK came");
    }
    if (!flow.lied && (message.poisoned() || !flow.placed(message))) {
      throw fail(Invariant.COMPLETION_EARLY, flow, id, "succeeds with bytes missing");
    }
    if (byteLength != message.bytes() || immediate != 0) {
      throw fail(
          Invariant.COMPLETION_FIELDS, flow, id, "length " + byteLength + ", imm " + immediate);
    }
    flow.signaledReported++;
  }

  private void sendFailed(Flow flow, Message message, Status status, long byteLength) {
    int id = message.index();
    if (!flow.mayFail) {
      throw fail(Invariant.COMPLETION_STATUS, flow, id, "ends with " + status);
    }
    if (message.lastPacket() <= flow.highestCompleted && !flow.lied) {
      throw fail(Invariant.COMPLETION_STATUS, flow, id, status + " after its transport ACK");
    }
    if (byteLength != 0) {
      throw fail(Invariant.COMPLETION_FIELDS, flow, id, "failed with length " + byteLength);
    }
    flow.failed = true;
    flow.failureReported = true;
    if (status == Status.WR_FLUSH_ERR) {
      return;
    }
    if (flow.failureStatus != null) {
      throw fail(Invariant.COMPLETION_STATUS, flow, id, "a second failure, " + status);
    }
    flow.failureStatus = status;
    Poison poison = checker.scenario().work().poison();
    boolean poisonedFlow = flow.side == 0 && flow.index == 0 && poison != Poison.NONE;
    if (poisonedFlow) {
      Status expected = poison == Poison.NO_RECEIVE ? Status.REM_OP_ERR : Status.REM_ACCESS_ERR;
      if (status != expected || !message.poisoned()) {
        throw fail(Invariant.COMPLETION_STATUS, flow, id, status + ", not " + expected);
      }
    } else if (checker.scenario().has(PairScenario.Fault.Kind.DIE)) {
      checker.budgetSpent(flow, status, id);
    }
  }

  private void receive(
      Flow flow, long wrId, Status status, long byteLength, int immediate, boolean solicited) {
    long expected = RECEIVE_IDS + flow.receivesReported;
    if (wrId != expected || flow.receivesReported >= flow.receivesPosted) {
      Invariant which = wrId < expected ? Invariant.COMPLETION_ONCE : Invariant.COMPLETION_ORDER;
      throw fail(which, flow, wrId, "receive completes, expected " + expected);
    }
    flow.receivesReported++;
    if (status != Status.SUCCESS) {
      if (!flow.mayFail || status != Status.WR_FLUSH_ERR) {
        throw fail(Invariant.COMPLETION_STATUS, flow, wrId, "receive ends with " + status);
      }
      flow.responderFailed = true;
      return;
    }
    if (flow.responderFailed) {
      throw fail(Invariant.COMPLETION_ORDER, flow, wrId, "receive succeeds after a flush");
    }
    if (flow.receivesDone >= flow.immediates() && !flow.lied) {
      throw fail(Invariant.COMPLETION_ONCE, flow, wrId, "more receives than immediates");
    }
    if (flow.lied) {
      return;
    }
    Message message = flow.immediate(flow.receivesDone++);
    if (flow.completeMessages <= message.index()) {
      throw fail(
          Invariant.COMPLETION_EARLY, flow, wrId, "receive before message " + message.index());
    }
    if (immediate != message.immediate()
        || byteLength != message.bytes()
        || solicited != message.solicited()) {
      throw fail(
          Invariant.COMPLETION_FIELDS,
          flow,
          wrId,
          "receive of message "
              + message.index()
              + " with length "
              + byteLength
              + ", imm "
              + immediate
              + ", solicited "
              + solicited);
    }
  }

  void event(int side, EngineEvent event, int qp) {
    if (event != EngineEvent.QP_FATAL && event != EngineEvent.QP_ACCESS_ERROR) {
      return;
    }
    int index = checker.indexOfQp(side, qp);
    if (index < 0) {
      throw checker.breach(Invariant.COMPLETION_FIELDS, event + " of unknown qp " + qp);
    }
    Flow out = checker.flow(side, index);
    Flow in = checker.flow(1 - side, index);
    if (!out.mayFail) {
      throw checker.breach(Invariant.COMPLETION_STATUS, out.name() + ": " + event);
    }
    out.failed = true;
    in.responderFailed = true;
  }

  private InvariantBreach fail(Invariant invariant, Flow flow, long wrId, String text) {
    return checker.breach(invariant, flow.name() + ", request " + wrId + ": " + text);
  }
}
