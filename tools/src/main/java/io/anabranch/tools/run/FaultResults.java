package io.anabranch.tools.run;

import io.anabranch.fabric.fault.FaultCost;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What faults have cost, as results tell it. */
final class FaultResults {
  /** Columns of the CSV file, as {@link #row} fills them. */
  static final String COLUMNS =
      "rule,kind,target,start_us,end_us,packets_lost,copies_resent,queue_pairs,paths,paths_left,"
          + "last_left_us,slowest_left_us,goodput_before_gbps,goodput_gbps,goodput_lost_gbps";

  private FaultResults() {}

  static List<SimResult.Fault> of(List<FaultCost> costs) {
    List<SimResult.Fault> list = new ArrayList<>();
    for (FaultCost c : costs) {
      BigDecimal before = gbps(c.before().bytes(), c.before().ps());
      BigDecimal during = gbps(c.during().bytes(), c.during().ps());
      list.add(
          new SimResult.Fault(
              c.rule(),
              c.kind(),
              c.target(),
              Micros.of(c.startPs()),
              time(c.endPs()),
              c.packetsLost(),
              c.copiesResent(),
              c.queuePairs(),
              c.paths(),
              c.pathsLeft(),
              time(c.lastLeftPs() < 0 ? -1 : c.lastLeftPs() - c.startPs()),
              time(c.slowestPs()),
              before,
              during,
              before == null || during == null ? null : before.subtract(during)));
    }
    return list;
  }

  private static @Nullable BigDecimal time(long ps) {
    return ps < 0 ? null : Micros.of(ps);
  }

  /** Gigabits per second; null where no time has passed. */
  static @Nullable BigDecimal gbps(long bytes, long ps) {
    return ps <= 0
        ? null
        : BigDecimal.valueOf(bytes)
            .multiply(BigDecimal.valueOf(8_000))
            .divide(BigDecimal.valueOf(ps), 6, RoundingMode.HALF_EVEN);
  }

  /** A row's cells, but for the version. */
  static String row(SimResult.Fault f) {
    return String.join(
        ",",
        Integer.toString(f.rule()),
        f.kind(),
        f.target().indexOf(',') < 0 ? f.target() : "\"" + f.target() + "\"",
        text(f.startUs()),
        text(f.endUs()),
        Long.toString(f.packetsLost()),
        Long.toString(f.copiesResent()),
        Long.toString(f.queuePairs()),
        Long.toString(f.paths()),
        Long.toString(f.pathsLeft()),
        text(f.lastLeftUs()),
        text(f.slowestLeftUs()),
        text(f.goodputBeforeGbps()),
        text(f.goodputGbps()),
        text(f.goodputLostGbps()));
  }

  private static String text(@Nullable BigDecimal value) {
    return value == null ? "" : value.toPlainString();
  }
}
