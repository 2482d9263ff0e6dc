package io.anabranch.tools.run;

import io.anabranch.fabric.FlowTable;
import io.anabranch.fabric.workload.Traffic;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Figures of flows that follow each other: all of a run, or a job's. */
final class FlowFigures {
  private FlowFigures() {}

  /**
   * Counts, times and goodput. Flows of rounds that did not take place are left out.
   *
   * @param sincePs goodput counts from then on; −1 = from the first start
   */
  static SimResult.Flows of(FlowTable table, Traffic traffic, int from, int to, long sincePs) {
    long[] times = new long[to - from];
    int count = 0;
    int completed = 0;
    int failed = 0;
    long payload = 0;
    long last = -1;
    long first = Long.MAX_VALUE;
    for (int f = from; f < to; f++) {
      if (table.omitted(f)) {
        continue;
      }
      count++;
      if (table.startPs(f) >= 0) {
        first = Math.min(first, table.startPs(f));
      }
      if (table.finishPs(f) >= 0) {
        times[completed++] = table.finishPs(f) - table.startPs(f);
        payload += traffic.bytes(f);
        last = Math.max(last, table.finishPs(f));
      } else if (table.failed(f)) {
        failed++;
      }
    }
    long tookPs = last - (sincePs < 0 ? first : sincePs);
    return new SimResult.Flows(
        count,
        completed,
        failed,
        count - completed - failed,
        last < 0 ? null : Micros.of(last),
        ranks(Arrays.copyOf(times, completed)),
        last < 0 || tookPs <= 0 ? null : gbps(payload, tookPs));
  }

  /** Times of a job's rounds of which all flows are completed. */
  static SimResult.Rounds rounds(FlowTable table, Traffic.Job job) {
    long[] times = new long[job.rounds()];
    int completed = 0;
    for (int round = job.first(); round < job.end(); round += job.perRound()) {
      long first = Long.MAX_VALUE;
      long last = 0;
      for (int f = round; f < round + job.perRound() && last >= 0; f++) {
        first = Math.min(first, table.startPs(f));
        last = table.finishPs(f) < 0 ? -1 : Math.max(last, table.finishPs(f));
      }
      if (last >= 0) {
        times[completed++] = last - first;
      }
    }
    return new SimResult.Rounds(completed, ranks(Arrays.copyOf(times, completed)));
  }

  private static SimResult.Fct ranks(long[] times) {
    Arrays.sort(times);
    return new SimResult.Fct(rank(times, 0), rank(times, 50), rank(times, 99), rank(times, 100));
  }

  /** Nearest rank: the smallest value that at least so many per cent do not exceed. */
  static @Nullable BigDecimal rank(long[] sorted, int percent) {
    if (sorted.length == 0) {
      return null;
    }
    long rank = Math.max(1, Math.ceilDiv((long) sorted.length * percent, 100));
    return Micros.of(sorted[(int) rank - 1]);
  }

  private static BigDecimal gbps(long payloadBytes, long ps) {
    return BigDecimal.valueOf(payloadBytes)
        .multiply(BigDecimal.valueOf(8_000))
        .divide(BigDecimal.valueOf(ps), 6, RoundingMode.HALF_EVEN);
  }
}
