package io.anabranch.verbs;

import static io.anabranch.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.engine.QpState;
import io.anabranch.engine.config.EvTable;
import io.anabranch.verbs.MrcException.Code;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The state machine of queue pairs and the attributes of its steps. */
class QueuePairStateTest {
  private static final Set<QpAttribute> NOT_IN_MRC =
      Set.of(
          QpAttribute.PORT,
          QpAttribute.RNR_RETRY,
          QpAttribute.MIN_RNR_TIMER,
          QpAttribute.MAX_RD_ATOMIC,
          QpAttribute.MAX_DEST_RD_ATOMIC,
          QpAttribute.ALTERNATE_PATH,
          QpAttribute.PATH_MIGRATION_STATE);

  private final Pair pair = new Pair(ContextConfig.DEFAULT.withExpectedPeers(4));
  private final ConnectionInfo remote = pair.b.queuePair().connectionInfo();
  private final Peer peer = pair.a.context.createPeer(pair.b.context.endpointInfo());

  @AfterEach
  void close() {
    pair.close();
  }

  private QpAttributes stepTo(QueuePair qp, QpState to) {
    return switch (to) {
      case INIT ->
          QpAttributes.to(QpState.INIT)
              .hint(pair.a.hint)
              .evProfile(EvProfile.auto())
              .ccProfile(CcProfile.nscc());
      case RTR -> qp.receiveAttributes(peer, remote);
      case RTS -> qp.sendAttributes(remote, RetryPolicy.DEFAULT);
      default -> QpAttributes.to(to);
    };
  }

  private QueuePair in(QpState state) {
    QueuePair qp = pair.a.queuePair();
    if (state == QpState.ERROR) {
      qp.modify(QpAttributes.to(QpState.ERROR));
      return qp;
    }
    for (QpState s : List.of(QpState.INIT, QpState.RTR, QpState.RTS)) {
      if (qp.state() != state) {
        qp.modify(stepTo(qp, s));
      }
    }
    assertThat(qp.state()).isEqualTo(state);
    return qp;
  }

  private static boolean legal(QpState from, QpState to) {
    return to == QpState.ERROR
        || to == QpState.RESET
        || from == QpState.RESET && to == QpState.INIT
        || from == QpState.INIT && to == QpState.RTR
        || from == QpState.RTR && to == QpState.RTS;
  }

  @ParameterizedTest
  @EnumSource(QpState.class)
  void everyStepIsTakenOrRefused(QpState from) {
    for (QpState to : QpState.values()) {
      QueuePair qp = in(from);
      QpAttributes step = stepTo(qp, to);
      if (legal(from, to)) {
        qp.modify(step);
        assertThat(qp.state()).isEqualTo(to);
      } else {
        assertRefused(Code.EINVAL, () -> qp.modify(step), "STATE", from.toString(), to.toString());
        assertThat(qp.state()).isEqualTo(from);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"RESET,INIT", "INIT,RTR", "RTR,RTS"})
  void everyRequiredAttributeIsMissedByName(QpState from, QpState to) {
    QueuePair qp = in(from);
    List<QpAttribute> required = new ArrayList<>(stepTo(qp, to).attributes());
    required.removeAll(
        List.of(
            QpAttribute.STATE,
            QpAttribute.DYNAMIC_MPR_RESPONDER,
            QpAttribute.DYNAMIC_MPR_REQUESTOR));
    assertThat(required)
        .hasSize(
            switch (to) {
              case INIT -> 3;
              case RTR -> 6;
              default -> 6;
            });
    for (QpAttribute attribute : required) {
      QpAttributes step = stepTo(qp, to).remove(attribute);
      assertRefused(Code.EINVAL, () -> qp.modify(step), attribute.name(), "missing");
      assertThat(qp.state()).isEqualTo(from);
    }
    qp.modify(stepTo(qp, to));
  }

  @Test
  void optionalAttributesMayBeLeftOut() {
    QueuePair qp = in(QpState.INIT);
    qp.modify(stepTo(qp, QpState.RTR).remove(QpAttribute.DYNAMIC_MPR_RESPONDER));
    qp.modify(stepTo(qp, QpState.RTS).remove(QpAttribute.DYNAMIC_MPR_REQUESTOR));
    assertThat(qp.state()).isEqualTo(QpState.RTS);
  }

  @Test
  void attributesOfAnotherStepAreRefusedByName() {
    QueuePair fresh = in(QpState.RESET);
    assertRefused(
        Code.EINVAL,
        () -> fresh.modify(stepTo(fresh, QpState.INIT).set(QpAttribute.TIMEOUT, 1)),
        "TIMEOUT");
    QueuePair init = in(QpState.INIT);
    assertRefused(
        Code.EINVAL, () -> init.modify(stepTo(init, QpState.RTR).hint(pair.a.hint)), "HINT");
    assertRefused(
        Code.EINVAL,
        () -> init.modify(QpAttributes.to(QpState.ERROR).set(QpAttribute.SEND_PSN, 1)),
        "SEND_PSN");
    assertRefused(Code.EINVAL, () -> init.modify(new QpAttributes()), "STATE");
  }

  @ParameterizedTest
  @EnumSource(QpAttribute.class)
  void attributesThatMrcHasNotAreRefusedByName(QpAttribute attribute) {
    assertThat(attribute.supported()).isEqualTo(!NOT_IN_MRC.contains(attribute));
    if (NOT_IN_MRC.contains(attribute)) {
      for (QpState from : QpState.values()) {
        QueuePair qp = in(from);
        assertRefused(
            Code.ENOTSUP,
            () -> qp.modify(stepTo(qp, QpState.ERROR).set(attribute, 1)),
            attribute.name());
        assertThat(qp.state()).isEqualTo(from);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "RETRY_LINEAR,0,7",
    "RETRY_EXPONENTIAL,0,25",
    "TIMEOUT,0,24",
    "DEST_QP_NUMBER,3,16777215",
    "RECEIVE_PSN,0,16777215",
    "SEND_PSN,0,16777215",
    "MPR_RESPONDER,1024,32640",
    "MPR_REQUESTOR,1024,32640",
    "MAX_WIMM_RESPONDER,32,4096"
  })
  void numbersHaveTheirLimits(QpAttribute attribute, long min, long max) {
    QpAttributes a = new QpAttributes();
    assertThat(a.set(attribute, min).number(attribute)).isEqualTo(min);
    assertThat(a.set(attribute, max).number(attribute)).isEqualTo(max);
    assertRefused(
        Code.EINVAL,
        () -> a.set(attribute, min - 1),
        attribute.name(),
        "" + (min - 1),
        "" + min,
        "" + max);
    assertRefused(Code.EINVAL, () -> a.set(attribute, max + 1), attribute.name(), "" + (max + 1));
  }

  @Test
  void mprIsCountedInUnitsOf128() {
    assertRefused(
        Code.EINVAL,
        () -> new QpAttributes().set(QpAttribute.MPR_RESPONDER, 1024 + 64),
        "MPR_RESPONDER",
        "128");
    assertRefused(Code.EINVAL, () -> ContextConfig.DEFAULT.withMpr(1025, false), "MPR", "128");
  }

  @Test
  void theLimitsOfEachNumberWork() {
    for (int[] retry : new int[][] {{0, 0, 0}, {24, 7, 25}}) {
      QueuePair qp = in(QpState.RTR);
      qp.modify(qp.sendAttributes(remote, new RetryPolicy(retry[0], retry[1], retry[2])));
      assertThat(qp.query().number(QpAttribute.RETRY_EXPONENTIAL)).isEqualTo(retry[2]);
    }
    assertRefused(Code.EINVAL, () -> new RetryPolicy(25, 0, 0), "TIMEOUT", "24");
    assertRefused(Code.EINVAL, () -> new RetryPolicy(0, 8, 0), "RETRY_LINEAR", "7");
    assertRefused(Code.EINVAL, () -> new RetryPolicy(0, 0, 26), "RETRY_EXPONENTIAL", "25");
  }

  @Test
  void pathMtuIsAtMostTheDevices() {
    QueuePair qp = in(QpState.INIT);
    assertRefused(
        Code.EINVAL,
        () -> qp.modify(stepTo(qp, QpState.RTR).set(QpAttribute.PATH_MTU, 8192)),
        "PATH_MTU",
        "8192",
        "4096");
    assertThat(qp.state()).isEqualTo(QpState.INIT);
  }

  @Test
  void profilesMustBeThePeers() {
    QueuePair qp = pair.a.queuePair();
    qp.init(pair.a.hint, EvProfile.auto(), CcProfile.fixedWindow(65536));
    assertRefused(Code.EINVAL, () -> qp.modify(qp.receiveAttributes(peer, remote)), "CC_PROFILE");
    qp.modify(QpAttributes.to(QpState.RESET));
    EvTable evs = EvTable.spread(4, 8, 1);
    qp.init(pair.a.hint, EvProfile.explicit(evs, 4, 16), CcProfile.nscc());
    assertRefused(Code.EINVAL, () -> qp.modify(qp.receiveAttributes(peer, remote)), "EV_PROFILE");
    assertThat(qp.state()).isEqualTo(QpState.INIT);
    peer.close();
  }

  @Test
  void whatIsOfAnotherContextOrClosedIsRefused() {
    QueuePair qp = pair.a.queuePair();
    assertRefused(
        Code.EINVAL, () -> qp.init(pair.b.hint, EvProfile.auto(), CcProfile.nscc()), "HINT");
    QpHint closed = pair.a.context.createQpHint(QpHint.Attributes.UNKNOWN);
    closed.close();
    assertRefused(Code.EINVAL, () -> qp.init(closed, EvProfile.auto(), CcProfile.nscc()), "HINT");
    qp.init(pair.a.hint, EvProfile.auto(), CcProfile.nscc());
    Peer foreign = pair.b.context.createPeer(pair.a.context.endpointInfo());
    assertRefused(Code.EINVAL, () -> qp.modify(qp.receiveAttributes(foreign, remote)), "PEER");
  }

  @Test
  void queryShowsStateAndAttributesAtAnyTime() {
    QueuePair qp = in(QpState.RESET);
    assertThat(qp.query().attributes()).containsExactly(QpAttribute.STATE);
    assertThat(qp.query().state()).isEqualTo(QpState.RESET);
    qp.modify(stepTo(qp, QpState.INIT));
    assertThat(qp.query().hint()).isSameAs(pair.a.hint);
    assertThat(qp.query().evProfile()).isEqualTo(EvProfile.auto());
    assertThat(qp.query().ccProfile()).isEqualTo(CcProfile.nscc());
    assertRefused(Code.ENOENT, () -> qp.query().number(QpAttribute.RECEIVE_PSN), "RECEIVE_PSN");
    qp.modify(stepTo(qp, QpState.RTR));
    assertThat(qp.query().peer()).isSameAs(peer);
    assertThat(qp.query().number(QpAttribute.DEST_QP_NUMBER)).isEqualTo(remote.qpNumber());
    assertThat(qp.query().number(QpAttribute.RECEIVE_PSN)).isEqualTo(remote.startPsn());
    assertThat(qp.query().number(QpAttribute.PATH_MTU)).isEqualTo(4096);
    qp.modify(stepTo(qp, QpState.RTS));
    assertThat(qp.query().number(QpAttribute.SEND_PSN)).isEqualTo(qp.startPsn());
    qp.modify(QpAttributes.to(QpState.ERROR));
    assertThat(qp.query().state()).isEqualTo(QpState.ERROR);
    assertThat(qp.query().number(QpAttribute.TIMEOUT)).isEqualTo(15);
    qp.modify(QpAttributes.to(QpState.RESET));
    assertThat(qp.query().attributes()).containsExactly(QpAttribute.STATE);
  }

  @Test
  void numbersAreNumbersAndOthersAreNot() {
    assertRefused(Code.EINVAL, () -> new QpAttributes().set(QpAttribute.HINT, 1), "HINT");
    assertRefused(Code.EINVAL, () -> new QpAttributes().number(QpAttribute.STATE), "STATE");
  }

  @Test
  void resetDrawsAnotherPsnAndKeepsTheNumber() {
    QueuePair qp = in(QpState.RTS);
    int number = qp.number();
    Set<Integer> psns = new java.util.HashSet<>();
    for (int i = 0; i < 20; i++) {
      psns.add(qp.startPsn());
      qp.modify(QpAttributes.to(QpState.RESET));
    }
    assertThat(psns).hasSizeGreaterThan(15);
    assertThat(qp.number()).isEqualTo(number);
  }

  @Test
  void statisticsOfAllStatesButReset() {
    QueuePair qp = in(QpState.RESET);
    assertRefused(Code.EINVAL, qp::statistics, "RESET");
    qp.modify(stepTo(qp, QpState.INIT));
    assertThat(qp.statistics().state()).isEqualTo(QpState.INIT);
    assertThat(in(QpState.RTS).statistics().state()).isEqualTo(QpState.RTS);
  }

  @Test
  void mprIsGrantedAnewOnlyWhereBothAgreed() {
    QueuePair qp = in(QpState.RTS);
    assertRefused(Code.EINVAL, () -> qp.grantMpr(2048), "DYNAMIC_MPR");
    assertRefused(Code.EINVAL, () -> qp.grantMpr(100), "MPR_RESPONDER");
    try (Pair dynamic = new Pair(ContextConfig.DEFAULT.withMpr(4096, true))) {
      Pair.Link link = dynamic.connect();
      link.b().grantMpr(1024);
      assertThat(link.b().query().number(QpAttribute.MPR_RESPONDER)).isEqualTo(1024);
      MemoryRegion from = dynamic.a.region(64);
      MemoryRegion to = dynamic.b.region(64);
      link.a().postSend(new SendRequest(1).write(to.address(), to.rKey()).gather(from, 0, 64));
      dynamic.net.run();
      assertThat(link.a().statistics().mprPackets()).isEqualTo(1024);
    }
  }

  @Test
  void protocolVersionIsOneOrLeftToTheProvider() {
    CompletionQueue cq = pair.a.cq;
    for (int version = 0; version <= 1; version++) {
      pair.a.domain.createQueuePair(
          new QueuePairConfig(cq, cq, QpCapabilities.DEFAULT, false, version));
    }
    for (int version : new int[] {-1, 2}) {
      assertRefused(
          Code.ENOTSUP,
          () -> new QueuePairConfig(cq, cq, QpCapabilities.DEFAULT, false, version),
          "protocolVersion",
          "" + version);
    }
  }

  @Test
  void capabilitiesHaveTheirLimits() {
    assertRefused(Code.EINVAL, () -> new QpCapabilities(0, 0, 1, 0, 0), "maxSendWr", "65536");
    assertRefused(Code.EINVAL, () -> new QpCapabilities(65537, 0, 1, 0, 0), "maxSendWr");
    assertRefused(Code.EINVAL, () -> new QpCapabilities(1, -1, 1, 0, 0), "maxReceiveWr");
    assertRefused(Code.EINVAL, () -> new QpCapabilities(1, 65537, 1, 0, 0), "maxReceiveWr");
    assertRefused(Code.EINVAL, () -> new QpCapabilities(1, 0, 0, 0, 0), "maxSendSge");
    assertRefused(Code.EINVAL, () -> new QpCapabilities(1, 0, 33, 0, 0), "maxSendSge");
    assertRefused(Code.EINVAL, () -> new QpCapabilities(1, 0, 1, 1, 0), "maxReceiveSge");
    assertRefused(Code.EINVAL, () -> new QpCapabilities(1, 0, 1, 0, 4097), "maxInlineBytes");
    QueuePair largest = pair.a.queuePair(new QpCapabilities(65536, 65536, 32, 0, 4096));
    assertThat(largest.config().caps().maxSendWr()).isEqualTo(65536);
  }
}
