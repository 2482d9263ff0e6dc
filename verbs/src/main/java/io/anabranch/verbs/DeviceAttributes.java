package io.anabranch.verbs;

import java.util.Set;

/**
 * What a device can do.
 *
 * @param supported whether it speaks MRC
 * @param protocolVersions bit n − 1 set: version n
 * @param maxWimmRequestor WRITEs with Immediate in flight that it can send, a queue pair
 * @param maxWimmResponder the same as responder
 * @param maxMprPackets largest maximum PSN range
 * @param mprUnitPackets units in which it is given
 * @param maxQpHints QP hints at a time
 * @param maxQueuePairs queue pairs at a time
 * @param maxCqDepth completions that a completion queue can hold
 * @param maxWr work requests in one direction of a queue pair
 * @param maxSge pieces of memory of a send request
 * @param maxInlineBytes bytes of an inline send request
 * @param ports ports, each a plane
 * @param capabilities what it supports; SVC_TIME is not among them
 */
public record DeviceAttributes(
    boolean supported,
    int protocolVersions,
    int maxWimmRequestor,
    int maxWimmResponder,
    int maxMprPackets,
    int mprUnitPackets,
    int maxQpHints,
    int maxQueuePairs,
    int maxCqDepth,
    int maxWr,
    int maxSge,
    int maxInlineBytes,
    int ports,
    Set<Capability> capabilities) {
  /** Copies. */
  public DeviceAttributes {
    capabilities = Set.copyOf(capabilities);
  }

  /** Optional parts of MRC. */
  public enum Capability {
    /** Answers trimmed packets with a NACK. */
    TRIM_NACK,
    /** Can change the maximum PSN range that it grants while connected. */
    DYNAMIC_MPR,
    /** Reports its service time. This device does not: no clock of its own measures it. */
    SVC_TIME
  }
}
