package io.anabranch.tools.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anabranch.net.fault.FaultSpec;
import io.anabranch.net.setup.Exchange;
import io.anabranch.net.setup.ExchangeConfig;
import io.anabranch.net.setup.ExchangeServer;
import io.anabranch.net.setup.PeerAttributes;
import io.anabranch.net.setup.Token;
import io.anabranch.verbs.Access;
import io.anabranch.verbs.MemoryRegion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What arrives, and what does not, between a real sender and a real receiver over loopback. */
@Timeout(180)
class TransferTest {
  private static final int MB = 1 << 20;

  @TempDir private Path temp;
  private Path from = Path.of("");
  private Path to = Path.of("");

  @BeforeEach
  void folders() throws IOException {
    from = Files.createDirectory(temp.resolve("from"));
    to = Files.createDirectory(temp.resolve("to"));
  }

  private Transfers receiver(String listen) throws IOException {
    Transfers.Options options = new Transfers.Options();
    options.listen = listen;
    return new Transfers(to, options);
  }

  @ParameterizedTest
  @CsvSource({"::1, 1", "127.0.0.1, 3"})
  void foldersArriveAsTheyAre(String listen, int qps) throws Exception {
    Path root = Files.createDirectory(from.resolve("tree"));
    Files.createDirectories(root.resolve("empty/in/empty"));
    Transfers.file(root.resolve("zero"), 0, 0);
    Transfers.file(root.resolve("a/b/c/one"), 1, 1);
    Transfers.file(root.resolve("a/grüße 你好.txt"), 70_001, 2);
    Transfers.file(root.resolve("a.b"), 3 * MB + 17, 3);
    for (int i = 0; i < 500; i++) {
      Transfers.file(root.resolve("many/" + i % 7 + "/" + i), i * 13 % 5000, i);
    }
    Path run = Transfers.file(root.resolve("run"), 100, 4);
    assertThat(run.toFile().setExecutable(true)).isTrue();
    try (Transfers t = receiver(listen)) {
      Transfers.Both both = t.send(t.sender("", 0, qps, null, root));
      both.assertSucceeded();
      assertThat(both.sent().files()).isEqualTo(505);
      assertThat(both.sent().traffic().planes()).hasSize(4);
    }
    assertThat(Transfers.tree(to)).isEqualTo(Transfers.tree(from));
    assertThat(Files.isExecutable(to.resolve("tree/run"))).isTrue();
    assertThat(Files.isExecutable(to.resolve("tree/zero"))).isFalse();
  }

  @Test
  void aLargeFileArrivesAndItsHashIsTold() throws Exception {
    Path file = Transfers.file(from.resolve("large"), 105 * MB + 1, 5);
    try (Transfers t = receiver("::1")) {
      Transfers.Both both = t.send(t.sender(file));
      both.assertSucceeded();
      byte[] hash = Hashes.digest().digest(Files.readAllBytes(to.resolve("large")));
      assertThat(both.received().hashes())
          .containsExactly(
              new Summary.FileHash("large", 105 * MB + 1, HexFormat.of().formatHex(hash)));
      assertThat(both.received().verified()).isTrue();
      // More blocks than slots: every slot was used again.
      assertThat(both.sent().bytes()).isGreaterThan(2L * Terms.SLOTS * Terms.BLOCK_BYTES);
    }
    assertThat(Transfers.tree(to)).isEqualTo(Transfers.tree(from));
  }

  @ParameterizedTest
  @CsvSource({
    "::1, loss=1%, 0",
    "127.0.0.1, loss=1%, 0",
    // Slow enough not to be over before the plane dies.
    "::1, plane=2:blackhole@0.2s-2s, 500000000",
    "::1, 'corrupt=0.5%,duplicate=1%,reorder=2%x20', 0",
  })
  void faultsCostTimeAndNoBytes(String listen, String fault, long bps) throws Exception {
    Path file = Transfers.file(from.resolve("file"), 48 * MB + 5, 6);
    try (Transfers t = receiver(listen)) {
      Transfers.Both both = t.send(t.sender(fault, bps, 2, null, file));
      both.assertSucceeded();
      assertThat(both.sent().traffic().retransmitted()).isPositive();
    }
    assertThat(Transfers.tree(to)).isEqualTo(Transfers.tree(from));
  }

  @Test
  void withoutHashesFilesArriveAndBothSidesSayTheyAreNotVerified() throws Exception {
    Path root = Files.createDirectory(from.resolve("tree"));
    Transfers.file(root.resolve("zero"), 0, 0);
    Transfers.file(root.resolve("a/one"), 1, 1);
    Transfers.file(root.resolve("large"), 40 * MB + 3, 2);
    try (Transfers t = receiver("::1")) {
      Transfers.Both both = t.send(t.unhashed("loss=1%", 2, root));
      both.assertSucceeded();
      assertThat(both.received().verified()).isFalse();
      assertThat(both.received().hashes()).isEmpty();
    }
    assertThat(Transfers.tree(to)).isEqualTo(Transfers.tree(from));
  }

  @Test
  void aReceiverThatWantsHashesGetsThem() throws Exception {
    Path file = Transfers.file(from.resolve("f"), 3 * MB, 33);
    Transfers.Options options = new Transfers.Options();
    options.hashed = true;
    try (Transfers t = new Transfers(to, options)) {
      Transfers.Both both = t.send(t.unhashed("", 1, file));
      both.assertSucceeded();
      assertThat(both.received().verified()).isTrue();
      assertThat(both.received().hashes()).hasSize(1);
    }
    assertThat(Transfers.tree(to)).isEqualTo(Transfers.tree(from));
  }

  @Test
  void aReceiverThatWillNotCompareGetsNothingOfASenderThatWantsIt() throws Exception {
    Path file = Transfers.file(from.resolve("f"), 3 * MB, 35);
    InetAddress loopback = InetAddress.ofLiteral("::1");
    try (ExchangeServer server =
            ExchangeServer.open(
                new InetSocketAddress(loopback, 0), ExchangeConfig.DEFAULT, e -> {});
        TransferEndpoint endpoint =
            TransferEndpoint.open(
                Collections.nCopies(4, loopback), 0, FaultSpec.NONE, 3, 1, Terms.SLOTS)) {
      Sender.Config config =
          new Sender.Config(
              List.of(server.address()), List.of(), 1, 0, true, FaultSpec.NONE, 11, null);
      CompletableFuture<Summary> sent =
          Transfers.inBackground(new Sender(config, FileList.of(List.of(file))));
      var pending = Objects.requireNonNull(server.accept(Duration.ofSeconds(30)));
      MemoryRegion memory = endpoint.register(3 * MB, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
      var region = new PeerAttributes.Region(memory.rKey(), memory.address(), 3 * MB);
      var grant = new Terms.Grant(MB, 3, false).encode();
      try (Exchange exchange = pending.accept(endpoint.attributes(List.of(region), grant))) {
        assertThat(sent.get(30, TimeUnit.SECONDS).reason())
            .isEqualTo("the receiver broke the rules: it does not compare hashes");
        assertThat(exchange.end().get(30, TimeUnit.SECONDS).orderly()).isFalse();
      }
    }
  }

  @Test
  void withoutHashesAFullDiskStillLeavesNothing() throws Exception {
    Path file = Transfers.file(from.resolve("f"), 8 * MB, 34);
    Transfers.Options options = new Transfers.Options();
    options.opener = path -> new FullDisk(Staging.FILES.open(path), 3 * MB);
    try (Transfers t = new Transfers(to, options)) {
      t.send(t.unhashed("", 1, file)).assertFailed("No space left on device");
    }
    assertThat(Transfers.tree(to)).containsOnlyKeys("/");
  }

  @Test
  void nothingAtAllIsATransferToo() throws Exception {
    Path empty = Files.createDirectory(from.resolve("empty"));
    try (Transfers t = receiver("::1")) {
      t.send(t.sender(empty)).assertSucceeded();
    }
    assertThat(Transfers.tree(to)).containsOnlyKeys("/", "empty/");
  }

  @Test
  void theRateIsKept() throws Exception {
    Path file = Transfers.file(from.resolve("file"), 3 * MB, 7);
    try (Transfers t = receiver("::1")) {
      Transfers.Both both = t.send(t.sender("", 20_000_000, 1, null, file));
      both.assertSucceeded();
      // What is sent at once, at the start, is not counted against it.
      assertThat(both.sent().goodputMbps()).isLessThan(21.5);
    }
  }

  @Test
  void linksAreFollowedWhenNamedAndRefusedInFolders() throws Exception {
    Path file = Transfers.file(from.resolve("file"), 10, 8);
    Path link = Files.createSymbolicLink(from.resolve("link"), file);
    try (Transfers t = receiver("::1")) {
      t.send(t.sender(link)).assertSucceeded();
      assertThat(Files.isRegularFile(to.resolve("link"))).isTrue();
      assertThatThrownBy(() -> t.sender(from))
          .isInstanceOf(TransferException.class)
          .hasMessageContaining("link: a symbolic link");
    }
  }

  @Test
  void existingFilesAreRefusedUnlessForced() throws Exception {
    Path root = Files.createDirectory(from.resolve("d"));
    Transfers.file(root.resolve("old"), 1000, 9);
    Transfers.file(root.resolve("new"), 1000, 10);
    Path old = Transfers.file(to.resolve("d/old"), 5, 11);
    var before = Transfers.tree(to);
    try (Transfers t = receiver("::1")) {
      t.send(t.sender(root)).assertFailed("d/old", "exists already");
    }
    assertThat(Transfers.tree(to)).isEqualTo(before);
    Transfers.Options options = new Transfers.Options();
    options.force = true;
    try (Transfers t = new Transfers(to, options)) {
      t.send(t.sender(root)).assertSucceeded();
    }
    assertThat(Files.readAllBytes(old)).isEqualTo(Files.readAllBytes(root.resolve("old")));
    assertThat(Transfers.tree(to)).isEqualTo(Transfers.tree(from));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void linksInTheReceiversFolderLeadNowhere(boolean force) throws Exception {
    Path outside = Files.createDirectory(temp.resolve("outside"));
    Path root = Files.createDirectory(from.resolve("d"));
    Transfers.file(root.resolve("f"), 1000, 12);
    Files.createSymbolicLink(to.resolve("d"), outside);
    Transfers.Options options = new Transfers.Options();
    options.force = force;
    try (Transfers t = new Transfers(to, options)) {
      t.send(t.sender(root)).assertFailed("d:", "no folder");
    }
    assertThat(Transfers.tree(outside)).containsOnlyKeys("/");
    assertThat(Transfers.tree(to)).containsOnlyKeys("/", "d");
  }

  @Test
  void aForcedFileReplacesALinkAndNotWhatItLeadsTo() throws Exception {
    Path secret = Transfers.file(temp.resolve("outside/secret"), 20, 13);
    byte[] before = Files.readAllBytes(secret);
    Path file = Transfers.file(from.resolve("f"), 1000, 14);
    Files.createSymbolicLink(to.resolve("f"), secret);
    Transfers.Options options = new Transfers.Options();
    options.force = true;
    try (Transfers t = new Transfers(to, options)) {
      t.send(t.sender(file)).assertSucceeded();
    }
    assertThat(Files.readAllBytes(secret)).isEqualTo(before);
    assertThat(Transfers.tree(to)).isEqualTo(Transfers.tree(from));
  }

  @Test
  void tokensMustMatch() throws Exception {
    Path file = Transfers.file(from.resolve("f"), 100_000, 15);
    Transfers.Options options = new Transfers.Options();
    Token token = Token.of("one two three four");
    options.token = token;
    try (Transfers t = new Transfers(to, options)) {
      Token wrong = Token.of("one two three five");
      assertThat(t.sender("", 0, 1, wrong, file).run().reason()).contains("wrong token");
      assertThat(t.failed.poll(30, TimeUnit.SECONDS)).contains("wrong token");
      assertThat(t.sender(file).run().reason()).contains("asks for a token");
      assertThat(t.started).isEmpty();
      t.send(t.sender("", 0, 1, token, file)).assertSucceeded();
    }
    try (Transfers t = receiver("127.0.0.1")) {
      assertThat(t.sender("", 0, 1, token, file).run().reason()).contains("no token");
    }
  }

  @Test
  void aSenderThatStopsMidwayLeavesNothing() throws Exception {
    Path file = Transfers.file(from.resolve("f"), 8 * MB, 16);
    try (Transfers t = receiver("::1")) {
      Sender sender = t.sender("", 20_000_000, 1, null, file);
      CompletableFuture<Summary> sent = Transfers.inBackground(sender);
      Receiver receiver = t.started();
      Transfers.await(() -> receiver.bytesDone() > 0);
      assertThat(Transfers.tree(to)).hasSizeGreaterThan(2);
      sender.cancel("enough of this");
      assertThat(sent.get(30, TimeUnit.SECONDS).reason()).isEqualTo("enough of this");
      assertThat(t.ended().reason()).isEqualTo("the sender gave up: enough of this");
    }
    assertThat(Transfers.tree(to)).containsOnlyKeys("/");
  }

  @Test
  void aReceiverThatStopsMidwayLeavesNothing() throws Exception {
    Path file = Transfers.file(from.resolve("f"), 8 * MB, 17);
    try (Transfers t = receiver("::1")) {
      Sender sender = t.sender("", 20_000_000, 2, null, file);
      CompletableFuture<Summary> sent = Transfers.inBackground(sender);
      Transfers.await(() -> sender.bytesDone() > 0);
      t.server.close("no more of this");
      assertThat(Transfers.tree(to)).containsOnlyKeys("/");
      assertThat(sent.get(30, TimeUnit.SECONDS).reason())
          .isEqualTo("the receiver gave up: no more of this");
      assertThat(t.ended().reason()).isEqualTo("no more of this");
    }
  }

  @Test
  void aFullDiskIsToldOnBothSides() throws Exception {
    Path file = Transfers.file(from.resolve("f"), 8 * MB, 18);
    Transfers.Options options = new Transfers.Options();
    options.opener = path -> new FullDisk(Staging.FILES.open(path), 3 * MB);
    try (Transfers t = new Transfers(to, options)) {
      t.send(t.sender(file)).assertFailed("No space left on device");
    }
    assertThat(Transfers.tree(to)).containsOnlyKeys("/");
  }

  @Test
  void aTransferLargerThanTheDiskIsRefusedAtOnce() throws Exception {
    Path sparse = from.resolve("sparse");
    try (var file = new java.io.RandomAccessFile(sparse.toFile(), "rw")) {
      file.setLength(Files.getFileStore(to).getTotalSpace() + 1);
    }
    try (Transfers t = receiver("::1")) {
      t.send(t.sender(sparse)).assertFailed("no space left", "bytes needed");
    }
    assertThat(Transfers.tree(to)).containsOnlyKeys("/");
  }

  @Test
  void aFileThatShrinksWhileItIsSentEndsTheTransfer() throws Exception {
    Path file = Transfers.file(from.resolve("f"), 4 * MB, 19);
    try (Transfers t = receiver("::1")) {
      Sender sender = t.sender(file);
      Files.write(file, new byte[MB]);
      t.send(sender).assertFailed("f: became shorter");
    }
    assertThat(Transfers.tree(to)).containsOnlyKeys("/");
  }

  @Test
  void severalSendersAtOnceAndNoMoreThanAllowed() throws Exception {
    try (Transfers t = receiver("::1")) {
      List<CompletableFuture<Summary>> sent = new java.util.ArrayList<>();
      for (int i = 0; i < ReceiveServer.MAX_TRANSFERS; i++) {
        Path file = Transfers.file(from.resolve("f" + i), 2 * MB, 20 + i);
        sent.add(Transfers.inBackground(t.sender("", 20_000_000, 1, null, file)));
      }
      for (int i = 0; i < ReceiveServer.MAX_TRANSFERS; i++) {
        Receiver receiver = t.started();
        assertThat(receiver.peer()).startsWith("[::1]:");
      }
      Path one = Transfers.file(from.resolve("one-too-many"), 1, 30);
      assertThat(t.sender(one).run().reason()).contains("busy with 4 transfers");
      for (CompletableFuture<Summary> each : sent) {
        assertThat(each.get(60, TimeUnit.SECONDS).reason()).isNull();
      }
      Files.delete(one);
    }
    assertThat(Transfers.tree(to)).isEqualTo(Transfers.tree(from));
  }

  @Test
  void onceIsOneTransferHoweverItEnds() throws Exception {
    Path file = Transfers.file(from.resolve("f"), 100, 31);
    Transfers.Options options = new Transfers.Options();
    options.once = true;
    try (Transfers t = new Transfers(to, options)) {
      t.send(t.sender(file)).assertSucceeded();
      assertThat(Objects.requireNonNull(t.server.await()).succeeded()).isTrue();
      assertThat(t.sender(file).run().reason()).contains(" port ", "refused");
    }
    try (Transfers t = new Transfers(to, options)) {
      t.send(t.sender(file)).assertFailed("exists already");
      assertThat(Objects.requireNonNull(t.server.await()).succeeded()).isFalse();
    }
  }

  @Test
  void whatAKilledReceiverLeftIsSweptAway() throws Exception {
    Path left = Files.createDirectory(to.resolve(Names.RESERVED + "123"));
    Transfers.file(left.resolve("lock"), 0, 0);
    Transfers.file(left.resolve("0"), 100, 0);
    Path file = Transfers.file(from.resolve("f"), 100, 32);
    try (Transfers t = receiver("::1")) {
      assertThat(Transfers.tree(to)).containsOnlyKeys("/");
      t.send(t.sender(file)).assertSucceeded();
    }
  }
}
