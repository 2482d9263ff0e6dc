package io.anabranch.net.device;

import io.anabranch.engine.config.PlaneAddress;
import java.io.IOException;
import java.util.List;

/**
 * A device: a NIC's ports as far as packets go. Devices wrap devices; the innermost is {@code
 * net.socket}.
 *
 * <p>{@link #send}, {@link #receive}, {@link #advance} and {@link #await} belong to the duty
 * cycle's thread; {@link #wakeup} and {@link #connect} may be called by any; the rest tells what is
 * fixed once the device is open. Times are nanoseconds of one clock that never goes back.
 */
public interface PacketIo extends AutoCloseable {
  /** {@link #nextDeadlineNs} when nothing is held. */
  long NEVER = Long.MAX_VALUE;

  /** Ports, each on a plane of its own: 1 … 32. */
  int ports();

  /** Where a port is reached. */
  PlaneAddress address(int port);

  /** Largest payload a packet may have so that no port's interface fragments it: 256 … 8192. */
  int mtuBytes();

  /** Payload bytes that may wait to be received before any is lost, all ports together. */
  long receiveBufferBytes();

  /** Whether a port's interface is up; a question to the system, not for every packet. */
  boolean isUp(int port);

  /**
   * Opens the way to a peer.
   *
   * @param planes the peer's address on each plane; port n here talks to port n there
   * @param evsPerPlane EVs that are wanted to lead to it on each plane, 1 … 256
   * @return the EVs that do
   * @throws IOException when the system has no sockets left
   */
  PeerLink connect(List<PlaneAddress> planes, int evsPerPlane) throws IOException;

  /**
   * Sends a packet on the port that it names; its EV says how.
   *
   * @return false: the port cannot take it now. The caller offers the same packet again, unchanged
   *     since this call, before any other of that port; it was not sent
   * @throws IOException when the port failed; the packet was not sent and may be offered again
   */
  boolean send(Packet packet, long nowNs) throws IOException;

  /**
   * Takes the next waiting packet of a port.
   *
   * @param into overwritten; one with less room than the packet gets the packet's start and {@link
   *     Packet#cut}
   * @return false when none waits
   * @throws IOException when the port failed
   */
  boolean receive(int port, Packet into, long nowNs) throws IOException;

  /** Passes on what was held until now. Called every turn. */
  void advance(long nowNs);

  /** When {@link #advance} or {@link #receive} next has something that is held, or NEVER. */
  long nextDeadlineNs();

  /**
   * Waits until a packet may have come, {@link #wakeup} is called or {@code maxNs} have passed; it
   * may return early.
   */
  void await(long maxNs);

  /** Ends an {@link #await}, or the next one. */
  void wakeup();

  /** Closes every port and link. */
  @Override
  void close();
}
