package io.anabranch.verbs;

import static io.anabranch.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.engine.QpState;
import io.anabranch.verbs.MrcException.Code;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What posting refuses. */
class PostTest {
  private final Pair pair = new Pair(ContextConfig.DEFAULT.withCommands(16, 16));
  private final Pair.Link link = pair.connect(new QpCapabilities(4, 4, 2, 0, 64));
  private final MemoryRegion from = pair.a.region(1000);
  private final MemoryRegion to = pair.b.region(1000);

  @TempDir Path dir = Path.of("");

  @AfterEach
  void close() {
    pair.close();
  }

  private SendRequest write(long id) {
    return new SendRequest(id).write(to.address(), to.rKey());
  }

  @Test
  void pieceOutsideItsRegion() {
    for (long[] piece : new long[][] {{0, 1001}, {1, 1000}, {1000, 1}, {500, Long.MAX_VALUE}}) {
      assertRefused(
          Code.EINVAL,
          () -> link.a().postSend(write(1).gather(from, piece[0], piece[1])),
          "sge 0 lengthBytes",
          "" + piece[1],
          "0…" + (1000 - piece[0]));
    }
    for (long offset : new long[] {-1, 1001, Long.MIN_VALUE, Long.MAX_VALUE}) {
      assertRefused(
          Code.EINVAL,
          () -> link.a().postSend(write(1).gather(from, 0, 1).gather(from, offset, 1)),
          "sge 1 offset",
          "" + offset,
          "0…1000");
    }
    assertRefused(
        Code.EINVAL, () -> link.a().postSend(write(1).gather(from, 0, -1)), "sge 0 lengthBytes");
    link.a().postSend(write(1).gather(from, 1000, 0).gather(from, 999, 1));
    pair.net.run();
    from.close();
  }

  @Test
  void regionOfAnotherDomain() {
    ProtectionDomain other = pair.a.context.allocateProtectionDomain();
    MemoryRegion foreign = other.register(10);
    assertRefused(
        Code.EPERM, () -> link.a().postSend(write(1).gather(foreign, 0, 1)), "protection domain");
    assertRefused(
        Code.EPERM, () -> link.a().postSend(write(1).gather(to, 0, 1)), "protection domain");
    assertRefused(
        Code.EPERM,
        () -> link.a().postSend(write(1).gather(foreign, 0, 1).inline(true)),
        "protection domain");
  }

  @Test
  void regionThatIsClosed() {
    MemoryRegion gone = pair.a.region(10);
    gone.close();
    assertRefused(
        Code.EINVAL, () -> link.a().postSend(write(1).gather(gone, 0, 1)), "sge 0", "closed");
    assertRefused(
        Code.EINVAL,
        () -> link.a().postSend(write(1).gather(from, 0, 1).gather(gone, 0, 1)),
        "sge 1");
    from.close();
  }

  @Test
  void tooManyPieces() {
    assertRefused(
        Code.E2BIG,
        () -> link.a().postSend(write(1).gather(from, 0, 1).gather(from, 0, 1).gather(from, 0, 1)),
        "sges",
        "3",
        "2");
  }

  @Test
  void inlineBeyondItsLimit() {
    assertRefused(
        Code.EINVAL,
        () -> link.a().postSend(write(1).gather(from, 0, 65).inline(true)),
        "inline",
        "65",
        "64");
    link.a().postSend(write(1).gather(from, 0, 64).inline(true));
    from.close();
  }

  @Test
  void bytesOutsideARegionUnlessInline() {
    MemorySegment heap = MemorySegment.ofArray(new byte[8]);
    assertRefused(
        Code.EINVAL,
        () -> link.a().postSend(write(1).gatherInline(heap).inline(false)),
        "sge 0",
        "region");
    SendRequest r = ofClosedArena();
    assertRefused(Code.EINVAL, () -> link.a().postSend(r), "inline");
  }

  private SendRequest ofClosedArena() {
    try (Arena arena = Arena.ofConfined()) {
      return write(1).gatherInline(arena.allocate(8));
    }
  }

  @Test
  void fence() {
    assertRefused(
        Code.ENOTSUP, () -> link.a().postSend(write(1).gather(from, 0, 1).fence(true)), "fence");
  }

  @Test
  void lengthsFromOneTo2To32LessOne() throws IOException {
    assertRefused(
        Code.EINVAL, () -> link.a().postSend(write(1)), "lengthBytes", "0", "1…4294967295");
    link.a().postSend(new SendRequest(1).writeWithImmediate(0, 0, 1));
    try (Arena arena = Arena.ofShared();
        FileChannel file =
            FileChannel.open(
                dir.resolve("sparse"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
      MemorySegment segment = file.map(MapMode.READ_WRITE, 0, 1L << 31, arena);
      MemoryRegion large = pair.a.domain.register(segment);
      assertRefused(
          Code.EINVAL,
          () -> link.a().postSend(write(1).gather(large, 0, 1L << 31).gather(large, 0, 1L << 31)),
          "lengthBytes",
          "4294967296");
      large.close();
    }
  }

  @Test
  void mappedFileIsReadAcrossItsViews() throws IOException {
    long gib = 1L << 30;
    try (Arena arena = Arena.ofShared();
        FileChannel file =
            FileChannel.open(
                dir.resolve("sparse"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
      MemorySegment segment = file.map(MapMode.READ_WRITE, 0, gib + 100, arena);
      for (long i = gib - 100; i < gib + 100; i++) {
        segment.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 7));
      }
      MemoryRegion source = pair.a.domain.register(segment);
      MemoryRegion target =
          pair.b.domain.register(
              file.map(MapMode.PRIVATE, 0, gib + 100, arena),
              Access.LOCAL_WRITE,
              Access.REMOTE_WRITE);
      link.a()
          .postSend(
              new SendRequest(1)
                  .write(target.address() + gib - 50, target.rKey())
                  .gather(source, gib - 100, 150));
      pair.net.run();
      assertThat(
              MemorySegment.mismatch(
                  segment, gib - 100, gib + 50, target.segment(), gib - 50, gib + 100))
          .isEqualTo(-1);
      source.close();
      target.close();
    }
  }

  @Test
  void fullSendQueueNamesTheRequest() {
    for (int i = 0; i < 4; i++) {
      link.a().postSend(write(i).gather(from, 0, 1));
    }
    assertRefused(
        Code.EAGAIN,
        () -> link.a().postSend(write(99).gather(from, 0, 1)),
        "send request 99",
        "allowed 4");
    pair.net.run();
    link.a().postSend(write(99).gather(from, 0, 1).signaled(true));
    assertThat(pair.runAndPoll(pair.a)).extracting(WorkCompletion::id).containsExactly(99L);
  }

  @Test
  void listIsPostedUpToTheOneThatIsRefused() {
    List<SendRequest> list = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      list.add(write(i).gather(from, 0, 1).signaled(true));
    }
    MrcException e = assertRefused(Code.EAGAIN, () -> link.a().postSend(list), "send request 4");
    assertThat(e.failedIndex()).isEqualTo(4);
    assertThat(pair.runAndPoll(pair.a))
        .extracting(WorkCompletion::id)
        .containsExactly(0L, 1L, 2L, 3L);
    list.get(1).fence(true);
    e = assertRefused(Code.ENOTSUP, () -> link.a().postSend(list), "request 1", "fence");
    assertThat(e.failedIndex()).isEqualTo(1);
    assertThat(pair.runAndPoll(pair.a)).extracting(WorkCompletion::id).containsExactly(0L);
  }

  @Test
  void completionHoldsItsPlaceUntilItIsPolled() {
    for (int i = 0; i < 4; i++) {
      link.b().postReceive(i);
      link.a().postSend(new SendRequest(i).writeWithImmediate(0, 0, i).signaled(i != 2));
    }
    pair.net.run();
    SendRequest next = new SendRequest(4).writeWithImmediate(0, 0, 4);
    link.a().postSend(next);
    assertRefused(Code.EAGAIN, () -> link.a().postSend(next), "send queue");
    assertRefused(Code.EAGAIN, () -> link.b().postReceive(4), "receive queue");
    assertThat(pair.a.cq.poll(1)).hasSize(1);
    assertThat(pair.b.cq.poll(1)).hasSize(1);
    link.a().postSend(next);
    link.b().postReceive(4);
    assertRefused(Code.EAGAIN, () -> link.a().postSend(next), "send queue");
    assertRefused(Code.EAGAIN, () -> link.b().postReceive(5), "receive queue");
  }

  @Test
  void fullReceiveQueueNamesTheRequest() {
    for (int i = 0; i < 4; i++) {
      link.b().postReceive(i);
    }
    assertRefused(Code.EAGAIN, () -> link.b().postReceive(77), "receive request 77", "allowed 4");
  }

  @Test
  void fullCommandQueueLosesNothing() {
    Pair.Link wide = new Pair.Link(pair.a.queuePair(), pair.b.queuePair());
    wide.a().init(pair.a.hint, EvProfile.auto(), CcProfile.nscc());
    for (int i = 0; i < 16; i++) {
      wide.a().postReceive(i);
    }
    assertRefused(Code.EAGAIN, () -> wide.a().postReceive(16), "receive request 16", "command");
    assertRefused(
        Code.EAGAIN,
        () -> link.a().postSend(write(5).gather(from, 0, 1)),
        "send request 5",
        "command");
    from.close();
    pair.net.run();
    wide.a().postReceive(16);
    wide.a().modify(QpAttributes.to(QpState.ERROR));
    assertThat(pair.runAndPoll(pair.a)).hasSize(17);
  }

  @Test
  void statesThatDoNotPost() {
    QueuePair qp = pair.a.queuePair();
    assertRefused(
        Code.EINVAL, () -> qp.postSend(write(1).gather(from, 0, 1)), "state", "RESET", "RTS");
    assertRefused(Code.EINVAL, () -> qp.postReceive(1), "state", "RESET");
    qp.init(pair.a.hint, EvProfile.auto(), CcProfile.nscc());
    assertRefused(Code.EINVAL, () -> qp.postSend(write(1).gather(from, 0, 1)), "state", "INIT");
    qp.postReceive(1);
    Peer peer = java.util.Objects.requireNonNull(link.a().query().peer());
    qp.modify(qp.receiveAttributes(peer, link.b().connectionInfo()));
    assertRefused(Code.EINVAL, () -> qp.postSend(write(1).gather(from, 0, 1)), "state", "RTR");
    qp.postReceive(2);
    qp.close();
    assertRefused(Code.EINVAL, () -> qp.postReceive(3), "closed");
    assertRefused(Code.EINVAL, () -> qp.postSend(write(1).gather(from, 0, 1)), "closed");
  }

  @Test
  void requestMayBeReusedAtOnce() {
    SendRequest r = write(1).gather(from, 0, 10).signaled(true);
    link.a().postSend(r);
    link.a().postSend(r.clear().id(2).gather(from, 0, 20));
    assertThat(pair.runAndPoll(pair.a))
        .extracting(WorkCompletion::byteLength)
        .containsExactly(10L, 20L);
  }
}
