package io.anabranch.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code mrc send} and {@code mrc recv} as processes: what is left when one is killed. */
@Timeout(180)
class TransferProcessTest {
  private static final int MB = 1 << 20;
  private static final Pattern READY = Pattern.compile("(?m)^listening on (\\S+?)(,.*)?$");
  private static final int KILLED = 128 + 9;
  private static final int TERMINATED = 128 + 15;

  @TempDir private Path temp;
  private Path to = Path.of("");
  private final List<Command> commands = new ArrayList<>();

  /** A process of ours with its output in files. */
  private static final class Command {
    final Process process;
    private final Path out;
    private final Path err;

    Command(Path folder, int number, String... args) throws IOException {
      out = folder.resolve("out-" + number);
      err = folder.resolve("err-" + number);
      List<String> line = new ArrayList<>();
      line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      line.addAll(List.of("-XX:+UseSerialGC", "-Xmx256m", "-cp"));
      line.addAll(List.of(System.getProperty("java.class.path"), "io.anabranch.tools.cli.Main"));
      line.addAll(List.of(args));
      process =
          new ProcessBuilder(line).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    }

    String out() {
      return read(out);
    }

    String err() {
      return read(err);
    }

    private static String read(Path path) {
      try {
        return Files.readString(path);
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }

    int exit() throws InterruptedException {
      assertThat(process.waitFor(90, TimeUnit.SECONDS)).as("ended in time").isTrue();
      return process.exitValue();
    }
  }

  private Command mrc(String... args) throws IOException {
    Command command = new Command(temp, commands.size(), args);
    commands.add(command);
    return command;
  }

  private <T> T await(String what, Supplier<@Nullable T> condition) {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    while (true) {
      T value = condition.get();
      if (value != null) {
        return value;
      }
      assertThat(System.nanoTime())
          .as(() -> what + ": " + commands.stream().map(Command::err).toList())
          .isLessThan(endNs);
      LockSupport.parkNanos(2_000_000);
    }
  }

  private Command receiver(String... options) throws IOException {
    List<String> args = new ArrayList<>(List.of("recv", to.toString(), "--listen", ":0"));
    args.addAll(List.of(options));
    return mrc(args.toArray(String[]::new));
  }

  private String address(Command receiver) {
    return await(
        "ready",
        () -> {
          Matcher ready = READY.matcher(receiver.out());
          return ready.find() ? ready.group(1) : null;
        });
  }

  private Path file(int bytes) throws IOException {
    byte[] content = new byte[bytes];
    new SplittableRandom(bytes).nextBytes(content);
    return Files.write(temp.resolve("file"), content);
  }

  private List<Path> left() {
    try (Stream<Path> walk = Files.walk(to)) {
      return walk.filter(path -> !path.equals(to)).toList();
    } catch (java.io.UncheckedIOException | IOException e) {
      // Something vanished while it was looked at: look again.
      return left();
    }
  }

  private void awaitBytesOnDisk() {
    await(
        "bytes on disk",
        () ->
            left().stream()
                    .map(Path::toFile)
                    .anyMatch(f -> f.getName().matches("[0-9]+") && f.length() > 0)
                ? to
                : null);
  }

  /** A transfer that is under way, slowly. */
  private record Running(Command receiver, Command sender) {}

  private Running running() throws IOException {
    Path file = file(16 * MB);
    Command receiver = receiver("--once");
    Command sender = mrc("send", file.toString(), address(receiver), "--rate", "16Mbps");
    awaitBytesOnDisk();
    return new Running(receiver, sender);
  }

  @BeforeEach
  void folder() throws IOException {
    to = Files.createDirectory(temp.resolve("to"));
  }

  @AfterEach
  void kill() {
    commands.forEach(command -> command.process.destroyForcibly());
  }

  @Test
  void aFileArrivesThroughLossAndADeadPlane() throws Exception {
    Path file = file(64 * MB);
    Command receiver = receiver("--once", "--fault", "dir=rx:loss=0.5%");
    String fault = "loss=1%,plane=2:blackhole@0.2s-2s";
    Command sender = mrc("send", file.toString(), address(receiver), "--fault", fault);
    assertThat(sender.exit()).as(sender::err).isZero();
    assertThat(receiver.exit()).as(receiver::err).isZero();
    assertThat(Files.mismatch(file, to.resolve("file"))).isEqualTo(-1);
    assertThat(left()).hasSize(1);
    assertThat(receiver.out()).contains(sender.out().substring(0, 64) + "  file");
  }

  @Test
  void aKilledSenderLeavesNothing() throws Exception {
    Running running = running();
    running.sender.process.destroyForcibly();
    assertThat(running.sender.exit()).isEqualTo(KILLED);
    assertThat(running.receiver.exit()).isEqualTo(1);
    assertThat(running.receiver.err()).contains("the sender closed the connection");
    assertThat(left()).isEmpty();
  }

  @Test
  void aStoppedSenderLeavesNothingAndSaysSo() throws Exception {
    Running running = running();
    running.sender.process.destroy();
    assertThat(running.sender.exit()).isEqualTo(TERMINATED);
    assertThat(running.receiver.exit()).isEqualTo(1);
    assertThat(running.receiver.err()).contains("the sender gave up: the sender was stopped");
    assertThat(left()).isEmpty();
  }

  @Test
  void aStoppedReceiverLeavesNothingAndSaysSo() throws Exception {
    Running running = running();
    running.receiver.process.destroy();
    assertThat(running.receiver.exit()).isEqualTo(TERMINATED);
    assertThat(running.sender.exit()).isEqualTo(1);
    assertThat(running.sender.err()).contains("the receiver gave up: the receiver was stopped");
    assertThat(left()).isEmpty();
  }

  @Test
  void whatAKilledReceiverLeavesTheNextOneRemoves() throws Exception {
    Running running = running();
    running.receiver.process.destroyForcibly();
    assertThat(running.receiver.exit()).isEqualTo(KILLED);
    assertThat(running.sender.exit()).isEqualTo(1);
    assertThat(running.sender.err()).contains("the receiver closed the connection");
    Command next = receiver();
    assertThat(address(next)).isNotEmpty();
    assertThat(left()).isEmpty();
  }

  @Test
  void aDiskThatBecomesFullEndsTheTransfer() throws Exception {
    // Only root may make a small file system, and not everywhere.
    assumeTrue(works("mount", "-t", "tmpfs", "-o", "size=20m", "tmpfs", to.toString()), "no tmpfs");
    try {
      Running running = running();
      Files.write(to.resolve("someone-elses"), new byte[10 * MB]);
      assertThat(running.receiver.exit()).isEqualTo(1);
      assertThat(running.sender.exit()).isEqualTo(1);
      assertThat(running.receiver.err()).contains("No space left on device");
      assertThat(running.sender.err()).contains("the receiver gave up: No space left on device");
      assertThat(left()).containsExactly(to.resolve("someone-elses"));
    } finally {
      assertThat(works("umount", "-l", to.toString())).isTrue();
    }
  }

  private static boolean works(String... command) throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
