package io.anabranch.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.anabranch.engine.QpState;
import io.anabranch.engine.Sink.Operation;
import io.anabranch.engine.Status;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bytes and completions of writes that succeed. */
class TransferTest {
  private final Pair pair = new Pair();

  @AfterEach
  void close() {
    pair.close();
  }

  private static void fill(MemoryRegion region, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (long i = 0; i < region.lengthBytes(); i++) {
      region.segment().set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
    }
  }

  private static boolean same(MemoryRegion x, long xAt, MemoryRegion y, long yAt, long bytes) {
    return MemorySegment.mismatch(x.segment(), xAt, xAt + bytes, y.segment(), yAt, yAt + bytes)
        == -1;
  }

  @Test
  void writeArrivesAndCompletesOnceWithItsFields() {
    Pair.Link link = pair.connect();
    MemoryRegion from = pair.a.region(100_000);
    MemoryRegion to = pair.b.region(100_000);
    fill(from, 1);
    link.a()
        .postSend(
            new SendRequest(77)
                .write(to.address() + 1, to.rKey())
                .gather(from, 0, 99_999)
                .signaled(true));
    assertThat(pair.runAndPoll(pair.a))
        .containsExactly(
            new WorkCompletion(77, Status.SUCCESS, Operation.WRITE, 99_999, 0, link.a().number()));
    assertThat(same(from, 0, to, 1, 99_999)).isTrue();
    assertThat(to.segment().get(ValueLayout.JAVA_BYTE, 0)).isZero();
    assertThat(pair.b.poll()).isEmpty();
    assertThat(pair.a.poll()).isEmpty();
  }

  @Test
  void gatherTakesPiecesInOrder() {
    Pair.Link link = pair.connect();
    MemoryRegion x = pair.a.region(20_000);
    MemoryRegion y = pair.a.region(20_000);
    MemoryRegion to = pair.b.region(40_000);
    fill(x, 2);
    fill(y, 3);
    link.a()
        .postSend(
            new SendRequest(1)
                .write(to.address(), to.rKey())
                .gather(x, 5, 9_001)
                .gather(y, 0, 0)
                .gather(y, 7, 15_000)
                .gather(x, 19_999, 1)
                .signaled(true));
    assertThat(pair.runAndPoll(pair.a)).hasSize(1).allMatch(WorkCompletion::succeeded);
    assertThat(same(x, 5, to, 0, 9_001)).isTrue();
    assertThat(same(y, 7, to, 9_001, 15_000)).isTrue();
    assertThat(same(x, 19_999, to, 24_001, 1)).isTrue();
  }

  @Test
  void immediateConsumesReceivesInOrder() {
    Pair.Link link = pair.connect();
    MemoryRegion from = pair.a.region(10_000);
    MemoryRegion to = pair.b.region(10_000);
    link.b().postReceive(501);
    link.b().postReceive(502);
    link.a()
        .postSend(
            List.of(
                new SendRequest(1)
                    .writeWithImmediate(to.address(), to.rKey(), 0xdeadbeef)
                    .gather(from, 0, 9_000)
                    .signaled(true),
                new SendRequest(2).writeWithImmediate(0, 0, 7).signaled(true)));
    assertThat(pair.runAndPoll(pair.a))
        .containsExactly(
            new WorkCompletion(
                1, Status.SUCCESS, Operation.WRITE_WITH_IMMEDIATE, 9_000, 0, link.a().number()),
            new WorkCompletion(
                2, Status.SUCCESS, Operation.WRITE_WITH_IMMEDIATE, 0, 0, link.a().number()));
    assertThat(pair.b.poll())
        .containsExactly(
            new WorkCompletion(
                501,
                Status.SUCCESS,
                Operation.RECEIVE_WRITE_WITH_IMMEDIATE,
                9_000,
                0xdeadbeef,
                link.b().number()),
            new WorkCompletion(
                502,
                Status.SUCCESS,
                Operation.RECEIVE_WRITE_WITH_IMMEDIATE,
                0,
                7,
                link.b().number()));
  }

  @Test
  void inlineBytesAreTakenAtThePost() {
    Pair.Link link = pair.connect();
    MemoryRegion from = pair.a.region(64);
    MemoryRegion to = pair.b.region(64);
    byte[] text = "copied at the post".getBytes(StandardCharsets.UTF_8);
    MemorySegment heap = MemorySegment.ofArray(text.clone());
    from.segment().fill((byte) 'x');
    link.a()
        .postSend(
            new SendRequest(1)
                .write(to.address(), to.rKey())
                .gatherInline(heap)
                .gather(from, 0, 3));
    heap.fill((byte) 0);
    from.segment().fill((byte) 0);
    pair.net.run();
    byte[] got = to.segment().asSlice(0, text.length + 3).toArray(ValueLayout.JAVA_BYTE);
    assertThat(new String(got, StandardCharsets.UTF_8)).isEqualTo("copied at the postxxx");
  }

  @Test
  void onlySignaledSuccessIsReported() {
    Pair.Link link = pair.connect();
    MemoryRegion from = pair.a.region(64);
    MemoryRegion to = pair.b.region(64);
    SendRequest r = new SendRequest(0).write(to.address(), to.rKey()).gather(from, 0, 64);
    for (int i = 0; i < 10; i++) {
      link.a().postSend(r.id(i).signaled(i % 5 == 4));
    }
    assertThat(pair.runAndPoll(pair.a))
        .extracting(WorkCompletion::id, WorkCompletion::status)
        .containsExactly(tuple(4L, Status.SUCCESS), tuple(9L, Status.SUCCESS));
  }

  @Test
  void signalAllReportsEverySuccess() {
    Pair.Link link =
        new Pair.Link(
            pair.a.domain.createQueuePair(QueuePairConfig.of(pair.a.cq).withSignalAll(true)),
            pair.b.queuePair());
    pair.connect(link);
    MemoryRegion from = pair.a.region(64);
    MemoryRegion to = pair.b.region(64);
    SendRequest r = new SendRequest(0).write(to.address(), to.rKey()).gather(from, 0, 64);
    for (int i = 0; i < 3; i++) {
      link.a().postSend(r.id(i));
    }
    assertThat(pair.runAndPoll(pair.a)).extracting(WorkCompletion::id).containsExactly(0L, 1L, 2L);
  }

  @Test
  void unsignaledRequestsFreeTheirSlotsAndRegions() {
    Pair.Link link = pair.connect(QpCapabilities.DEFAULT.withDepths(4, 4));
    MemoryRegion from = pair.a.region(64);
    MemoryRegion to = pair.b.region(64);
    SendRequest r = new SendRequest(0).write(to.address(), to.rKey()).gather(from, 0, 64);
    for (int i = 0; i < 1000; i++) {
      link.a().postSend(r);
      pair.net.run();
    }
    from.close();
    assertThat(pair.a.poll()).isEmpty();
    assertThat(link.a().statistics().packetsSent()).isEqualTo(1000);
  }

  @Test
  void bothDirectionsAtOnceAndManyMessages() {
    Pair.Link link = pair.connect();
    MemoryRegion ofA = pair.a.region(1 << 20);
    MemoryRegion ofB = pair.b.region(1 << 20);
    fill(ofA, 5);
    MemoryRegion backAtA = pair.a.region(1 << 20);
    for (int i = 0; i < 64; i++) {
      long at = (long) i << 14;
      link.a()
          .postSend(
              new SendRequest(i)
                  .write(ofB.address() + at, ofB.rKey())
                  .gather(ofA, at, 1 << 14)
                  .signaled(true));
    }
    assertThat(pair.runAndPoll(pair.a)).hasSize(64).allMatch(WorkCompletion::succeeded);
    link.b()
        .postSend(
            new SendRequest(9)
                .write(backAtA.address(), backAtA.rKey())
                .gather(ofB, 0, 1 << 20)
                .signaled(true));
    assertThat(pair.runAndPoll(pair.b)).hasSize(1).allMatch(WorkCompletion::succeeded);
    assertThat(same(ofA, 0, backAtA, 0, 1 << 20)).isTrue();
    assertThat(link.a().state()).isEqualTo(QpState.RTS);
  }

  @Test
  void lossIsMadeGood() {
    SplittableRandom random = new SplittableRandom(11);
    pair.net.lost = (from, frame) -> random.nextInt(20) == 0;
    Pair.Link link = pair.connect();
    MemoryRegion from = pair.a.region(1 << 20);
    MemoryRegion to = pair.b.region(1 << 20);
    fill(from, 6);
    link.a()
        .postSend(
            new SendRequest(1)
                .write(to.address(), to.rKey())
                .gather(from, 0, 1 << 20)
                .signaled(true));
    assertThat(pair.runAndPoll(pair.a)).hasSize(1).allMatch(WorkCompletion::succeeded);
    assertThat(same(from, 0, to, 0, 1 << 20)).isTrue();
    assertThat(link.a().statistics().retransmitted()).isPositive();
  }
}
