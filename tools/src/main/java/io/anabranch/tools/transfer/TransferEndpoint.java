package io.anabranch.tools.transfer;

import io.anabranch.engine.QpSnapshot;
import io.anabranch.net.fault.FaultSpec;
import io.anabranch.net.loop.LoopStats;
import io.anabranch.net.setup.PeerAttributes;
import io.anabranch.net.socket.SocketConfig;
import io.anabranch.tools.run.Endpoint;
import io.anabranch.verbs.Access;
import io.anabranch.verbs.CcProfile;
import io.anabranch.verbs.CompletionChannel;
import io.anabranch.verbs.CompletionQueue;
import io.anabranch.verbs.ConnectionInfo;
import io.anabranch.verbs.EndpointInfo;
import io.anabranch.verbs.EvProfile;
import io.anabranch.verbs.MemoryRegion;
import io.anabranch.verbs.MrcContext;
import io.anabranch.verbs.MrcException;
import io.anabranch.verbs.Peer;
import io.anabranch.verbs.ProtectionDomain;
import io.anabranch.verbs.QpCapabilities;
import io.anabranch.verbs.QpHint;
import io.anabranch.verbs.QueuePair;
import io.anabranch.verbs.QueuePairConfig;
import io.anabranch.verbs.RetryPolicy;
import io.anabranch.verbs.WorkCompletion;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One side of one transfer: sockets, engine, context and queue pairs of its own, so that transfers
 * of one process never mix.
 */
final class TransferEndpoint implements AutoCloseable {
  private static final CcProfile CC = CcProfile.nscc();

  /** Planes when the user names none. */
  static final int DEFAULT_PLANES = 4;

  private static final int CQ_DEPTH = 16 << 10;
  private static final int QUEUE_DEPTH = 512;
  private static final int POLL = 256;
  private static final Duration LOOK = Duration.ofMillis(50);

  private final Endpoint endpoint;
  private final MrcContext context;
  private final ProtectionDomain domain;
  private final CompletionChannel channel;
  private final CompletionQueue cq;
  private final List<QueuePair> queuePairs = new ArrayList<>();

  private TransferEndpoint(Endpoint endpoint, int qps, int receives) {
    this.endpoint = endpoint;
    context = endpoint.context();
    domain = context.allocateProtectionDomain();
    channel = context.createCompletionChannel();
    cq = context.createCompletionQueue(CQ_DEPTH, channel);
    QpHint hint = context.createQpHint(QpHint.Attributes.UNKNOWN);
    QpCapabilities caps = QpCapabilities.DEFAULT.withDepths(QUEUE_DEPTH, QUEUE_DEPTH);
    for (int i = 0; i < qps; i++) {
      QueuePair qp = domain.createQueuePair(QueuePairConfig.of(cq).withCaps(caps));
      queuePairs.add(qp);
      qp.init(hint, EvProfile.auto(), CC);
      for (int r = 0; r < receives; r++) {
        qp.postReceive(i);
      }
    }
  }

  /**
   * Opens sockets on each plane and makes queue pairs.
   *
   * @param planes local address of each plane
   * @param udpPort wished for the first plane, 0: any
   * @param receives receives that are posted on each queue pair
   */
  static TransferEndpoint open(
      List<InetAddress> planes, int udpPort, FaultSpec fault, long seed, int qps, int receives)
      throws IOException {
    SocketConfig sockets = SocketConfig.of(planes).withUdpPort(udpPort);
    FaultSpec faults = fault.isEmpty() ? null : fault;
    Endpoint endpoint = Endpoint.open("transfer", sockets, faults, seed, null, null);
    boolean done = false;
    try {
      TransferEndpoint transfer = new TransferEndpoint(endpoint, qps, receives);
      done = true;
      return transfer;
    } finally {
      if (!done) {
        endpoint.close();
      }
    }
  }

  /** Memory of this transfer. */
  MemoryRegion register(long bytes, Access... access) {
    return domain.register(bytes, access);
  }

  /** What the peer must be told. */
  PeerAttributes attributes(List<PeerAttributes.Region> regions, ByteBuffer application) {
    EndpointInfo own = context.endpointInfo();
    List<PeerAttributes.Qp> qps = new ArrayList<>();
    for (QueuePair qp : queuePairs) {
      qps.add(new PeerAttributes.Qp(qp.number(), qp.startPsn()));
    }
    return new PeerAttributes(
        own.protocolVersion(),
        qps,
        own.mtuBytes(),
        own.planes(),
        own.receiveBufferBytes(),
        own.maxWimm(),
        own.mprPackets(),
        own.dynamicMpr(),
        own.trimNack(),
        own.serviceTime(),
        regions,
        application);
  }

  /** Connects every queue pair to the peer's of the same place. */
  void connect(PeerAttributes remote, long rttNs) throws TransferException {
    if (remote.qps().size() != queuePairs.size()) {
      throw new TransferException(
          "queue pairs: " + remote.qps().size() + ", allowed " + queuePairs.size());
    }
    EndpointInfo info =
        new EndpointInfo(
            remote.protocolVersion(),
            remote.mtuBytes(),
            remote.planes(),
            remote.receiveBufferBytes(),
            remote.maxWimm(),
            remote.mprPackets(),
            remote.dynamicMpr(),
            remote.trimNack(),
            remote.serviceTime());
    Peer peer = context.createPeer(info, EvProfile.auto(), CC, rttNs);
    for (int i = 0; i < queuePairs.size(); i++) {
      PeerAttributes.Qp qp = remote.qps().get(i);
      ConnectionInfo to = new ConnectionInfo(info, qp.number(), qp.startPsn());
      queuePairs.get(i).connect(peer, to, RetryPolicy.DEFAULT);
    }
  }

  int queuePairCount() {
    return queuePairs.size();
  }

  QueuePair queuePair(int index) {
    return queuePairs.get(index);
  }

  /** The place of the queue pair of a number. */
  int indexOf(int number) {
    for (int i = 0; i < queuePairs.size(); i++) {
      if (queuePairs.get(i).number() == number) {
        return i;
      }
    }
    throw new IllegalStateException("no queue pair " + number);
  }

  /**
   * Takes completions, all of success.
   *
   * @param wait whether to wait a moment for some if there are none
   * @throws TransferException when work failed, or the network's thread did
   */
  List<WorkCompletion> completions(boolean wait) throws TransferException, InterruptedException {
    List<WorkCompletion> list = cq.poll(POLL);
    if (list.isEmpty() && wait) {
      for (CompletionQueue q = channel.pollEvent(); q != null; q = channel.pollEvent()) {
        q.acknowledgeEvents(1);
      }
      cq.requestNotification(false);
      list = cq.poll(POLL);
      if (list.isEmpty()) {
        await();
        list = cq.poll(POLL);
      }
    }
    for (WorkCompletion completion : list) {
      if (!completion.succeeded()) {
        throw new TransferException(
            switch (completion.status()) {
              case RETRY_EXC_ERR -> "no packet gets through to the peer any more (RETRY_EXC_ERR)";
              default -> "the connection broke: " + completion.status();
            });
      }
    }
    return list;
  }

  private void await() throws TransferException, InterruptedException {
    try {
      channel.awaitEvent(LOOK).acknowledgeEvents(1);
    } catch (MrcException e) {
      Throwable failure = endpoint.failure();
      if (failure != null) {
        throw new TransferException("the network's thread failed: " + failure, failure);
      }
      if (e.code() != MrcException.Code.ETIMEDOUT) {
        throw e;
      }
    }
  }

  /** What it has carried until now; without what cannot be had any more. */
  Traffic traffic() {
    LoopStats stats = endpoint.stats();
    List<QpSnapshot> snapshots = new ArrayList<>();
    try {
      for (QueuePair qp : queuePairs) {
        snapshots.add(qp.statistics());
      }
    } catch (MrcException e) {
      // A broken device answers no more; its sockets' counters are still right.
      snapshots.clear();
    }
    return Traffic.of(context.endpointInfo().planes(), stats, snapshots);
  }

  @Override
  public void close() {
    endpoint.close();
  }
}
