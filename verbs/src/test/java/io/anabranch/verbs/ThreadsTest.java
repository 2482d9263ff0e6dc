package io.anabranch.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.engine.Status;
import io.anabranch.verbs.MrcException.Code;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads of an application beside the driver's. */
@Timeout(60)
class ThreadsTest {
  private static final int POSTERS = 4;
  private static final int EACH = 2_000;

  private static void untilPosted(Runnable post) {
    while (true) {
      try {
        post.run();
        return;
      } catch (MrcException e) {
        assertThat(e.code()).isEqualTo(Code.EAGAIN);
        Spin.once();
      }
    }
  }

  /** Each thread writes its own cells; ids carry thread and number. */
  private static void post(QueuePair qp, MemoryRegion from, MemoryRegion to, int thread) {
    SendRequest r = new SendRequest(0);
    for (int i = 0; i < EACH; i++) {
      long at = ((long) thread * EACH + i) * 8;
      from.segment().set(ValueLayout.JAVA_LONG, at, at + 1);
      r.clear().id((long) thread << 32 | i).write(to.address() + at, to.rKey());
      r.gather(from, at, 8).signaled(true).inline(i % 3 == 0);
      untilPosted(() -> qp.postSend(r));
    }
  }

  private static void take(CompletionQueue cq, int total, int[] next) {
    int taken = 0;
    while (taken < total) {
      List<WorkCompletion> got = cq.poll(64);
      if (got.isEmpty()) {
        Spin.once();
      }
      for (WorkCompletion c : got) {
        assertThat(c.status()).isEqualTo(Status.SUCCESS);
        // Those of one thread complete in the order in which it posted them.
        assertThat((int) c.id()).isEqualTo(next[(int) (c.id() >>> 32)]++);
        taken++;
      }
    }
  }

  private static void run(boolean shared) throws Exception {
    ContextConfig config = ContextConfig.DEFAULT.withCommands(64, 16);
    try (Pair pair = new Pair(config, false);
        ExecutorService executor = Executors.newFixedThreadPool(POSTERS)) {
      Peer atA = pair.a.context.createPeer(pair.b.context.endpointInfo());
      Peer atB = pair.b.context.createPeer(pair.a.context.endpointInfo());
      List<QueuePair> qps = new ArrayList<>();
      for (int i = 0; i < (shared ? 1 : POSTERS); i++) {
        QueuePair a = pair.a.queuePair(QpCapabilities.DEFAULT.withDepths(32, 0));
        QueuePair b = pair.b.queuePair();
        a.init(pair.a.hint, EvProfile.auto(), CcProfile.nscc());
        b.init(pair.b.hint, EvProfile.auto(), CcProfile.nscc());
        b.connect(atB, a.connectionInfo(), Pair.RETRY);
        a.connect(atA, b.connectionInfo(), Pair.RETRY);
        qps.add(a);
      }
      MemoryRegion from = pair.a.region(8L * POSTERS * EACH);
      MemoryRegion to = pair.b.region(8L * POSTERS * EACH);
      List<Future<?>> posters = new ArrayList<>();
      for (int t = 0; t < POSTERS; t++) {
        int thread = t;
        QueuePair qp = qps.get(shared ? 0 : t);
        posters.add(executor.submit(() -> post(qp, from, to, thread)));
      }
      take(pair.a.cq, POSTERS * EACH, new int[POSTERS]);
      for (Future<?> poster : posters) {
        poster.get();
      }
      for (long at = 0; at < from.lengthBytes(); at += 8) {
        assertThat(to.segment().get(ValueLayout.JAVA_LONG, at)).isEqualTo(at + 1);
      }
    }
  }

  @Test
  void severalPostToOneQueuePair() throws Exception {
    run(true);
  }

  @Test
  void severalPostToTheirOwn() throws Exception {
    run(false);
  }

  @Test
  void controlCallsOfSeveralThreadsTakeTurns() throws Exception {
    try (Pair pair = new Pair(ContextConfig.DEFAULT.withCommands(16, 2), false);
        ExecutorService executor = Executors.newFixedThreadPool(POSTERS)) {
      List<Future<?>> running = new ArrayList<>();
      for (int t = 0; t < POSTERS; t++) {
        running.add(
            executor.submit(() -> {
              for (int i = 0; i < 100; i++) {
                QueuePair qp = pair.a.queuePair(QpCapabilities.DEFAULT.withDepths(1, 1));
                MemoryRegion region = pair.a.region(8);
                qp.init(pair.a.hint, EvProfile.auto(), CcProfile.nscc());
                qp.close();
                region.close();
              }
            }));
      }
      for (Future<?> future : running) {
        future.get();
      }
      assertThat(pair.a.context.queuePairs).isEmpty();
      assertThat(pair.a.context.regions).isEmpty();
    }
  }

  @Test
  void blockedThreadIsWokenByACompletion() throws Exception {
    try (Pair pair = new Pair(ContextConfig.DEFAULT, false);
        ExecutorService executor = Executors.newFixedThreadPool(1)) {
      Pair.Link link = pair.connect();
      link.b().postReceive(1);
      pair.b.cq.requestNotification(false);
      Future<CompletionQueue> waiting =
          executor.submit(() -> pair.b.channel.awaitEvent(Duration.ofSeconds(30)));
      link.a().postSend(new SendRequest(1).writeWithImmediate(0, 0, 5));
      assertThat(waiting.get()).isSameAs(pair.b.cq);
      assertThat(pair.b.cq.poll(1)).extracting(WorkCompletion::immediate).containsExactly(5);
      pair.b.cq.acknowledgeEvents(1);
    }
  }

  @Test
  void postsAskForATurnOnceUntilItComes() {
    try (Pair pair = new Pair()) {
      Pair.Link link = pair.connect();
      pair.net.run();
      int before = pair.net.b.wakeups.get();
      for (int i = 0; i < 50; i++) {
        link.b().postReceive(i);
      }
      assertThat(pair.net.b.wakeups.get()).isEqualTo(before + 1);
      pair.net.run();
      link.b().postReceive(50);
      assertThat(pair.net.b.wakeups.get()).isEqualTo(before + 2);
    }
  }

  @Test
  void whatAPolledCompletionHeldIsFreeAtOnce() {
    try (Pair pair = new Pair(ContextConfig.DEFAULT, false)) {
      Pair.Link link = pair.connect(QpCapabilities.DEFAULT.withDepths(1, 1));
      MemoryRegion to = pair.b.region(64);
      for (int i = 0; i < 5_000; i++) {
        MemoryRegion from = pair.a.region(64);
        // Refused if the place of the one before were still taken.
        link.a()
            .postSend(
                new SendRequest(i)
                    .write(to.address(), to.rKey())
                    .gather(from, 0, 64)
                    .signaled(true));
        while (pair.a.cq.poll(1).isEmpty()) {
          Spin.once();
        }
        from.close();
      }
    }
  }
}
