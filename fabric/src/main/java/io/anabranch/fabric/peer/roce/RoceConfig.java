package io.anabranch.fabric.peer.roce;

import org.jspecify.annotations.Nullable;

/**
 * How hosts use RoCEv2: RC queue pairs that write.
 *
 * @param mtuBytes path MTU: 256, 512, 1024, 2048 or 4096
 * @param qpsPerPair queue pairs between two hosts that exchange data, each with a UDP source port
 *     of its own for life; a flow's messages go round them in turn; 1 … 1024
 * @param messageBytes a flow is written in messages of this size, a multiple of the MTU; 0 = one
 *     message
 * @param immediate whether messages are WRITEs with Immediate
 * @param ackEveryPackets the responder acknowledges every so many packets, and the last one of each
 *     message; 1 … 65536
 * @param timeout local ACK timeout 4.096 µs · 2^timeout, 1 … 31; 0 = never. Selective repeat has
 *     timeouts of its own
 * @param retryCount times in a row that a timeout or a NAK is answered without anything new having
 *     been acknowledged; then the queue pair fails; 0 … 7
 * @param recovery what is sent again after a loss
 * @param reorderPackets how far ahead of the packet that is due others may arrive before the
 *     responder sends a NAK; 0 = not at all, and with go-back-N only what is due is taken in; up to
 *     65536
 * @param adaptive whether switches choose the least queue among their uplinks for each packet
 * @param dcqcn congestion control; null = none
 */
public record RoceConfig(
    int mtuBytes,
    int qpsPerPair,
    long messageBytes,
    boolean immediate,
    int ackEveryPackets,
    int timeout,
    int retryCount,
    Recovery recovery,
    int reorderPackets,
    boolean adaptive,
    @Nullable DcqcnConfig dcqcn) {
  /** Packets under way of a queue pair with a bitmap, at most. */
  public static final int MAX_CAP_PACKETS = 1 << 16;

  private static final long TIMEOUT_STEP_PS = 4_096_000;

  /** Checks ranges. */
  public RoceConfig {
    Ranges.check("mtuBytes", mtuBytes, 256, 4096);
    if (Integer.bitCount(mtuBytes) != 1) {
      throw new IllegalArgumentException(
          "mtuBytes: " + mtuBytes + ", allowed 256, 512, 1024, 2048, 4096");
    }
    Ranges.check("qpsPerPair", qpsPerPair, 1, 1024);
    Ranges.check("messageBytes", messageBytes, 0, 1L << 31);
    if (messageBytes % mtuBytes != 0) {
      throw new IllegalArgumentException(
          "messageBytes: " + messageBytes + ", allowed multiples of " + mtuBytes);
    }
    Ranges.check("ackEveryPackets", ackEveryPackets, 1, MAX_CAP_PACKETS);
    Ranges.check("timeout", timeout, 0, 31);
    Ranges.check("retryCount", retryCount, 0, 7);
    Ranges.check("reorderPackets", reorderPackets, 0, MAX_CAP_PACKETS);
  }

  /** The local ACK timeout of an exponent. */
  public static long timeoutPs(int exponent) {
    return TIMEOUT_STEP_PS << exponent;
  }
}
