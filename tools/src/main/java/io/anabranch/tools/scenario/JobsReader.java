package io.anabranch.tools.scenario;

import io.anabranch.fabric.topology.TopologyConfig;
import io.anabranch.fabric.workload.ConnectionMatrix;
import io.anabranch.fabric.workload.Repeated;
import io.anabranch.fabric.workload.Traffic;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads what is sent: {@code traffic}, or {@code jobs} that each have some. */
final class JobsReader {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,63}");
  private static final List<String> UNTIL = List.of("time", "rounds", "payload");
  private static final int MAX_JOBS = 1000;

  private final Mistakes mistakes;
  private final TopologyConfig topology;
  private final int evsPerPlane;
  private final long seed;
  private final long maxEndPs;
  private final @Nullable Path folder;
  private final ToLongFunction<Traffic> idealPs;
  private final List<List<Integer>> evSets = new ArrayList<>();
  private final List<String> names = new ArrayList<>();
  private final List<Object> filled = new ArrayList<>();
  private Traffic traffic = new Traffic();

  /**
   * @param idealPs the time that no run of a traffic can beat
   */
  JobsReader(
      Mistakes mistakes,
      TopologyConfig topology,
      int evsPerPlane,
      long seed,
      long maxEndPs,
      @Nullable Path folder,
      ToLongFunction<Traffic> idealPs) {
    this.mistakes = mistakes;
    this.topology = topology;
    this.evsPerPlane = evsPerPlane;
    this.seed = seed;
    this.maxEndPs = maxEndPs;
    this.folder = folder;
    this.idealPs = idealPs;
  }

  private TrafficReader reader() {
    return new TrafficReader(mistakes, topology, evsPerPlane, seed, maxEndPs, folder, evSets);
  }

  /** Reads all of it, and keeps it in the scenario as it was filled in. */
  void read(Fields scenario) {
    if (!scenario.has("jobs")) {
      TrafficReader only = reader();
      only.read(scenario);
      traffic = only.traffic();
      scenario.filled().put("traffic", only.filled());
      return;
    }
    if (scenario.has("traffic")) {
      mistakes.add(
          scenario.place("traffic"), "traffic", "beside jobs, allowed only one of the two");
    }
    List<Node> items = scenario.items("jobs");
    if (items.isEmpty() || items.size() > MAX_JOBS) {
      mistakes.add(
          scenario.place("jobs"), "jobs", items.size() + " of them, allowed 1…" + MAX_JOBS);
      return;
    }
    for (int i = 0; i < items.size(); i++) {
      Fields fields = Fields.of(items.get(i), "jobs." + i, mistakes);
      job(fields);
      fields.end();
      filled.add(fields.filled());
    }
    scenario.filled().put("jobs", filled);
  }

  private void job(Fields fields) {
    String form = "letters, digits, '_', '-' and '.', up to 64, another one for each job";
    fields.need("name", form);
    String name = fields.text("name", "");
    if (fields.has("name") && (!NAME.matcher(name).matches() || names.contains(name))) {
      fields.refuse("name", form);
    }
    names.add(name);
    long startPs = fields.quantity("start", Quantity.TIME, 0, 0, maxEndPs);
    Fields until = fields.group("until");
    UNTIL.forEach(until::has);
    fields.need("traffic", "a list of rules");
    TrafficReader rules = reader();
    rules.read(fields);
    fields.filled().put("traffic", rules.filled());
    if (!mistakes.any()) {
      try {
        add(fields, until, rules.traffic(), startPs);
      } catch (IllegalArgumentException e) {
        mistakes.add(fields.place("until"), fields.path("until"), String.valueOf(e.getMessage()));
      }
    }
    until.end();
  }

  private void add(Fields fields, Fields until, Traffic round, long startPs) {
    boolean timed = until.has("time");
    boolean payload = until.has("payload");
    if (UNTIL.stream().filter(until::has).count() > 1) {
      fields.refuse("until", "one of {time: TIME}, {rounds: N}, {payload: SIZE}");
      return;
    }
    long rounds = 1;
    long untilPs = Traffic.NEVER;
    if (timed) {
      untilPs = until.quantity("time", Quantity.TIME, startPs + 1, startPs + 1, maxEndPs);
      rounds = Math.ceilDiv(untilPs - startPs, Math.max(1, idealPs.applyAsLong(round)));
    } else if (payload) {
      long bytes = until.quantity("payload", Quantity.SIZE, 1, 1, 1L << 60);
      long each = 0;
      for (int f = 0; f < round.flows(); f++) {
        each += round.bytes(f);
      }
      rounds = Math.ceilDiv(bytes, Math.max(1, each));
    } else {
      rounds = until.integer("rounds", 1, 1, ConnectionMatrix.MAX_FLOWS);
    }
    long flows = rounds * round.flows();
    if (rounds > ConnectionMatrix.MAX_FLOWS
        || traffic.flows() + flows > ConnectionMatrix.MAX_FLOWS) {
      mistakes.add(
          fields.place("until"),
          fields.path("until"),
          "up to "
              + rounds
              + " rounds of "
              + round.flows()
              + " flows, allowed "
              + ConnectionMatrix.MAX_FLOWS
              + " flows in all");
      return;
    }
    new Repeated(round, startPs, (int) rounds, untilPs).addTo(traffic);
  }

  Traffic traffic() {
    return traffic;
  }

  List<List<Integer>> evSets() {
    return evSets;
  }

  /** The jobs' names; none where there is only {@code traffic}. */
  List<String> names() {
    return names;
  }
}
