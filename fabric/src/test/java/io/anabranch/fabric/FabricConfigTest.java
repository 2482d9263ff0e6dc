package io.anabranch.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anabranch.fabric.topology.Routing;
import org.junit.jupiter.api.Test;

class FabricConfigTest {
  /** Beyond a plane's spines its EVs would name downlinks of the sender's own leaf. */
  @Test
  void withSrv6APlaneHasNoMoreEvsThanSpines() {
    Simulation s = new Simulation();
    s.traffic.add(0, 15, 1, 0);
    s.evsPerPlane = s.spines + 1;
    s.routing = Routing.SRV6;
    assertThatThrownBy(s::config)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("evsPerPlane");
    s.routing = Routing.ECMP;
    assertThat(s.run().flows().finishPs(0)).isPositive();
    s.evsPerPlane = s.spines;
    s.routing = Routing.SRV6;
    assertThat(s.run().flows().finishPs(0)).isPositive();
  }

  @Test
  void hostsAndEvSetsThatDoNotExistAreRefused() {
    Simulation host = new Simulation();
    host.traffic.add(0, 16, 1, 0);
    assertThatThrownBy(host::config).hasMessageContaining("destination of flow 0");
    Simulation set = new Simulation();
    set.traffic.evSet(set.traffic.add(0, 15, 1, 0), 0);
    assertThatThrownBy(set::config).hasMessageContaining("EV set of flow 0");
  }
}
