package io.anabranch.fabric.host;

import io.anabranch.engine.CommandResult;
import io.anabranch.fabric.node.Network;

/** All hosts of a fabric with one transport: what runs traffic, faults and results ask of them. */
public interface Endpoints extends Network.Hosts {
  /** There is no such figure. */
  long UNKNOWN = -1;

  /**
   * Connects a queue pair from one host to another.
   *
   * @param table which EV table; 0 where the transport has none
   * @return the sender's QP number
   */
  int connect(int source, int destination, int table, long nowPs);

  /**
   * Posts a write of part of a flow.
   *
   * @return {@code QUEUE_FULL}: later; {@code WRONG_STATE}: never, the queue pair is in error
   */
  CommandResult post(int host, int qp, int flow, long offset, long bytes, long nowPs);

  /** After posting: idle ports ask for frames. */
  void kick(int host, long nowPs);

  /** Tells a host that a port of its can, or cannot, carry frames. */
  void portState(int host, int plane, boolean up, long nowPs);

  /** The sender's queue pair that a queue pair of a host receives from. */
  int senderOf(int host, int qp);

  /** Says who is told of data packets that are sent again. */
  void watchResends(ResendWatch watch);

  /**
   * Packets of a sending queue pair that are acknowledged cumulatively, since it was connected, or
   * {@link #UNKNOWN}.
   */
  long ackedPackets(int host, int qp);

  /** What a sending queue pair may have under way at most, or {@link #UNKNOWN}. */
  long windowBytes(int host, int qp);

  /** What of that is under way. */
  long inflightBytes(int host, int qp);

  /** How many parts run hosts, where the network is run in parts. */
  default int parts() {
    return 1;
  }

  /** The part that runs a host. */
  default int partOf(int host) {
    return 0;
  }

  /** Packets made that wait at hosts' ports to be sent. */
  default int waitingPackets() {
    return 0;
  }

  /** Payload bytes written to memory so far, each once. */
  long placedBytes();

  /** Data packets that arrived whole. */
  long delivered();

  /** Data packets that arrived whole on a plane. */
  long deliveredOnPlane(int plane);

  /** Data packets sent again. */
  long retransmitted();

  /** Is told when writes end, and when the time has come that it asked for. */
  interface Completions {
    /** A write of a flow has ended at its sender; {@code bytes} is 0 if it failed. */
    void completed(int host, int qp, int flow, boolean success, long bytes, long nowPs);

    /**
     * The time asked for with {@link io.anabranch.fabric.event.EventQueue#add} for {@link
     * Network#WORKLOAD}.
     */
    void workload(long nowPs);
  }

  /** Is told of data packets that are sent again. */
  @FunctionalInterface
  interface ResendWatch {
    /** A copy for a queue pair of a host. */
    void resent(int host, int qp, int psn);
  }

  /** Hosts whose packets chance can take by their EV. */
  interface WithEvs extends Endpoints {
    /** Says who is told of packets that chance takes by their EV. */
    void watchEvLosses(EvLossWatch watch);

    /** From now on an EV loses packets. */
    void beginLoss(EvLoss loss);

    /** It no longer does. */
    void endLoss(EvLoss loss);
  }

  /** Is told that chance has taken a packet by its EV. */
  @FunctionalInterface
  interface EvLossWatch {
    /** The packet is lost on its first link. */
    void lost(EvLoss by, int packet, long nowPs);
  }
}
