package io.anabranch.tools.transfer;

import io.anabranch.engine.Sink;
import io.anabranch.net.fault.FaultSpec;
import io.anabranch.net.setup.Exchange;
import io.anabranch.net.setup.ExchangeServer;
import io.anabranch.net.setup.PeerAttributes;
import io.anabranch.net.socket.SocketConfig;
import io.anabranch.verbs.Access;
import io.anabranch.verbs.MemoryRegion;
import io.anabranch.verbs.MrcContext;
import io.anabranch.verbs.MrcException;
import io.anabranch.verbs.SendRequest;
import io.anabranch.verbs.WorkCompletion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Receives what one sender sends. Its thread stores and hashes while the network fills the slots
 * that it has given back.
 */
public final class Receiver {
  private static final long MANIFEST_SECONDS = 120;
  private static final long HASHES_SECONDS = 120;
  private static final long END_SECONDS = 5;
  private static final long IDLE_NS = 300_000_000_000L;

  /**
   * How to receive.
   *
   * @param folder where files go
   * @param force whether existing files may be replaced
   * @param hashed whether files are hashed and compared even if the sender does not want it
   * @param planes local address of each plane; none: as many as usual, by the way to the sender
   * @param fault what happens to packets
   * @param seed of faults and paths
   * @param opener opens files
   */
  record Config(
      Path folder,
      boolean force,
      boolean hashed,
      List<InetAddress> planes,
      FaultSpec fault,
      long seed,
      Staging.Opener opener) {}

  private final Config config;
  private final ExchangeServer.Pending pending;
  private final LifeLine life = new LifeLine("the sender");
  private final InetSocketAddress remote;
  private List<Entry> entries = List.of();
  private Hashes hashes = new Hashes();
  private boolean hashed = true;
  private Traffic traffic = Traffic.NONE;
  private int qps;
  private int directories;
  private int files;
  private long startNs;
  private volatile long bytes;
  private final AtomicLong bytesStored = new AtomicLong();

  // Blocks: how many are stored, and the length of each that has arrived and is not, or 0.
  private long stored;
  private int[] arrived = {};

  Receiver(Config config, ExchangeServer.Pending pending) {
    this.config = config;
    this.pending = pending;
    remote = pending.remote();
  }

  /** Whom from. */
  public String peer() {
    return HostPort.show(remote);
  }

  /** Bytes that are to come in all; 0 until it is known. */
  public long bytes() {
    return bytes;
  }

  /** Bytes that are stored. */
  public long bytesDone() {
    return bytesStored.get();
  }

  /** Ends it soon, telling the sender why; any thread may ask. */
  public void cancel(String why) {
    life.cancel(why);
  }

  /** Receives everything. A failure is in the summary. */
  Summary run() {
    String reason = null;
    try {
      receive();
    } catch (IOException | MrcException | InterruptedException e) {
      reason = Reasons.of(e);
    }
    return new Summary(
        peer(),
        reason,
        files,
        directories,
        bytes,
        bytesStored.get(),
        startNs == 0 ? 0 : (System.nanoTime() - startNs) / 1e9,
        qps,
        config.seed(),
        reason == null && hashed,
        reason == null ? Summary.hashes(entries, hashes) : List.of(),
        traffic);
  }

  private void receive() throws IOException, InterruptedException {
    boolean accepted = false;
    try {
      life.check();
      Terms.Offer offer = Terms.Offer.decode(pending.peer().application());
      qps = pending.peer().qps().size();
      if (qps < 1 || qps > Terms.MAX_QPS) {
        throw new TransferException("queue pairs: " + qps + ", allowed 1…" + Terms.MAX_QPS);
      }
      bytes = offer.bytes();
      long blocks = Math.ceilDiv(offer.bytes(), Terms.BLOCK_BYTES);
      int slots = Math.clamp(blocks, 1, Terms.SLOTS);
      hashed = offer.hashed() || config.hashed();
      Terms.Grant grant = new Terms.Grant(Terms.BLOCK_BYTES, slots, hashed);
      try (Staging staging = new Staging(config.folder(), config.force(), config.opener());
          TransferEndpoint endpoint = open(slots)) {
        MemoryRegion memory =
            endpoint.register(grant.bufferBytes(), Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        endpoint.connect(pending.peer(), MrcContext.DEFAULT_RTT_NS);
        var region =
            new PeerAttributes.Region(memory.rKey(), memory.address(), memory.lengthBytes());
        accepted = true;
        try (Exchange exchange =
            pending.accept(endpoint.attributes(List.of(region), grant.encode()))) {
          transfer(exchange, offer, grant, staging, endpoint, memory);
        } finally {
          traffic = endpoint.traffic();
        }
      }
    } catch (IOException | MrcException | InterruptedException e) {
      if (!accepted) {
        pending.refuse(Reasons.of(e));
      }
      throw e;
    }
  }

  private TransferEndpoint open(int slots) throws IOException {
    return TransferEndpoint.open(
        Route.planes(config.planes(), remote),
        SocketConfig.DEFAULT_UDP_PORT,
        config.fault(),
        config.seed(),
        qps,
        2 * slots);
  }

  private void transfer(
      Exchange exchange,
      Terms.Offer offer,
      Terms.Grant grant,
      Staging staging,
      TransferEndpoint endpoint,
      MemoryRegion memory)
      throws IOException, InterruptedException {
    try {
      life.watch(exchange);
      ControlMessages control = new ControlMessages(exchange, life);
      Manifest manifest = new Manifest(offer);
      while (!manifest.isComplete()) {
        manifest.add(control.expect(ControlMessages.Kind.MANIFEST, MANIFEST_SECONDS));
      }
      entries = manifest.entries();
      directories = (int) entries.stream().filter(Entry::directory).count();
      files = entries.size() - directories;
      staging.check(entries, offer.bytes());
      control.send(ControlMessages.Kind.READY);
      startNs = System.nanoTime();
      try (Incoming incoming = new Incoming(entries, staging, hashed)) {
        take(incoming, endpoint, grant, memory);
        hashes = incoming.hashes();
      }
      compare(control);
      staging.commit(entries);
      end(exchange, control);
    } catch (IOException | MrcException | InterruptedException e) {
      life.abort(Reasons.of(e));
      throw e;
    }
  }

  private void take(
      Incoming incoming, TransferEndpoint endpoint, Terms.Grant grant, MemoryRegion memory)
      throws IOException, InterruptedException {
    int slots = grant.slots();
    arrived = new int[slots];
    ByteBuffer all = memory.segment().asByteBuffer();
    SendRequest credit = new SendRequest(0);
    boolean owed = false;
    long lastNs = System.nanoTime();
    while (owed || !incoming.isComplete()) {
      life.checkUnfinished();
      for (WorkCompletion completion : endpoint.completions(true)) {
        if (completion.operation() == Sink.Operation.RECEIVE_WRITE_WITH_IMMEDIATE) {
          int qp = endpoint.indexOf(completion.qpNumber());
          endpoint.queuePair(qp).postReceive(qp);
          arrive(completion.immediate(), completion.byteLength(), grant);
          lastNs = System.nanoTime();
        }
      }
      int slot = (int) (stored % slots);
      while (arrived[slot] > 0) {
        incoming.store(all.slice(slot * grant.blockBytes(), arrived[slot]));
        bytesStored.addAndGet(arrived[slot]);
        arrived[slot] = 0;
        stored++;
        slot = (int) (stored % slots);
        owed = !credit(endpoint, credit);
      }
      if (owed) {
        owed = !credit(endpoint, credit);
      }
      if (System.nanoTime() - lastNs > IDLE_NS) {
        throw new TransferException(
            "the sender sent nothing for " + IDLE_NS / 1_000_000_000 + " s");
      }
    }
  }

  /** A block is here: its number modulo 2^32, and its length. */
  private void arrive(int number, long length, Terms.Grant grant) throws TransferException {
    long ahead = (number - (int) stored) & 0xffff_ffffL;
    if (ahead >= grant.slots() || length < 1 || length > grant.blockBytes()) {
      throw new TransferException(
          "the sender broke the rules: block "
              + ahead
              + " after the next, of "
              + length
              + " bytes");
    }
    int slot = (int) ((stored + ahead) % grant.slots());
    if (arrived[slot] != 0) {
      throw new TransferException("the sender broke the rules: a block came twice");
    }
    arrived[slot] = (int) length;
  }

  /**
   * Tells the sender how many blocks are stored in all.
   *
   * @return false: not now; the next time tells it as well
   */
  private boolean credit(TransferEndpoint endpoint, SendRequest request) {
    try {
      endpoint.queuePair(0).postSend(request.clear().writeWithImmediate(0, 0, (int) stored));
      return true;
    } catch (MrcException e) {
      if (e.code() != MrcException.Code.EAGAIN) {
        throw e;
      }
      return false;
    }
  }

  /** Nothing appears unless what was stored is what the sender read; unhashed, it says no more. */
  private void compare(ControlMessages control) throws IOException, InterruptedException {
    if (!hashed) {
      if (control.expect(ControlMessages.Kind.HASHES, HASHES_SECONDS).hasRemaining()) {
        throw new TransferException("the sender broke the rules: hashes though it wanted none");
      }
      return;
    }
    int file = 0;
    int entry = 0;
    while (file < files) {
      ByteBuffer theirs = control.expect(ControlMessages.Kind.HASHES, HASHES_SECONDS);
      if (!theirs.hasRemaining() || theirs.remaining() > (files - file) * Hashes.BYTES) {
        throw new TransferException("the sender broke the rules: hashes of other files");
      }
      while (theirs.remaining() >= Hashes.BYTES) {
        byte[] hash = new byte[Hashes.BYTES];
        theirs.get(hash);
        while (entries.get(entry).directory()) {
          entry++;
        }
        if (!Arrays.equals(hash, hashes.get(file))) {
          throw new TransferException(
              Names.shown(entries.get(entry).name()) + ": damaged on the way: SHA-256 differs");
        }
        entry++;
        file++;
      }
    }
  }

  /** Everything is in its place, whether or not the sender hears of it. */
  private static void end(Exchange exchange, ControlMessages control) throws InterruptedException {
    try {
      control.send(ControlMessages.Kind.STORED);
      exchange.finish();
      // Closing while it still sends would take the answer from it.
      exchange.end().get(END_SECONDS, TimeUnit.SECONDS);
    } catch (IOException | TimeoutException | ExecutionException e) {
      return;
    }
  }
}
