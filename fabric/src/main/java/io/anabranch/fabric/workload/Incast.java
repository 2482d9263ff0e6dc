package io.anabranch.fabric.workload;

import java.util.List;

/**
 * Many send to one at once.
 *
 * @param senders sending hosts, the receiver not among them
 * @param receiver the one that all send to
 * @param bytes of each flow
 * @param startPs when all of them start
 */
public record Incast(List<Integer> senders, int receiver, long bytes, long startPs)
    implements Workload {
  /** Copies the hosts and checks them. */
  public Incast {
    senders = Hosts.distinct("senders", senders, 1);
    for (int sender : senders) {
      if (sender == receiver) {
        throw new IllegalArgumentException("senders: " + sender + " is the receiver");
      }
    }
  }

  @Override
  public void addTo(Traffic traffic) {
    for (int sender : senders) {
      traffic.add(sender, receiver, bytes, startPs);
    }
  }
}
