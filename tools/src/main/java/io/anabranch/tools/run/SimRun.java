package io.anabranch.tools.run;

import io.anabranch.fabric.Fabric;
import io.anabranch.fabric.FabricConfig;
import io.anabranch.fabric.FlowTable;
import io.anabranch.fabric.JobTotals;
import io.anabranch.fabric.Totals;
import io.anabranch.fabric.Workers;
import io.anabranch.fabric.topology.TopologyConfig;
import io.anabranch.fabric.workload.Traffic;
import io.anabranch.tools.scenario.Quantity;
import io.anabranch.tools.scenario.Scenario;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Runs a scenario in slices of simulated time, so that it can be watched, sampled and stopped. */
public final class SimRun {
  /**
   * What to do beside running.
   *
   * @param wire every packet is encoded, checked and decoded at its receiver
   * @param check invariants are watched
   * @param expect the scenario's expectations are judged
   * @param csv folder for CSV files, or null
   * @param permuteTies events at the same instant are taken in an order drawn from the seed
   * @param capture takes packets, or null
   * @param threads at most so many run the network, 1 … {@value #MAX_THREADS}; the results are the
   *     same
   */
  public record Options(
      boolean wire,
      boolean check,
      boolean expect,
      @Nullable Path csv,
      boolean permuteTies,
      @Nullable SimCapture capture,
      int threads) {
    /** The most threads there may be. */
    public static final int MAX_THREADS = 16;

    /** Without the rarer ones. */
    public Options(boolean wire, boolean check, boolean expect, @Nullable Path csv) {
      this(wire, check, expect, csv, false, null, 1);
    }
  }

  private static final int MAX_NAMED_FLOWS = 5;
  private static final long PROGRESS_NS = 250_000_000;

  // A slice takes some hundredths of a second: short enough to be stopped and watched.
  private static final long SHORT_SLICE_NS = 20_000_000;
  private static final long LONG_SLICE_NS = 80_000_000;
  private static final long FIRST_SLICE_PS = 1_000_000;
  // Shorter than this, nodes would be run one after another for less than a link takes.
  private static final long MIN_SLICE_PS = 2_000_000;

  private final Scenario scenario;
  private final Options options;
  private final SimWatch watch;
  private final EvCounts evs;
  private final BitSet ownEvHosts = new BitSet();
  private final @Nullable ThreadWorkers workers;
  private final Fabric fabric;
  private final PhaseLog phases;
  private final long beganNs = System.nanoTime();
  private volatile boolean stopped;
  private @Nullable String broken;
  private long atPs;

  /**
   * Builds the network; nothing has run yet.
   *
   * @throws IllegalArgumentException when the fabric refuses it
   */
  public SimRun(Scenario scenario, Options options, SimWatch watch) {
    this.scenario = scenario;
    this.options = options;
    this.watch = watch;
    Traffic traffic = scenario.traffic();
    for (int f = 0; f < traffic.flows(); f++) {
      if (traffic.evSet(f) >= 0) {
        ownEvHosts.set(traffic.source(f));
      }
    }
    boolean all = options.csv() != null;
    evs = new EvCounts(host -> all || ownEvHosts.get(host), scenario.evsPerPlane());
    FabricConfig config = scenario.fabric(options.wire(), options.check(), options.permuteTies());
    SimCapture capture = options.capture();
    workers = options.threads() == 1 ? null : new ThreadWorkers(options.threads());
    fabric =
        new Fabric(
            config,
            all || !ownEvHosts.isEmpty() ? evs : null,
            capture == null ? null : capture.taps(),
            options.threads(),
            workers == null ? Workers.IN_TURN : workers);
    phases = new PhaseLog(scenario.phases(), fabric);
    int common = scenario.evsPerPlane() * scenario.topology().planes();
    for (int i = 0; i < common; i++) {
      evs.name(i, fabric.ev(i));
    }
  }

  /** Asks the run to end soon; from any thread. */
  public void stop() {
    stopped = true;
  }

  /**
   * Runs to the end, or until it is stopped. CSV files hold what happened until then.
   *
   * @throws IOException when a file cannot be written
   */
  public SimResult run() throws IOException {
    Path folder = options.csv();
    try (ThreadWorkers _ = workers) {
      if (folder == null) {
        loop(null);
      } else {
        try (CsvFiles csv = new CsvFiles(folder, scenario, fabric, evs)) {
          loop(csv);
          csv.finish();
        }
      }
    }
    if (options.capture() != null) {
      options.capture().finish();
    }
    return judged(result());
  }

  private void loop(@Nullable CsvFiles csv) throws IOException {
    long slicePs = FIRST_SLICE_PS;
    long samplePs = csv == null ? Long.MAX_VALUE : scenario.intervalPs();
    long sampledPs = 0;
    long toldNs = beganNs;
    boolean left = true;
    phases.note(0);
    while (left && !stopped) {
      if (options.capture() != null) {
        options.capture().check();
      }
      long before = System.nanoTime();
      long until = Math.min(Math.min(atPs + slicePs, samplePs), scenario.endPs());
      until = Math.min(until, phases.nextPs(atPs));
      left = step(until);
      // Once all flows have ended, the time is the last one's.
      atPs = left || broken == null && anyUnended() ? until : fabric.nowPs();
      phases.note(atPs);
      if (csv != null && atPs == samplePs) {
        csv.sample(atPs);
        sampledPs = atPs;
        samplePs += scenario.intervalPs();
      }
      long now = System.nanoTime();
      long took = now - before;
      slicePs =
          took < SHORT_SLICE_NS
              ? slicePs * 2
              : took > LONG_SLICE_NS ? Math.max(MIN_SLICE_PS, slicePs / 2) : slicePs;
      slicePs = Math.min(slicePs, scenario.endPs());
      if (watch.wanted() && now - toldNs >= PROGRESS_NS) {
        toldNs = now;
        watch.progress(atPs, fabric.totals().events(), done(), now - beganNs);
      }
    }
    if (csv != null && atPs > sampledPs) {
      csv.sample(atPs);
    }
  }

  private boolean step(long untilPs) {
    try {
      return fabric.runTo(untilPs);
    } catch (IllegalStateException e) {
      String message = String.valueOf(e.getMessage());
      String where =
          " (seed " + scenario.seed() + ", at " + Quantity.TIME.format(fabric.nowPs()) + ")";
      if (!message.startsWith("invariant broken")) {
        throw new IllegalStateException(message + where, e);
      }
      broken = message + where;
      return false;
    }
  }

  private boolean anyUnended() {
    FlowTable flows = fabric.flows();
    for (int f = 0; f < flows.count(); f++) {
      if (flows.finishPs(f) < 0 && !flows.failed(f) && !flows.omitted(f)) {
        return true;
      }
    }
    return false;
  }

  private double done() {
    FlowTable flows = fabric.flows();
    double acked = 0;
    for (int f = 0; f < flows.count(); f++) {
      acked += flows.failed(f) ? scenario.traffic().bytes(f) : flows.ackedBytes(f);
    }
    return acked / scenario.figures().payloadBytes();
  }

  private SimResult result() {
    Totals totals = fabric.totals();
    SortedMap<String, Long> dropped = new TreeMap<>(totals.dropped());
    long droppedInAll = 0;
    for (long each : totals.dropped().values()) {
      droppedInAll += each;
    }
    dropped.put("total", droppedInAll);
    List<SimResult.Plane> planes = new ArrayList<>();
    for (int p = 0; p < scenario.topology().planes(); p++) {
      long delivered = fabric.deliveredOnPlane(p);
      planes.add(new SimResult.Plane(p + 1, delivered, share(delivered, totals.delivered())));
    }
    Bottleneck.Judgement limit = bottleneck().judge(totals.dropped());
    return new SimResult(
        SimResult.VERSION,
        scenario.name(),
        scenario.seed(),
        Micros.of(atPs),
        FlowFigures.of(fabric.flows(), scenario.traffic(), 0, scenario.traffic().flows(), 0),
        new SimResult.Packets(
            totals.delivered(),
            totals.retransmitted(),
            totals.trimmed(),
            dropped,
            totals.ecnMarked(),
            totals.hops()),
        planes,
        evUses(),
        jobs(),
        limit.limitedBy(),
        limit.limits(),
        FaultResults.of(fabric.faults()),
        phases.results(atPs),
        HostCost.of(System.nanoTime() - beganNs, totals),
        null,
        SimResult.PASS,
        null);
  }

  private static double share(long part, long all) {
    return all == 0 ? 0 : rounded((double) part / all, 6);
  }

  static double rounded(double value, int decimals) {
    return BigDecimal.valueOf(value).setScale(decimals, RoundingMode.HALF_EVEN).doubleValue();
  }

  private List<SimResult.Job> jobs() {
    List<SimResult.Job> jobs = new ArrayList<>();
    for (int j = 0; j < scenario.jobs().size(); j++) {
      Traffic.Job job = scenario.traffic().jobs().get(j);
      JobTotals totals = fabric.totals(j);
      jobs.add(
          new SimResult.Job(
              scenario.jobs().get(j),
              job.first(),
              FlowFigures.of(fabric.flows(), scenario.traffic(), job.first(), job.end(), -1),
              FlowFigures.rounds(fabric.flows(), job),
              new SimResult.JobPackets(
                  totals.delivered(),
                  totals.retransmitted(),
                  totals.trimmed(),
                  totals.ecnMarked())));
    }
    return jobs;
  }

  private Bottleneck bottleneck() {
    TopologyConfig topology = scenario.topology();
    long rate = topology.hostLink().rateBitsPerSecond();
    int packet = scenario.sizes().dataBytes(scenario.transport().mtuBytes());
    return new Bottleneck(
        fabric.flows(),
        scenario.traffic(),
        fabric.links(),
        topology.hosts(),
        atPs,
        Math.max(0, scenario.figures().baseRttPs() - (long) (packet * 8e12 / rate)),
        rate * topology.planes());
  }

  private List<SimResult.EvUse> evUses() {
    List<SimResult.EvUse> uses = new ArrayList<>();
    evs.byHost()
        .forEach((host, all) -> {
          if (!ownEvHosts.get(host)) {
            return;
          }
          TreeMap<Integer, List<EvCounts.Use>> byQp = new TreeMap<>();
          for (EvCounts.Use use : all.values()) {
            if (use.packets > 0) {
              byQp.computeIfAbsent(use.qp, _ -> new ArrayList<>()).add(use);
            }
          }
          byQp.forEach((qp, list) -> uses.add(new SimResult.EvUse(host, qp, shares(list))));
        });
    return uses;
  }

  private List<SimResult.EvShare> shares(List<EvCounts.Use> uses) {
    long all = uses.stream().mapToLong(use -> use.packets).sum();
    List<SimResult.EvShare> shares = new ArrayList<>();
    for (EvCounts.Use use : uses) {
      shares.add(
          new SimResult.EvShare(
              evs.planeOf(use) + 1, evs.place(use), use.packets, share(use.packets, all)));
    }
    shares.sort((a, b) ->
        a.plane() == b.plane()
            ? Integer.compare(a.ev(), b.ev())
            : Integer.compare(a.plane(), b.plane()));
    return shares;
  }

  private SimResult judged(SimResult result) {
    List<SimResult.Expected> expected = options.expect() ? expected(result) : null;
    String reason = broken != null ? broken : flowsMissing(result);
    if (stopped && (reason != null || result.flows().unfinished() > 0)) {
      return result.with(
          expected,
          SimResult.INTERRUPTED,
          "stopped at " + Quantity.TIME.format(atPs) + " of simulated time");
    }
    if (reason == null && expected != null) {
      long missed = expected.stream().filter(each -> !each.ok()).count();
      if (missed > 0) {
        reason = missed + " of " + expected.size() + " expectations not met";
      }
    }
    return result.with(expected, reason == null ? SimResult.PASS : SimResult.FAIL, reason);
  }

  /** Those of the topology first. */
  private List<SimResult.Expected> expected(SimResult result) {
    List<SimResult.Expected> all = new ArrayList<>(TopoResult.expected(scenario));
    all.addAll(
        ResultJson.judge(
            result,
            scenario.expectations().stream().filter(each -> !each.isOfTopology()).toList()));
    return all;
  }

  private @Nullable String flowsMissing(SimResult result) {
    SimResult.Flows flows = result.flows();
    if (flows.completed() == flows.count()) {
      return null;
    }
    StringBuilder text = new StringBuilder();
    if (flows.failed() > 0) {
      text.append(flows.failed()).append(" of ").append(flows.count()).append(" flows failed");
    }
    if (flows.unfinished() > 0) {
      text.append(text.isEmpty() ? "" : ", ").append(flows.unfinished()).append(" of ");
      text.append(flows.count()).append(" flows did not finish by ");
      text.append(Quantity.TIME.format(atPs));
    }
    FlowTable table = fabric.flows();
    Traffic traffic = scenario.traffic();
    int named = 0;
    for (int f = 0; f < table.count() && named < MAX_NAMED_FLOWS; f++) {
      if (table.finishPs(f) < 0 && !table.omitted(f)) {
        text.append(named++ == 0 ? ": flow " : "; flow ").append(f);
        text.append(" (").append(traffic.source(f)).append(" to ").append(traffic.destination(f));
        text.append(table.startPs(f) < 0 ? ", never started" : "");
        if (table.startPs(f) >= 0) {
          text.append(", ").append(table.ackedBytes(f)).append(" of ").append(traffic.bytes(f));
          text.append(" B acknowledged");
        }
        text.append(')');
      }
    }
    return text.append(flows.count() - flows.completed() > named ? "; …" : "").toString();
  }
}
