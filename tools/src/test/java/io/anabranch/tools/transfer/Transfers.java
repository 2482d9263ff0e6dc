package io.anabranch.tools.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.net.fault.FaultSpec;
import io.anabranch.net.setup.Token;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A receiver in this process, and senders to it. */
final class Transfers implements AutoCloseable, ReceiveServer.Listener {
  private static final long WAIT_SECONDS = 60;

  final Path folder;
  final ReceiveServer server;
  final BlockingQueue<Receiver> started = new LinkedBlockingQueue<>();
  final BlockingQueue<Summary> ended = new LinkedBlockingQueue<>();
  final BlockingQueue<String> failed = new LinkedBlockingQueue<>();

  /** What a receiver does, beside the defaults. */
  static final class Options {
    String listen = "::1";
    boolean once;
    boolean force;
    boolean hashed;
    String fault = "";
    @Nullable Token token;
    Staging.Opener opener = Staging.FILES;
  }

  Transfers(Path folder) throws IOException {
    this(folder, new Options());
  }

  Transfers(Path folder, Options options) throws IOException {
    this.folder = folder;
    server =
        ReceiveServer.open(
            new ReceiveServer.Config(
                folder,
                List.of(new InetSocketAddress(InetAddress.ofLiteral(options.listen), 0)),
                List.of(),
                options.once,
                options.force,
                options.hashed,
                fault(options.fault),
                7,
                options.token),
            this,
            options.opener);
  }

  static FaultSpec fault(String text) {
    return text.isEmpty() ? FaultSpec.NONE : FaultSpec.parse(text);
  }

  InetSocketAddress address() {
    return server.addresses().getFirst();
  }

  Sender sender(String fault, long bps, int qps, @Nullable Token token, Path... paths)
      throws IOException {
    return sender(true, fault, bps, qps, token, paths);
  }

  Sender unhashed(String fault, int qps, Path... paths) throws IOException {
    return sender(false, fault, 0, qps, null, paths);
  }

  private Sender sender(
      boolean hashed, String fault, long bps, int qps, @Nullable Token token, Path... paths)
      throws IOException {
    Sender.Config config =
        new Sender.Config(List.of(address()), List.of(), qps, bps, hashed, fault(fault), 11, token);
    return new Sender(config, FileList.of(List.of(paths)));
  }

  Sender sender(Path... paths) throws IOException {
    return sender("", 0, 1, null, paths);
  }

  /** Sends, and waits for both sides. */
  Both send(Sender sender) throws InterruptedException {
    Summary sent = sender.run();
    return new Both(sent, ended());
  }

  record Both(Summary sent, Summary received) {
    void assertSucceeded() {
      assertThat(sent.reason()).isNull();
      assertThat(received.reason()).isNull();
      assertThat(received.hashes()).isEqualTo(sent.hashes());
      assertThat(received.verified()).isEqualTo(sent.verified());
      assertThat(sent.bytesDone()).isEqualTo(sent.bytes());
      assertThat(received.bytesDone()).isEqualTo(sent.bytes());
    }

    void assertFailed(String... words) {
      assertThat(sent.reason()).contains(words);
      assertThat(received.reason()).contains(words);
      assertThat(received.verified() || sent.verified()).isFalse();
    }
  }

  Summary ended() throws InterruptedException {
    return Objects.requireNonNull(ended.poll(WAIT_SECONDS, TimeUnit.SECONDS), "no transfer ended");
  }

  Receiver started() throws InterruptedException {
    return Objects.requireNonNull(started.poll(WAIT_SECONDS, TimeUnit.SECONDS), "none started");
  }

  static CompletableFuture<Summary> inBackground(Sender sender) {
    CompletableFuture<Summary> result = new CompletableFuture<>();
    Thread.ofPlatform().daemon().start(() -> result.complete(sender.run()));
    return result;
  }

  static void await(BooleanSupplier condition) {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("in time").isLessThan(endNs);
      LockSupport.parkNanos(200_000);
    }
  }

  /** Everything below a folder: folders end with '/', files have their content's hash. */
  static SortedMap<String, String> tree(Path root) throws IOException {
    SortedMap<String, String> tree = new TreeMap<>();
    try (Stream<Path> walk = Files.walk(root)) {
      for (Path path : walk.toList()) {
        String name = root.relativize(path).toString();
        if (Files.isSymbolicLink(path)) {
          tree.put(name, "-> " + Files.readSymbolicLink(path));
        } else if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
          tree.put(name + "/", "");
        } else {
          byte[] hash = Hashes.digest().digest(Files.readAllBytes(path));
          tree.put(name, Files.size(path) + " " + java.util.HexFormat.of().formatHex(hash));
        }
      }
    }
    return tree;
  }

  static Path file(Path path, int bytes, long seed) throws IOException {
    byte[] content = new byte[bytes];
    new SplittableRandom(seed).nextBytes(content);
    Files.createDirectories(Objects.requireNonNull(path.getParent()));
    return Files.write(path, content);
  }

  @Override
  public void started(Receiver receiver) {
    started.add(receiver);
  }

  @Override
  public void ended(Receiver receiver, Summary summary) {
    ended.add(summary);
  }

  @Override
  public void failed(String reason) {
    failed.add(reason);
  }

  @Override
  public void close() {
    server.close();
  }
}
