package io.anabranch.tools.transfer;

import io.anabranch.net.fault.FaultSpec;
import io.anabranch.net.setup.Exchange;
import io.anabranch.net.setup.ExchangeConfig;
import io.anabranch.net.setup.ExchangeException;
import io.anabranch.net.setup.PeerAttributes;
import io.anabranch.net.setup.Token;
import io.anabranch.verbs.MemoryRegion;
import io.anabranch.verbs.MrcException;
import io.anabranch.verbs.SendRequest;
import io.anabranch.verbs.WorkCompletion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Sends files to a receiver. One thread reads, hashes and posts ahead of the network, as far as
 * there are slots.
 */
public final class Sender {
  private static final long READY_SECONDS = 120;
  private static final long STORED_SECONDS = 3600;
  private static final long END_SECONDS = 5;
  private static final long MAX_PARK_NS = 20_000_000;

  /**
   * How to send.
   *
   * @param targets addresses of the receiver, tried in order
   * @param planes local address of each plane; none: as many as usual, by the way to the receiver
   * @param qps queue pairs, 1 … {@value Terms#MAX_QPS}
   * @param bps bits per second; 0 = as fast as it goes
   * @param hashed whether every file is hashed and compared; without, if the receiver agrees
   * @param fault what happens to packets
   * @param seed of faults and paths
   * @param token the receiver's, if it asks for one
   */
  public record Config(
      List<InetSocketAddress> targets,
      List<InetAddress> planes,
      int qps,
      long bps,
      boolean hashed,
      FaultSpec fault,
      long seed,
      @Nullable Token token) {
    /** Copies the lists. */
    public Config {
      targets = List.copyOf(targets);
      planes = List.copyOf(planes);
    }
  }

  private final Config config;
  private final FileList list;
  private final LifeLine life = new LifeLine("the receiver");
  private Hashes hashes = new Hashes();
  private boolean hashed = true;
  private Traffic traffic = Traffic.NONE;
  private String peer;
  private long startNs;
  private long endNs;

  // Of each queue pair: blocks whose last packet the peer has acknowledged.
  private final long[] completed;
  private volatile long bytesCredited;
  private final long[] endOfSlot;
  private long posted;
  private long credited;

  /** Prepares to send. */
  public Sender(Config config, FileList list) {
    this.config = config;
    this.list = list;
    peer = HostPort.show(config.targets().getFirst());
    completed = new long[config.qps()];
    endOfSlot = new long[Terms.SLOTS];
  }

  /** Most queue pairs. */
  public static int maxQps() {
    return Terms.MAX_QPS;
  }

  /** Bytes that the receiver has stored. */
  public long bytesDone() {
    return bytesCredited;
  }

  /** Ends it soon, telling the receiver why; any thread may ask. */
  public void cancel(String why) {
    life.cancel(why);
  }

  /** Sends everything. A failure is in the summary. */
  public Summary run() {
    String reason = null;
    try {
      send();
    } catch (IOException | MrcException | InterruptedException e) {
      reason = Reasons.of(e);
      endNs = System.nanoTime();
    }
    return new Summary(
        peer,
        reason,
        list.files(),
        list.sources().size() - list.files(),
        list.bytes(),
        bytesCredited,
        startNs == 0 ? 0 : (endNs - startNs) / 1e9,
        config.qps(),
        config.seed(),
        reason == null && hashed,
        reason == null ? Summary.hashes(list.entries(), hashes) : List.of(),
        traffic);
  }

  private void send() throws IOException, InterruptedException {
    ExchangeException unreachable = null;
    for (InetSocketAddress target : config.targets()) {
      life.check();
      peer = HostPort.show(target);
      List<InetAddress> planes = Route.planes(config.planes(), target);
      try (TransferEndpoint endpoint =
          TransferEndpoint.open(
              planes, 0, config.fault(), config.seed(), config.qps(), 2 * Terms.SLOTS)) {
        ExchangeConfig how = ExchangeConfig.DEFAULT.withToken(config.token());
        PeerAttributes mine = endpoint.attributes(List.of(), list.offer(config.hashed()).encode());
        try (Exchange exchange = Exchange.connect(target, how, mine)) {
          transfer(exchange, endpoint);
          return;
        } finally {
          traffic = endpoint.traffic();
        }
      } catch (ExchangeException e) {
        if (e.reason() != ExchangeException.Reason.UNREACHABLE) {
          throw e;
        }
        unreachable = e;
      }
    }
    if (unreachable != null) {
      throw unreachable;
    }
  }

  private void transfer(Exchange exchange, TransferEndpoint endpoint)
      throws IOException, InterruptedException {
    try {
      life.watch(exchange);
      send(exchange, endpoint);
    } catch (IOException | MrcException | InterruptedException e) {
      life.abort(Reasons.of(e));
      throw e;
    }
  }

  private void send(Exchange exchange, TransferEndpoint endpoint)
      throws IOException, InterruptedException {
    PeerAttributes remote = exchange.peer();
    Terms.Grant grant = Terms.Grant.decode(remote.application());
    if (remote.regions().isEmpty()
        || remote.regions().getFirst().lengthBytes() < grant.bufferBytes()) {
      throw new TransferException("the receiver granted less memory than it says");
    }
    if (config.hashed() && !grant.hashed()) {
      throw new TransferException("the receiver broke the rules: it does not compare hashes");
    }
    hashed = grant.hashed();
    endpoint.connect(remote, exchange.rttNs());
    ControlMessages control = new ControlMessages(exchange, life);
    control.sendManifest(list.entries());
    control.expect(ControlMessages.Kind.READY, READY_SECONDS);
    startNs = System.nanoTime();
    try (Outgoing outgoing = new Outgoing(list.sources(), hashed)) {
      pump(outgoing, endpoint, grant, remote.regions().getFirst());
      hashes = outgoing.hashes();
    }
    if (hashed) {
      control.sendHashes(hashes);
    } else {
      // The receiver must not end while this side still waits for the last credit.
      control.send(ControlMessages.Kind.HASHES);
    }
    control.expect(ControlMessages.Kind.STORED, STORED_SECONDS);
    endNs = System.nanoTime();
    end(exchange);
  }

  /** Everything is stored, whatever happens to the life line now. */
  private static void end(Exchange exchange) throws InterruptedException {
    try {
      exchange.finish();
      exchange.end().get(END_SECONDS, TimeUnit.SECONDS);
    } catch (ExchangeException | TimeoutException | ExecutionException e) {
      return;
    }
  }

  private void pump(
      Outgoing outgoing, TransferEndpoint endpoint, Terms.Grant grant, PeerAttributes.Region region)
      throws IOException, InterruptedException {
    long total = list.bytes();
    int slotBytes = Math.min(grant.blockBytes(), Terms.BLOCK_BYTES);
    int block = Pace.blockBytes(config.bps(), slotBytes);
    long wanted = Math.max(1, Math.ceilDiv(total, block));
    int slots = (int) Math.min(Math.min(grant.slots(), Terms.SLOTS), wanted);
    try (MemoryRegion memory = endpoint.register((long) slots * slotBytes)) {
      ByteBuffer[] views = new ByteBuffer[slots];
      for (int i = 0; i < slots; i++) {
        views[i] =
            memory.segment().asSlice((long) i * slotBytes, slotBytes).asByteBuffer().limit(block);
      }
      SendRequest request = new SendRequest(0);
      Pace pace = new Pace(config.bps(), System.nanoTime());
      long sent = 0;
      while (true) {
        int slot = (int) (posted % slots);
        awaitFree(endpoint, slots);
        ByteBuffer buffer = views[slot];
        buffer.position(0);
        outgoing.fill(buffer);
        int bytes = buffer.position();
        if (bytes == 0) {
          break;
        }
        pause(pace);
        sent += bytes;
        endOfSlot[(int) (posted % Terms.SLOTS)] = sent;
        request
            .clear()
            .id(posted)
            .gather(memory, (long) slot * slotBytes, bytes)
            .writeWithImmediate(
                region.address() + (long) (int) (posted % grant.slots()) * grant.blockBytes(),
                region.rKey(),
                (int) posted)
            .signaled(true);
        endpoint.queuePair((int) (posted % config.qps())).postSend(request);
        pace.sent(bytes, System.nanoTime());
        posted++;
      }
      while (credited < posted || !isCompleted(posted - 1)) {
        take(endpoint, true);
      }
    }
  }

  /** Waits until the next block has a slot at both sides. */
  private void awaitFree(TransferEndpoint endpoint, int slots)
      throws IOException, InterruptedException {
    life.check();
    take(endpoint, false);
    long before = posted - slots;
    while (before >= 0 && (credited <= before || !isCompleted(before))) {
      take(endpoint, true);
    }
  }

  /** Whether a block, and so every block of its queue pair before it, needs its memory no more. */
  private boolean isCompleted(long block) {
    for (int qp = 0; qp < completed.length; qp++) {
      // Blocks of this queue pair up to the one asked for.
      long needed = (block - qp + completed.length) / completed.length;
      if (completed[qp] < needed) {
        return false;
      }
    }
    return true;
  }

  private void take(TransferEndpoint endpoint, boolean wait)
      throws IOException, InterruptedException {
    if (wait) {
      life.checkUnfinished();
    }
    for (WorkCompletion completion : endpoint.completions(wait)) {
      int qp = endpoint.indexOf(completion.qpNumber());
      switch (completion.operation()) {
        case RECEIVE_WRITE_WITH_IMMEDIATE -> {
          endpoint.queuePair(qp).postReceive(qp);
          credit(completion.immediate());
        }
        case WRITE, WRITE_WITH_IMMEDIATE -> completed[qp]++;
      }
    }
  }

  /** The receiver has stored so many blocks in all, modulo 2^32. */
  private void credit(int blocks) throws TransferException {
    long more = (blocks - (int) credited) & 0xffff_ffffL;
    if (more > posted - credited) {
      throw new TransferException("the receiver broke the rules: it stored what was never sent");
    }
    if (more > 0) {
      credited += more;
      bytesCredited = endOfSlot[(int) ((credited - 1) % Terms.SLOTS)];
    }
  }

  private void pause(Pace pace) throws TransferException {
    for (long ns = pace.waitNs(System.nanoTime()); ns > 0; ns = pace.waitNs(System.nanoTime())) {
      life.check();
      LockSupport.parkNanos(Math.min(ns, MAX_PARK_NS));
    }
  }
}
