package io.anabranch.fabric.fault;

/**
 * What one occurrence of a fault cost.
 *
 * @param rule the fault's place in the configuration
 * @param kind its effect's
 * @param target what it hit
 * @param startPs when it began
 * @param endPs when it was mended, or −1
 * @param packetsLost packets of any kind that were dropped because of it
 * @param copiesResent data packets sent again because their copy before was among those
 * @param queuePairs queue pairs that lost a data packet to it
 * @param paths EVs of queue pairs that did
 * @param pathsLeft those of them that were taken out of use afterwards (the EV or its plane)
 * @param lastLeftPs when the last of them was, or −1
 * @param slowestPs longest time from a path's first loss until it was, or −1
 * @param before goodput from the change before, of any fault, until this one began
 * @param during goodput while it lasted
 */
public record FaultCost(
    int rule,
    String kind,
    String target,
    long startPs,
    long endPs,
    long packetsLost,
    long copiesResent,
    long queuePairs,
    long paths,
    long pathsLeft,
    long lastLeftPs,
    long slowestPs,
    Goodput before,
    Goodput during) {
  /**
   * Payload written to memory in a time.
   *
   * @param bytes each counted once
   * @param ps how long that took; 0: nothing can be said
   */
  public record Goodput(long bytes, long ps) {}
}
