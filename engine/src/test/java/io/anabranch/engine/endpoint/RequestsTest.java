package io.anabranch.engine.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.anabranch.engine.config.CcConfig;
import io.anabranch.engine.config.EngineConfig;
import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.config.PeerConfig;
import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.engine.endpoint.Requests.Kind;
import io.anabranch.engine.path.ControlQueue;
import io.anabranch.engine.path.Planes;
import io.anabranch.engine.path.Route;
import io.anabranch.engine.trace.Recorder;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A small ring that grows must answer as one of 4096 slots would. */
class RequestsTest {
  private static final int FULL = 4096;

  private final Requests requests = new Requests(65_530);
  private final Peer one = peer(0);
  private final Peer two = peer(1);

  private Peer peer(int handle) {
    EngineConfig config = EngineConfig.fabric(List.of(new PlaneAddress(1, 1, 4791)), 1);
    PeerConfig peer =
        new PeerConfig(
            List.of(new PlaneAddress(1, 2, 4791)),
            EvTable.spread(1, 4, 1),
            10_000,
            new CcConfig.FixedWindow(1 << 20));
    ControlQueue[] queues = {new ControlQueue()};
    Route route = new Route(config, peer, queues, new Planes(1, 3));
    return new Peer(handle, handle, config, peer, route, requests, new Recorder(null));
  }

  @Test
  void answeredRequestsNeedNoMoreRoom() {
    for (int i = 0; i < 100_000; i++) {
      int id = requests.sent(one, 3, Kind.PLANE, i);
      int slot = requests.find(id);
      assertThat(id).isEqualTo(65_530 + i & 0xffff);
      assertThat(requests.peer(slot)).isSameAs(one);
      assertThat(requests.sentNs(slot)).isEqualTo(i);
      requests.answered(slot);
      assertThat(requests.find(id)).isNegative();
    }
    assertThat(requests.slots()).isEqualTo(16);
  }

  @Test
  void unansweredOnesAreKeptUntilTheFullRingWouldForgetThem() {
    int sent = 70_000;
    int[] ids = new int[sent];
    for (int i = 0; i < sent; i++) {
      ids[i] = requests.sent(i % 2 == 0 ? one : two, i & 0xfff, Kind.values()[i % 3], i);
      if (i % 997 == 0 || i == sent - 1) {
        for (int back : new int[] {0, 1, 15, 16, 17, 1000, FULL - 1}) {
          if (back <= i) {
            int slot = requests.find(ids[i - back]);
            assertThat(slot).as("%d, %d back", i, back).isNotNegative();
            assertThat(requests.sentNs(slot)).isEqualTo(i - back);
            assertThat(requests.ev(slot)).isEqualTo(i - back & 0xfff);
            assertThat(requests.kind(slot)).isEqualTo(Kind.values()[(i - back) % 3]);
            assertThat(requests.peer(slot)).isSameAs((i - back) % 2 == 0 ? one : two);
          }
        }
        if (i >= FULL) {
          assertThat(requests.find(ids[i - FULL])).isNegative();
        }
      }
    }
    assertThat(requests.slots()).isEqualTo(FULL);
  }

  /** One that is never answered does not make the ring grow once it is old. */
  @Test
  void anOldOneIsForgottenInASmallRingToo() {
    int lost = requests.sent(two, 0, Kind.REVERSE, 0);
    for (int i = 1; i <= FULL; i++) {
      assertThat(requests.find(lost)).isNotNegative();
      requests.answered(requests.find(requests.sent(one, 0, Kind.REVERSE, i)));
    }
    assertThat(requests.find(lost)).isNegative();
  }

  @Test
  void aForgottenPeersRequestsAreGone() {
    int first = requests.sent(one, 0, Kind.REVERSE, 0);
    int other = requests.sent(two, 0, Kind.REVERSE, 0);
    requests.forget(one);
    assertThat(requests.find(first)).isNegative();
    assertThat(requests.find(other)).isNotNegative();
  }
}
