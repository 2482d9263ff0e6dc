package io.anabranch.tools.run;

import io.anabranch.fabric.FlowTable;
import io.anabranch.fabric.LinkTable;
import io.anabranch.fabric.workload.Traffic;
import java.util.Arrays;
import java.util.SortedMap;

/**
 * Finds what kept a run from being over sooner, from what the ports counted and when flows ran;
 * docs/scenarios.md has the rule.
 */
final class Bottleneck {
  /** Hosts that send so much of the time in which they have something to send are full. */
  private static final double FULL = 0.9;

  /** Hosts that have something to send for less of their time wait for something else. */
  private static final double BUSY = 0.5;

  /** Where queues of this part of their limit stood, data waited: ECN's low mark by default. */
  private static final double QUEUED = 0.2;

  private static final double BYTE_PS = 8e12;

  private final FlowTable table;
  private final Traffic traffic;
  private final LinkTable links;
  private final long nowPs;
  private final long tailPs;
  private final double psPerByte;
  private final Activity senders;
  private final Activity receivers;

  /**
   * @param nowPs the run's end
   * @param tailPs from when a flow's last packet has left its host, alone in the network, until the
   *     flow ends
   * @param hostRate all planes together
   */
  Bottleneck(
      FlowTable table,
      Traffic traffic,
      LinkTable links,
      int hosts,
      long nowPs,
      long tailPs,
      long hostRate) {
    this.table = table;
    this.traffic = traffic;
    this.links = links;
    this.nowPs = nowPs;
    this.tailPs = tailPs;
    psPerByte = BYTE_PS / hostRate;
    senders = activity(hosts, true);
    receivers = activity(hosts, false);
  }

  /**
   * What was found.
   *
   * @param limitedBy as {@link SimResult} has it
   * @param limits from which it follows
   */
  record Judgement(String limitedBy, SimResult.Limits limits) {}

  /**
   * When hosts had something to send, or others had something for them. A flow counts from its
   * start until its last packet left at the latest.
   */
  private static final class Activity {
    final double[] byHost;
    double allPs;

    /** From each host's first start to its last end, all hosts together. */
    double spanPs;

    Activity(int hosts) {
      byHost = new double[hosts];
    }
  }

  private Activity activity(int hosts, boolean sending) {
    int flows = traffic.flows();
    int[] end = new int[hosts + 1];
    for (int f = 0; f < flows; f++) {
      end[host(f, sending) + 1]++;
    }
    for (int h = 0; h < hosts; h++) {
      end[h + 1] += end[h];
    }
    int[] at = Arrays.copyOf(end, hosts);
    int[] byHost = new int[flows];
    for (int f = 0; f < flows; f++) {
      byHost[at[host(f, sending)]++] = f;
    }
    Activity activity = new Activity(hosts);
    for (int h = 0; h < hosts; h++) {
      activity.byHost[h] = activePs(byHost, end[h], end[h + 1]);
      activity.allPs += activity.byHost[h];
      activity.spanPs += spanPs(byHost, end[h], end[h + 1]);
    }
    return activity;
  }

  private double spanPs(int[] flows, int from, int to) {
    long first = Long.MAX_VALUE;
    long last = 0;
    for (int i = from; i < to; i++) {
      if (table.startPs(flows[i]) >= 0) {
        first = Math.min(first, table.startPs(flows[i]));
        last = Math.max(last, endPs(flows[i]));
      }
    }
    return last == 0 ? 0 : last - first;
  }

  private long endPs(int flow) {
    return table.finishPs(flow) >= 0 ? table.finishPs(flow) : nowPs;
  }

  private int host(int flow, boolean sending) {
    return sending ? traffic.source(flow) : traffic.destination(flow);
  }

  /** The time in which at least one of some flows is active. */
  private double activePs(int[] flows, int from, int to) {
    long[] starts = new long[to - from];
    long[] ends = new long[to - from];
    int n = 0;
    for (int i = from; i < to; i++) {
      int f = flows[i];
      long start = table.startPs(f);
      if (start >= 0) {
        long least = (long) (traffic.bytes(f) * psPerByte);
        starts[n] = start;
        ends[n++] = Math.max(start + least, endPs(f) - (table.finishPs(f) >= 0 ? tailPs : 0));
      }
    }
    Arrays.sort(starts, 0, n);
    Arrays.sort(ends, 0, n);
    double sum = 0;
    for (int i = 0; i < n; i++) {
      long begin = starts[i];
      // As long as fewer flows have ended than have started, one is active.
      while (i + 1 < n && starts[i + 1] <= ends[i]) {
        i++;
      }
      sum += ends[i] - begin;
    }
    return sum;
  }

  /** Sums over the links of a stage, each weighted by what it carried. */
  private static final class Stage {
    double bytes;
    double used;
    double queued;

    void add(double carried, double utilisation, double fill) {
      bytes += carried;
      used += carried * Math.min(1, utilisation);
      queued += carried * fill;
    }

    double used() {
      return bytes == 0 ? 0 : used / bytes;
    }

    double queued() {
      return bytes == 0 ? 0 : queued / bytes;
    }
  }

  /**
   * Judges the run.
   *
   * @param dropped packets, by cause
   */
  Judgement judge(SortedMap<String, Long> dropped) {
    double share = senders.spanPs == 0 ? 0 : Math.min(1, senders.allPs / senders.spanPs);
    double all = Math.max(1, wholePs() - tailPs);
    Stage host = new Stage();
    Stage core = new Stage();
    Stage lastHop = new Stage();
    double sentPs = 0;
    for (int place = 0; place < links.usedCount(); place++) {
      int link = links.used(place);
      double bytes = links.bytes(link);
      double ps = bytes * (BYTE_PS / links.rateBitsPerSecond(link));
      int from = links.hostFrom(link);
      int at = links.hostAt(link);
      if (from >= 0) {
        double active = senders.byHost[from];
        if (active > 0) {
          host.add(bytes, ps / active, 0);
          sentPs += Math.min(bytes * psPerByte, active);
        }
        continue;
      }
      // Where switches share buffers, a queue may be full long before its own limit.
      double fill =
          links.trimmed(link) > 0
              ? 1
              : (double) links.peakQueuedBytes(link) / links.queueLimitBytes(link);
      if (at < 0) {
        core.add(bytes, ps / all, fill);
      } else if (receivers.byHost[at] > 0) {
        lastHop.add(bytes, ps / receivers.byHost[at], fill);
      }
    }
    double hostShare = senders.allPs == 0 ? 0 : Math.min(1, sentPs / senders.allPs);
    long lost = 0;
    for (var cause : dropped.entrySet()) {
      lost += cause.getKey().endsWith("queue_full") ? 0 : cause.getValue();
    }
    return new Judgement(
        verdict(share, hostShare, host, core, lastHop, lost > 0),
        new SimResult.Limits(
            rounded(share),
            rounded(hostShare),
            rounded(core.used()),
            rounded(lastHop.used()),
            rounded(core.queued()),
            rounded(lastHop.queued())));
  }

  private static String verdict(
      double sending, double hostShare, Stage host, Stage core, Stage lastHop, boolean faults) {
    if (sending < BUSY) {
      return "application";
    }
    if (hostShare >= FULL) {
      return "host";
    }
    if (faults && host.used() >= FULL) {
      return "faults";
    }
    if (Math.max(core.queued(), lastHop.queued()) >= QUEUED) {
      double inCore = core.queued() * core.used();
      return inCore > lastHop.queued() * lastHop.used() ? "fabric_core" : "last_hop";
    }
    return faults ? "faults" : "window";
  }

  private double wholePs() {
    long first = Long.MAX_VALUE;
    long last = 0;
    for (int f = 0; f < traffic.flows(); f++) {
      if (table.startPs(f) >= 0) {
        first = Math.min(first, table.startPs(f));
        last = Math.max(last, endPs(f));
      }
    }
    return last == 0 ? 0 : last - first;
  }

  private static double rounded(double value) {
    return SimRun.rounded(value, 4);
  }
}
