package io.anabranch.net.setup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.net.setup.ExchangeException.Reason;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ExchangeTest {
  private static final ExchangeConfig QUICK = new ExchangeConfig(null, 2_000, 50, 5_000, 4);
  private static final InetSocketAddress ANY_PORT =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  static PeerAttributes attributes(int seed) {
    byte[] app = ("hello " + seed).getBytes(StandardCharsets.UTF_8);
    return new PeerAttributes(
        1,
        List.of(new PeerAttributes.Qp(0x1000 + seed, 0xfffffe), new PeerAttributes.Qp(3, 0)),
        seed % 2 == 0 ? 4096 : 1024,
        List.of(new PlaneAddress(0, 1, 4791), new PlaneAddress(0x20010db8L << 32, -1, 65535)),
        1L << 33,
        64,
        255 * 128,
        true,
        true,
        false,
        List.of(new PeerAttributes.Region(0xdeadbeef, 1L << 63, Long.MAX_VALUE)),
        ByteBuffer.wrap(app));
  }

  private static ExchangeServer.Pending next(ExchangeServer server) throws InterruptedException {
    return Objects.requireNonNull(server.accept(Duration.ofSeconds(20)), "no peer came");
  }

  /** Both ends of a set-up. */
  private record Pair(Exchange client, Exchange server) implements AutoCloseable {
    static Pair open(ExchangeServer server, ExchangeConfig config) throws Exception {
      CompletableFuture<Exchange> client =
          CompletableFuture.supplyAsync(() -> {
            try {
              return Exchange.connect(server.address(), config, attributes(1));
            } catch (ExchangeException e) {
              throw new IllegalStateException(e);
            }
          });
      Exchange accepted = next(server).accept(attributes(2));
      return new Pair(client.get(20, TimeUnit.SECONDS), accepted);
    }

    @Override
    public void close() {
      client.close();
      server.close();
    }
  }

  private static ExchangeServer server(ExchangeConfig config, BlockingQueue<ExchangeException> log)
      throws ExchangeException {
    return ExchangeServer.open(ANY_PORT, config, log::add);
  }

  private static Reason nextFailure(BlockingQueue<ExchangeException> log)
      throws InterruptedException {
    return Objects.requireNonNull(log.poll(20, TimeUnit.SECONDS), "no failure").reason();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void bothSidesLearnAllAttributesAndTalk(boolean withToken) throws Exception {
    ExchangeConfig config = QUICK.withToken(withToken ? Token.generate(new SecureRandom()) : null);
    try (ExchangeServer server = server(config, new LinkedBlockingQueue<>());
        Pair pair = Pair.open(server, config)) {
      assertThat(pair.client.peer()).isEqualTo(attributes(2));
      assertThat(pair.server.peer()).isEqualTo(attributes(1));
      assertThat(pair.client.peer().agreedMtuBytes(attributes(1))).isEqualTo(1024);
      assertThat(pair.client.rttNs()).isBetween(1L, 2_000_000_000L);
      assertThat(pair.server.rttNs()).isBetween(1L, 2_000_000_000L);
      for (int i = 0; i < 50; i++) {
        pair.client.send(new byte[i]);
        assertThat(pair.server.receive(Duration.ofSeconds(20))).hasSize(i);
      }
      pair.server.send(new byte[Exchange.MAX_MESSAGE_BYTES]);
      assertThat(pair.client.receive(Duration.ofSeconds(20))).hasSize(Exchange.MAX_MESSAGE_BYTES);
      // The last message before the end still arrives.
      pair.client.send(new byte[] {7});
      pair.client.finish();
      assertThat(pair.server.end().get(20, TimeUnit.SECONDS).orderly()).isTrue();
      assertThat(pair.server.receive(Duration.ofSeconds(20))).containsExactly(7);
      assertThatThrownBy(() -> pair.server.receive(Duration.ofSeconds(20)))
          .isInstanceOf(ExchangeException.class)
          .hasMessageContaining("done");
    }
  }

  @Test
  void aPeerThatDiesIsSeenAsDead() throws Exception {
    try (ExchangeServer server = server(QUICK, new LinkedBlockingQueue<>());
        Pair pair = Pair.open(server, QUICK)) {
      pair.client.close();
      Exchange.End end = pair.server.end().get(20, TimeUnit.SECONDS);
      assertThat(end.orderly()).isFalse();
      assertThat(end.reason()).contains("closed the connection");
    }
  }

  @Test
  void aPeerThatGivesUpSaysWhyWithoutControlCharacters() throws Exception {
    try (ExchangeServer server = server(QUICK, new LinkedBlockingQueue<>());
        Pair pair = Pair.open(server, QUICK)) {
      pair.server.abort("disk full\u001b[2J");
      Exchange.End end = pair.client.end().get(20, TimeUnit.SECONDS);
      assertThat(end.orderly()).isFalse();
      assertThat(end.reason()).isEqualTo("the peer gave up: disk full?[2J");
    }
  }

  @Test
  void aSilentPeerIsSeenAsDead() throws Exception {
    ExchangeConfig impatient = new ExchangeConfig(null, 2_000, 100, 300, 4);
    ExchangeConfig mute = new ExchangeConfig(null, 2_000, 60_000, 120_000, 4);
    try (ExchangeServer server = server(mute, new LinkedBlockingQueue<>());
        Pair pair = Pair.open(server, impatient)) {
      Exchange.End end = pair.client.end().get(20, TimeUnit.SECONDS);
      assertThat(end.orderly()).isFalse();
      assertThat(end.reason()).contains("silent for 300 ms");
    }
  }

  @Test
  void signsOfLifeKeepAnIdleConnection() throws Exception {
    ExchangeConfig config = new ExchangeConfig(null, 2_000, 20, 400, 4);
    try (ExchangeServer server = server(config, new LinkedBlockingQueue<>());
        Pair pair = Pair.open(server, config)) {
      // Longer than the silence that kills; the future must not complete within it.
      assertThatThrownBy(() -> pair.client.end().get(1_000, TimeUnit.MILLISECONDS))
          .isInstanceOf(java.util.concurrent.TimeoutException.class);
      assertThat(pair.server.end()).isNotDone();
    }
  }

  @Test
  void aRefusalCarriesItsReason() throws Exception {
    try (ExchangeServer server = server(QUICK, new LinkedBlockingQueue<>())) {
      CompletableFuture<ExchangeException> client = failingClient(server.address(), QUICK);
      next(server).refuse("no room");
      ExchangeException e = client.get(20, TimeUnit.SECONDS);
      assertThat(e.reason()).isEqualTo(Reason.REFUSED);
      assertThat(e).hasMessageContaining("no room");
    }
  }

  private static CompletableFuture<ExchangeException> failingClient(
      InetSocketAddress address, ExchangeConfig config) {
    return CompletableFuture.supplyAsync(() ->
        catchThrowableOfType(
            ExchangeException.class,
            () -> Exchange.connect(address, config, attributes(1)).close()));
  }

  @Test
  void tokensMustAgreeAndNeverCrossTheWire() throws Exception {
    Token right = Token.of("correct horse battery");
    Token wrong = Token.of("incorrect horse battery");
    BlockingQueue<ExchangeException> log = new LinkedBlockingQueue<>();
    try (ExchangeServer server = server(QUICK.withToken(right), log)) {
      assertThat(failingClient(server.address(), QUICK.withToken(wrong)).get().reason())
          .isEqualTo(Reason.REFUSED);
      assertThat(nextFailure(log)).isEqualTo(Reason.AUTHENTICATION);
      ExchangeException none = failingClient(server.address(), QUICK).get();
      assertThat(none.reason()).isEqualTo(Reason.AUTHENTICATION);
      assertThat(none).hasMessageContaining("asks for a token");
    }
    try (ExchangeServer server = server(QUICK, log)) {
      ExchangeException none = failingClient(server.address(), QUICK.withToken(right)).get();
      assertThat(none.reason()).isEqualTo(Reason.AUTHENTICATION);
      assertThat(none).hasMessageContaining("has no token");
    }
    assertThat(right.toString()).doesNotContain("horse");
    assertThatThrownBy(() -> Token.of("short")).hasMessageContaining("16…128");
  }

  @Test
  void onlyLoopbackListensWithoutToken() throws Exception {
    InetSocketAddress all = new InetSocketAddress("0.0.0.0", 0);
    assertThatThrownBy(() -> ExchangeServer.open(all, QUICK, e -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0.0.0.0")
        .hasMessageContaining("loopback");
  }

  private static byte[] header(int magic, int version, int type, int length) {
    ByteBuffer b = ByteBuffer.allocate(12);
    b.putInt(magic).put((byte) version).put((byte) type).putShort((short) 0).putInt(length);
    return b.array();
  }

  private static byte[] clientHello(int oldest, int newest) {
    ByteBuffer b = ByteBuffer.allocate(12 + 36);
    b.put(header(0x414e4252, 1, 1, 36)).putShort((short) oldest).putShort((short) newest);
    return b.array();
  }

  private static Reason serverSays(byte[]... parts) throws Exception {
    BlockingQueue<ExchangeException> log = new LinkedBlockingQueue<>();
    ExchangeConfig config = new ExchangeConfig(null, 300, 50, 5_000, 4);
    try (ExchangeServer server = server(config, log);
        Socket socket = new Socket(server.address().getAddress(), server.address().getPort())) {
      OutputStream out = socket.getOutputStream();
      for (byte[] part : parts) {
        out.write(part);
        out.flush();
      }
      return nextFailure(log);
    }
  }

  @Test
  void whatIsNoExchangeIsNamed() throws Exception {
    assertThat(serverSays("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII)))
        .isEqualTo(Reason.MALFORMED);
    assertThat(serverSays(header(0x414e4252, 2, 1, 36))).isEqualTo(Reason.MALFORMED);
    assertThat(serverSays(header(0x414e4252, 1, 0, 0))).isEqualTo(Reason.MALFORMED);
    assertThat(serverSays(header(0x414e4252, 1, 99, 0))).isEqualTo(Reason.MALFORMED);
    assertThat(serverSays(header(0x414e4252, 1, 1, 65))).isEqualTo(Reason.TOO_LARGE);
    assertThat(serverSays(header(0x414e4252, 1, 3, -1))).isEqualTo(Reason.TOO_LARGE);
    assertThat(serverSays(header(0x414e4252, 1, 1, 5), new byte[5])).isEqualTo(Reason.MALFORMED);
    assertThat(serverSays(header(0x414e4252, 1, 6, 0))).isEqualTo(Reason.MALFORMED);
    assertThat(serverSays(clientHello(2, 9))).isEqualTo(Reason.VERSION);
    assertThat(serverSays(clientHello(1, 9), header(0x414e4252, 1, 3, 3), new byte[] {0, 1, 0}))
        .isEqualTo(Reason.MALFORMED);
    assertThat(serverSays()).isEqualTo(Reason.TIMEOUT);
    assertThat(serverSays(new byte[] {0x41, 0x4e})).isEqualTo(Reason.TIMEOUT);
  }

  @Test
  void moreSetUpsThanAllowedAreClosedUnheard() throws Exception {
    BlockingQueue<ExchangeException> log = new LinkedBlockingQueue<>();
    List<Socket> sockets = new ArrayList<>();
    try (ExchangeServer server = server(new ExchangeConfig(null, 5_000, 50, 5_000, 2), log)) {
      for (int i = 0; i < 3; i++) {
        sockets.add(new Socket(server.address().getAddress(), server.address().getPort()));
      }
      assertThat(nextFailure(log)).isEqualTo(Reason.REFUSED);
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  /** A server that answers a client with {@code bytes}, and then with silence or the end. */
  private static ExchangeException clientMeets(byte[] bytes, boolean close) throws Exception {
    ExchangeConfig config = new ExchangeConfig(null, 500, 50, 5_000, 4);
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<ExchangeException> client =
          failingClient((InetSocketAddress) listener.getLocalSocketAddress(), config);
      try (Socket socket = listener.accept()) {
        new DataInputStream(socket.getInputStream()).readFully(new byte[48]);
        socket.getOutputStream().write(bytes);
        if (close) {
          socket.shutdownOutput();
        }
        return client.get(20, TimeUnit.SECONDS);
      }
    }
  }

  @Test
  void aClientSurvivesAnyServer() throws Exception {
    assertThat(clientMeets(new byte[0], true).reason()).isEqualTo(Reason.CLOSED);
    assertThat(clientMeets(new byte[0], false).reason()).isEqualTo(Reason.TIMEOUT);
    assertThat(clientMeets(new byte[100], false).reason()).isEqualTo(Reason.MALFORMED);
    assertThat(clientMeets(header(0x414e4252, 1, 1, 35), true).reason()).isEqualTo(Reason.CLOSED);
    byte[] hello = new byte[12 + 35];
    System.arraycopy(header(0x414e4252, 1, 1, 35), 0, hello, 0, 12);
    assertThat(clientMeets(hello, false).reason()).isEqualTo(Reason.VERSION);
    ServerSocket gone = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    InetSocketAddress nobody = (InetSocketAddress) gone.getLocalSocketAddress();
    gone.close();
    assertThat(failingClient(nobody, QUICK).get().reason()).isEqualTo(Reason.UNREACHABLE);
    InetSocketAddress unknown = InetSocketAddress.createUnresolved("no.such.host.invalid", 1);
    assertThat(failingClient(unknown, QUICK).get().reason()).isEqualTo(Reason.UNREACHABLE);
  }

  @Test
  void anyBytesAsAttributesAreReadOrNamed() throws Exception {
    byte[] good = attributes(3).encode();
    assertThat(PeerAttributes.decode(good)).isEqualTo(attributes(3));
    for (int length = 0; length < good.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(good, length);
      assertThatThrownBy(() -> PeerAttributes.decode(cut)).isInstanceOf(ExchangeException.class);
    }
    byte[] longer = java.util.Arrays.copyOf(good, good.length + 1);
    assertThatThrownBy(() -> PeerAttributes.decode(longer)).isInstanceOf(ExchangeException.class);
    SplittableRandom random = new SplittableRandom(11);
    int read = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] damaged = good.clone();
      for (int k = random.nextInt(1, 5); k > 0; k--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      try {
        PeerAttributes.decode(damaged);
        read++;
      } catch (ExchangeException e) {
        assertThat(e.reason()).isIn(Reason.MALFORMED, Reason.VERSION);
      }
    }
    assertThat(read).isBetween(1, 19_999);
  }

  @Test
  void attributesRefuseWhatIsOutOfRange() {
    PeerAttributes a = attributes(1);
    assertThatThrownBy(() ->
            new PeerAttributes(
                1,
                a.qps(),
                255,
                a.planes(),
                1,
                64,
                1024,
                false,
                false,
                false,
                List.of(),
                a.application()))
        .hasMessage("mtuBytes: 255, allowed 256…8192");
    assertThatThrownBy(() -> new PeerAttributes.Qp(2, 0))
        .hasMessage("qp.number: 2, allowed 3…16777215");
  }

  @Test
  void aTamperedMessageEndsAnAuthenticatedConnection() throws Exception {
    Token token = Token.of("correct horse battery");
    ExchangeConfig config = QUICK.withToken(token);
    try (ExchangeServer server = server(config, new LinkedBlockingQueue<>());
        ServerSocket middle = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      InetSocketAddress front = (InetSocketAddress) middle.getLocalSocketAddress();
      CompletableFuture<Exchange> client =
          CompletableFuture.supplyAsync(() -> {
            try {
              return Exchange.connect(front, config, attributes(1));
            } catch (ExchangeException e) {
              throw new IllegalStateException(e);
            }
          });
      try (Socket left = middle.accept();
          Socket right = new Socket(server.address().getAddress(), server.address().getPort())) {
        Thread.ofVirtual().start(() -> relay(left, right, false));
        Thread.ofVirtual().start(() -> relay(right, left, true));
        Exchange accepted = next(server).accept(attributes(2));
        Exchange there = client.get(20, TimeUnit.SECONDS);
        accepted.send("amount=1!".getBytes(StandardCharsets.US_ASCII));
        Exchange.End end = there.end().get(20, TimeUnit.SECONDS);
        assertThat(end.orderly()).isFalse();
        assertThat(end.reason()).contains("MAC is wrong");
        accepted.close();
        there.close();
      }
    }
  }

  private static void relay(Socket from, Socket to, boolean tamper) {
    byte[] buffer = new byte[1 << 16];
    try {
      for (int n = from.getInputStream().read(buffer);
          n > 0;
          n = from.getInputStream().read(buffer)) {
        int at = new String(buffer, 0, n, StandardCharsets.ISO_8859_1).indexOf("amount=1!");
        if (tamper && at >= 0) {
          buffer[at] ^= 1;
        }
        to.getOutputStream().write(buffer, 0, n);
      }
    } catch (IOException e) {
      // The test is over.
      return;
    }
  }
}
