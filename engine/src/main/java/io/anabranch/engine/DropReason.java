package io.anabranch.engine;

/**
 * Why an engine discarded or refused something that came from outside. Each has a counter; the
 * trace names the frame.
 */
public enum DropReason {
  /** The ICRC was wrong. */
  BAD_ICRC,
  /** An opcode that MRC does not define. */
  UNKNOWN_OPCODE,
  /** No queue pair of that number, or not in a state to take the packet. */
  UNKNOWN_QP,
  /** The source address is not the peer's on that plane. */
  WRONG_SOURCE,
  /** A payload length that its opcode or the path MTU does not allow. */
  BAD_LENGTH,
  /** A PSN more than 2 · MPR behind cack. */
  STALE_PSN,
  /** A PSN beyond the window; also answered with a NACK. */
  PSN_OUT_OF_WINDOW,
  /** A PSN already received; acknowledged again. */
  DUPLICATE,
  /** A trimmed packet; answered with a NACK. */
  TRIMMED,
  /** A trimmed probe or endpoint request. */
  TRIMMED_CONTROL,
  /** R_Key, protection domain, rights or bounds did not fit. */
  ACCESS,
  /** A WRITE with Immediate beyond the agreed limit or out of sequence. */
  BAD_IMMEDIATE,
  /** No receive was posted for an immediate. */
  NO_RECEIVE,
  /** A packet for a queue pair in ERROR. */
  QP_IN_ERROR,
  /** A SACK for PSNs never sent, or with a reserved mark. */
  BOGUS_SACK,
  /** A NACK for a PSN never sent. */
  BOGUS_NACK,
  /** A NACK for a copy that no longer counts. */
  OLD_NACK,
  /** A transport ACK for PSNs never sent. */
  BOGUS_ACK,
  /** An answer to a probe or request that is not outstanding. */
  UNKNOWN_ANSWER,
  /** A port status mask that leaves no common port. */
  BOGUS_PORT_MASK,
  /** An endpoint operation that MRC does not define, or one from no known peer. */
  BAD_ENDPOINT_REQUEST,
  /** A connection id (SPDCID, DPDCID) that is not the queue pair's. */
  BAD_CONNECTION_ID,
  /** The control queue of a port was full. */
  CONTROL_QUEUE_FULL,
  /** The driver had no buffer for the packet; answered with a NACK. */
  NO_PKT_BUFFER
}
