package io.anabranch.engine.config;

import java.util.List;

/**
 * What an engine knows of a remote endpoint, as told at set-up. Port n here talks to port n there.
 *
 * @param planes the peer's address on each plane
 * @param evs the EVs that lead to it, all planes together
 * @param initialRttNs RTT assumed until one is measured; NSCC takes it for the base RTT
 * @param cc what holds back how much is in flight towards it, all queue pairs together
 */
public record PeerConfig(List<PlaneAddress> planes, EvTable evs, long initialRttNs, CcConfig cc) {
  /** Checks sizes and ranges. */
  public PeerConfig {
    planes = List.copyOf(planes);
    Check.range("planes.size", planes.size(), 1, 32);
    for (int i = 0; i < evs.size(); i++) {
      Check.range("evs.port", evs.port(i), 0, planes.size() - 1);
    }
    Check.range("initialRttNs", initialRttNs, 1, 10_000_000_000L);
  }

  /** Ports that both sides have. */
  public int ports() {
    return planes.size();
  }
}
