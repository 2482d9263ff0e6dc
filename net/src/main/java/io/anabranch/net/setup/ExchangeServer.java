package io.anabranch.net.setup;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Listens for set-ups. Each connection gets a thread of its own until its attributes are here, and
 * a bounded time; more than {@link ExchangeConfig#maxPending} at once are closed unheard.
 */
public final class ExchangeServer implements AutoCloseable {
  private static final int BACKLOG = 64;
  private static final long MILLISECOND_NS = 1_000_000;

  private final ServerSocket listener;
  private final ExchangeConfig config;
  private final Consumer<ExchangeException> onFailure;
  private final SecureRandom random = new SecureRandom();
  private final Semaphore slots;
  private final BlockingQueue<Pending> ready;
  private volatile boolean closed;

  /** A peer that has told its attributes and waits for an answer. */
  public final class Pending {
    private final MessageStream stream;
    private final InetSocketAddress remote;
    private final PeerAttributes peer;
    private final long rttNs;

    private Pending(
        MessageStream stream, InetSocketAddress remote, PeerAttributes peer, long rttNs) {
      this.stream = stream;
      this.remote = remote;
      this.peer = peer;
      this.rttNs = rttNs;
    }

    /** The peer's attributes. */
    public PeerAttributes peer() {
      return peer;
    }

    /** The peer's end of the TCP connection. */
    public InetSocketAddress remote() {
      return remote;
    }

    /** Answers with this side's attributes: the set-up is complete. */
    public Exchange accept(PeerAttributes mine) throws ExchangeException {
      try {
        stream.write(Message.Type.ATTRIBUTES, mine.encode());
      } catch (ExchangeException e) {
        stream.close();
        throw e;
      }
      return new Exchange(stream, config, peer, remote, rttNs);
    }

    /** Tells the peer why not, and closes the connection. */
    public void refuse(String why) {
      Handshake.refuse(stream, why);
      stream.close();
    }
  }

  private ExchangeServer(
      ServerSocket listener, ExchangeConfig config, Consumer<ExchangeException> onFailure) {
    this.listener = listener;
    this.config = config;
    this.onFailure = onFailure;
    slots = new Semaphore(config.maxPending());
    ready = new ArrayBlockingQueue<>(config.maxPending());
    Thread.ofPlatform().daemon().name("anabranch-listen").start(this::acceptAll);
  }

  /**
   * Begins to listen.
   *
   * @param address port 0: any free one. An address that others than this host reach needs a token
   * @param onFailure hears of set-ups that failed; on any thread
   * @throws ExchangeException when the address cannot be listened on
   */
  public static ExchangeServer open(
      InetSocketAddress address, ExchangeConfig config, Consumer<ExchangeException> onFailure)
      throws ExchangeException {
    if (address.isUnresolved()) {
      throw new ExchangeException(
          ExchangeException.Reason.UNREACHABLE, address.getHostString() + ": no host of that name");
    }
    if (config.token() == null && !address.getAddress().isLoopbackAddress()) {
      throw new IllegalArgumentException(
          "listen address: "
              + address.getAddress().getHostAddress()
              + ", allowed without a token: loopback");
    }
    ServerSocket listener = null;
    try {
      listener = new ServerSocket();
      listener.setReuseAddress(true);
      listener.bind(address, BACKLOG);
      return new ExchangeServer(listener, config, onFailure);
    } catch (IOException e) {
      closeQuietly(listener);
      throw new ExchangeException(
          ExchangeException.Reason.UNREACHABLE,
          address.getHostString() + " port " + address.getPort() + ": " + e.getMessage(),
          e);
    }
  }

  private static void closeQuietly(@Nullable AutoCloseable closeable) {
    try {
      if (closeable != null) {
        closeable.close();
      }
    } catch (Exception e) {
      // It is out of use either way.
      return;
    }
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.getLocalSocketAddress();
  }

  /**
   * Waits for the next peer.
   *
   * @return null when none came in time, or the server is closed
   */
  public @Nullable Pending accept(Duration timeout) throws InterruptedException {
    return ready.poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void acceptAll() {
    while (!closed) {
      Socket socket;
      try {
        socket = listener.accept();
      } catch (IOException e) {
        if (!closed) {
          onFailure.accept(
              new ExchangeException(
                  ExchangeException.Reason.CLOSED, "listener: " + e.getMessage(), e));
        }
        return;
      }
      if (!slots.tryAcquire()) {
        closeQuietly(socket);
        onFailure.accept(
            new ExchangeException(
                ExchangeException.Reason.REFUSED,
                "more than " + config.maxPending() + " set-ups at once"));
        continue;
      }
      Thread.ofVirtual()
          .name("anabranch-setup")
          .start(() -> {
            try {
              serve(socket);
            } finally {
              slots.release();
            }
          });
    }
  }

  private void serve(Socket socket) {
    try {
      long deadlineNs = System.nanoTime() + config.handshakeMs() * MILLISECOND_NS;
      MessageStream stream = new MessageStream(socket, false);
      InetSocketAddress remote = (InetSocketAddress) socket.getRemoteSocketAddress();
      long helloNs = Handshake.server(stream, config.token(), random, deadlineNs);
      PeerAttributes peer;
      long rttNs;
      try {
        byte[] body = stream.expect(Message.Type.ATTRIBUTES, deadlineNs);
        rttNs = System.nanoTime() - helloNs;
        peer = PeerAttributes.decode(body);
      } catch (ExchangeException e) {
        Handshake.refuse(stream, String.valueOf(e.getMessage()));
        throw e;
      }
      Pending pending = new Pending(stream, remote, peer, rttNs);
      if (closed || !ready.offer(pending)) {
        pending.refuse("busy");
      }
    } catch (ExchangeException e) {
      closeQuietly(socket);
      onFailure.accept(e);
    } catch (IOException e) {
      closeQuietly(socket);
      onFailure.accept(
          new ExchangeException(
              ExchangeException.Reason.CLOSED, "the peer closed the connection", e));
    }
  }

  /** Stops listening. Peers that wait for an answer are refused; exchanges live on. */
  @Override
  public void close() {
    closed = true;
    closeQuietly(listener);
    for (Pending pending = ready.poll(); pending != null; pending = ready.poll()) {
      pending.refuse("closing");
    }
  }
}
