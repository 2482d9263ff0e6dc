package io.anabranch.tools.run;

import java.math.BigDecimal;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * What a simulation came to. All but {@code host} is a function of scenario, seed and program: the
 * same again is equal to the last digit. Figures that do not apply are null.
 *
 * @param version of this layout
 * @param scenario its name
 * @param seed of all chance
 * @param simulatedUs simulated time: until the last flow ended, or the run's end
 * @param flows of the traffic
 * @param packets of the whole run
 * @param planes each plane's part
 * @param evs use of EVs by the queue pairs of hosts that have a flow with EVs of its own
 * @param host what it cost to compute
 * @param expect each expectation and whether it was met; null = nobody asked
 * @param result PASS, FAIL or INTERRUPTED
 * @param reason why not PASS, or null
 */
public record SimResult(
    int version,
    String scenario,
    long seed,
    BigDecimal simulatedUs,
    Flows flows,
    Packets packets,
    List<Plane> planes,
    List<EvUse> evs,
    Host host,
    @Nullable List<Expected> expect,
    String result,
    @Nullable String reason) {
  /** This layout. */
  public static final int VERSION = 1;

  /** All flows completed and every expectation asked for was met. */
  public static final String PASS = "PASS";

  /** Some were not. */
  public static final String FAIL = "FAIL";

  /** Stopped from outside before the end. */
  public static final String INTERRUPTED = "INTERRUPTED";

  /**
   * Flows.
   *
   * @param count in the traffic
   * @param completed acknowledged in full
   * @param failed ended by an error
   * @param unfinished neither, those that never started among them
   * @param lastFinishUs when the last completed one did
   * @param fctUs completion times, each from the flow's start
   * @param goodputGbps payload of the completed flows over {@code lastFinishUs}
   */
  public record Flows(
      long count,
      long completed,
      long failed,
      long unfinished,
      @Nullable BigDecimal lastFinishUs,
      Fct fctUs,
      @Nullable BigDecimal goodputGbps) {}

  /**
   * Flow completion times of the completed flows; percentiles are nearest-rank.
   *
   * @param min shortest
   * @param p50 median
   * @param p99 99th percentile
   * @param max longest
   */
  public record Fct(
      @Nullable BigDecimal min,
      @Nullable BigDecimal p50,
      @Nullable BigDecimal p99,
      @Nullable BigDecimal max) {}

  /**
   * Packets.
   *
   * @param delivered data packets that arrived whole at their host, copies included
   * @param retransmitted data packets sent again
   * @param trimmed cut down by switches
   * @param dropped by cause, and {@code total}
   * @param ecnMarked marked by switches
   * @param hops packets of any kind fully serialised on a link
   */
  public record Packets(
      long delivered,
      long retransmitted,
      long trimmed,
      SortedMap<String, Long> dropped,
      long ecnMarked,
      long hops) {}

  /**
   * A plane.
   *
   * @param plane counted from 1
   * @param delivered data packets
   * @param share of all delivered
   */
  public record Plane(int plane, long delivered, double share) {}

  /**
   * How a queue pair spread its data packets.
   *
   * @param host the sender
   * @param qp its queue pair
   * @param shares EVs that carried any, by plane and EV
   */
  public record EvUse(int host, int qp, List<EvShare> shares) {}

  /**
   * An EV's part.
   *
   * @param plane counted from 1
   * @param ev its place among those of its plane, counted from 0
   * @param packets sent by it, copies included
   * @param share of the queue pair's packets
   */
  public record EvShare(int plane, int ev, long packets, double share) {}

  /**
   * What the run cost on this machine; the only part that differs from run to run.
   *
   * @param wallS real time of the run
   * @param cpuS CPU time of the whole process so far, start included
   * @param peakMib most memory that the process held
   * @param events events taken from the fabric's queue
   * @param hopsPerCpuS hops by CPU second
   */
  public record Host(double wallS, double cpuS, double peakMib, long events, double hopsPerCpuS) {}

  /**
   * An expectation.
   *
   * @param field path in this result
   * @param want in words: a value, or bounds
   * @param got what it is; null = this result has no such field
   * @param ok whether that is as wanted
   */
  public record Expected(String field, String want, @Nullable BigDecimal got, boolean ok) {}

  /** Whether it passed. */
  public boolean passed() {
    return result.equals(PASS);
  }

  /** The same, judged against expectations. */
  SimResult with(@Nullable List<Expected> expectations, String verdict, @Nullable String why) {
    return new SimResult(
        version,
        scenario,
        seed,
        simulatedUs,
        flows,
        packets,
        planes,
        evs,
        host,
        expectations,
        verdict,
        why);
  }
}
