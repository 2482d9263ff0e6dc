package io.anabranch.engine;

import io.anabranch.engine.config.EvTable;
import io.anabranch.engine.config.PlaneAddress;
import java.util.List;

/**
 * What turns an engine's frames into packets: real sockets or a simulated NIC. An application
 * reaches its engine only through {@link Application#turn}, on the driver's thread.
 */
public interface Driver extends AutoCloseable {
  /** Gives the driver its application; once, before {@link #start}. */
  void attach(Application application);

  /** Begins to work. */
  void start();

  /**
   * Prepares paths to a peer: what its PeerConfig takes as EVs.
   *
   * @param peer the peer's address on each plane, as told at set-up
   */
  EvTable connect(List<PlaneAddress> peer);

  /** Frees the paths that {@link #connect} prepared, once the peer was removed. */
  void disconnect(EvTable evs);

  /** Asks for a turn soon; any thread may call it. Without effect for a simulated NIC. */
  void wakeup();

  /** Ports of the NIC, each a plane: 1 … 32. */
  int ports();

  /** Local address of a port, high 64 bits (IPv4 is IPv4-mapped). */
  long addressHi(int port);

  /** Local address of a port, low 64 bits. */
  long addressLo(int port);

  /** UDP port that the port receives on. */
  int udpPort(int port);

  /** Largest path MTU (payload bytes a packet) that every port carries: 256 … 8192. */
  int mtuBytes();

  /** Bytes of packets that may wait to be received, all ports together. */
  long receiveBufferBytes();

  /** Stops work and frees everything. */
  @Override
  void close();
}
