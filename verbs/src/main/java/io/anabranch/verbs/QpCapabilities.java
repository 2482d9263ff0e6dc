package io.anabranch.verbs;

/**
 * How much a queue pair can hold. A work request holds its place until it has completed and, if it
 * gives a completion, that was polled: a completion queue as deep as all work queues that use it
 * never overflows.
 *
 * @param maxSendWr send requests that may be outstanding, 1 … 65536
 * @param maxReceiveWr receives that may be posted, 0 … 65536
 * @param maxSendSge pieces of memory that a send request gathers, 1 … 32
 * @param maxReceiveSge pieces of memory a receive; 0, since a receive takes an immediate alone
 * @param maxInlineBytes bytes of an inline send request, 0 … 4096
 */
public record QpCapabilities(
    int maxSendWr, int maxReceiveWr, int maxSendSge, int maxReceiveSge, int maxInlineBytes) {
  /** Most work requests in one direction. */
  public static final int MAX_WR = 65536;

  /** Most pieces of memory of a send request. */
  public static final int MAX_SGE = 32;

  /** Most inline bytes. */
  public static final int MAX_INLINE_BYTES = 4096;

  /** 128 sends of up to 4 pieces, 128 receives, 64 bytes inline. */
  public static final QpCapabilities DEFAULT = new QpCapabilities(128, 128, 4, 0, 64);

  /** Checks ranges. */
  public QpCapabilities {
    MrcException.range("maxSendWr", maxSendWr, 1, MAX_WR);
    MrcException.range("maxReceiveWr", maxReceiveWr, 0, MAX_WR);
    MrcException.range("maxSendSge", maxSendSge, 1, MAX_SGE);
    MrcException.range("maxReceiveSge", maxReceiveSge, 0, 0);
    MrcException.range("maxInlineBytes", maxInlineBytes, 0, MAX_INLINE_BYTES);
  }

  /** The same with other queue depths. */
  public QpCapabilities withDepths(int sendWr, int receiveWr) {
    return new QpCapabilities(sendWr, receiveWr, maxSendSge, maxReceiveSge, maxInlineBytes);
  }
}
