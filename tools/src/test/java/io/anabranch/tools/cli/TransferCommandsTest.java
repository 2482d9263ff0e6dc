package io.anabranch.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code mrc send} and {@code mrc recv} as their users see them. */
@Timeout(120)
class TransferCommandsTest {
  private static final Pattern READY = Pattern.compile("(?m)^listening on (\\S+?)(,.*)?$");

  @TempDir private Path temp;

  /** A command line that has been run, or is running. */
  private static final class Run {
    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();
    final CompletableFuture<Integer> exit = new CompletableFuture<>();

    static Run now(String... args) {
      Run run = new Run();
      run.run(args);
      return run;
    }

    static Run started(String... args) {
      Run run = new Run();
      Thread.ofPlatform().daemon().start(() -> run.run(args));
      return run;
    }

    private void run(String... args) {
      exit.complete(
          Main.commandLine()
              .setOut(new PrintWriter(out))
              .setErr(new PrintWriter(err))
              .execute(args));
    }

    int exit() throws Exception {
      return exit.get(60, TimeUnit.SECONDS);
    }

    /** Where it listens, once it does. */
    String address() {
      long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (true) {
        Matcher ready = READY.matcher(out.toString() + err);
        if (ready.find()) {
          return ready.group(1);
        }
        assertThat(System.nanoTime()).as(() -> "ready in time: " + err).isLessThan(endNs);
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  private Path folder() throws Exception {
    return Files.createDirectory(temp.resolve("to"));
  }

  @ParameterizedTest
  @CsvSource({
    "send x, 'PATH... HOST[:PORT]'",
    "send x host:99999, port '99999'",
    "send x [::1, is missing",
    "send x :5, cannot be left open",
    "send x host:0, cannot be left open",
    "send x host --qps 0, '--qps: 0, allowed 1…16'",
    "send x host --qps 17, '--qps: 17, allowed 1…16'",
    "send x host --rate 5, '''5'', allowed'",
    "send x host --fault loss=200%, '--fault: '",
    "send x host --fault plane=5:loss=1%, 'plane 5, allowed 1…4'",
    "send x host --plane ::1 --fault plane=2:loss=1%, 'plane 2, allowed 1…1'",
    "send x host --plane ::1 --plane 127.0.0.1, of one family",
    "send x host --plane 0.0.0.0, of one family",
    "send x host --token short, '5 characters, allowed 16…128'",
    "recv, DIR",
    "recv d --json -, needs --once",
    "recv d --listen ::1:x:[, no address of that name",
    "recv d --fault nonsense, '--fault: '",
  })
  void wrongUseIsExitTwoAndNamesWhatIsWrong(String line, String words) {
    Run run = Run.now(line.split(" "));
    assertThat(run.exit).isCompletedWithValue(2);
    assertThat(run.err.toString()).contains(words).contains("--help'.");
    assertThat(run.out.toString()).isEmpty();
  }

  @Test
  void whatIsNotThereIsExitOne() throws Exception {
    String none = temp.resolve("none").toString();
    Run send = Run.now("send", none, "[::1]:1");
    assertThat(send.exit()).isEqualTo(1);
    assertThat(send.err.toString())
        .isEqualToNormalizingNewlines("mrc send: " + none + ": no such file or directory\n");
    Run recv = Run.now("recv", none + "/below", "--listen", "[::1]:0");
    assertThat(recv.exit()).isEqualTo(1);
    assertThat(recv.err.toString())
        .isEqualToNormalizingNewlines("mrc recv: " + none + "/below: no such file or directory\n");
    String file = Files.writeString(temp.resolve("f"), "x").toString();
    recv = Run.now("recv", file, "--listen", "[::1]:0");
    assertThat(recv.exit()).isEqualTo(1);
    assertThat(recv.err.toString()).contains(file + ": not a folder");
  }

  @Test
  void nobodyListeningIsExitOneWithTheAddress() throws Exception {
    Path file = Files.writeString(temp.resolve("f"), "x");
    Run send = Run.now("send", file.toString(), "127.0.0.1:1");
    assertThat(send.exit()).isEqualTo(1);
    assertThat(send.err.toString()).contains("127.0.0.1 port 1: Connection refused");
  }

  @Test
  void bothSidesTellOfATransferInTextAndJson() throws Exception {
    Path to = temp.resolve("made");
    Path file = Files.write(temp.resolve("file"), new byte[300_000]);
    Path json = temp.resolve("sent.json");
    Run recv = Run.started("recv", to.toString(), "--once", "--listen", ":0", "--json", "-");
    Run send =
        Run.now(
            "send",
            file.toString(),
            recv.address(),
            "--qps",
            "2",
            "--seed",
            "42",
            "--fault",
            "loss=1%",
            "--json",
            json.toString());
    assertThat(send.exit()).isZero();
    assertThat(recv.exit()).isZero();
    assertThat(send.err.toString()).isEmpty();
    assertThat(send.out.toString()).contains("  file\n", "sent to [::1]:", "1 file, 293.0 KiB");
    assertThat(recv.err.toString()).contains("received from [::1]:");

    JsonNode sent = new JsonMapper().readTree(Files.readString(json));
    JsonNode received = new JsonMapper().readTree(recv.out.toString());
    for (JsonNode node : new JsonNode[] {sent, received}) {
      assertThat(node.get("version").asInt()).isEqualTo(1);
      assertThat(node.get("result").asString()).isEqualTo("PASS");
      assertThat(node.get("files").asInt()).isEqualTo(1);
      assertThat(node.get("bytes").asLong()).isEqualTo(300_000);
      assertThat(node.get("verified").asBoolean()).isTrue();
      assertThat(node.get("sha256")).isEqualTo(sent.get("sha256"));
      assertThat(node.get("goodput_mbps").asDouble()).isPositive();
      assertThat(node.get("qps").asInt()).isEqualTo(2);
      assertThat(node.get("planes").propertyNames()).containsExactly("1", "2", "3", "4");
    }
    assertThat(sent.get("seed").asLong()).isEqualTo(42);
    assertThat(sent.get("data_packets").asLong()).isGreaterThanOrEqualTo(74);
    assertThat(sent.has("retransmitted")).isTrue();
    assertThat(sent.has("reason")).isFalse();
    assertThat(Files.size(to.resolve("file"))).isEqualTo(300_000);
  }

  @Test
  void withoutHashesBothSidesSayThatTheContentIsNotVerified() throws Exception {
    Path to = folder();
    Path file = Files.write(temp.resolve("file"), new byte[300_000]);
    Run recv =
        Run.started("recv", to.toString(), "--once", "--listen", "127.0.0.1:0", "--json", "-");
    Run send = Run.now("send", file.toString(), recv.address(), "--no-hash");
    assertThat(send.exit()).as(send.err::toString).isZero();
    assertThat(recv.exit()).isZero();
    String unverified = "; content not verified\n";
    assertThat(send.out.toString()).startsWith("sent to 127.0.0.1:").endsWith(unverified);
    assertThat(recv.err.toString()).contains("received from 127.0.0.1:").endsWith(unverified);
    JsonNode received = new JsonMapper().readTree(recv.out.toString());
    assertThat(received.get("result").asString()).isEqualTo("PASS");
    assertThat(received.get("verified").asBoolean()).isFalse();
    assertThat(received.get("sha256").size()).isZero();
    assertThat(received.get("sha256_left_out").asInt()).isEqualTo(1);
    assertThat(Files.size(to.resolve("file"))).isEqualTo(300_000);
  }

  @Test
  void aFailureIsToldOnBothSidesInTextAndJson() throws Exception {
    Path to = folder();
    Files.writeString(to.resolve("file"), "mine");
    Path file = Files.write(temp.resolve("file"), new byte[3000]);
    Run recv = Run.started("recv", to.toString(), "--once", "--listen", "127.0.0.1:0");
    Run send = Run.now("send", file.toString(), recv.address(), "--json", "-");
    assertThat(send.exit()).isEqualTo(1);
    assertThat(recv.exit()).isEqualTo(1);
    String why = "file: exists already (--force replaces it)";
    assertThat(send.err.toString())
        .isEqualToNormalizingNewlines("mrc send: the receiver gave up: " + why + "\n");
    assertThat(recv.err.toString()).contains("mrc recv: from 127.0.0.1:", why);
    JsonNode sent = new JsonMapper().readTree(send.out.toString());
    assertThat(sent.get("result").asString()).isEqualTo("FAIL");
    assertThat(sent.get("reason").asString()).contains(why);
    assertThat(to.resolve("file")).hasContent("mine");
  }

  @Test
  void beyondLoopbackATokenIsMadeAndNeeded() throws Exception {
    Path to = folder();
    Path file = Files.write(temp.resolve("file"), new byte[3000]);
    Run recv = Run.started("recv", to.toString(), "--once", "--listen", "0.0.0.0:0");
    String address = "127.0.0.1" + recv.address().substring(recv.address().lastIndexOf(':'));
    Matcher token = Pattern.compile("(?m)^token (\\S+)$").matcher(recv.out.toString());
    assertThat(token.find()).isTrue();
    Run without = Run.now("send", file.toString(), address);
    assertThat(without.exit()).isEqualTo(1);
    assertThat(without.err.toString()).contains("asks for a token");
    Run with = Run.now("send", file.toString(), address, "--token", token.group(1));
    assertThat(with.exit()).as(with.err::toString).isZero();
    assertThat(recv.exit()).isZero();
    assertThat(recv.err.toString()).contains("a sender could not begin");
  }

  @Test
  void theProgressLineTellsDoneRateAndRest() {
    assertThat(ProgressLine.line(5 << 20, 10 << 20, 1 << 20))
        .isEqualTo("5.0 MiB of 10.0 MiB, 8 Mbit/s, 5 s left");
    assertThat(ProgressLine.line(0, 1L << 40, 1 << 20)).endsWith(", 291:16:16 left");
    assertThat(ProgressLine.line(0, 100 << 20, 1 << 20)).endsWith(", 1:40 left");
    assertThat(ProgressLine.line(0, 100, 0)).isEqualTo("0 B of 100 B, 0 Mbit/s");
  }
}
