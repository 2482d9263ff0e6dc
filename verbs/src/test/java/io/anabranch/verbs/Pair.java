package io.anabranch.verbs;

import io.anabranch.verbs.QpHint.Attributes;
import java.util.ArrayList;
import java.util.List;

/** Two contexts over a {@link Loopback}, and what most tests need of each. */
final class Pair implements AutoCloseable {
  static final RetryPolicy RETRY = new RetryPolicy(10, 2, 3);

  final Loopback net = new Loopback();
  final Side a;
  final Side b;

  /** Stepped by the test's thread. */
  Pair() {
    this(ContextConfig.DEFAULT);
  }

  Pair(ContextConfig config) {
    this(config, true);
  }

  /** {@code stepped}: by the test's thread; else it has a thread of its own. */
  Pair(ContextConfig config, boolean stepped) {
    if (!stepped) {
      net.startThread();
    }
    ContextConfig c = stepped ? config.withStepper(net::step) : config;
    a = new Side(net.a, c);
    b = new Side(net.b, c);
  }

  /** One side. */
  static final class Side {
    final MrcContext context;
    final ProtectionDomain domain;
    final CompletionChannel channel;
    final CompletionQueue cq;
    final QpHint hint;

    Side(Loopback.Nic nic, ContextConfig config) {
      context = MrcContext.open(nic, config);
      domain = context.allocateProtectionDomain();
      channel = context.createCompletionChannel();
      cq = context.createCompletionQueue(256, channel);
      hint = context.createQpHint(Attributes.UNKNOWN);
    }

    QueuePair queuePair(QpCapabilities caps) {
      return domain.createQueuePair(QueuePairConfig.of(cq).withCaps(caps));
    }

    QueuePair queuePair() {
      return queuePair(QpCapabilities.DEFAULT);
    }

    MemoryRegion region(long bytes) {
      return domain.register(bytes, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    }

    List<WorkCompletion> poll() {
      return cq.poll(1000);
    }
  }

  /** A connected queue pair on both sides. */
  record Link(QueuePair a, QueuePair b) {}

  Link connect() {
    return connect(QpCapabilities.DEFAULT);
  }

  Link connect(QpCapabilities caps) {
    Link link = new Link(a.queuePair(caps), b.queuePair(caps));
    connect(link);
    return link;
  }

  void connect(Link link) {
    Peer peerOfA = a.context.createPeer(b.context.endpointInfo());
    Peer peerOfB = b.context.createPeer(a.context.endpointInfo());
    link.a.init(a.hint, EvProfile.auto(), CcProfile.nscc());
    link.b.init(b.hint, EvProfile.auto(), CcProfile.nscc());
    ConnectionInfo infoOfB = link.b.connectionInfo();
    link.b.connect(peerOfB, link.a.connectionInfo(), RETRY);
    link.a.connect(peerOfA, infoOfB, RETRY);
  }

  /** Runs until idle and takes the completions of a side. */
  List<WorkCompletion> runAndPoll(Side side) {
    net.run();
    return side.poll();
  }

  static List<AsyncEvent.Type> events(MrcContext context) {
    List<AsyncEvent.Type> types = new ArrayList<>();
    AsyncEvent event = context.pollAsyncEvent();
    while (event != null) {
      types.add(event.type());
      event.acknowledge();
      event = context.pollAsyncEvent();
    }
    return types;
  }

  @Override
  public void close() {
    a.context.close();
    b.context.close();
    net.close();
  }
}
