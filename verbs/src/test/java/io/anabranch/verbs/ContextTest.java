package io.anabranch.verbs;

import static io.anabranch.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.engine.DropReason;
import io.anabranch.engine.config.EvTable;
import io.anabranch.verbs.DeviceAttributes.Capability;
import io.anabranch.verbs.MrcException.Code;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The device, what is made with it, who keeps whom alive, and the end. */
class ContextTest {
  private final Pair pair = new Pair();
  private final MrcContext context = pair.a.context;

  @AfterEach
  void close() {
    pair.close();
  }

  @Test
  void deviceSaysWhatItCan() {
    DeviceAttributes d = context.deviceAttributes();
    assertThat(d.supported()).isTrue();
    assertThat(d.protocolVersions()).as("bit 0 = version 1").isEqualTo(1);
    assertThat(d.mprUnitPackets()).isEqualTo(128);
    assertThat(d.maxMprPackets()).isEqualTo(255 * 128);
    assertThat(d.maxWimmResponder()).isGreaterThanOrEqualTo(32);
    assertThat(d.maxWimmRequestor()).isGreaterThanOrEqualTo(32);
    assertThat(d.ports()).isEqualTo(4);
    assertThat(d.capabilities())
        .containsExactlyInAnyOrder(Capability.TRIM_NACK, Capability.DYNAMIC_MPR);
    ApiVersions v = MrcContext.versions();
    assertThat(v.current()).isEqualTo("1.0.1");
    assertThat(v.oldestSupported()).isNotEmpty();
    assertThat(v.vendorCurrent()).isNotEmpty();
    assertThat(v.vendorOldest()).isNotEmpty();
  }

  @Test
  void endpointTellsWhatAPeerMustKnow() {
    EndpointInfo info = context.endpointInfo();
    assertThat(info.protocolVersion()).isEqualTo(1);
    assertThat(info.ports()).isEqualTo(4);
    assertThat(info.planes().get(3).hi()).isEqualTo(0xfd00L << 48 | 3);
    assertThat(info.planes().get(3).udpPort()).isEqualTo(4791);
    assertThat(info.mtuBytes()).isEqualTo(4096);
    assertThat(info.receiveBufferBytes()).isEqualTo(1 << 20);
    assertThat(info.trimNack()).isTrue();
    assertThat(info.dynamicMpr()).isFalse();
    assertThat(info.serviceTime()).isFalse();
    QueuePair qp = pair.a.queuePair();
    assertThat(qp.connectionInfo()).isEqualTo(new ConnectionInfo(info, qp.number(), qp.startPsn()));
    assertThat(pair.net.a.started).isTrue();
  }

  @Test
  void driverHasOneApplication() {
    assertRefused(Code.EBUSY, () -> MrcContext.open(pair.net.a), "driver");
  }

  @Test
  void windowIsTheShareOfTheReceiveBufferThatWasGranted() {
    try (Pair shared = new Pair(ContextConfig.DEFAULT.withExpectedPeers(4))) {
      EndpointInfo info = shared.b.context.endpointInfo();
      assertThat(info.receiveBufferBytes()).isEqualTo((1 << 20) / 4);
      MrcContext c = shared.a.context;
      assertThat(c.createPeer(info).windowBytes()).isEqualTo((1 << 20) / 4);
      assertThat(peer(c, info, CcProfile.fixedWindow(10_000)).windowBytes()).isEqualTo(10_000);
      assertThat(peer(c, info, CcProfile.fixedWindow(1 << 30)).windowBytes())
          .isEqualTo((1 << 20) / 4);
      Peer fourth = c.createPeer(info);
      assertThat(fourth.mtuBytes()).isEqualTo(4096);
      assertRefused(Code.ENOMEM, () -> c.createPeer(info), "expectedPeers", "5", "4");
      assertThat(shared.net.a.paths).hasSize(4);
      fourth.close();
      fourth.close();
      assertThat(shared.net.a.paths).hasSize(3);
      c.createPeer(info);
    }
  }

  private static Peer peer(MrcContext c, EndpointInfo info, CcProfile cc) {
    return c.createPeer(info, EvProfile.auto(), cc, MrcContext.DEFAULT_RTT_NS);
  }

  @Test
  void windowHolds() {
    Pair.Link link = new Pair.Link(pair.a.queuePair(), pair.b.queuePair());
    Peer atA = peer(context, pair.b.context.endpointInfo(), CcProfile.fixedWindow(20_000));
    Peer atB = pair.b.context.createPeer(context.endpointInfo());
    link.a().init(pair.a.hint, EvProfile.auto(), CcProfile.fixedWindow(20_000));
    link.b().init(pair.b.hint, EvProfile.auto(), CcProfile.nscc());
    link.b().connect(atB, link.a().connectionInfo(), Pair.RETRY);
    link.a().connect(atA, link.b().connectionInfo(), Pair.RETRY);
    MemoryRegion from = pair.a.region(1 << 20);
    MemoryRegion to = pair.b.region(1 << 20);
    List<Integer> payloads = new ArrayList<>();
    pair.net.lost =
        (nic, frame) -> {
          if (frame.payloadLength() > 0) {
            payloads.add(frame.payloadLength());
          }
          return true;
        };
    link.a().postSend(new SendRequest(1).write(to.address(), to.rKey()).gather(from, 0, 1 << 20));
    pair.net.step();
    // Four packets of 4096 bytes and their headers fit.
    assertThat(payloads).containsExactly(4096, 4096, 4096, 4096);
    assertThat(link.a().statistics().inflightBytes()).isBetween(4 * 4096L, 20_000L);
  }

  @Test
  void peerOfAnotherVersionOrWithWrongEvsIsRefused() {
    EndpointInfo i = pair.b.context.endpointInfo();
    EndpointInfo version2 =
        new EndpointInfo(
            2, i.mtuBytes(), i.planes(), i.receiveBufferBytes(), 32, 1024, false, true, false);
    assertRefused(Code.ENOTSUP, () -> context.createPeer(version2), "protocolVersion", "2");
    EvTable ofPort7 = new EvTable(new int[] {1}, new int[] {7});
    EvProfile wrong = EvProfile.explicit(ofPort7, 1, 1);
    assertRefused(
        Code.EINVAL,
        () -> context.createPeer(i, wrong, CcProfile.nscc(), MrcContext.DEFAULT_RTT_NS),
        "evs.port",
        "7");
    assertRefused(
        Code.EINVAL,
        () -> context.createPeer(i, EvProfile.auto(), CcProfile.nscc(), 0),
        "initialRttNs");
    assertThat(pair.net.a.paths).as("what was refused left no paths").isEmpty();
    EndpointInfo fewer =
        new EndpointInfo(1, 1024, i.planes().subList(0, 2), 5000, 32, 1024, false, true, false);
    Peer peer = context.createPeer(fewer);
    assertThat(peer.mtuBytes()).as("the smaller one").isEqualTo(1024);
    assertThat(peer.windowBytes()).isEqualTo(5000);
  }

  @Test
  void explicitEvsAreThoseThatAreSent() {
    EvTable evs = new EvTable(new int[] {0xC101, 0xC202, 0xC303, 0xC404}, new int[] {0, 1, 2, 3});
    EvProfile profile = EvProfile.explicit(evs, 1, 4);
    List<Integer> sent = new ArrayList<>();
    Pair.Link link = new Pair.Link(pair.a.queuePair(), pair.b.queuePair());
    Peer atA =
        context.createPeer(
            pair.b.context.endpointInfo(), profile, CcProfile.nscc(), MrcContext.DEFAULT_RTT_NS);
    Peer atB = pair.b.context.createPeer(context.endpointInfo());
    link.a().init(pair.a.hint, profile, CcProfile.nscc());
    link.b().init(pair.b.hint, EvProfile.auto(), CcProfile.nscc());
    link.b().connect(atB, link.a().connectionInfo(), Pair.RETRY);
    link.a().connect(atA, link.b().connectionInfo(), Pair.RETRY);
    MemoryRegion from = pair.a.region(1 << 16);
    MemoryRegion to = pair.b.region(1 << 16);
    pair.net.lost =
        (nic, frame) -> {
          if (nic == pair.net.a) {
            sent.add(frame.ev());
          }
          return false;
        };
    link.a().postSend(new SendRequest(1).write(to.address(), to.rKey()).gather(from, 0, 1 << 16));
    pair.net.run();
    assertThat(sent).containsOnly(0xC101, 0xC202, 0xC303, 0xC404);
  }

  @Test
  void profilesHaveTheirLimits() {
    assertRefused(Code.EINVAL, () -> new EvProfile(EvProfile.Mode.AUTO, 0, 0, null), "minActive");
    assertRefused(Code.EINVAL, () -> new EvProfile(EvProfile.Mode.AUTO, 5, 4, null), "active");
    assertRefused(Code.EINVAL, () -> new EvProfile(EvProfile.Mode.EXPLICIT, 1, 1, null), "evs");
    EvTable two = EvTable.spread(1, 2, 1);
    assertRefused(Code.EINVAL, () -> EvProfile.explicit(two, 3, 3), "minActive", "1…2");
    assertRefused(Code.EINVAL, () -> CcProfile.fixedWindow(0), "windowBytes");
    assertRefused(Code.EINVAL, () -> CcProfile.nscc(999_999), "rateBitsPerSecond");
    assertRefused(Code.ENOTSUP, () -> CcProfile.of("dcqcn"), "dcqcn", "uet-1.0-nscc");
    assertThat(CcProfile.of(CcProfile.NSCC)).isEqualTo(CcProfile.nscc());
    assertThat(CcProfile.of("none")).isEqualTo(CcProfile.none());
  }

  @Test
  void hintsAreKeptModifiedAndBusy() {
    byte[] vendor = new byte[128];
    vendor[127] = 9;
    QpHint.Attributes said = new QpHint.Attributes(4, 8, 16, ByteBuffer.wrap(vendor));
    QpHint hint = context.createQpHint(said);
    vendor[127] = 0;
    assertThat(hint.query()).isEqualTo(said);
    assertThat(hint.query().vendor().get(127)).isEqualTo((byte) 9);
    QpHint.Attributes other = new QpHint.Attributes(1, 1, 1, ByteBuffer.allocate(3));
    hint.modify(other);
    assertThat(hint.query().vendor().remaining()).isEqualTo(128);
    QueuePair qp = pair.a.queuePair();
    qp.init(hint, EvProfile.auto(), CcProfile.nscc());
    assertRefused(Code.EBUSY, hint::close, "QP hint", "1");
    hint.modify(said);
    qp.close();
    hint.close();
    assertRefused(Code.EINVAL, () -> hint.modify(other), "closed");
    ByteBuffer long129 = ByteBuffer.allocate(129);
    assertRefused(
        Code.E2BIG, () -> new QpHint.Attributes(0, 0, 0, long129), "vendor", "129", "128");
    assertRefused(
        Code.EINVAL, () -> new QpHint.Attributes(-1, 0, 0, ByteBuffer.allocate(0)), "qpsPerPeer");
    for (int i = context.hints.size(); i < 1024; i++) {
      context.createQpHint(said);
    }
    assertRefused(Code.ENOMEM, () -> context.createQpHint(said), "1024");
  }

  @Test
  void parentsAreBusyUntilTheirChildrenAreClosed() {
    Pair.Link link = pair.connect();
    MemoryRegion region = pair.a.region(10);
    Peer peer = java.util.Objects.requireNonNull(link.a().query().peer());
    assertRefused(Code.EBUSY, pair.a.domain::close, "protection domain", "2");
    assertRefused(Code.EBUSY, pair.a.cq::close, "completion queue", "2");
    assertRefused(Code.EBUSY, pair.a.channel::close, "channel", "1");
    assertRefused(Code.EBUSY, peer::close, "peer", "1");
    region.close();
    link.a().close();
    link.a().close();
    peer.close();
    pair.a.cq.close();
    pair.a.channel.close();
    pair.a.channel.close();
    pair.a.domain.close();
    pair.a.domain.close();
    assertRefused(Code.EINVAL, () -> pair.a.domain.register(10), "closed");
    assertRefused(Code.EINVAL, pair.a.channel::pollEvent, "closed");
    assertRefused(Code.EINVAL, () -> context.createCompletionQueue(1, pair.a.channel), "channel");
    ProtectionDomain domain = context.allocateProtectionDomain();
    assertRefused(
        Code.EINVAL, () -> domain.createQueuePair(QueuePairConfig.of(pair.a.cq)), "sendCq");
    assertRefused(
        Code.EINVAL, () -> domain.createQueuePair(QueuePairConfig.of(pair.b.cq)), "sendCq");
    domain.close();
  }

  @Test
  void regionIsBusyWhileWorkRequestsReferToIt() {
    Pair.Link link = pair.connect();
    MemoryRegion from = pair.a.region(10);
    MemoryRegion to = pair.b.region(10);
    link.a().postSend(new SendRequest(1).write(to.address(), to.rKey()).gather(from, 0, 10));
    assertRefused(Code.EBUSY, from::close, "memory region", "1");
    pair.net.run();
    from.close();
    from.close();
    assertThat(from.segment().scope().isAlive()).as("its memory is freed").isFalse();
    to.close();
  }

  @Test
  void regionsAreCheckedAtTheirRegistration() {
    ProtectionDomain d = pair.a.domain;
    assertRefused(Code.EINVAL, () -> d.register(0), "lengthBytes", "0");
    assertRefused(Code.EINVAL, () -> d.register((1L << 40) + 1), "lengthBytes");
    assertRefused(Code.EINVAL, () -> d.register(10, Access.REMOTE_WRITE), "LOCAL_WRITE");
    MemorySegment heap = MemorySegment.ofArray(new byte[10]);
    assertRefused(Code.EINVAL, () -> d.register(heap), "segment", "heap");
    try (Arena confined = Arena.ofConfined();
        Arena shared = Arena.ofShared()) {
      MemorySegment own = confined.allocate(10);
      assertRefused(Code.EINVAL, () -> d.register(own), "segment", "confined");
      MemorySegment readOnly = shared.allocate(10).asReadOnly();
      assertRefused(
          Code.EINVAL, () -> d.register(readOnly, Access.LOCAL_WRITE), "access", "read-only");
      MemoryRegion r = d.register(readOnly);
      assertThat(r.access()).isEmpty();
      assertThat(r.address()).isEqualTo(readOnly.address());
      assertThat(r.lengthBytes()).isEqualTo(10);
      r.close();
      assertThat(readOnly.scope().isAlive()).as("the caller's memory stays").isTrue();
    }
  }

  @Test
  void closingClosesTheChildrenInOrder() {
    Pair.Link link = pair.connect();
    MemoryRegion region = pair.a.region(10);
    MemoryRegion to = pair.b.region(10);
    link.a().postSend(new SendRequest(1).write(to.address(), to.rKey()).gather(region, 0, 10));
    pair.a.cq.requestNotification(false);
    context.close();
    context.close();
    assertThat(pair.net.a.closed).isTrue();
    assertThat(region.segment().scope().isAlive()).isFalse();
    assertThat(context.queuePairs).isEmpty();
    assertThat(context.regions).isEmpty();
    assertThat(context.completionQueues).isEmpty();
    assertThat(context.channels).isEmpty();
    assertThat(context.domains).isEmpty();
    assertThat(context.hints).isEmpty();
    assertThat(pair.net.a.paths).isEmpty();
    assertRefused(Code.EINVAL, () -> pair.a.cq.poll(1), "closed");
    assertRefused(Code.EINVAL, () -> link.a().postReceive(1), "closed");
    assertRefused(Code.EINVAL, context::allocateProtectionDomain, "closed");
    assertRefused(Code.EINVAL, () -> context.drops(DropReason.BAD_ICRC), "closed");
    assertRefused(Code.EINVAL, () -> context.awaitAsyncEvent(Duration.ofDays(1)), "closed");
    link.a().close();
    region.close();
    pair.a.cq.close();
  }

  @Test
  void closingEndsAWait() throws Exception {
    try (Pair threaded = new Pair(ContextConfig.DEFAULT, false);
        var executor = java.util.concurrent.Executors.newFixedThreadPool(2)) {
      var event = executor.submit(() -> threaded.a.channel.awaitEvent(Duration.ofDays(1)));
      var async =
          executor.submit(() -> threaded.a.context.awaitAsyncEvent(Duration.ofDays(400_000)));
      threaded.a.context.close();
      for (var future : List.of(event, async)) {
        assertThat(future)
            .failsWithin(Duration.ofSeconds(10))
            .withThrowableThat()
            .havingCause()
            .isInstanceOf(MrcException.class)
            .withMessageContaining("closed");
      }
    }
  }

  @Test
  void waitsAreBoundedAndInterruptible() {
    assertRefused(Code.ETIMEDOUT, () -> context.awaitAsyncEvent(Duration.ofSeconds(1)), "PT1S");
    assertRefused(Code.ETIMEDOUT, () -> pair.a.channel.awaitEvent(Duration.ZERO), "PT0S");
    assertRefused(Code.EINVAL, () -> context.awaitAsyncEvent(Duration.ofNanos(-1)), "timeout");
    Thread.currentThread().interrupt();
    assertThat(
            org.assertj.core.api.Assertions.catchThrowable(
                () -> pair.a.channel.awaitEvent(Duration.ofSeconds(1))))
        .isInstanceOf(InterruptedException.class);
    // A control call goes on and leaves the interruption to the next wait.
    Thread.currentThread().interrupt();
    pair.a.region(10);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void asyncEventsAreBoundedAndTheLostAreCounted() {
    try (Pair small = new Pair(ContextConfig.DEFAULT.withEvents(16, false))) {
      for (int i = 0; i < 10; i++) {
        small.net.a.engine.portState(0, false, small.net.nowNs);
        small.net.a.engine.portState(0, true, small.net.nowNs);
      }
      small.net.run();
      assertThat(Pair.events(small.a.context)).hasSize(16);
      assertThat(small.a.context.lostAsyncEvents()).isEqualTo(4);
    }
  }

  @Test
  void planesAreReportedOnlyOnRequest() {
    for (boolean wanted : new boolean[] {false, true}) {
      try (Pair p = new Pair(ContextConfig.DEFAULT.withEvents(100, wanted))) {
        Pair.Link link = p.connect();
        MemoryRegion from = p.a.region(8 << 20);
        MemoryRegion to = p.b.region(8 << 20);
        p.net.lost = (nic, frame) -> nic == p.net.a && (frame.dstHi() & 0xff) == 1;
        link.a()
            .postSend(
                new SendRequest(1)
                    .write(to.address(), to.rKey())
                    .gather(from, 0, 8 << 20)
                    .signaled(true));
        List<WorkCompletion> got = p.a.poll();
        for (int i = 0; i < 1_000_000 && got.isEmpty(); i++) {
          p.net.step();
          got = p.a.poll();
        }
        assertThat(got).hasSize(1).allMatch(WorkCompletion::succeeded);
        AsyncEvent event = p.a.context.pollAsyncEvent();
        assertThat(String.valueOf(event)).isEqualTo(wanted ? "PLANE_LEFT port 2" : "null");
      }
    }
  }

  @Test
  void dropsAreCounted() {
    assertThat(context.drops(DropReason.BAD_ICRC)).isZero();
  }

  @Test
  void configurationHasItsLimits() {
    ContextConfig d = ContextConfig.DEFAULT;
    assertRefused(Code.EINVAL, () -> d.withCommands(8, 1), "commandQueueCapacity");
    assertRefused(Code.EINVAL, () -> d.withCommands(48, 1), "commandQueueCapacity", "powers");
    assertRefused(Code.EINVAL, () -> d.withCommands(16, 0), "commandsPerTurn");
    assertRefused(Code.EINVAL, () -> d.withCommandTimeoutNs(1), "commandTimeoutNs");
    assertRefused(Code.EINVAL, () -> d.withExpectedPeers(0), "expectedPeers");
    assertRefused(Code.EINVAL, () -> d.withMaxWimm(31), "MAX_WIMM", "32…4096");
    assertRefused(Code.EINVAL, () -> d.withMpr(7 * 128, false), "MPR", "1024…32640");
    assertRefused(Code.EINVAL, () -> d.withEvents(15, false), "maxAsyncEvents");
  }
}
