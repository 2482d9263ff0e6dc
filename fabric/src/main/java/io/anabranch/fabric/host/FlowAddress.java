package io.anabranch.fabric.host;

/** Where flows are written in the memory of their receivers: each has 256 GiB of its own. */
public final class FlowAddress {
  private static final int SHIFT = 38;

  private FlowAddress() {}

  /** The address of a flow's byte. */
  public static long of(int flow, long offset) {
    return ((long) flow << SHIFT) + offset;
  }

  /** The flow that an address belongs to. */
  public static int flow(long address) {
    return (int) (address >>> SHIFT);
  }

  /** Which byte of its flow an address is. */
  public static long offset(long address) {
    return address & (1L << SHIFT) - 1;
  }
}
