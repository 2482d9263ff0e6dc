package io.anabranch.engine.path;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Fast plane set-aside: k distinct EVs lost since the plane's last arrival, others delivering. */
class PlanesTest {
  private final Planes planes = new Planes(2, 3);

  @Test
  void threeEvsLostWhileAnotherPlaneDeliversSetAPlaneAside() {
    planes.arrived(0, 100, 1000);
    planes.arrived(1, 500, 1000);
    assertThat(planes.lost(0, 1, 200)).isFalse();
    assertThat(planes.lost(0, 1, 210)).as("the same EV again").isFalse();
    assertThat(planes.lost(0, 2, 220)).isFalse();
    assertThat(planes.lost(0, 3, 230)).isTrue();
  }

  @Test
  void lossesOlderThanTheLastArrivalSayNothing() {
    planes.arrived(0, 300, 1000);
    planes.arrived(1, 500, 1000);
    assertThat(planes.lost(0, 1, 200)).isFalse();
    assertThat(planes.lost(0, 2, 210)).isFalse();
    assertThat(planes.lost(0, 3, 220)).isFalse();
    assertThat(planes.lost(0, 4, 300)).isFalse();
  }

  @Test
  void anArrivalBeginsANewCount() {
    planes.arrived(1, 500, 1000);
    assertThat(planes.lost(0, 1, 200)).isFalse();
    assertThat(planes.lost(0, 2, 210)).isFalse();
    planes.arrived(0, 220, 1100);
    assertThat(planes.lost(0, 3, 230)).isFalse();
  }

  @Test
  void withoutAPlaneThatDeliversNoneIsSetAside() {
    assertThat(planes.lost(0, 1, 200)).isFalse();
    assertThat(planes.lost(0, 2, 210)).isFalse();
    assertThat(planes.lost(0, 3, 220)).isFalse();
    planes.localPort(1, false);
    planes.arrived(1, 500, 1000);
    assertThat(planes.lost(0, 4, 230)).isFalse();
  }

  @Test
  void controlFramesTakeProvenPlanesInTurn() {
    planes.proven(0, 7, 100);
    assertThat(planes.reversePlane(50)).isZero();
    assertThat(planes.reversePlane(50)).isZero();
    planes.proven(1, 8, 100);
    assertThat(planes.reversePlane(50) + planes.reversePlane(50)).isEqualTo(1);
    planes.unproven(0);
    assertThat(planes.reversePlane(50)).isEqualTo(1);
  }

  @Test
  void aMaskWithoutACommonPortIsRefused() {
    assertThat(planes.peerPorts(0b100)).isFalse();
    assertThat(planes.usableMask()).isEqualTo(0b11);
    assertThat(planes.peerPorts(0b110)).isTrue();
    assertThat(planes.usableMask()).isEqualTo(0b10);
  }
}
