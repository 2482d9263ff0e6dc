package io.anabranch.fabric;

/** What became of each flow; numbers as in the traffic. */
public interface FlowTable {
  /** How many flows. */
  int count();

  /** When it started, or −1. */
  long startPs(int flow);

  /**
   * When the sender first took in a SACK or transport ACK whose cumulative PSN covers all of it, or
   * −1.
   */
  long finishPs(int flow);

  /** Whether its queue pair ended in error before it was acknowledged. */
  boolean failed(int flow);

  /** Whether it is of a round that did not begin before its job's time was over. */
  boolean omitted(int flow);

  /**
   * Payload bytes of it that the sender knows acknowledged cumulatively, in whole packets; in whole
   * messages if it failed or goes over several queue pairs.
   */
  long ackedBytes(int flow);
}
