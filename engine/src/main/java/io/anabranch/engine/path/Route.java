package io.anabranch.engine.path;

import io.anabranch.engine.config.EngineConfig;
import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.config.PeerConfig;
import io.anabranch.engine.config.PlaneAddress;
import io.anabranch.wire.mrc.Frame;
import org.jspecify.annotations.Nullable;

/**
 * How frames reach one peer: addresses, EVs and planes, and the ports' control queues. Shared by
 * the peer's queue pairs, as requestors and as responders.
 */
public final class Route {
  private static final int DEFAULT_P_KEY = 0xffff;
  private static final int ECT_0 = 2;
  private static final int BACKLOG = 4;

  private final EngineConfig engine;
  private final PeerConfig peer;
  private final ControlQueue[] queues;
  private final Planes planes;

  // By port: our address, the peer's, its UDP port; what every frame needs lies together.
  private static final int FROM = 0;
  private static final int TO = 2;
  private static final int UDP_PORT = 4;
  private static final int WORDS = 5;
  private final long[] addresses;
  private final int trimmableDscp;
  private final int trimmableRetxDscp;
  private final int controlDscp;
  private int anyEvTurn;
  private long horizonNs;

  /**
   * A route.
   *
   * @param queues the engine's control queues, one a port
   */
  public Route(EngineConfig engine, PeerConfig peer, ControlQueue[] queues, Planes planes) {
    this.engine = engine;
    this.peer = peer;
    this.queues = queues;
    this.planes = planes;
    trimmableDscp = engine.dscp().trimmable();
    trimmableRetxDscp = engine.dscp().trimmableRetx();
    controlDscp = engine.dscp().control();
    addresses = new long[peer.ports() * WORDS];
    for (int port = 0; port < peer.ports(); port++) {
      PlaneAddress from = engine.planes().get(port);
      PlaneAddress to = peer.planes().get(port);
      int a = port * WORDS;
      addresses[a + FROM] = from.hi();
      addresses[a + FROM + 1] = from.lo();
      addresses[a + TO] = to.hi();
      addresses[a + TO + 1] = to.lo();
      addresses[a + UDP_PORT] = to.udpPort();
    }
    this.horizonNs = 4L * peer.ports() * Math.max(peer.initialRttNs(), engine.minProbeSpacingNs());
  }

  /** The planes. */
  public Planes planes() {
    return planes;
  }

  /** The EVs. */
  public EvTable evs() {
    return peer.evs();
  }

  /** How long a proof of a plane is trusted: follows the RTT. */
  public void rtt(long rttNs) {
    horizonNs = 4L * peer.ports() * Math.max(rttNs, engine.minProbeSpacingNs());
  }

  /** Whether a frame's source is the peer's address on that port's plane. */
  public boolean isFrom(Frame frame, int port) {
    if (port * WORDS >= addresses.length) {
      return false;
    }
    int a = port * WORDS;
    return frame.srcHi() == addresses[a + TO] && frame.srcLo() == addresses[a + TO + 1];
  }

  /** Fills in what every frame to this peer has: addresses, ports, EV, P_Key. */
  public void address(Frame frame, int port, int ev) {
    int a = port * WORDS;
    frame.src(addresses[a + FROM], addresses[a + FROM + 1]);
    frame.dst(addresses[a + TO], addresses[a + TO + 1]).dstPort((int) addresses[a + UDP_PORT]);
    frame.ev(ev).pKey(DEFAULT_P_KEY);
  }

  /** Marks a frame as data: it may be trimmed and marked. */
  public void dataClass(Frame frame, boolean retransmission) {
    frame.dscp(retransmission ? trimmableRetxDscp : trimmableDscp);
    frame.ecn(ECT_0);
  }

  /**
   * A slot for a control frame to the peer, addressed by a proven plane in turn.
   *
   * @return null when no port is up or the port's queue is full
   */
  public @Nullable Frame control(long nowNs) {
    int port = planes.reversePlane(nowNs - horizonNs);
    if (port < 0) {
      return null;
    }
    Frame frame = queues[port].add();
    if (frame != null) {
      int proven = planes.proofEv(port);
      address(frame, port, peer.evs().ev(proven >= 0 ? proven : anyEv(port)));
      frame.dscp(controlDscp);
    }
    return frame;
  }

  /** Whether control frames to this peer have to wait for others: none that can wait is due. */
  public boolean backlogged() {
    int usable = planes.usableMask();
    for (int port = 0; port < peer.ports(); port++) {
      if ((usable >>> port & 1) != 0 && queues[port].size() > BACKLOG) {
        return true;
      }
    }
    return false;
  }

  /** A slot for a probe of the data class on a given EV; null when its queue is full. */
  public @Nullable Frame probe(int evIndex) {
    int port = peer.evs().port(evIndex);
    Frame frame = queues[port].add();
    if (frame != null) {
      address(frame, port, peer.evs().ev(evIndex));
      dataClass(frame, false);
    }
    return frame;
  }

  /** Some EV of a plane, another one each time. */
  public int anyEv(int port) {
    EvTable evs = peer.evs();
    for (int i = 0; i < evs.size(); i++) {
      anyEvTurn = anyEvTurn + 1 >= evs.size() ? 0 : anyEvTurn + 1;
      if (evs.port(anyEvTurn) == port) {
        return anyEvTurn;
      }
    }
    return 0;
  }
}
