package io.anabranch.fabric.host;

import io.anabranch.fabric.workload.Traffic;
import io.anabranch.wire.mrc.Frame;

/** Counts each job's data packets, by the flow that a packet carries a part of. */
public final class JobCounts {
  private static final int CE = 3;

  private final Traffic traffic;
  private final long[] delivered;
  private final long[] retransmitted;
  private final long[] trimmed;
  private final long[] marked;

  /** Nothing counted yet. */
  public JobCounts(Traffic traffic) {
    this.traffic = traffic;
    int jobs = traffic.jobs().size();
    delivered = new long[jobs];
    retransmitted = new long[jobs];
    trimmed = new long[jobs];
    marked = new long[jobs];
  }

  /** A data packet has arrived, whole or trimmed. */
  public void arrived(Frame data) {
    int job = traffic.jobOf(data.payloadRef());
    if (data.trimmed()) {
      trimmed[job]++;
      return;
    }
    delivered[job]++;
    if (data.ecn() == CE) {
      marked[job]++;
    }
  }

  /** A copy of a data packet is sent. */
  public void sentAgain(Frame data) {
    retransmitted[traffic.jobOf(data.payloadRef())]++;
  }

  /** A job's data packets that arrived whole. */
  public long delivered(int job) {
    return delivered[job];
  }

  /** A job's data packets that were sent again. */
  public long retransmitted(int job) {
    return retransmitted[job];
  }

  /** A job's data packets that arrived trimmed. */
  public long trimmed(int job) {
    return trimmed[job];
  }

  /** A job's data packets that arrived whole with a mark. */
  public long marked(int job) {
    return marked[job];
  }
}
