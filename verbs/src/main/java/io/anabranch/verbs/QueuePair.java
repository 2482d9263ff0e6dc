package io.anabranch.verbs;

import io.anabranch.engine.Command;
import io.anabranch.engine.QpSnapshot;
import io.anabranch.engine.QpState;
import io.anabranch.engine.config.QpConfig;
import io.anabranch.engine.config.RequestorAttributes;
import io.anabranch.engine.config.ResponderAttributes;
import io.anabranch.verbs.MrcException.Code;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair: a connection's end. It is made in RESET and goes through INIT and RTR to RTS, where
 * it sends; what goes wrong takes it to ERROR, where everything outstanding and everything posted
 * later ends with WR_FLUSH_ERR.
 *
 * <p>Any thread may post. The requests of one call stay together and in order; those of several
 * threads come in the order in which their calls do. Posting never waits for the network or the
 * driver.
 */
public final class QueuePair implements AutoCloseable {
  private final MrcContext context;
  private final ProtectionDomain domain;
  private final QueuePairConfig config;
  private final int number;
  private final SendQueue sends;
  private final ReceiveQueue receives;

  // Written by the driver's thread; posting threads read generation under their queue's lock, which
  // a RESET holds while it is changed.
  private int index;
  private volatile int generation;
  private volatile QpState state = QpState.RESET;

  // Guarded by the context's control lock.
  private final QpAttributes attributes = new QpAttributes();
  private volatile int startPsn;
  private volatile boolean closed;

  QueuePair(MrcContext context, ProtectionDomain domain, QueuePairConfig config, int number) {
    this.context = context;
    this.domain = domain;
    this.config = config;
    this.number = number;
    this.startPsn = context.numbers.startPsn();
    sends = new SendQueue(config.caps(), config.signalAll());
    receives = new ReceiveQueue(config.caps().maxReceiveWr());
  }

  /** Its QP number, 3 … 2^24 − 1: random, and not used again for long after it is closed. */
  public int number() {
    return number;
  }

  /**
   * PSN of the first packet that it will send: random, and another after each RESET. The peer must
   * be told it.
   */
  public int startPsn() {
    return startPsn;
  }

  /** Its protection domain. */
  public ProtectionDomain domain() {
    return domain;
  }

  /** As it was made. */
  public QueuePairConfig config() {
    return config;
  }

  /** Its state, which may change at any time. */
  public QpState state() {
    return state;
  }

  /** What a peer must be told, out of band, to be connected to it. */
  public ConnectionInfo connectionInfo() {
    return new ConnectionInfo(context.endpointInfo(), number, startPsn);
  }

  // ---------------------------------------------------------------- the driver's thread

  SendQueue sends() {
    return sends;
  }

  ReceiveQueue receives() {
    return receives;
  }

  CompletionQueue sendCq() {
    return config.sendCq();
  }

  CompletionQueue receiveCq() {
    return config.receiveCq();
  }

  boolean uses(CompletionQueue cq) {
    return config.sendCq() == cq || config.receiveCq() == cq;
  }

  int index() {
    return index;
  }

  int generation() {
    return generation;
  }

  void place(int at, int newGeneration) {
    index = at;
    generation = newGeneration;
  }

  void enter(QpState next) {
    state = next;
  }

  void reset(int newGeneration) {
    sends.reset();
    receives.reset();
    generation = newGeneration;
    state = QpState.RESET;
  }

  // ---------------------------------------------------------------- states

  /**
   * Changes its state: RESET → INIT → RTR → RTS one step at a time, and from any state to ERROR or
   * RESET. A RESET withdraws all that is outstanding without completions.
   *
   * <ul>
   *   <li>To INIT: HINT, EV_PROFILE, CC_PROFILE.
   *   <li>To RTR: PEER, DEST_QP_NUMBER, RECEIVE_PSN, PATH_MTU, MAX_WIMM_RESPONDER, MPR_RESPONDER;
   *       optional: DYNAMIC_MPR_RESPONDER. The queue pair's profiles must be the peer's.
   *   <li>To RTS: SEND_PSN, MAX_WIMM_REQUESTOR, MPR_REQUESTOR, TIMEOUT, RETRY_LINEAR,
   *       RETRY_EXPONENTIAL; optional: DYNAMIC_MPR_REQUESTOR.
   *   <li>To ERROR, to RESET: nothing.
   * </ul>
   *
   * @throws MrcException EINVAL for a step that does not exist, an attribute that is missing, not
   *     for this step, or out of range; ENOTSUP for an attribute that MRC does not have; each names
   *     the attribute. The state is then as before
   */
  public void modify(QpAttributes change) {
    context.lock.lock();
    try {
      context.checkAlive();
      checkOpen();
      switch (Transition.of(state, change)) {
        case RESET_TO_INIT -> toInit(change);
        case INIT_TO_RTR -> toRtr(change);
        case RTR_TO_RTS -> toRts(change);
        case TO_ERROR ->
            context.control((engine, nowNs) -> context.dispatcher.error(engine, this, nowNs));
        case TO_RESET -> toReset(false);
      }
      if (change.state() != QpState.RESET) {
        attributes.putAll(change);
      }
    } finally {
      context.lock.unlock();
    }
  }

  private void toInit(QpAttributes change) {
    QpHint hint = required(QpAttribute.HINT, change.hint());
    EvProfile ev = required(QpAttribute.EV_PROFILE, change.evProfile());
    if (!hint.belongsTo(context)) {
      throw new MrcException(Code.EINVAL, "HINT: closed or of another context");
    }
    QpCapabilities caps = config.caps();
    QpConfig qpConfig =
        new QpConfig(
            domain.handle,
            caps.maxSendWr(),
            caps.maxReceiveWr(),
            ev.minActive(),
            ev.activeOf(context.endpointInfo().ports()));
    context.control((engine, nowNs) ->
        context.dispatcher.create(engine, this, new Command.CreateQp(number, qpConfig), nowNs));
    hint.users++;
  }

  private void toRtr(QpAttributes change) {
    Peer peer = required(QpAttribute.PEER, change.peer());
    if (!peer.belongsTo(context)) {
      throw new MrcException(Code.EINVAL, "PEER: closed or of another context");
    }
    MrcException.range(
        QpAttribute.PATH_MTU.name(),
        change.number(QpAttribute.PATH_MTU),
        256,
        context.endpointInfo().mtuBytes());
    ResponderAttributes rtr =
        new ResponderAttributes(
            peer.handle,
            change.integer(QpAttribute.DEST_QP_NUMBER),
            change.integer(QpAttribute.RECEIVE_PSN),
            0,
            change.integer(QpAttribute.PATH_MTU),
            change.integer(QpAttribute.MPR_RESPONDER),
            change.flag(QpAttribute.DYNAMIC_MPR_RESPONDER),
            change.integer(QpAttribute.MAX_WIMM_RESPONDER));
    peer.use(
        required(QpAttribute.EV_PROFILE, attributes.evProfile()),
        required(QpAttribute.CC_PROFILE, attributes.ccProfile()));
    boolean done = false;
    try {
      step(new Command.ReadyToReceive(number, rtr), QpState.RTR);
      done = true;
    } finally {
      if (!done) {
        peer.users--;
      }
    }
  }

  private void toRts(QpAttributes change) {
    RequestorAttributes rts =
        new RequestorAttributes(
            change.integer(QpAttribute.SEND_PSN),
            0,
            change.integer(QpAttribute.MPR_REQUESTOR),
            change.flag(QpAttribute.DYNAMIC_MPR_REQUESTOR),
            change.integer(QpAttribute.MAX_WIMM_REQUESTOR),
            change.integer(QpAttribute.TIMEOUT),
            change.integer(QpAttribute.RETRY_LINEAR),
            change.integer(QpAttribute.RETRY_EXPONENTIAL));
    step(new Command.ReadyToSend(number, rts), QpState.RTS);
  }

  private void step(Command command, QpState next) {
    context.control((engine, nowNs) -> {
      Dispatcher.check(state + " → " + next, engine.submit(command, nowNs));
      state = next;
    });
  }

  private static <T> T required(QpAttribute attribute, @Nullable T value) {
    if (value == null) {
      throw new MrcException(Code.EINVAL, attribute + ": missing");
    }
    return value;
  }

  /** To RESET, and perhaps out of the table. The control lock is held. */
  private void toReset(boolean remove) {
    // Nobody posts meanwhile: what is posted afterwards is of the new generation.
    sends.lock.lock();
    receives.lock.lock();
    try {
      if (context.over()) {
        reset(generation);
      } else {
        context.control((engine, nowNs) -> {
          context.dispatcher.reset(engine, this, nowNs);
          if (remove) {
            context.dispatcher.remove(this);
          }
        });
      }
    } finally {
      receives.lock.unlock();
      sends.lock.unlock();
    }
    QpHint hint = attributes.hint();
    if (hint != null) {
      hint.users--;
    }
    Peer peer = attributes.peer();
    if (peer != null) {
      peer.users--;
    }
    attributes.clear();
    startPsn = context.numbers.startPsn();
  }

  /** RESET → INIT; the same as {@link #modify} with these attributes. */
  public void init(QpHint hint, EvProfile evProfile, CcProfile ccProfile) {
    modify(QpAttributes.to(QpState.INIT).hint(hint).evProfile(evProfile).ccProfile(ccProfile));
  }

  /**
   * INIT → RTR → RTS towards a peer's queue pair, with what both sides agreed on.
   *
   * @param peer made of {@code remote}'s endpoint
   * @param remote what the peer told of its queue pair
   * @throws MrcException as {@link #modify}; the state tells which steps were taken
   */
  public void connect(Peer peer, ConnectionInfo remote, RetryPolicy retry) {
    modify(receiveAttributes(peer, remote));
    modify(sendAttributes(remote, retry));
  }

  /** The attributes of INIT → RTR that follow from what both sides told each other. */
  public QpAttributes receiveAttributes(Peer peer, ConnectionInfo remote) {
    EndpointInfo own = context.endpointInfo();
    return QpAttributes.to(QpState.RTR)
        .peer(peer)
        .set(QpAttribute.DEST_QP_NUMBER, remote.qpNumber())
        .set(QpAttribute.RECEIVE_PSN, remote.startPsn())
        .set(QpAttribute.PATH_MTU, Math.min(own.mtuBytes(), remote.endpoint().mtuBytes()))
        .set(QpAttribute.MAX_WIMM_RESPONDER, own.maxWimm())
        .set(QpAttribute.MPR_RESPONDER, own.mprPackets())
        .set(QpAttribute.DYNAMIC_MPR_RESPONDER, dynamicMpr(remote));
  }

  /** The attributes of RTR → RTS that follow from what both sides told each other. */
  public QpAttributes sendAttributes(ConnectionInfo remote, RetryPolicy retry) {
    return QpAttributes.to(QpState.RTS)
        .set(QpAttribute.SEND_PSN, startPsn)
        .set(QpAttribute.MAX_WIMM_REQUESTOR, remote.endpoint().maxWimm())
        .set(QpAttribute.MPR_REQUESTOR, remote.endpoint().mprPackets())
        .set(QpAttribute.DYNAMIC_MPR_REQUESTOR, dynamicMpr(remote))
        .set(QpAttribute.TIMEOUT, retry.timeout())
        .set(QpAttribute.RETRY_LINEAR, retry.linear())
        .set(QpAttribute.RETRY_EXPONENTIAL, retry.exponential());
  }

  private int dynamicMpr(ConnectionInfo remote) {
    return context.endpointInfo().dynamicMpr() && remote.endpoint().dynamicMpr() ? 1 : 0;
  }

  /** Its attributes as they are: STATE, and what it was given since RESET. */
  public QpAttributes query() {
    context.lock.lock();
    try {
      QpAttributes copy = new QpAttributes();
      copy.putAll(attributes);
      return copy.state(state);
    } finally {
      context.lock.unlock();
    }
  }

  /**
   * Counters and per-plane state of the engine; crosses to the driver's thread, so not for every
   * packet.
   *
   * @throws MrcException EINVAL in RESET, where the engine does not know it
   */
  public QpSnapshot statistics() {
    AtomicReference<@Nullable QpSnapshot> snapshot = new AtomicReference<>();
    context.lock.lock();
    try {
      checkOpen();
      context.control((engine, nowNs) -> snapshot.set(engine.snapshot(number)));
    } finally {
      context.lock.unlock();
    }
    QpSnapshot s = snapshot.get();
    if (s == null) {
      throw MrcException.invalid("state", state, "any but RESET");
    }
    return s;
  }

  /**
   * Grants the peer another maximum PSN range from now on.
   *
   * @param mprPackets a multiple of 128, 8 … 255 units
   * @throws MrcException EINVAL when out of range, not connected, or dynamic MPR was not agreed
   */
  public void grantMpr(int mprPackets) {
    QpAttribute.MPR_RESPONDER.check(mprPackets);
    context.lock.lock();
    try {
      checkOpen();
      if (!attributes.flag(QpAttribute.DYNAMIC_MPR_RESPONDER)) {
        throw MrcException.invalid("DYNAMIC_MPR_RESPONDER", 0, "1 to change the MPR");
      }
      context.control((engine, nowNs) ->
          Dispatcher.check(
              "grant MPR", engine.submit(new Command.GrantMpr(number, mprPackets), nowNs)));
      attributes.set(QpAttribute.MPR_RESPONDER, mprPackets);
    } finally {
      context.lock.unlock();
    }
  }

  // ---------------------------------------------------------------- posting

  /**
   * Posts a send request. The request may be reused at once; the memory it gathers from only after
   * its completion (or that of a later request of this queue pair), unless it is inline.
   *
   * @throws MrcException EAGAIN when the send queue or the way to the driver is full; EINVAL for a
   *     state other than RTS and ERROR, a length out of range, a piece outside its region, or a
   *     region that is closed; E2BIG for too many pieces; EPERM for a region of another protection
   *     domain; ENOTSUP for a fence; EIO after DEVICE_FATAL
   */
  public void postSend(SendRequest request) {
    sends.lock.lock();
    try {
      send(request);
    } finally {
      sends.lock.unlock();
    }
    context.wakeup();
  }

  /**
   * Posts several, in order, up to the first that is refused.
   *
   * @throws MrcException as {@link #postSend(SendRequest)}; {@link MrcException#failedIndex} tells
   *     which was refused; those before it are posted
   */
  public void postSend(List<SendRequest> requests) {
    sends.lock.lock();
    try {
      for (int i = 0; i < requests.size(); i++) {
        try {
          send(requests.get(i));
        } catch (MrcException e) {
          throw e.at(i);
        }
      }
    } finally {
      sends.lock.unlock();
      context.wakeup();
    }
  }

  private void send(SendRequest request) {
    checkPosting(QpState.RTS);
    int slot = sends.prepare(request, domain);
    if (!context.commands.offer(this, tag(slot))) {
      sends.withdraw(slot);
      throw new MrcException(Code.EAGAIN, "send request " + request.id() + ": command queue full");
    }
    sends.commit();
  }

  /**
   * Posts a receive, which one WRITE with Immediate of the peer's consumes. It takes no memory: the
   * peer names where it writes.
   *
   * @param id what its completion carries
   * @throws MrcException EAGAIN when the receive queue or the way to the driver is full; EINVAL in
   *     RESET; EIO after DEVICE_FATAL
   */
  public void postReceive(long id) {
    receives.lock.lock();
    try {
      checkPosting(QpState.INIT);
      int slot = receives.prepare(id);
      if (!context.commands.offer(this, tag(slot) | Dispatcher.RECEIVE)) {
        throw new MrcException(Code.EAGAIN, "receive request " + id + ": command queue full");
      }
      receives.commit();
    } finally {
      receives.lock.unlock();
    }
    context.wakeup();
  }

  private long tag(int slot) {
    return (long) generation << 32 | (long) index << 16 | slot;
  }

  private void checkPosting(QpState least) {
    context.checkAlive();
    checkOpen();
    QpState s = state;
    if (s.compareTo(least) < 0) {
      throw MrcException.invalid(
          "state", s, least == QpState.RTS ? "RTS, ERROR" : "INIT, RTR, RTS, ERROR");
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new MrcException(Code.EINVAL, "queue pair " + number + ": closed");
    }
  }

  // ---------------------------------------------------------------- the end

  /**
   * Ends it, once every asynchronous event about it that was taken has been acknowledged. What is
   * outstanding is withdrawn without completions; those that wait in completion queues stay. The
   * peer is not told: that is for the out-of-band channel. Without effect when closed already.
   *
   * @throws MrcException ETIMEDOUT when events are still not acknowledged after the context's
   *     command timeout: it is then still open
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    // Without the lock: who acknowledges may first have to make calls that need it.
    context.awaitAcknowledged("queue pair " + number, () -> context.events.unacknowledged(this));
    finish();
  }

  /** The end without waiting for acknowledgements. */
  void finish() {
    context.lock.lock();
    try {
      if (closed) {
        return;
      }
      toReset(true);
      closed = true;
      context.events.forget(this);
      context.numbers.restQpNumber(number);
      config.sendCq().users--;
      config.receiveCq().users--;
      domain.users--;
      context.queuePairs.remove(this);
    } finally {
      context.lock.unlock();
    }
  }
}
