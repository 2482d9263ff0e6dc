package io.anabranch.verbs;

/**
 * What a peer must be told of a queue pair, out of band, before both can be connected.
 *
 * @param endpoint what holds for all queue pairs of the device
 * @param qpNumber its QP number, 3 … 2^24 − 1
 * @param startPsn PSN of the first packet it will send, 0 … 2^24 − 1
 */
public record ConnectionInfo(EndpointInfo endpoint, int qpNumber, int startPsn) {
  /** Checks ranges. */
  public ConnectionInfo {
    QpAttribute.DEST_QP_NUMBER.check(qpNumber);
    QpAttribute.RECEIVE_PSN.check(startPsn);
  }
}
