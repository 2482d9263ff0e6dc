package io.anabranch.tools.run;

import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.net.capture.Capture;
import io.anabranch.net.fault.FaultKind;
import io.anabranch.net.fault.FaultRule;
import io.anabranch.net.fault.FaultSpec;
import io.anabranch.net.socket.SocketConfig;
import io.anabranch.verbs.Access;
import io.anabranch.verbs.CcProfile;
import io.anabranch.verbs.CompletionQueue;
import io.anabranch.verbs.EvProfile;
import io.anabranch.verbs.MemoryRegion;
import io.anabranch.verbs.MrcContext;
import io.anabranch.verbs.Peer;
import io.anabranch.verbs.ProtectionDomain;
import io.anabranch.verbs.QpHint;
import io.anabranch.verbs.QueuePair;
import io.anabranch.verbs.QueuePairConfig;
import io.anabranch.verbs.RetryPolicy;
import io.anabranch.verbs.SendRequest;
import io.anabranch.verbs.WorkCompletion;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Moves bytes from memory to memory through one queue pair over several planes of UDP sockets on
 * loopback, cuts a plane for the middle third without telling anyone, and measures what that cost.
 */
public final class Demo {
  /** Told what happens, on the thread that runs the demonstration. */
  public interface Observer {
    /** Something worth a line. */
    void note(String line);

    /** Called several times a second while bytes move. */
    void progress(Progress now);
  }

  /**
   * How far it is.
   *
   * @param doneBytes bytes that arrived
   * @param planes per plane: packets sent and arrived since the start, and its state in a word
   */
  public record Progress(
      long doneBytes,
      long totalBytes,
      double elapsedSeconds,
      long retransmitted,
      List<Row> planes) {
    /** One plane. */
    public record Row(long sentPackets, long arrivedPackets, String state) {}
  }

  private static final long MESSAGE_BYTES = 1 << 20;

  private static final CcProfile CC = CcProfile.nscc();

  private static final int OUTSTANDING_MESSAGES = 32;
  private static final int CUT_PLANE = 2;
  private static final long WARM_UP_NS = 1_500_000_000L;
  private static final long PAUSE_NS = 200_000;
  private static final long PROGRESS_NS = 200_000_000;
  private static final double MILLISECOND_NS = 1e6;
  private static final double MAX_FAILOVER_MS = 200;

  private final DemoConfig config;
  private final Observer observer;
  private final DemoMonitor monitor;

  /** A demonstration; {@link #run} does it. */
  public Demo(DemoConfig config, Observer observer) {
    this.config = config;
    this.observer = observer;
    this.monitor = new DemoMonitor(config.planes());
  }

  // What happened, with times of the system's clock in nanoseconds; −1 = it did not.
  private long startNs;
  private long cutNs = -1;
  private long returnNs = -1;
  private int cutPlane = CUT_PLANE - 1;
  private int startPsn;
  private int mtuBytes;
  private long gapNs;
  private @Nullable String trouble;

  /**
   * Runs it.
   *
   * @throws IOException when sockets cannot be opened or the capture cannot be written
   */
  public DemoReport run() throws IOException {
    boolean same;
    try (@Nullable Capture capture = config.pcap() == null ? null : Capture.open(config.pcap())) {
      same = transfer(capture);
      if (capture != null) {
        IOException failed = capture.failure();
        if (failed != null) {
          throw failed;
        }
        observer.note("wrote %,d packets to %s".formatted(capture.frames(), config.pcap()));
      }
    }
    return report(same);
  }

  private boolean transfer(@Nullable Capture capture) throws IOException {
    InetAddress loopback = InetAddress.ofLiteral("::1");
    SocketConfig sockets =
        SocketConfig.of(Collections.nCopies(config.planes(), loopback)).withUdpPort(0);
    FaultSpec faults = config.faults() == null ? FaultSpec.NONE : config.faults();
    try (Endpoint a =
            Endpoint.open("sender", sockets, faults, config.seed(), capture, monitor::sender);
        Endpoint b =
            Endpoint.open(
                "receiver",
                sockets,
                FaultSpec.NONE,
                config.seed() + 1,
                capture,
                monitor::receiver)) {
      a.faults().listener(monitor::hit);
      return transfer(a, b);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private boolean transfer(Endpoint a, Endpoint b) throws InterruptedException {
    MrcContext from = a.context();
    MrcContext to = b.context();
    ProtectionDomain fromDomain = from.allocateProtectionDomain();
    ProtectionDomain toDomain = to.allocateProtectionDomain();
    MemoryRegion source = fromDomain.register(config.sizeBytes(), Access.LOCAL_WRITE);
    MemoryRegion target =
        toDomain.register(config.sizeBytes(), Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    fill(source.segment(), config.seed());
    CompletionQueue fromCq = from.createCompletionQueue(4 * OUTSTANDING_MESSAGES);
    CompletionQueue toCq = to.createCompletionQueue(16);
    QueuePair sender = fromDomain.createQueuePair(QueuePairConfig.of(fromCq));
    QueuePair receiver = toDomain.createQueuePair(QueuePairConfig.of(toCq));
    Peer toB = peer(from, to);
    Peer toA = peer(to, from);
    sender.init(from.createQpHint(QpHint.Attributes.UNKNOWN), EvProfile.auto(), CC);
    receiver.init(to.createQpHint(QpHint.Attributes.UNKNOWN), EvProfile.auto(), CC);
    receiver.connect(toA, sender.connectionInfo(), RetryPolicy.DEFAULT);
    sender.connect(toB, receiver.connectionInfo(), RetryPolicy.DEFAULT);
    mtuBytes = toB.mtuBytes();
    observer.note(
        "%d planes %s, MTU %,d B, one queue pair, NSCC"
            .formatted(config.planes(), ports(to.endpointInfo().planes()), mtuBytes));
    Link link = new Link(sender, fromCq, source, target, a);
    if (config.faults() == null) {
      warmUp(link);
    }
    target.segment().fill((byte) 0);
    startPsn = sender.statistics().nextPsn();
    monitor.begin();
    startNs = System.nanoTime();
    pump(link, config.sizeBytes(), true);
    observer.progress(progress(System.nanoTime()));
    gapNs = Math.max(a.stats().loopGapNsMax(), b.stats().loopGapNsMax());
    return Arrays.equals(sha256(source.segment()), sha256(target.segment()));
  }

  private static Peer peer(MrcContext own, MrcContext other) {
    return own.createPeer(other.endpointInfo(), EvProfile.auto(), CC, MrcContext.DEFAULT_RTT_NS);
  }

  private static String ports(List<PlaneAddress> planes) {
    List<String> list = new ArrayList<>();
    for (PlaneAddress plane : planes) {
      list.add(Integer.toString(plane.udpPort()));
    }
    return "on [::1]:" + String.join(",", list);
  }

  /** Moves the first bytes again and again, until the code that is timed later is compiled. */
  private void warmUp(Link link) {
    observer.note("warming up");
    long endNs = System.nanoTime() + WARM_UP_NS;
    long bytes = Math.min(config.sizeBytes(), OUTSTANDING_MESSAGES * MESSAGE_BYTES);
    while (trouble == null && System.nanoTime() < endNs) {
      pump(link, bytes, false);
    }
  }

  /** Keeps some messages posted until all have completed. */
  private void pump(Link link, long totalBytes, boolean story) {
    long posted = 0;
    long completed = 0;
    long nextProgressNs = System.nanoTime() + PROGRESS_NS;
    SendRequest request = new SendRequest(0);
    WorkCompletion[] done = new WorkCompletion[OUTSTANDING_MESSAGES];
    while (completed < totalBytes) {
      while (posted < totalBytes && posted - completed < OUTSTANDING_MESSAGES * MESSAGE_BYTES) {
        long bytes = Math.min(MESSAGE_BYTES, totalBytes - posted);
        link.sender.postSend(
            request
                .clear()
                .id(posted)
                .write(link.target.address() + posted, link.target.rKey())
                .gather(link.source, posted, bytes)
                .signaled(true));
        posted += bytes;
      }
      int n = link.cq.poll(done);
      for (int i = 0; i < n; i++) {
        if (!done[i].succeeded()) {
          trouble = "a write ended with " + done[i].status();
          return;
        }
        completed += done[i].byteLength();
      }
      Throwable failed = link.endpoint.failure();
      if (failed != null) {
        trouble = "the sender's thread ended: " + failed;
        return;
      }
      long nowNs = System.nanoTime();
      if (story) {
        story(link.endpoint);
        if (nowNs >= nextProgressNs) {
          nextProgressNs = nowNs + PROGRESS_NS;
          observer.progress(progress(nowNs));
        }
      }
      if (n == 0) {
        LockSupport.parkNanos(PAUSE_NS);
      }
    }
  }

  private record Link(
      QueuePair sender,
      CompletionQueue cq,
      MemoryRegion source,
      MemoryRegion target,
      Endpoint endpoint) {}

  /** Cuts the plane after a third of the bytes, and lets it come back after two thirds. */
  private void story(Endpoint a) {
    if (config.faults() != null) {
      return;
    }
    long arrivedBytes = (long) monitor.arrived() * mtuBytes;
    if (cutNs < 0 && arrivedBytes >= config.sizeBytes() / 3) {
      cutNs = System.nanoTime();
      a.faults().replace(FaultSpec.parse("plane=" + CUT_PLANE + ":blackhole"));
      observer.note("%.2f s: plane %d goes dark".formatted(seconds(cutNs), CUT_PLANE));
    } else if (cutNs >= 0 && returnNs < 0 && arrivedBytes >= config.sizeBytes() / 3 * 2) {
      returnNs = System.nanoTime();
      a.faults().replace(FaultSpec.NONE);
      observer.note("%.2f s: plane %d has light again".formatted(seconds(returnNs), CUT_PLANE));
    }
  }

  private double seconds(long atNs) {
    return (atNs - startNs) / 1e9;
  }

  private Progress progress(long nowNs) {
    List<Progress.Row> rows = new ArrayList<>();
    for (int p = 0; p < config.planes(); p++) {
      boolean dark = p == cutPlane && cutNs >= 0 && returnNs < 0;
      String state = monitor.aside(p) ? "set aside" : dark ? "dark" : "in use";
      rows.add(new Progress.Row(monitor.sent(p), monitor.arrived(p), state));
    }
    return new Progress(
        Math.min(config.sizeBytes(), (long) monitor.arrived() * mtuBytes),
        config.sizeBytes(),
        seconds(nowNs),
        monitor.retransmitted(),
        rows);
  }

  private DemoReport report(boolean same) {
    DemoAnalysis analysis =
        new DemoAnalysis(monitor.arrivals, monitor.swallowed, startPsn, config.planes(), mtuBytes);
    cutByUser(analysis.firstNs());
    long first = analysis.firstNs();
    long last = analysis.lastNs();
    Long failoverNs = cutNs < 0 ? null : analysis.failoverNs(cutNs);
    Long recoveryNs = returnNs < 0 ? null : analysis.recoveryNs(cutPlane, returnNs);
    long degradedToNs = returnNs < 0 ? last : returnNs;
    DemoReport.Goodput goodput =
        new DemoReport.Goodput(
            analysis.goodputMbps(first, cutNs < 0 ? last : cutNs),
            failoverNs == null ? null : analysis.goodputMbps(cutNs + failoverNs, degradedToNs),
            recoveryNs == null ? null : analysis.goodputMbps(returnNs + recoveryNs, last));
    String reason = reason(same, failoverNs, recoveryNs);
    List<Integer> lostPlanes = new ArrayList<>();
    for (int p = 0; p < config.planes(); p++) {
      if ((monitor.everAsideMask() >>> p & 1) != 0) {
        lostPlanes.add(p + 1);
      }
    }
    return new DemoReport(
        DemoReport.VERSION,
        config.sizeBytes(),
        same,
        config.planes(),
        goodput,
        analysis.longestStallNs(0) / MILLISECOND_NS,
        cutNs < 0 ? null : analysis.longestStallNs(cutNs) / MILLISECOND_NS,
        failoverNs == null ? null : failoverNs / MILLISECOND_NS,
        recoveryNs == null ? null : recoveryNs / MILLISECOND_NS,
        gapNs / MILLISECOND_NS,
        monitor.retransmitted(),
        lostPlanes,
        reason == null ? "PASS" : "FAIL",
        reason);
  }

  /** With faults of the user's own, the first black hole of a plane is what is measured. */
  private void cutByUser(long firstNs) {
    if (config.faults() == null) {
      return;
    }
    for (FaultRule rule : config.faults().rules()) {
      if (rule.kind() == FaultKind.BLACKHOLE && rule.plane() > 0 && rule.fromNs() >= 0) {
        cutPlane = rule.plane() - 1;
        cutNs = firstNs + rule.fromNs();
        long to = firstNs + rule.toNs();
        returnNs = rule.toNs() < Long.MAX_VALUE / 2 && to < monitorEndNs() ? to : -1;
        return;
      }
    }
  }

  private long monitorEndNs() {
    int n = monitor.arrivals.size();
    return n == 0 ? 0 : monitor.arrivals.atNs(n - 1);
  }

  private @Nullable String reason(
      boolean same, @Nullable Long failoverNs, @Nullable Long recoveryNs) {
    if (trouble != null) {
      return trouble;
    }
    if (!same) {
      return "what arrived is not what was sent";
    }
    if (config.faults() != null) {
      return null;
    }
    if (failoverNs == null || (monitor.everAsideMask() >>> cutPlane & 1) == 0) {
      return "the dead plane was never left";
    }
    if (failoverNs > MAX_FAILOVER_MS * MILLISECOND_NS) {
      return "failover took longer than " + (int) MAX_FAILOVER_MS + " ms";
    }
    return recoveryNs == null ? "the plane did not come back into use" : null;
  }

  private static void fill(MemorySegment segment, long seed) {
    long x = seed;
    for (long at = 0; at + 8 <= segment.byteSize(); at += 8) {
      x += 0x9E3779B97F4A7C15L;
      long z = (x ^ x >>> 30) * 0xBF58476D1CE4E5B9L;
      segment.set(ValueLayout.JAVA_LONG_UNALIGNED, at, z ^ z >>> 27);
    }
  }

  private static byte[] sha256(MemorySegment segment) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      long chunk = 64 << 20;
      for (long at = 0; at < segment.byteSize(); at += chunk) {
        ByteBuffer bytes =
            segment.asSlice(at, Math.min(chunk, segment.byteSize() - at)).asByteBuffer();
        digest.update(bytes);
      }
      return digest.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
