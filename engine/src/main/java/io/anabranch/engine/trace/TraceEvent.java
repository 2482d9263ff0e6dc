package io.anabranch.engine.trace;

/** What a trace can tell. The comments name the arguments a, b and c of {@link TraceSink#event}. */
public enum TraceEvent {
  /** Data packet sent: PSN, EV, port &lt;&lt; 1 | retransmission. */
  SENT,
  /** First arrival of a data packet: PSN, EV, port. */
  ARRIVED,
  /** SACK made: cack PSN, PSN of the trigger, bitmap. */
  SACK_SENT,
  /** SACK taken in: cack PSN, bytes newly received, bitmap. */
  SACK_RECEIVED,
  /** NACK made: PSN, EV, reason. */
  NACK_SENT,
  /** NACK taken in: PSN, EV, reason. */
  NACK_RECEIVED,
  /** Transport ACK made: PSN, messages completed, syndrome. */
  ACK_SENT,
  /** Transport ACK taken in: PSN, messages completed, syndrome. */
  ACK_RECEIVED,
  /** Copy counted as lost: PSN, EV, {@link LossCause} ordinal. */
  LOST,
  /** A copy counted as lost had arrived: PSN, reorder window in ns, 0. */
  SPURIOUS,
  /** ACK timer ended: expiries in a row, timeout in ns, PSN. */
  EXPIRED,
  /** Reliability probe sent: probe id, EV, port. */
  PROBE_SENT,
  /** Reliability probe answered: probe id, RTT in ns, EV. */
  PROBE_ANSWERED,
  /** EV probe sent to a peer: request id, EV, port. */
  EV_PROBE_SENT,
  /** EV probe answered: request id, RTT in ns, EV. */
  EV_PROBE_ANSWERED,
  /** EV state changed: EV, old state, new state. */
  EV_STATE,
  /** Plane set aside (b = 0) or back (b = 1) towards a peer: port, b, 0. */
  PLANE,
  /** Local port changed: port, 1 = up, 0. */
  PORT,
  /** Port status update taken in: mask, 0, 0. */
  PORT_STATUS,
  /** RTT sample: RTT in ns, base RTT in ns, smoothed RTT in ns. */
  RTT,
  /** Window: cwnd in bytes, inflight in bytes, 0. */
  WINDOW,
  /** Something discarded or refused: {@code DropReason} ordinal, PSN, opcode. */
  DROPPED,
  /** Queue pair state changed: new state's ordinal, 0, 0. */
  QP_STATE,
  /** Work request completed: wrId, status ordinal, bytes. */
  COMPLETED;

  /** How the requestor learnt of a loss (mrc-protocol, Requestor, copies (a) to (e)). */
  public enum LossCause {
    NACK,
    LATER_ON_EV,
    REORDER,
    PROBE,
    TIMEOUT,
    PORT_DOWN
  }
}
