package io.anabranch.net.device;

import io.anabranch.engine.config.EvTable;

/** The open way to one peer. */
public interface PeerLink extends AutoCloseable {
  /** The EVs that lead to the peer. */
  EvTable evs();

  /** Ends it; packets with its EVs are discarded from then on. */
  @Override
  void close();
}
