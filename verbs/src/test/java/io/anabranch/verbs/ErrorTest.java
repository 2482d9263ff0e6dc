package io.anabranch.verbs;

import static io.anabranch.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.engine.Engine;
import io.anabranch.engine.QpState;
import io.anabranch.engine.Status;
import io.anabranch.verbs.MrcException.Code;
import java.lang.foreign.Arena;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What fails, how it ends, and who is told. */
class ErrorTest {
  private final Pair pair = new Pair();
  private final Pair.Link link = pair.connect();
  private final MemoryRegion from = pair.a.region(100_000);
  private final MemoryRegion to = pair.b.region(100_000);

  @AfterEach
  void close() {
    pair.close();
  }

  private SendRequest write(long id) {
    return new SendRequest(id).write(to.address(), to.rKey()).gather(from, 0, 10_000);
  }

  private static List<String> text(List<WorkCompletion> completions) {
    List<String> list = new ArrayList<>();
    for (WorkCompletion c : completions) {
      assertThat(c.byteLength()).isZero();
      list.add(c.id() + " " + c.status());
    }
    return list;
  }

  private void expectAccessError() {
    assertThat(text(pair.runAndPoll(pair.a))).containsExactly("1 REM_ACCESS_ERR", "2 WR_FLUSH_ERR");
    assertThat(link.a().state()).isEqualTo(QpState.ERROR);
    assertThat(link.b().state()).isEqualTo(QpState.ERROR);
    AsyncEvent atA = pair.a.context.pollAsyncEvent();
    assertThat(atA).isNotNull();
    if (atA != null) {
      assertThat(atA.type()).isEqualTo(AsyncEvent.Type.QP_FATAL);
      assertThat(atA.queuePair()).isSameAs(link.a());
      assertThat(atA.status()).isEqualTo(Status.REM_ACCESS_ERR);
      atA.acknowledge();
      assertRefused(Code.EINVAL, atA::acknowledge, "acknowledged");
    }
    AsyncEvent atB = pair.b.context.pollAsyncEvent();
    assertThat(atB).isNotNull();
    if (atB != null) {
      assertThat(atB.type()).isEqualTo(AsyncEvent.Type.QP_ACCESS_ERROR);
      assertThat(atB.queuePair()).isSameAs(link.b());
      atB.acknowledge();
    }
  }

  private void postTwo(long address, int key) {
    // Unsignaled ones too: failure is always reported.
    link.a().postSend(new SendRequest(1).write(address, key).gather(from, 0, 10_000));
    link.a().postSend(write(2));
  }

  @Test
  void unknownKey() {
    postTwo(to.address(), to.rKey() + 1);
    expectAccessError();
  }

  @Test
  void beyondTheRegion() {
    postTwo(to.address() + 90_001, to.rKey());
    expectAccessError();
  }

  @Test
  void beforeTheRegion() {
    postTwo(to.address() - 1, to.rKey());
    expectAccessError();
  }

  @Test
  void withoutTheRight() {
    MemoryRegion local = pair.b.domain.register(100_000, Access.LOCAL_WRITE);
    postTwo(local.address(), local.rKey());
    expectAccessError();
  }

  @Test
  void ofAnotherDomain() {
    ProtectionDomain other = pair.b.context.allocateProtectionDomain();
    MemoryRegion foreign = other.register(100_000, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    postTwo(foreign.address(), foreign.rKey());
    expectAccessError();
  }

  @Test
  void closedRegion() {
    long address = to.address();
    to.close();
    postTwo(address, to.rKey());
    expectAccessError();
  }

  @Test
  void noReceivePosted() {
    link.a().postSend(new SendRequest(1).writeWithImmediate(0, 0, 1));
    assertThat(text(pair.runAndPoll(pair.a))).containsExactly("1 REM_OP_ERR");
    assertThat(Pair.events(pair.a.context)).containsExactly(AsyncEvent.Type.QP_FATAL);
    assertThat(Pair.events(pair.b.context)).containsExactly(AsyncEvent.Type.QP_ACCESS_ERROR);
  }

  @Test
  void peerThatIsSilent() {
    pair.net.lost = (nic, frame) -> true;
    link.a().postSend(write(1));
    link.a().postReceive(7);
    assertThat(text(pair.runAndPoll(pair.a))).containsExactly("1 RETRY_EXC_ERR", "7 WR_FLUSH_ERR");
    AsyncEvent event = pair.a.context.pollAsyncEvent();
    assertThat(event).isNotNull();
    if (event != null) {
      assertThat(event.status()).isEqualTo(Status.RETRY_EXC_ERR);
      event.acknowledge();
    }
  }

  @Test
  void errorFlushesSendsInOrderThenReceives() {
    pair.net.lost = (nic, frame) -> true;
    link.a().postReceive(101);
    for (int i = 1; i <= 5; i++) {
      link.a().postSend(write(i).signaled(i % 2 == 0));
    }
    link.a().postReceive(102);
    link.a().modify(QpAttributes.to(QpState.ERROR));
    assertThat(text(pair.a.poll()))
        .containsExactly(
            "1 WR_FLUSH_ERR",
            "2 WR_FLUSH_ERR",
            "3 WR_FLUSH_ERR",
            "4 WR_FLUSH_ERR",
            "5 WR_FLUSH_ERR",
            "101 WR_FLUSH_ERR",
            "102 WR_FLUSH_ERR");
    assertThat(Pair.events(pair.a.context)).isEmpty();
  }

  @Test
  void postsInErrorAreFlushed() {
    link.a().modify(QpAttributes.to(QpState.ERROR));
    link.a().postSend(write(1));
    link.a().postReceive(2);
    link.a().postSend(new SendRequest(3).writeWithImmediate(0, 0, 1));
    List<WorkCompletion> got = pair.runAndPoll(pair.a);
    assertThat(text(got)).containsExactly("1 WR_FLUSH_ERR", "2 WR_FLUSH_ERR", "3 WR_FLUSH_ERR");
    from.close();
  }

  @Test
  void postsOnTheWayWhenItFailsAreFlushedAfterThoseBefore() {
    pair.net.lost = (nic, frame) -> true;
    link.a().postSend(write(1));
    pair.net.step();
    link.a().postSend(write(2));
    link.a().modify(QpAttributes.to(QpState.ERROR));
    link.a().postSend(write(3));
    assertThat(text(pair.runAndPoll(pair.a)))
        .containsExactly("1 WR_FLUSH_ERR", "2 WR_FLUSH_ERR", "3 WR_FLUSH_ERR");
  }

  @Test
  void errorFromResetFlushesToo() {
    QueuePair qp = pair.a.queuePair();
    qp.modify(QpAttributes.to(QpState.ERROR));
    qp.postSend(write(1));
    qp.postReceive(2);
    assertThat(text(pair.runAndPoll(pair.a))).containsExactly("1 WR_FLUSH_ERR", "2 WR_FLUSH_ERR");
  }

  @Test
  void resetWithdrawsWithoutCompletions() {
    pair.net.lost = (nic, frame) -> true;
    link.a().postSend(write(1));
    pair.net.step();
    link.a().postSend(write(2));
    link.a().postReceive(3);
    link.a().modify(QpAttributes.to(QpState.RESET));
    assertThat(pair.runAndPoll(pair.a)).isEmpty();
    from.close();
  }

  @Test
  void resetQueuePairsConnectAgain() {
    link.a().postSend(new SendRequest(1).write(to.address(), 0).gather(from, 0, 10));
    pair.net.run();
    pair.a.poll();
    Pair.events(pair.a.context);
    Pair.events(pair.b.context);
    Peer peerOfA = java.util.Objects.requireNonNull(link.a().query().peer());
    Peer peerOfB = java.util.Objects.requireNonNull(link.b().query().peer());
    link.a().modify(QpAttributes.to(QpState.RESET));
    link.b().modify(QpAttributes.to(QpState.RESET));
    link.a().init(pair.a.hint, EvProfile.auto(), CcProfile.nscc());
    link.b().init(pair.b.hint, EvProfile.auto(), CcProfile.nscc());
    link.a().connect(peerOfA, link.b().connectionInfo(), Pair.RETRY);
    link.b().connect(peerOfB, link.a().connectionInfo(), Pair.RETRY);
    link.a().postSend(write(2).signaled(true));
    assertThat(pair.runAndPoll(pair.a))
        .extracting(WorkCompletion::status)
        .containsExactly(Status.SUCCESS);
  }

  private static MemoryRegion ofClosedArena(Pair.Side side) {
    try (Arena arena = Arena.ofShared()) {
      return side.domain.register(arena.allocate(10_000), Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    }
  }

  @Test
  void memoryThatGoesAwayFailsTheRequest() {
    MemoryRegion gone = ofClosedArena(pair.a);
    link.a()
        .postSend(
            new SendRequest(1)
                .write(to.address(), to.rKey())
                .gather(gone, 0, 10_000)
                .signaled(true));
    link.a().postSend(write(2).signaled(true));
    List<WorkCompletion> got = pair.runAndPoll(pair.a);
    assertThat(got.getFirst().status()).isEqualTo(Status.LOC_PROT_ERR);
    assertThat(link.a().state()).isEqualTo(QpState.ERROR);
    assertThat(Pair.events(pair.a.context)).containsExactly(AsyncEvent.Type.QP_FATAL);
    gone.close();
  }

  @Test
  void memoryThatGoesAwayUnderTheResponderIsNoDisaster() {
    MemoryRegion gone = ofClosedArena(pair.b);
    long address = gone.address();
    link.a()
        .postSend(
            new SendRequest(1).write(address, gone.rKey()).gather(from, 0, 10_000).signaled(true));
    assertThat(pair.runAndPoll(pair.a)).hasSize(1);
    assertThat(pair.net.b.failure).isNull();
  }

  @Test
  void portsAreReportedFromOne() {
    pair.net.a.engine.portState(2, false, pair.net.nowNs);
    pair.net.run();
    pair.net.a.engine.portState(2, true, pair.net.nowNs);
    pair.net.run();
    AsyncEvent down = pair.a.context.pollAsyncEvent();
    AsyncEvent up = pair.a.context.pollAsyncEvent();
    assertThat(down).hasToString("PORT_DOWN port 3");
    assertThat(up).hasToString("PORT_ACTIVE port 3");
    assertThat(pair.a.context.pollAsyncEvent()).isNull();
  }

  @Test
  void deviceFatalEndsEverythingWithEio() throws InterruptedException {
    pair.net.a.disguise =
        (Engine)
            Proxy.newProxyInstance(
                Engine.class.getClassLoader(),
                new Class<?>[] {Engine.class},
                (proxy, method, arguments) -> {
                  throw new IllegalStateException("engine broke");
                });
    assertRefused(
        Code.EIO, () -> pair.a.context.drops(io.anabranch.engine.DropReason.BAD_ICRC), "broke");
    assertThat(pair.a.context.awaitAsyncEvent(Duration.ZERO).type())
        .isEqualTo(AsyncEvent.Type.DEVICE_FATAL);
    assertRefused(Code.EIO, () -> link.a().postSend(write(1)), "broke");
    assertRefused(Code.EIO, () -> link.a().postReceive(1), "broke");
    assertRefused(Code.EIO, () -> pair.a.region(10), "broke");
    assertRefused(Code.EIO, pair.a::queuePair, "broke");
    assertRefused(Code.EIO, () -> pair.a.context.awaitAsyncEvent(Duration.ofSeconds(1)), "broke");
    assertRefused(Code.EIO, () -> pair.a.channel.awaitEvent(Duration.ofSeconds(1)), "broke");
  }

  @Test
  void deviceThatDoesNotAnswerTimesOut() {
    pair.net.a.closed = true;
    assertRefused(Code.ETIMEDOUT, () -> pair.a.region(10), "device");
    pair.net.a.closed = false;
    pair.net.run();
    // What was given up was not done later either.
    assertThat(pair.a.context.regions).containsExactly(from);
  }
}
