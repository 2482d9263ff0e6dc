package io.anabranch.verbs;

import static io.anabranch.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.engine.QpState;
import io.anabranch.engine.Sink.Operation;
import io.anabranch.engine.Status;
import io.anabranch.verbs.MrcException.Code;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Polling, overflow, notification and acknowledgement. */
class CompletionQueueTest {
  private final Pair pair = new Pair();
  private final MrcContext context = pair.a.context;
  private final CompletionChannel channel = pair.a.channel;

  @AfterEach
  void close() {
    pair.close();
  }

  private static boolean add(CompletionQueue cq, long id, Status status, boolean solicited) {
    return cq.add(
        id,
        status,
        Operation.RECEIVE_WRITE_WITH_IMMEDIATE,
        0,
        0,
        5,
        solicited,
        new AtomicInteger(1));
  }

  private static List<Long> ids(List<WorkCompletion> completions) {
    return completions.stream().map(WorkCompletion::id).toList();
  }

  @Test
  void depthHasItsLimits() {
    assertRefused(Code.EINVAL, () -> context.createCompletionQueue(0), "depth", "1…1048576");
    assertRefused(Code.EINVAL, () -> context.createCompletionQueue((1 << 20) + 1), "depth");
    context.createCompletionQueue(1).close();
    context.createCompletionQueue(1 << 20).close();
  }

  @Test
  void pollTakesTheOldestAtMostAsManyAsAsked() {
    CompletionQueue cq = context.createCompletionQueue(10);
    for (int i = 0; i < 5; i++) {
      add(cq, i, Status.SUCCESS, false);
    }
    assertThat(ids(cq.poll(2))).containsExactly(0L, 1L);
    WorkCompletion[] into = new WorkCompletion[2];
    assertThat(cq.poll(into)).isEqualTo(2);
    assertThat(into[1].id()).isEqualTo(3);
    assertThat(cq.poll(into)).isEqualTo(1);
    assertThat(cq.poll(into)).isZero();
    assertThat(cq.poll(5)).isEmpty();
    assertRefused(Code.EINVAL, () -> cq.poll(0), "max");
  }

  @Test
  void exactlyDepthFitAtAnyPlaceInTheRing() {
    CompletionQueue cq = context.createCompletionQueue(5);
    long id = 0;
    for (int round = 0; round < 20; round++) {
      for (int i = 0; i < 5; i++) {
        assertThat(add(cq, id++, Status.SUCCESS, false)).isTrue();
      }
      assertThat(ids(cq.poll(9))).containsExactly(id - 5, id - 4, id - 3, id - 2, id - 1);
    }
    assertThat(cq.hasFailed()).isFalse();
  }

  @Test
  void overflowFailsTheQueueAndItsQueuePairs() {
    CompletionQueue small = context.createCompletionQueue(3);
    QueuePair qp =
        pair.a.domain.createQueuePair(
            new QueuePairConfig(small, pair.a.cq, QpCapabilities.DEFAULT, true, 0));
    Pair.Link link = new Pair.Link(qp, pair.b.queuePair());
    pair.connect(link);
    MemoryRegion from = pair.a.region(10);
    MemoryRegion to = pair.b.region(10);
    qp.postReceive(50);
    for (int i = 0; i < 4; i++) {
      qp.postSend(new SendRequest(i).write(to.address(), to.rKey()).gather(from, 0, 10));
    }
    pair.net.run();
    assertThat(small.hasFailed()).isTrue();
    assertThat(qp.state()).isEqualTo(QpState.ERROR);
    AsyncEvent event = context.pollAsyncEvent();
    assertThat(event).isNotNull();
    if (event != null) {
      assertThat(event.type()).isEqualTo(AsyncEvent.Type.CQ_ERROR);
      assertThat(event.completionQueue()).isSameAs(small);
      event.acknowledge();
    }
    assertThat(Pair.events(context)).containsExactly(AsyncEvent.Type.QP_FATAL);
    // What was good is still there, then the failure.
    assertThat(ids(small.poll(10))).containsExactly(0L, 1L, 2L);
    assertRefused(Code.EIO, () -> small.poll(10), "depth 3");
    assertThat(ids(pair.a.poll())).containsExactly(50L);
    qp.postSend(new SendRequest(9).write(to.address(), to.rKey()).gather(from, 0, 10));
    pair.net.run();
    assertRefused(Code.EIO, () -> small.poll(10), "depth 3");
    qp.close();
    small.close();
    from.close();
  }

  @Test
  void notificationIsGivenOnceForEachRequest() {
    CompletionQueue cq = context.createCompletionQueue(10, channel);
    add(cq, 1, Status.SUCCESS, false);
    assertThat(channel.pollEvent()).isNull();
    cq.requestNotification(false);
    assertThat(channel.pollEvent()).as("none for what was there").isNull();
    add(cq, 2, Status.SUCCESS, false);
    add(cq, 3, Status.SUCCESS, false);
    assertThat(channel.pollEvent()).isSameAs(cq);
    assertThat(channel.pollEvent()).isNull();
    cq.requestNotification(false);
    cq.requestNotification(false);
    add(cq, 4, Status.SUCCESS, false);
    add(cq, 5, Status.SUCCESS, false);
    assertThat(channel.pollEvent()).isSameAs(cq);
    assertThat(channel.pollEvent()).isNull();
    cq.acknowledgeEvents(2);
  }

  @Test
  void solicitedOnlyWaitsForASolicitedOneOrAFailure() {
    CompletionQueue cq = context.createCompletionQueue(10, channel);
    cq.requestNotification(true);
    add(cq, 1, Status.SUCCESS, false);
    assertThat(channel.pollEvent()).isNull();
    add(cq, 2, Status.SUCCESS, true);
    assertThat(channel.pollEvent()).isSameAs(cq);
    cq.requestNotification(true);
    add(cq, 3, Status.WR_FLUSH_ERR, false);
    assertThat(channel.pollEvent()).isSameAs(cq);
    cq.acknowledgeEvents(2);
  }

  @Test
  void askingForAllOutranksAskingForSolicited() {
    CompletionQueue cq = context.createCompletionQueue(10, channel);
    cq.requestNotification(true);
    cq.requestNotification(false);
    cq.requestNotification(true);
    add(cq, 1, Status.SUCCESS, false);
    assertThat(channel.pollEvent()).isSameAs(cq);
    cq.acknowledgeEvents(1);
  }

  @Test
  void solicitedWriteNotifiesThePeer() throws InterruptedException {
    Pair.Link link = pair.connect();
    link.b().postReceive(1);
    link.b().postReceive(2);
    pair.b.cq.requestNotification(true);
    link.a().postSend(new SendRequest(1).writeWithImmediate(0, 0, 1));
    pair.net.run();
    assertRefused(Code.ETIMEDOUT, () -> pair.b.channel.awaitEvent(Duration.ofSeconds(1)), "PT1S");
    link.a().postSend(new SendRequest(2).writeWithImmediate(0, 0, 2).solicited(true));
    assertThat(pair.b.channel.awaitEvent(Duration.ofSeconds(1))).isSameAs(pair.b.cq);
    pair.b.cq.acknowledgeEvents(1);
    assertThat(ids(pair.b.poll())).containsExactly(1L, 2L);
  }

  @Test
  void noChannelNoNotification() {
    CompletionQueue cq = context.createCompletionQueue(10);
    assertThat(cq.channel()).isNull();
    assertRefused(Code.EINVAL, () -> cq.requestNotification(false), "channel");
  }

  @Test
  void acknowledgementsAreCounted() {
    CompletionQueue cq = context.createCompletionQueue(10, channel);
    assertRefused(Code.EINVAL, () -> cq.acknowledgeEvents(1), "count");
    for (int i = 0; i < 3; i++) {
      cq.requestNotification(false);
      add(cq, i, Status.SUCCESS, false);
      assertThat(channel.pollEvent()).isSameAs(cq);
    }
    assertRefused(Code.EINVAL, () -> cq.acknowledgeEvents(4), "count", "1…3");
    assertRefused(Code.EINVAL, () -> cq.acknowledgeEvents(0), "count");
    assertRefused(Code.ETIMEDOUT, cq::close, "3 events");
    cq.acknowledgeEvents(2);
    assertRefused(Code.ETIMEDOUT, cq::close, "1 events");
    assertThat(ids(cq.poll(10))).as("it is still open").containsExactly(0L, 1L, 2L);
    cq.acknowledgeEvents(1);
    cq.close();
    cq.close();
    assertRefused(Code.EINVAL, () -> cq.poll(1), "closed");
    assertRefused(Code.EINVAL, () -> cq.requestNotification(false), "closed");
  }

  @Test
  void untakenEventsGoWithTheQueue() {
    CompletionQueue cq = context.createCompletionQueue(10, channel);
    cq.requestNotification(false);
    add(cq, 1, Status.SUCCESS, false);
    cq.close();
    assertThat(channel.pollEvent()).isNull();
  }

  @Test
  void closeWaitsForTheAcknowledgement() throws InterruptedException, ExecutionException {
    try (Pair threaded = new Pair(ContextConfig.DEFAULT, false);
        ExecutorService executor = Executors.newSingleThreadExecutor()) {
      CompletionQueue cq = threaded.a.context.createCompletionQueue(10, threaded.a.channel);
      cq.requestNotification(false);
      add(cq, 1, Status.SUCCESS, false);
      assertThat(threaded.a.channel.awaitEvent(Duration.ofSeconds(10))).isSameAs(cq);
      Future<?> closing = executor.submit(cq::close);
      // It cannot end before this: nothing else acknowledges.
      assertThat(closing.isDone()).isFalse();
      cq.acknowledgeEvents(1);
      closing.get();
      assertRefused(Code.EINVAL, () -> cq.poll(1), "closed");
    }
  }

  @Test
  void closeOfAQueuePairWaitsForItsAsyncEvents() {
    Pair.Link link = pair.connect();
    link.a().postSend(new SendRequest(1).writeWithImmediate(0, 0, 1));
    pair.net.run();
    AsyncEvent event = context.pollAsyncEvent();
    assertThat(event).isNotNull();
    assertRefused(Code.ETIMEDOUT, link.a()::close, "queue pair " + link.a().number());
    assertThat(link.a().state()).isEqualTo(QpState.ERROR);
    if (event != null) {
      event.acknowledge();
    }
    link.a().close();
    // The other side's was not taken: it goes with its queue pair.
    link.b().close();
    assertThat(pair.b.context.pollAsyncEvent()).isNull();
  }

  @Test
  void pollersShareWhatComesWithoutLossOrDoubt() throws Exception {
    int total = 30_000;
    CompletionQueue cq = context.createCompletionQueue(64);
    try (ExecutorService executor = Executors.newFixedThreadPool(3)) {
      List<Future<BitSet>> pollers = new ArrayList<>();
      for (int p = 0; p < 3; p++) {
        int size = 1 + p * 7;
        pollers.add(executor.submit(() -> pollUntilLast(cq, size, total)));
      }
      for (int i = 0; i < total; i++) {
        while (cq.waiting() == 64) {
          Spin.once();
        }
        add(cq, i, Status.SUCCESS, false);
      }
      // One marker each: whoever gets one stops.
      for (int i = 0; i < 3; i++) {
        while (cq.waiting() > 0) {
          Spin.once();
        }
        add(cq, -1, Status.SUCCESS, false);
      }
      BitSet all = new BitSet();
      int sum = 0;
      for (Future<BitSet> poller : pollers) {
        sum += poller.get().cardinality();
        all.or(poller.get());
      }
      assertThat(all.cardinality()).isEqualTo(total);
      assertThat(sum).as("each taken once").isEqualTo(total);
    }
  }

  private static BitSet pollUntilLast(CompletionQueue cq, int size, int total) {
    BitSet mine = new BitSet(total);
    @Nullable WorkCompletion last = null;
    WorkCompletion[] into = new WorkCompletion[size];
    while (last == null || last.id() >= 0) {
      int n = cq.poll(into);
      for (int i = 0; i < n; i++) {
        if (into[i].id() >= 0) {
          assertThat(mine.get((int) into[i].id())).isFalse();
          mine.set((int) into[i].id());
        }
        last = into[i];
      }
      if (n == 0) {
        Spin.once();
      }
    }
    return mine;
  }
}
