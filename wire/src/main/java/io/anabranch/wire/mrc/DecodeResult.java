package io.anabranch.wire.mrc;

/** What became of a packet that was to be decoded. The names are shown to users. */
public enum DecodeResult {
  /** Whole and right, or trimmed and readable. */
  OK,
  /** Ends within a header, or before the length that its own header tells. */
  TRUNCATED,
  /** Neither IPv4 nor IPv6, or an IP header that contradicts itself. */
  BAD_IP_HEADER,
  /** IP, but no UDP in it. */
  NOT_UDP,
  /** A fragment: RoCEv2 packets are never fragmented. */
  FRAGMENT,
  /** BTH version other than 0. */
  BAD_VERSION,
  /** An opcode that MRC does not define. */
  UNKNOWN_OPCODE,
  /** Lengths of IP, UDP, headers and pad contradict each other. */
  BAD_LENGTH,
  /** Every field was read, but the ICRC is wrong. */
  BAD_ICRC,
  /** A field holds a value that the specification reserves, such as M = 3. */
  RESERVED_VALUE
}
