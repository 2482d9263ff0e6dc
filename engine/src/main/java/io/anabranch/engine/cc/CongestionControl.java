package io.anabranch.engine.cc;

import io.anabranch.engine.RttEstimate;
import io.anabranch.engine.config.CcConfig;
import io.anabranch.engine.config.NsccConfig;

/**
 * One destination's controller, shared by the queue pairs that send to it. Bytes are nominal sizes
 * (UDP length + 40). {@link #inflightBytes} is the sum over the copies that count as in flight: a
 * copy is added when it is sent and taken off once, when it is known to have arrived or counts as
 * lost, so it cannot drift.
 */
public interface CongestionControl {
  /**
   * A controller as configured, with nothing in flight.
   *
   * @param toldRttNs RTT told at set-up
   * @param rtt the destination's RTT
   */
  static CongestionControl of(CcConfig config, long toldRttNs, RttEstimate rtt) {
    return switch (config) {
      case CcConfig.FixedWindow fixed -> new FixedWindow(fixed.windowBytes());
      // More than PSN windows let out.
      case CcConfig.Unlimited unlimited -> new FixedWindow(CcConfig.MAX_WINDOW_BYTES);
      case NsccConfig nscc -> new Nscc(nscc, toldRttNs, rtt);
    };
  }

  /**
   * Whether a packet may be sent now. With nothing in flight one packet may always go. To be asked
   * only for a packet that would otherwise go: a refusal tells that the window is what holds the
   * sender back.
   *
   * @param bytes its nominal size
   */
  boolean maySend(int bytes);

  /** A copy was sent. */
  void onSend(int bytes);

  /** A copy is known to have arrived. */
  void onArrived(int bytes);

  /**
   * A SACK was taken in.
   *
   * @param newBytes advance of the queue pair's rcvd_bytes
   * @param rttNs an unambiguous RTT, or −1
   * @param marked whether the SACK says that its trigger was ECN-marked
   * @param penalty rcv_cwnd_pen, 0 … 127
   * @param restore restore_cwnd
   */
  void onSack(long newBytes, long rttNs, boolean marked, int penalty, boolean restore, long nowNs);

  /**
   * A copy in flight was refused by a NACK.
   *
   * @param trimmed whether the network trimmed it
   */
  void onNack(int bytes, boolean trimmed, long nowNs);

  /** A copy in flight counts as lost. */
  void onLoss(int bytes, long nowNs);

  /** A queue pair ends with copies in flight: they no longer count. */
  void onAbandon(long bytes);

  /** The congestion window. */
  long cwndBytes();

  /** Bytes in flight. */
  long inflightBytes();
}
