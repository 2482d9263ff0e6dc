package io.anabranch.wire.mrc;

/**
 * DSCP values of MRC's traffic classes. They are configuration; {@link #DEFAULT} is ours, as one
 * public implementation has them.
 *
 * @param noTrim data that no switch may trim
 * @param trimmable data
 * @param trimmableRetx retransmitted data
 * @param trimmed set by a switch that trimmed
 * @param trimmedLastHop set by a switch that trimmed on the egress to the receiver
 * @param control SACK, NACK, transport ACK, endpoint responses, port status updates
 */
public record DscpMap(
    int noTrim, int trimmable, int trimmableRetx, int trimmed, int trimmedLastHop, int control) {
  public static final DscpMap DEFAULT = new DscpMap(0, 4, 8, 12, 16, 46);

  /** Checks that each value has 6 bits and that no two classes share one. */
  public DscpMap {
    int[] all = {noTrim, trimmable, trimmableRetx, trimmed, trimmedLastHop, control};
    long seen = 0;
    for (int dscp : all) {
      if (dscp < 0 || dscp > 63) {
        throw new IllegalArgumentException("dscp: " + dscp + ", allowed 0…63");
      }
      if ((seen >>> dscp & 1) != 0) {
        throw new IllegalArgumentException("dscp: " + dscp + " stands for two classes");
      }
      seen |= 1L << dscp;
    }
  }

  /** Whether {@code dscp} says that a switch trimmed the packet. */
  public boolean isTrimmed(int dscp) {
    return dscp == trimmed || dscp == trimmedLastHop;
  }
}
