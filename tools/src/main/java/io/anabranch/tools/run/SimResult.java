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
 * @param jobs each job's part, where the traffic has jobs
 * @param limitedBy what kept the run from being over sooner: application, host, fabric_core,
 *     last_hop, window or faults
 * @param limits what that was concluded from
 * @param faults each occurrence of a fault, in the order in which they began
 * @param phases of the run, as the scenario names them
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
    List<Job> jobs,
    String limitedBy,
    Limits limits,
    List<Fault> faults,
    List<Phase> phases,
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
   * A job's part.
   *
   * @param name as the scenario has it
   * @param firstFlow number of its first flow; the others follow
   * @param flows as of the whole run, but goodput counts from the job's first start
   * @param rounds that were completed
   * @param packets of its data
   */
  public record Job(String name, int firstFlow, Flows flows, Rounds rounds, JobPackets packets) {}

  /**
   * Rounds of a job.
   *
   * @param completed of which every flow is
   * @param us from the first start to the last finish of those
   */
  public record Rounds(long completed, Fct us) {}

  /**
   * Data packets of a job.
   *
   * @param delivered arrived whole, copies included
   * @param retransmitted sent again
   * @param trimmed arrived cut down
   * @param ecnMarked arrived with a mark
   */
  public record JobPackets(long delivered, long retransmitted, long trimmed, long ecnMarked) {}

  /**
   * What there was to use and to wait for; shares, of links weighted by the bytes they carried.
   *
   * @param sending of the time between a host's first start and last end, in which it had something
   *     to send
   * @param host of its line rate that a host used meanwhile
   * @param fabricCore of their rate that links between switches carried, over the whole run
   * @param lastHop of its rate that a link to a host carried while others had something for it
   * @param fabricCoreQueue of their limit that queues between switches filled at most; 1 where
   *     packets were trimmed
   * @param lastHopQueue the same of queues to hosts
   */
  public record Limits(
      double sending,
      double host,
      double fabricCore,
      double lastHop,
      double fabricCoreQueue,
      double lastHopQueue) {}

  /**
   * An occurrence of a fault.
   *
   * @param rule its place in the scenario's faults, counted from 0
   * @param kind of fault
   * @param target what it hit
   * @param startUs when it began
   * @param endUs when it was mended; null = not before the end
   * @param packetsLost dropped because of it, of any kind
   * @param copiesResent data packets sent again for that
   * @param queuePairs that lost a data packet to it
   * @param paths EVs of queue pairs that did
   * @param pathsLeft those that were taken out of use afterwards, EV or plane
   * @param lastLeftUs from its start until the last of them was
   * @param slowestLeftUs longest time from a path's first loss until it was
   * @param goodputBeforeGbps from the change before, of any fault, until it began
   * @param goodputGbps while it lasted
   * @param goodputLostGbps how much less that is
   */
  public record Fault(
      int rule,
      String kind,
      String target,
      BigDecimal startUs,
      @Nullable BigDecimal endUs,
      long packetsLost,
      long copiesResent,
      long queuePairs,
      long paths,
      long pathsLeft,
      @Nullable BigDecimal lastLeftUs,
      @Nullable BigDecimal slowestLeftUs,
      @Nullable BigDecimal goodputBeforeGbps,
      @Nullable BigDecimal goodputGbps,
      @Nullable BigDecimal goodputLostGbps) {}

  /**
   * A part of the run.
   *
   * @param name the scenario's
   * @param fromUs its beginning
   * @param toUs its end, or the run's if that came first
   * @param goodputGbps payload written in it; null = the run was over before
   */
  public record Phase(
      String name, BigDecimal fromUs, BigDecimal toUs, @Nullable BigDecimal goodputGbps) {}

  /**
   * What the run cost on this machine; the only part that differs from run to run.
   *
   * @param wallS real time of the run
   * @param cpuS CPU time of the whole process so far, start included
   * @param peakMib most memory that the process held
   * @param events events of the fabric, but for those of switches' ports
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
        jobs,
        limitedBy,
        limits,
        faults,
        phases,
        host,
        expectations,
        verdict,
        why);
  }
}
