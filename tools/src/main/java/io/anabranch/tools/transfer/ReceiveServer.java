package io.anabranch.tools.transfer;

import io.anabranch.net.fault.FaultSpec;
import io.anabranch.net.setup.ExchangeConfig;
import io.anabranch.net.setup.ExchangeException;
import io.anabranch.net.setup.ExchangeServer;
import io.anabranch.net.setup.Token;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Listens for senders and receives from several at once, each on a thread and with sockets of its
 * own.
 */
public final class ReceiveServer implements AutoCloseable {
  /** Transfers at once; further senders are refused. */
  public static final int MAX_TRANSFERS = 4;

  private static final Duration LOOK = Duration.ofMillis(200);
  private static final long CLOSE_SECONDS = 5;

  /**
   * How to receive.
   *
   * @param folder where files go
   * @param listen addresses to listen on; with port 0 the first one's free port is all the others'
   * @param planes local address of each plane; none: as many as usual, by the way to the sender
   * @param once whether the first transfer is the last
   * @param force whether existing files may be replaced
   * @param hashed whether files are hashed and compared even if a sender does not want it
   * @param fault what happens to packets
   * @param seed of faults and paths
   * @param token what senders must have; must be there unless only this host can reach us
   */
  public record Config(
      Path folder,
      List<InetSocketAddress> listen,
      List<InetAddress> planes,
      boolean once,
      boolean force,
      boolean hashed,
      FaultSpec fault,
      long seed,
      @Nullable Token token) {
    /** Copies the lists. */
    public Config {
      listen = List.copyOf(listen);
      planes = List.copyOf(planes);
    }
  }

  /** Hears what happens; on any thread. */
  public interface Listener {
    /** A sender is here. */
    void started(Receiver receiver);

    /** A transfer has ended, well or not. */
    void ended(Receiver receiver, Summary summary);

    /** A set-up failed before there was a transfer. */
    void failed(String reason);
  }

  private final Config config;
  private final Listener listener;
  private final Staging.Opener opener;
  private final List<ExchangeServer> servers = new ArrayList<>();
  private final Set<Receiver> active = ConcurrentHashMap.newKeySet();
  private final AtomicInteger slots;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile @Nullable Summary last;
  private volatile boolean closed;

  private ReceiveServer(Config config, Listener listener, Staging.Opener opener)
      throws IOException {
    this.config = config;
    this.listener = listener;
    this.opener = opener;
    slots = new AtomicInteger(config.once() ? 1 : MAX_TRANSFERS);
    boolean done = false;
    try {
      ExchangeConfig how = ExchangeConfig.DEFAULT.withToken(config.token());
      for (InetSocketAddress wished : config.listen()) {
        InetSocketAddress address = wished;
        if (wished.getPort() == 0 && !servers.isEmpty()) {
          int port = servers.getFirst().address().getPort();
          address = new InetSocketAddress(wished.getAddress(), port);
        }
        servers.add(ExchangeServer.open(address, how, this::setUpFailed));
      }
      done = true;
    } finally {
      if (!done) {
        servers.forEach(ExchangeServer::close);
      }
    }
    for (ExchangeServer server : servers) {
      Thread.ofVirtual().name("anabranch-accept").start(() -> acceptAll(server));
    }
  }

  /**
   * Begins to listen, once the folder is there and known to be usable.
   *
   * @throws IOException when it is not and cannot be made, or an address cannot be listened on
   */
  public static ReceiveServer open(Config config, Listener listener) throws IOException {
    return open(config, listener, Staging.FILES);
  }

  static ReceiveServer open(Config config, Listener listener, Staging.Opener opener)
      throws IOException {
    if (Files.notExists(config.folder())) {
      Files.createDirectory(config.folder());
    }
    if (!Files.isDirectory(config.folder())) {
      throw new TransferException(config.folder() + ": not a folder");
    }
    if (!Files.isWritable(config.folder())) {
      throw new TransferException(config.folder() + ": permission denied");
    }
    Staging.sweep(config.folder());
    return new ReceiveServer(config, listener, opener);
  }

  /** Where it listens. */
  public List<InetSocketAddress> addresses() {
    return servers.stream().map(ExchangeServer::address).toList();
  }

  /** Transfers that are under way. */
  public Set<Receiver> active() {
    return Set.copyOf(active);
  }

  /**
   * Waits for the end: of the only transfer, or of this server.
   *
   * @return how the last transfer went; null if there was none
   */
  public @Nullable Summary await() throws InterruptedException {
    ended.await();
    return last;
  }

  private void setUpFailed(ExchangeException e) {
    if (!closed) {
      listener.failed(String.valueOf(e.getMessage()));
    }
  }

  private void acceptAll(ExchangeServer server) {
    try {
      while (!closed) {
        ExchangeServer.Pending pending = server.accept(LOOK);
        if (pending != null) {
          accept(pending);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void accept(ExchangeServer.Pending pending) {
    if (slots.getAndUpdate(n -> Math.max(0, n - 1)) == 0) {
      String why =
          config.once()
              ? "the receiver takes one transfer only"
              : "the receiver is busy with " + MAX_TRANSFERS + " transfers";
      pending.refuse(why);
      listener.failed(HostPort.show(pending.remote()) + ": refused: " + why);
      return;
    }
    Receiver receiver =
        new Receiver(
            new Receiver.Config(
                config.folder(),
                config.force(),
                config.hashed(),
                config.planes(),
                config.fault(),
                config.seed(),
                opener),
            pending);
    active.add(receiver);
    // No virtual thread: it computes and waits for disks, and would hold up those that may not
    // wait.
    Thread.ofPlatform().name("anabranch-receive").start(() -> receive(receiver));
  }

  private void receive(Receiver receiver) {
    listener.started(receiver);
    try {
      Summary summary = receiver.run();
      last = summary;
      listener.ended(receiver, summary);
    } finally {
      active.remove(receiver);
      if (config.once()) {
        closed = true;
        servers.forEach(ExchangeServer::close);
        ended.countDown();
      } else {
        slots.incrementAndGet();
      }
    }
  }

  /** Stops listening, ends every transfer and waits until nothing of them is left. */
  public void close(String why) {
    closed = true;
    servers.forEach(ExchangeServer::close);
    active.forEach(receiver -> receiver.cancel(why));
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
    while (!active.isEmpty() && System.nanoTime() - endNs < 0) {
      java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
    }
    ended.countDown();
  }

  @Override
  public void close() {
    close("the receiver ends");
  }
}
