package io.anabranch.engine.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.engine.Command;
import io.anabranch.engine.CommandResult;
import io.anabranch.engine.DropReason;
import io.anabranch.engine.config.CcConfig;
import io.anabranch.engine.config.EngineConfig;
import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.config.PeerConfig;
import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.wire.mrc.EndpointOp;
import io.anabranch.wire.mrc.Frame;
import io.anabranch.wire.mrc.Opcode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests of peers, told apart by the addresses that they come from. */
class PeersByAddressTest {
  private static final int PORTS = 2;
  private static final int PEERS = 1000;

  private final MrcEngine engine =
      new MrcEngine(EngineConfig.fabric(addresses(0), 1), (region, offset, frame) -> {}, null);
  private final Frame answer = new Frame();
  private long nowNs = 1_000;

  private static List<PlaneAddress> addresses(int host) {
    return List.of(
        new PlaneAddress(0xfd00L << 48, host + 1, 4791),
        new PlaneAddress(0xfd00L << 48 | 1, host + 1, 4791));
  }

  private void addPeer(int handle, int host) {
    EvTable evs = EvTable.spread(PORTS, 4, 1);
    PeerConfig peer =
        new PeerConfig(addresses(host), evs, 10_000, new CcConfig.FixedWindow(1 << 20));
    assertThat(engine.submit(new Command.AddPeer(handle, peer), nowNs)).isEqualTo(CommandResult.OK);
  }

  /** Asks as a host would, and tells whom the answer goes to, or −1. */
  private long ask(int host, int fromPort, int atPort) {
    nowNs += 1_000;
    Frame request = new Frame().opcode(Opcode.ENDPOINT_REQUEST).destQp(EndpointOp.QP);
    PlaneAddress from = addresses(host).get(fromPort);
    request.src(from.hi(), from.lo()).psn(host & 0xffff).op(EndpointOp.EV_PROBE);
    engine.receive(request, atPort, nowNs);
    for (int port = 0; port < PORTS; port++) {
      if (engine.nextFrame(port, nowNs, answer) && answer.opcode() == Opcode.ENDPOINT_RESPONSE) {
        return answer.dstLo() - 1;
      }
    }
    return -1;
  }

  @Test
  void eachIsAnsweredAtItsOwnAddress() {
    for (int host = 1; host <= PEERS; host++) {
      addPeer(host, host);
    }
    for (int host = 1; host <= PEERS; host += 7) {
      assertThat(ask(host, 0, 0)).isEqualTo(host);
      assertThat(ask(host, 1, 1)).isEqualTo(host);
    }
  }

  @Test
  void strangersAndPlanesThatDoNotMatchAreDropped() {
    addPeer(1, 1);
    addPeer(2, 2);
    assertThat(ask(3, 0, 0)).isEqualTo(-1);
    assertThat(ask(2, 0, 1)).isEqualTo(-1);
    assertThat(engine.submit(new Command.RemovePeer(2), nowNs)).isEqualTo(CommandResult.OK);
    assertThat(ask(2, 0, 0)).isEqualTo(-1);
    assertThat(ask(1, 0, 0)).isEqualTo(1);
    assertThat(engine.drops(DropReason.BAD_ENDPOINT_REQUEST)).isEqualTo(3);
  }

  @Test
  void whereTwoHaveAnAddressTheOtherAnswersWhenOneIsRemoved() {
    addPeer(1, 5);
    addPeer(2, 5);
    assertThat(ask(5, 0, 0)).isEqualTo(5);
    assertThat(engine.submit(new Command.RemovePeer(1), nowNs)).isEqualTo(CommandResult.OK);
    assertThat(ask(5, 0, 0)).isEqualTo(5);
    assertThat(engine.submit(new Command.RemovePeer(2), nowNs)).isEqualTo(CommandResult.OK);
    assertThat(ask(5, 0, 0)).isEqualTo(-1);
  }
}
