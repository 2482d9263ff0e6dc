package io.anabranch.fabric;

import io.anabranch.fabric.host.TransportConfig;
import io.anabranch.fabric.peer.roce.RoceConfig;
import io.anabranch.fabric.topology.Routing;

/** How hosts exchange data: one of the transports that a fabric can be built with. */
public sealed interface Transport {
  /** Path MTU: the payload of a packet at most. */
  int mtuBytes();

  /** A flow is written in messages of this size; 0 = one message. */
  long messageBytes();

  /** Queue pairs between two hosts that exchange data. */
  int qpsPerPair();

  /** How switches choose a path. */
  Routing routing();

  /** MRC. */
  record Mrc(TransportConfig config) implements Transport {
    @Override
    public int mtuBytes() {
      return config.mtuBytes();
    }

    @Override
    public long messageBytes() {
      return config.messageBytes();
    }

    @Override
    public int qpsPerPair() {
      return config.qpsPerPair();
    }

    @Override
    public Routing routing() {
      return config.routing();
    }
  }

  /** RoCEv2 with reliable connections. */
  record Rocev2(RoceConfig config) implements Transport {
    /** The longest message of RC. */
    private static final long MAX_MESSAGE_BYTES = 1L << 31;

    @Override
    public int mtuBytes() {
      return config.mtuBytes();
    }

    @Override
    public long messageBytes() {
      return config.messageBytes() == 0 ? MAX_MESSAGE_BYTES : config.messageBytes();
    }

    @Override
    public int qpsPerPair() {
      return config.qpsPerPair();
    }

    @Override
    public Routing routing() {
      return Routing.ECMP;
    }
  }
}
