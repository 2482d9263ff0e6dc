package io.anabranch.fabric.peer.roce;

/** What a queue pair does about lost packets. */
public sealed interface Recovery {
  /**
   * As the InfiniBand specification has it: everything from the missing packet on is sent again.
   */
  record GoBackN() implements Recovery {}

  /**
   * Only what is missing is sent again: IRN (Mittal et al., "Revisiting Network Support for RDMA",
   * SIGCOMM 2018), with a bitmap at either end.
   *
   * @param capPackets BDP-FC: packets under way at most, 1 … 65536
   * @param rtoLowPs timeout with few packets under way, 1 ns … 1000 s
   * @param rtoHighPs timeout with more, at least {@code rtoLowPs}
   * @param rtoLowPackets how many are few, 0 … 65536
   */
  record SelectiveRepeat(int capPackets, long rtoLowPs, long rtoHighPs, int rtoLowPackets)
      implements Recovery {
    private static final long MOST_PS = 1_000_000_000_000_000L;

    /** Checks ranges. */
    public SelectiveRepeat {
      Ranges.check("capPackets", capPackets, 1, RoceConfig.MAX_CAP_PACKETS);
      Ranges.check("rtoLowPs", rtoLowPs, 1000, MOST_PS);
      Ranges.check("rtoHighPs", rtoHighPs, rtoLowPs, MOST_PS);
      Ranges.check("rtoLowPackets", rtoLowPackets, 0, RoceConfig.MAX_CAP_PACKETS);
    }
  }
}
