package io.anabranch.verbs;

import io.anabranch.engine.config.ResponderAttributes;

/**
 * Attributes of a queue pair that {@link QueuePair#modify} knows by name, with the range of those
 * that are numbers. The last seven are attributes of InfiniBand verbs that MRC does not have.
 */
public enum QpAttribute {
  /** The state to go to. */
  STATE,
  /** A {@link QpHint}. */
  HINT,
  /** An {@link EvProfile}. */
  EV_PROFILE,
  /** A {@link CcProfile}. */
  CC_PROFILE,

  /** The {@link Peer}: its address on each plane, and the way there. */
  PEER,
  /** The peer's QP number, 3 … 2^24 − 1. */
  DEST_QP_NUMBER(3, 0xff_ffff),
  /** PSN of the first packet that the peer sends, 0 … 2^24 − 1. */
  RECEIVE_PSN(0, 0xff_ffff),
  /** Payload bytes of a full packet, 256 … 8192 and at most the device's. */
  PATH_MTU(256, 8192),
  /** WRITEs with Immediate that the peer may have in flight, 32 … 4096. */
  MAX_WIMM_RESPONDER(32, 4096),
  /** Maximum PSN range that is granted, packets: a multiple of 128, 8 … 255 units. */
  MPR_RESPONDER(8 * ResponderAttributes.MPR_UNIT, 255 * ResponderAttributes.MPR_UNIT),
  /** 1 when the MPR granted may change while connected, which both must have agreed; else 0. */
  DYNAMIC_MPR_RESPONDER(0, 1),

  /** PSN of the first packet that is sent, as the peer was told; 0 … 2^24 − 1. */
  SEND_PSN(0, 0xff_ffff),
  /** WRITEs with Immediate that may be in flight, 1 … 4096, at most what the peer granted. */
  MAX_WIMM_REQUESTOR(1, 4096),
  /** Maximum PSN range that the peer granted, packets: a multiple of 128, 8 … 255 units. */
  MPR_REQUESTOR(8 * ResponderAttributes.MPR_UNIT, 255 * ResponderAttributes.MPR_UNIT),
  /** 1 when the MPR that the peer grants may change while connected; else 0. */
  DYNAMIC_MPR_REQUESTOR(0, 1),
  /** Local ACK timeout 1.024 µs · 2^t, t = 0 … 24; 0 switches it off. */
  TIMEOUT(0, 24),
  /** Expiries that use the timeout as it is, 0 … 7. */
  RETRY_LINEAR(0, 7),
  /** Expiries that double it, 0 … 25; 25 = for ever. */
  RETRY_EXPONENTIAL(0, 25),

  /** Not supported: a queue pair uses all ports. */
  PORT(0, 255),
  /** Not supported: there is no RNR in MRC. */
  RNR_RETRY(0, 7),
  /** Not supported: there is no RNR in MRC. */
  MIN_RNR_TIMER(0, 31),
  /** Not supported: there are no reads and atomics in MRC. */
  MAX_RD_ATOMIC(0, 255),
  /** Not supported: there are no reads and atomics in MRC. */
  MAX_DEST_RD_ATOMIC(0, 255),
  /** Not supported: all paths are in use already. */
  ALTERNATE_PATH(0, Long.MAX_VALUE),
  /** Not supported, as {@link #ALTERNATE_PATH}. */
  PATH_MIGRATION_STATE(0, 2);

  private final boolean isNumber;
  private final long min;
  private final long max;

  QpAttribute() {
    isNumber = false;
    min = 0;
    max = 0;
  }

  QpAttribute(long min, long max) {
    isNumber = true;
    this.min = min;
    this.max = max;
  }

  /** Whether this device has it. */
  public boolean supported() {
    return ordinal() < PORT.ordinal();
  }

  boolean isNumber() {
    return isNumber;
  }

  /** Checks a number's range; EINVAL with the attribute's name. */
  long check(long value) {
    MrcException.range(name(), value, min, max);
    boolean isMpr = this == MPR_RESPONDER || this == MPR_REQUESTOR;
    if (isMpr && value % ResponderAttributes.MPR_UNIT != 0) {
      throw MrcException.invalid(name(), value, "multiples of " + ResponderAttributes.MPR_UNIT);
    }
    return value;
  }
}
