package io.anabranch.net.setup;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A set-up that succeeded: both sides know each other's attributes. The TCP connection stays open
 * as the life line: it carries the applications' own messages and signs of life, an orderly {@link
 * #finish} ends it, and anything else that ends it means that the peer died.
 *
 * <p>Safe for use by several threads.
 */
public final class Exchange implements AutoCloseable {
  /** Most bytes of a message of the applications'. */
  public static final int MAX_MESSAGE_BYTES = 64 << 10;

  private static final int QUEUED_MESSAGES = 16;
  private static final long MILLISECOND_NS = 1_000_000;
  private static final long POLL_MS = 20;

  private final MessageStream stream;
  private final ExchangeConfig config;
  private final PeerAttributes peer;
  private final InetSocketAddress remote;
  private final long rttNs;
  private final BlockingQueue<byte[]> messages = new ArrayBlockingQueue<>(QUEUED_MESSAGES);
  private final CompletableFuture<End> end = new CompletableFuture<>();
  private volatile boolean closed;

  /**
   * How it ended.
   *
   * @param orderly the peer said that it is done; else it died or the network did
   * @param reason in words
   */
  public record End(boolean orderly, String reason) {}

  Exchange(
      MessageStream stream,
      ExchangeConfig config,
      PeerAttributes peer,
      InetSocketAddress remote,
      long rttNs) {
    this.stream = stream;
    this.config = config;
    this.peer = peer;
    this.remote = remote;
    this.rttNs = Math.max(1, rttNs);
    String name = "anabranch-lifeline " + remote;
    Thread.ofVirtual().name(name).start(this::readAll);
    Thread.ofVirtual().name(name + " beat").start(this::beat);
  }

  /**
   * Connects to a listening endpoint and exchanges attributes.
   *
   * @param mine this side's attributes
   * @throws ExchangeException when it fails; {@link ExchangeException#reason} tells why
   */
  public static Exchange connect(
      InetSocketAddress address, ExchangeConfig config, PeerAttributes mine)
      throws ExchangeException {
    long startNs = System.nanoTime();
    long deadlineNs = startNs + config.handshakeMs() * MILLISECOND_NS;
    Socket socket = new Socket();
    try {
      MessageStream stream = open(socket, address, config);
      // A host answers SYN in the kernel: the best estimate there is before the first packet.
      long rttNs = System.nanoTime() - startNs;
      rttNs =
          Math.min(rttNs, Handshake.client(stream, config.token(), new SecureRandom(), deadlineNs));
      stream.write(Message.Type.ATTRIBUTES, mine.encode());
      byte[] answer = stream.expect(Message.Type.ATTRIBUTES, deadlineNs);
      PeerAttributes peer = PeerAttributes.decode(answer);
      return new Exchange(stream, config, peer, address, rttNs);
    } catch (ExchangeException | RuntimeException e) {
      closeQuietly(socket);
      throw e;
    }
  }

  private static MessageStream open(Socket socket, InetSocketAddress address, ExchangeConfig config)
      throws ExchangeException {
    String where = address.getHostString() + " port " + address.getPort();
    if (address.isUnresolved()) {
      throw new ExchangeException(
          ExchangeException.Reason.UNREACHABLE, where + ": no host of that name");
    }
    try {
      socket.connect(address, config.handshakeMs());
      return new MessageStream(socket, true);
    } catch (SocketTimeoutException e) {
      throw new ExchangeException(
          ExchangeException.Reason.TIMEOUT,
          where + ": no answer within " + config.handshakeMs() + " ms",
          e);
    } catch (IOException e) {
      throw new ExchangeException(
          ExchangeException.Reason.UNREACHABLE, where + ": " + e.getMessage(), e);
    }
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is out of use either way.
      return;
    }
  }

  /** The peer's attributes. */
  public PeerAttributes peer() {
    return peer;
  }

  /** The peer's end of the TCP connection. */
  public InetSocketAddress remote() {
    return remote;
  }

  /** Round-trip time measured during set-up, at least 1 ns: a first estimate. */
  public long rttNs() {
    return rttNs;
  }

  /** Completes when the connection has ended, however it did. */
  public CompletableFuture<End> end() {
    return end.copy();
  }

  /**
   * Sends a message to the peer's application.
   *
   * @param message at most {@link #MAX_MESSAGE_BYTES}
   * @throws ExchangeException when the connection has ended
   */
  public void send(byte[] message) throws ExchangeException {
    stream.write(Message.Type.APPLICATION, message);
  }

  /**
   * Waits for the next message of the peer's application. Messages that came before the end are
   * still delivered after it.
   *
   * @throws ExchangeException TIMEOUT when none came in time, CLOSED when the connection has ended
   */
  public byte[] receive(Duration timeout) throws ExchangeException, InterruptedException {
    long deadlineNs = System.nanoTime() + timeout.toNanos();
    while (true) {
      boolean ended = end.isDone();
      byte[] message = messages.poll(ended ? 0 : POLL_MS, TimeUnit.MILLISECONDS);
      if (message != null) {
        return message;
      }
      if (ended) {
        throw new ExchangeException(ExchangeException.Reason.CLOSED, end.join().reason());
      }
      if (System.nanoTime() - deadlineNs >= 0) {
        throw new ExchangeException(
            ExchangeException.Reason.TIMEOUT, "no message within " + timeout.toMillis() + " ms");
      }
    }
  }

  /** Tells the peer that this side is done. The connection stays open until it is closed. */
  public void finish() throws ExchangeException {
    stream.write(Message.Type.DONE, new byte[0]);
  }

  private void readAll() {
    End how;
    try {
      how = readUntilEnd();
    } catch (ExchangeException e) {
      how = new End(false, closed ? "closed by this side" : describe(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      how = new End(false, "interrupted");
    }
    end.complete(how);
  }

  private String describe(ExchangeException e) {
    return e.reason() == ExchangeException.Reason.TIMEOUT
        ? "the peer was silent for " + config.silenceMs() + " ms"
        : String.valueOf(e.getMessage());
  }

  private End readUntilEnd() throws ExchangeException, InterruptedException {
    while (true) {
      Message message = stream.read(System.nanoTime() + config.silenceMs() * MILLISECOND_NS);
      switch (message.type()) {
        case KEEPALIVE -> {}
        // A full queue holds up the reader, and so the peer's writer.
        case APPLICATION -> messages.put(message.body());
        case DONE -> {
          return new End(true, "the peer is done");
        }
        case REFUSE -> {
          return new End(false, "the peer gave up: " + Words.of(message.body()));
        }
        default ->
            throw new ExchangeException(
                ExchangeException.Reason.MALFORMED,
                message.type() + ": not allowed after the set-up");
      }
    }
  }

  private void beat() {
    try {
      while (!closed) {
        Thread.sleep(config.keepaliveMs());
        stream.write(Message.Type.KEEPALIVE, new byte[0]);
      }
    } catch (ExchangeException e) {
      // The reader sees the end as well, and tells it.
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Tells the peer why this side gives up, and closes. */
  public void abort(@Nullable String why) {
    Handshake.refuse(stream, why == null ? "" : why);
    close();
  }

  /** Closes the connection; without {@link #finish} before it the peer takes this side for dead. */
  @Override
  public void close() {
    closed = true;
    stream.close();
  }
}
