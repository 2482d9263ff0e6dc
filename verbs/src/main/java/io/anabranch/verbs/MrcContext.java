package io.anabranch.verbs;

import io.anabranch.engine.Command;
import io.anabranch.engine.Driver;
import io.anabranch.engine.DropReason;
import io.anabranch.engine.Status;
import io.anabranch.engine.config.CcConfig;
import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.config.PeerConfig;
import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.verbs.DeviceAttributes.Capability;
import io.anabranch.verbs.MrcException.Code;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An open device, and the parent of everything made with it.
 *
 * <p>Control calls (making, modifying, closing) of all threads take turns and wait for the driver's
 * thread, at most the configured time; one that ends with ETIMEDOUT has done nothing. After
 * DEVICE_FATAL they all end with EIO.
 */
public final class MrcContext implements AutoCloseable {
  /** MRC's version that is spoken. */
  public static final int PROTOCOL_VERSION = 1;

  /** QP hints that may exist at a time. */
  public static final int MAX_QP_HINTS = 1024;

  /** RTT assumed until one is measured, if nothing better is known: 1 ms. */
  public static final long DEFAULT_RTT_NS = 1_000_000;

  private static final int MAX_WIMM = 4096;
  private static final int MAX_MPR_UNITS = 255;

  /** A thread that is no other: what it may use, any thread may. */
  static final Thread SOME_THREAD = Thread.ofPlatform().daemon().unstarted(() -> {});

  private final Driver driver;
  private final ContextConfig config;
  private final EndpointInfo endpoint;
  private final AtomicBoolean wakeupPending = new AtomicBoolean();
  private volatile @Nullable MrcException failure;
  private volatile boolean closed;
  private volatile boolean driverClosed;

  final CommandQueue commands;
  final Waiter waiter;
  final AsyncEvents events;
  final Dispatcher dispatcher;
  final NumberSource numbers = new NumberSource();

  /** Guards what exists and who uses what. Held by control calls, never by the driver's thread. */
  final ReentrantLock lock = new ReentrantLock();

  final Set<QueuePair> queuePairs = new LinkedHashSet<>();
  final Set<QpHint> hints = new LinkedHashSet<>();
  final Set<MemoryRegion> regions = new LinkedHashSet<>();
  final Set<CompletionQueue> completionQueues = new LinkedHashSet<>();
  final Set<CompletionChannel> channels = new LinkedHashSet<>();
  final Set<ProtectionDomain> domains = new LinkedHashSet<>();
  private final Set<Peer> peers = new LinkedHashSet<>();
  private final BitSet peerHandles = new BitSet();
  private int nextDomain;

  private MrcContext(Driver driver, ContextConfig config) {
    this.driver = driver;
    this.config = config;
    commands = new CommandQueue(config.commandQueueCapacity());
    waiter = new Waiter(config.stepper());
    events = new AsyncEvents(config.maxAsyncEvents(), waiter);
    dispatcher = new Dispatcher(this);
    List<PlaneAddress> planes = new ArrayList<>();
    for (int p = 0; p < driver.ports(); p++) {
      planes.add(new PlaneAddress(driver.addressHi(p), driver.addressLo(p), driver.udpPort(p)));
    }
    endpoint =
        new EndpointInfo(
            PROTOCOL_VERSION,
            driver.mtuBytes(),
            planes,
            Math.max(1, driver.receiveBufferBytes() / config.expectedPeers()),
            config.maxWimm(),
            config.mprPackets(),
            config.dynamicMpr(),
            true,
            false);
  }

  /** As {@link #open(Driver, ContextConfig)} with defaults. */
  public static MrcContext open(Driver driver) {
    return open(driver, ContextConfig.DEFAULT);
  }

  /**
   * Opens a device: becomes the driver's application and starts it. The driver closes with the
   * context.
   *
   * @throws MrcException EBUSY when the driver has an application already
   */
  public static MrcContext open(Driver driver, ContextConfig config) {
    MrcContext context = new MrcContext(driver, config);
    try {
      driver.attach(context.dispatcher);
    } catch (IllegalStateException e) {
      throw new MrcException(Code.EBUSY, "driver: " + e.getMessage(), -1, e);
    }
    driver.start();
    return context;
  }

  /** Versions of the API. */
  public static ApiVersions versions() {
    return ApiVersions.THIS;
  }

  /** What the device can do. */
  public DeviceAttributes deviceAttributes() {
    return new DeviceAttributes(
        true,
        1 << PROTOCOL_VERSION - 1,
        MAX_WIMM,
        MAX_WIMM,
        MAX_MPR_UNITS * EndpointInfo.MPR_UNIT,
        EndpointInfo.MPR_UNIT,
        MAX_QP_HINTS,
        Dispatcher.MAX_QPS,
        CompletionQueue.MAX_DEPTH,
        QpCapabilities.MAX_WR,
        QpCapabilities.MAX_SGE,
        QpCapabilities.MAX_INLINE_BYTES,
        endpoint.ports(),
        EnumSet.of(Capability.TRIM_NACK, Capability.DYNAMIC_MPR));
  }

  /** How it works. */
  public ContextConfig config() {
    return config;
  }

  /** What a peer must be told of this device. */
  public EndpointInfo endpointInfo() {
    return endpoint;
  }

  // ---------------------------------------------------------------- making things

  /** Makes a protection domain. */
  public ProtectionDomain allocateProtectionDomain() {
    return make(domains, () -> new ProtectionDomain(this, nextDomain++));
  }

  /** Makes a completion channel. */
  public CompletionChannel createCompletionChannel() {
    return make(channels, () -> new CompletionChannel(this));
  }

  /**
   * Makes a completion queue without a channel; as {@link #createCompletionQueue(int,
   * CompletionChannel)}.
   */
  public CompletionQueue createCompletionQueue(int depth) {
    return make(completionQueues, () -> new CompletionQueue(this, checkDepth(depth), null));
  }

  /**
   * Makes a completion queue.
   *
   * @param depth completions that may wait in it, 1 … {@link CompletionQueue#MAX_DEPTH}
   * @param channel where its notifications go
   * @throws MrcException EINVAL for a depth out of range or a channel of another context
   */
  public CompletionQueue createCompletionQueue(int depth, CompletionChannel channel) {
    return make(
        completionQueues,
        () -> {
          if (!channels.contains(channel)) {
            throw new MrcException(Code.EINVAL, "channel: closed or of another context");
          }
          CompletionQueue cq = new CompletionQueue(this, checkDepth(depth), channel);
          channel.users++;
          return cq;
        });
  }

  private static int checkDepth(int depth) {
    return (int) MrcException.range("depth", depth, 1, CompletionQueue.MAX_DEPTH);
  }

  /**
   * Makes a QP hint.
   *
   * @throws MrcException ENOMEM when there are {@link #MAX_QP_HINTS} already
   */
  public QpHint createQpHint(QpHint.Attributes attributes) {
    return make(
        hints,
        () -> {
          if (hints.size() == MAX_QP_HINTS) {
            throw new MrcException(
                Code.ENOMEM, "QP hints: " + MAX_QP_HINTS + ", allowed " + MAX_QP_HINTS);
          }
          return new QpHint(this, attributes);
        });
  }

  private <T> T make(Set<T> children, java.util.function.Supplier<T> maker) {
    lock.lock();
    try {
      checkAlive();
      T made = maker.get();
      children.add(made);
      return made;
    } finally {
      lock.unlock();
    }
  }

  QueuePair createQueuePair(ProtectionDomain domain, QueuePairConfig c) {
    return make(
        queuePairs,
        () -> {
          checkQueue("sendCq", c.sendCq());
          checkQueue("receiveCq", c.receiveCq());
          domain.use();
          QueuePair qp = new QueuePair(this, domain, c, numbers.qpNumber());
          boolean done = false;
          try {
            control((engine, nowNs) -> dispatcher.add(qp));
            done = true;
          } finally {
            if (!done) {
              domain.users--;
              numbers.restQpNumber(qp.number());
            }
          }
          c.sendCq().users++;
          c.receiveCq().users++;
          return qp;
        });
  }

  private void checkQueue(String field, CompletionQueue cq) {
    if (!cq.belongsTo(this)) {
      throw new MrcException(Code.EINVAL, field + ": closed or of another context");
    }
  }

  /** As {@link #createPeer(EndpointInfo, EvProfile, CcProfile, long)} with NSCC and defaults. */
  public Peer createPeer(EndpointInfo remote) {
    return createPeer(remote, EvProfile.auto(), CcProfile.nscc(), DEFAULT_RTT_NS);
  }

  /**
   * Makes a remote device known, so that queue pairs can be connected to it, and prepares the paths
   * there. Both sides use the ports that both have, one to one.
   *
   * @param remote what it told of itself
   * @param evProfile which EVs lead to it
   * @param ccProfile how fast to send to it
   * @param initialRttNs RTT assumed until one is measured, 1 ns … 10 s
   * @throws MrcException ENOTSUP for another protocol version; ENOMEM beyond the expected number of
   *     peers; EINVAL for a value out of range; EIO when paths cannot be made
   */
  public Peer createPeer(
      EndpointInfo remote, EvProfile evProfile, CcProfile ccProfile, long initialRttNs) {
    if (remote.protocolVersion() != PROTOCOL_VERSION) {
      throw new MrcException(
          Code.ENOTSUP,
          "protocolVersion: " + remote.protocolVersion() + ", allowed " + PROTOCOL_VERSION);
    }
    return make(
        peers,
        () -> {
          int handle = peerHandles.nextClearBit(0);
          if (handle >= config.expectedPeers()) {
            throw new MrcException(
                Code.ENOMEM,
                "peers: "
                    + (handle + 1)
                    + ", allowed the expectedPeers of the context, "
                    + config.expectedPeers());
          }
          List<PlaneAddress> planes =
              remote.planes().subList(0, Math.min(endpoint.ports(), remote.ports()));
          long window = Math.min(ccProfile.windowBytes(), remote.receiveBufferBytes());
          int mtuBytes = Math.min(endpoint.mtuBytes(), remote.mtuBytes());
          CcConfig cc = ccProfile.config(mtuBytes, remote.receiveBufferBytes());
          EvTable paths = connect(planes);
          boolean done = false;
          try {
            EvTable evs = evProfile.evs() == null ? paths : evProfile.evs();
            PeerConfig peerConfig = new PeerConfig(planes, evs, initialRttNs, cc);
            control((engine, nowNs) ->
                Dispatcher.check(
                    "create peer", engine.submit(new Command.AddPeer(handle, peerConfig), nowNs)));
            done = true;
          } catch (IllegalArgumentException e) {
            throw MrcException.of(e);
          } finally {
            if (!done) {
              driver.disconnect(paths);
            }
          }
          peerHandles.set(handle);
          return new Peer(this, handle, remote, evProfile, ccProfile, window, paths);
        });
  }

  private EvTable connect(List<PlaneAddress> planes) {
    try {
      return driver.connect(planes);
    } catch (IllegalArgumentException e) {
      throw MrcException.of(e);
    } catch (UncheckedIOException e) {
      throw new MrcException(Code.EIO, "connect: " + e.getMessage(), -1, e);
    }
  }

  /** The engine has forgotten a peer. The control lock is held. */
  void forget(Peer peer) {
    peers.remove(peer);
    peerHandles.clear(peer.handle);
    driver.disconnect(peer.paths);
  }

  // ---------------------------------------------------------------- asynchronous events

  /** Takes the next asynchronous event, or null if none waits; it must be acknowledged. */
  public @Nullable AsyncEvent pollAsyncEvent() {
    return events.poll();
  }

  /**
   * Waits for the next asynchronous event; it must be acknowledged.
   *
   * @param timeout 0 looks once
   * @throws MrcException ETIMEDOUT when none came; EINVAL when the context is closed; EIO when the
   *     device has failed and that event was taken
   * @throws InterruptedException when the thread is interrupted; no event is lost
   */
  public AsyncEvent awaitAsyncEvent(Duration timeout) throws InterruptedException {
    long timeoutNs = nanos(timeout);
    long startNs = System.nanoTime();
    long leftNs = timeoutNs;
    while (true) {
      AsyncEvent event = events.poll();
      if (event != null) {
        return event;
      }
      checkAlive();
      if (!waiter.await(() -> !events.isEmpty() || closed || failed(), leftNs)) {
        throw new MrcException(Code.ETIMEDOUT, "asynchronous events: none within " + timeout);
      }
      leftNs = timeoutNs - (System.nanoTime() - startNs);
    }
  }

  /** Asynchronous events that were lost because too many waited. */
  public long lostAsyncEvents() {
    return events.dropped();
  }

  /** How often the device discarded or refused something for a reason. */
  public long drops(DropReason reason) {
    AtomicLong count = new AtomicLong();
    lock.lock();
    try {
      control((engine, nowNs) -> count.set(engine.drops(reason)));
    } finally {
      lock.unlock();
    }
    return count.get();
  }

  // ---------------------------------------------------------------- the way to the driver's thread

  static long nanos(Duration timeout) {
    if (timeout.isNegative()) {
      throw MrcException.invalid("timeout", timeout, "0 or more");
    }
    return timeout.compareTo(Duration.ofNanos(Waiter.FOR_EVER_NS)) > 0
        ? Waiter.FOR_EVER_NS
        : timeout.toNanos();
  }

  static void checkUnused(String what, int users, String whom) {
    if (users > 0) {
      throw new MrcException(Code.EBUSY, what + ": used by " + users + " " + whom);
    }
  }

  boolean failed() {
    return failure != null;
  }

  /** Whether the driver's thread answers no more. */
  boolean over() {
    return driverClosed || failed();
  }

  void checkAlive() {
    MrcException f = failure;
    if (f != null) {
      throw new MrcException(f.code(), "device: failed: " + f.getMessage(), -1, f);
    }
    if (closed) {
      throw new MrcException(Code.EINVAL, "context: closed");
    }
  }

  /**
   * Carries out a control command on the driver's thread and waits for it. The control lock is
   * held.
   *
   * @throws MrcException what the command was refused with; EAGAIN or ETIMEDOUT when the driver's
   *     thread did not come to it, and will not
   */
  void control(Task.Body body) {
    if (over()) {
      checkAlive();
    }
    Task task = new Task(body);
    long timeoutNs = config.commandTimeoutNs();
    if (!waiter.awaitUninterruptibly(() -> failed() || commands.offer(task, 0), timeoutNs)) {
      throw new MrcException(Code.EAGAIN, "command queue: full for " + timeoutNs + " ns");
    }
    wakeup();
    waiter.awaitUninterruptibly(() -> task.done() || failed(), timeoutNs);
    if (!task.done() && task.giveUp()) {
      if (failed()) {
        checkAlive();
      }
      throw new MrcException(Code.ETIMEDOUT, "device: no answer within " + timeoutNs + " ns");
    }
    while (!task.done()) {
      // It has begun; nothing on the driver's thread waits.
      Thread.onSpinWait();
    }
    task.check();
  }

  /** Asks the driver for a turn, once until it comes. */
  void wakeup() {
    if (!wakeupPending.getAndSet(true)) {
      driver.wakeup();
    }
  }

  /** The turn has come: what is put into the queue from now on asks for another. */
  void wakeupSeen() {
    wakeupPending.getAndSet(false);
  }

  void awaitAcknowledged(String what, IntSupplier unacknowledged) {
    boolean done =
        waiter.awaitUninterruptibly(
            () -> unacknowledged.getAsInt() == 0 || failed(), config.commandTimeoutNs());
    if (!done) {
      throw new MrcException(
          Code.ETIMEDOUT, what + ": " + unacknowledged.getAsInt() + " events not acknowledged");
    }
  }

  /** The device has failed. The driver's thread only. */
  void fail(Throwable why) {
    failure = new MrcException(Code.EIO, String.valueOf(why), -1, why);
    events.add(AsyncEvent.Type.DEVICE_FATAL, null, null, 0, Status.GENERAL_ERR);
    waiter.signal();
  }

  // ---------------------------------------------------------------- the end

  /**
   * Closes everything made with it, in order: queue pairs, peers, hints, regions, completion
   * queues, channels, protection domains; then the driver. It does not wait for acknowledgements.
   * Without effect when closed already.
   */
  @Override
  public void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      List<MrcException> problems = new ArrayList<>();
      closeAll(queuePairs, QueuePair::finish, problems);
      closeAll(peers, Peer::close, problems);
      closeAll(hints, QpHint::close, problems);
      closeAll(regions, MemoryRegion::close, problems);
      closeAll(completionQueues, CompletionQueue::finish, problems);
      closeAll(channels, CompletionChannel::close, problems);
      closeAll(domains, ProtectionDomain::close, problems);
      driver.close();
      driverClosed = true;
      dispatcher.takeLeft(new MrcException(Code.EINVAL, "context: closed"));
      if (!problems.isEmpty()) {
        MrcException first = problems.removeFirst();
        problems.forEach(first::addSuppressed);
        throw first;
      }
    } finally {
      lock.unlock();
    }
    waiter.signal();
  }

  private static <T> void closeAll(
      Collection<T> children, java.util.function.Consumer<T> closer, List<MrcException> problems) {
    for (T child : List.copyOf(children)) {
      try {
        closer.accept(child);
      } catch (MrcException e) {
        problems.add(e);
      }
    }
  }
}
