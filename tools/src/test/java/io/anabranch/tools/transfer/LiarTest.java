package io.anabranch.tools.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.net.fault.FaultSpec;
import io.anabranch.net.setup.Exchange;
import io.anabranch.net.setup.ExchangeConfig;
import io.anabranch.net.setup.PeerAttributes;
import io.anabranch.verbs.MemoryRegion;
import io.anabranch.verbs.SendRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Senders that lie: whatever they say, nothing of it appears and the receiver goes on. */
@Timeout(120)
class LiarTest {
  @TempDir private Path temp;
  private Path to = Path.of("");
  private Transfers t = unset();

  @SuppressWarnings("NullAway") // set before each test
  private static Transfers unset() {
    return null;
  }

  @BeforeEach
  void open() throws IOException {
    to = Files.createDirectories(temp.resolve("in/to"));
    t = new Transfers(to);
  }

  @AfterEach
  void theReceiverStillWorks() throws Exception {
    Path honest = Transfers.file(temp.resolve("honest"), 5000, 1);
    t.send(t.sender(honest)).assertSucceeded();
    t.close();
    assertThat(Transfers.tree(to)).containsOnlyKeys("/", "honest");
    assertThat(Transfers.tree(temp.resolve("in"))).containsOnlyKeys("/", "to/", "to/honest");
  }

  /** A sender's side, as far as a liar needs one. */
  private final class Liar implements AutoCloseable {
    final TransferEndpoint endpoint;
    final Exchange exchange;

    Liar(ByteBuffer offer) throws IOException {
      endpoint =
          TransferEndpoint.open(
              Collections.nCopies(4, InetAddress.ofLiteral("::1")),
              0,
              FaultSpec.NONE,
              3,
              1,
              2 * Terms.SLOTS);
      PeerAttributes mine = endpoint.attributes(List.of(), offer);
      exchange = Exchange.connect(t.address(), ExchangeConfig.DEFAULT, mine);
    }

    void say(int kind, byte[] body) throws IOException {
      exchange.send(ByteBuffer.allocate(1 + body.length).put((byte) kind).put(body).array());
    }

    void manifest(Entry... entries) throws IOException {
      ByteBuffer message = ByteBuffer.allocate(Exchange.MAX_MESSAGE_BYTES);
      for (Entry entry : entries) {
        assertThat(Manifest.encode(entry, message)).isTrue();
      }
      byte[] body = new byte[message.flip().remaining()];
      message.get(body);
      say(ControlMessages.Kind.MANIFEST.ordinal(), body);
    }

    /** Goes as far as an honest sender until the receiver is ready, then posts one block. */
    void post(int bytes, int number) throws Exception {
      endpoint.connect(exchange.peer(), exchange.rttNs());
      assertThat(exchange.receive(Duration.ofSeconds(30))[0])
          .isEqualTo((byte) ControlMessages.Kind.READY.ordinal());
      MemoryRegion memory = endpoint.register(Math.max(1, bytes));
      var region = exchange.peer().regions().getFirst();
      endpoint
          .queuePair(0)
          .postSend(
              new SendRequest(0)
                  .gather(memory, 0, bytes)
                  .writeWithImmediate(region.address(), region.rKey(), number)
                  .signaled(true));
    }

    String end() throws Exception {
      return exchange.end().get(30, TimeUnit.SECONDS).reason();
    }

    @Override
    public void close() {
      exchange.close();
      endpoint.close();
    }
  }

  private static ByteBuffer offer(Entry... entries) {
    return offer(true, entries);
  }

  private static ByteBuffer offer(boolean hashed, Entry... entries) {
    int nameBytes = 0;
    long bytes = 0;
    for (Entry entry : entries) {
      nameBytes += entry.name().getBytes(StandardCharsets.UTF_8).length;
      bytes += entry.bytes();
    }
    return new Terms.Offer(entries.length, nameBytes, bytes, hashed).encode();
  }

  private void refused(String why, Entry... entries) throws Exception {
    try (Liar liar = new Liar(offer(entries))) {
      liar.manifest(entries);
      assertThat(liar.end()).contains(why);
    }
    assertThat(t.ended().reason()).contains(why);
    assertThat(Transfers.tree(to)).containsOnlyKeys("/");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "..",
        ".",
        "/etc/passwd",
        "/",
        "a//b",
        "a/",
        "../x",
        "a/../../x",
        "nul\0nul",
        ".mrc-part-1",
        ".mrc-part-1/lock",
      })
  void namesThatDoNotStayAreRefused(String name) throws Exception {
    refused("name '", Entry.file(name, 3));
    refused("name '", Entry.directory(name));
  }

  @Test
  void namesThatAreTooLongAreRefused() throws Exception {
    refused("longer than 255", Entry.file("é".repeat(128), 3));
    refused("longer than 4096", Entry.file("ab/".repeat(1400) + "c", 3));
  }

  @Test
  void emptyNamesAreRefused() throws Exception {
    try (Liar liar = new Liar(new Terms.Offer(2, 1, 0, true).encode())) {
      liar.manifest(Entry.file("", 0));
      assertThat(liar.end()).contains("empty part");
    }
    assertThat(t.ended().reason()).contains("empty part");
  }

  @Test
  void entriesThatContradictEachOtherAreRefused() throws Exception {
    refused("twice", Entry.file("a", 1), Entry.file("a", 1));
    refused("twice", Entry.directory("a"), Entry.file("a", 1));
    refused("not announced", Entry.file("a", 1), Entry.file("a/b", 1));
    refused("not announced", Entry.file("a/b", 1), Entry.directory("a"));
    refused(
        "do not fit",
        Entry.file("a", Long.MAX_VALUE),
        Entry.file("b", Long.MAX_VALUE),
        Entry.file("c", 7));
    refused("do not fit", Entry.file("a", -1), Entry.file("b", 2));
  }

  @Test
  void aManifestOtherThanOfferedIsRefused() throws Exception {
    try (Liar liar = new Liar(offer(Entry.file("a", 5)))) {
      liar.manifest(Entry.file("a", 5), Entry.file("b", 0));
      assertThat(liar.end()).contains("more than the 1 offered");
    }
    t.ended();
    try (Liar liar = new Liar(offer(Entry.file("a", 5)))) {
      liar.manifest(Entry.file("a", 4));
      assertThat(liar.end()).contains("4 bytes in all, 5 were offered");
    }
    t.ended();
  }

  @Test
  void termsThatAreNoneAreRefused() throws Exception {
    SplittableRandom random = new SplittableRandom(5);
    ByteBuffer good = offer(Entry.file("a", 5));
    for (int length = 0; length < good.remaining(); length++) {
      refusedAtOnce(good.slice(0, length));
    }
    for (int i = 0; i < 20; i++) {
      byte[] noise = new byte[good.remaining()];
      random.nextBytes(noise);
      refusedAtOnce(ByteBuffer.wrap(noise));
    }
    refusedAtOnce(new Terms.Offer(Terms.MAX_ENTRIES + 1, 10, 5, true).encode());
    refusedAtOnce(new Terms.Offer(0, 10, 5, true).encode());
    refusedAtOnce(new Terms.Offer(1, Terms.MAX_NAME_BYTES + 1, 5, true).encode());
    refusedAtOnce(new Terms.Offer(1, 1, -5, true).encode());
  }

  private void refusedAtOnce(ByteBuffer terms) throws Exception {
    try (Liar liar = new Liar(terms)) {
      assertThat(liar.end()).as("accepted").isNull();
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("refused by the peer");
    }
    assertThat(t.ended().succeeded()).isFalse();
  }

  @Test
  void messagesThatAreNoneEndTheTransfer() throws Exception {
    SplittableRandom random = new SplittableRandom(6);
    for (int i = 0; i < 30; i++) {
      byte[] noise = new byte[random.nextInt(200)];
      random.nextBytes(noise);
      try (Liar liar = new Liar(offer(Entry.file("a", 5)))) {
        liar.say(i % 5, noise);
        liar.exchange.finish();
        assertThat(t.ended().succeeded()).isFalse();
      }
    }
    assertThat(Transfers.tree(to)).containsOnlyKeys("/");
  }

  @Test
  void bytesThatAreNoExchangeAreNoTransfer() throws Exception {
    try (Socket socket = new Socket(t.address().getAddress(), t.address().getPort())) {
      OutputStream out = socket.getOutputStream();
      out.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      assertThat(t.failed.poll(30, TimeUnit.SECONDS)).contains("not an Anabranch endpoint");
    }
    try (Socket socket = new Socket(t.address().getAddress(), t.address().getPort())) {
      socket.getOutputStream().write("ANBR".getBytes(StandardCharsets.US_ASCII));
    }
    assertThat(t.failed.poll(30, TimeUnit.SECONDS)).contains("closed the connection");
    assertThat(t.started).isEmpty();
  }

  @Test
  void aWrongHashKeepsTheFileFromAppearing() throws Exception {
    Entry entry = Entry.file("a", 5);
    try (Liar liar = new Liar(offer(entry))) {
      liar.manifest(entry);
      liar.post(5, 0);
      liar.say(ControlMessages.Kind.HASHES.ordinal(), new byte[Hashes.BYTES]);
      assertThat(liar.end()).contains("a: damaged on the way");
    }
    assertThat(t.ended().reason()).contains("a: damaged on the way");
  }

  @Test
  void hashesOfASenderThatWantedNoneAreRefused() throws Exception {
    Entry entry = Entry.file("a", 5);
    try (Liar liar = new Liar(offer(false, entry))) {
      liar.manifest(entry);
      liar.post(5, 0);
      liar.say(ControlMessages.Kind.HASHES.ordinal(), new byte[Hashes.BYTES]);
      assertThat(liar.end()).contains("hashes though it wanted none");
    }
    assertThat(t.ended().reason()).contains("hashes though it wanted none");
  }

  @Test
  void blocksThatCannotBeAreRefused() throws Exception {
    Entry entry = Entry.file("a", 5);
    for (int number : List.of(1, 32, -1, Integer.MIN_VALUE)) {
      broken(entry, 5, number, "block");
    }
    broken(entry, 0, 0, "block");
    broken(entry, 6, 0, "more bytes than it offered");
  }

  private void broken(Entry entry, int bytes, int number, String why) throws Exception {
    try (Liar liar = new Liar(offer(entry))) {
      liar.manifest(entry);
      liar.post(bytes, number);
      assertThat(liar.end()).contains("broke the rules", why);
    }
    assertThat(t.ended().reason()).contains("broke the rules", why);
    assertThat(Transfers.tree(to)).containsOnlyKeys("/");
  }

  @Test
  void aSenderThatVanishesIsNoticed() throws Exception {
    Entry entry = Entry.file("a", 5_000_000);
    try (Liar liar = new Liar(offer(entry))) {
      liar.manifest(entry);
      liar.post(1 << 20, 0);
      Receiver receiver = t.started();
      Transfers.await(() -> receiver.bytesDone() > 0);
    }
    assertThat(t.ended().reason()).isEqualTo("the sender closed the connection");
    assertThat(Transfers.tree(to)).containsOnlyKeys("/");
  }
}
