package io.anabranch.tools.run;

import io.anabranch.fabric.Fabric;
import io.anabranch.fabric.FlowTable;
import io.anabranch.fabric.LinkTable;
import io.anabranch.fabric.workload.Traffic;
import io.anabranch.tools.scenario.Scenario;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A run's CSV files: what changed in each interval. The first column of each is the version of its
 * layout; times are exact.
 */
final class CsvFiles implements AutoCloseable {
  private static final int VERSION = 1;
  private static final int UTILISATION_DECIMALS = 6;

  /** One file: rows are gathered here before they are written. */
  private static final class Table {
    private final WholeFile file;
    private final StringBuilder row = new StringBuilder();

    Table(Path folder, String name, String columns) throws IOException {
      file = new WholeFile(folder.resolve(name));
      file.writer().write("version," + columns + "\n");
    }

    Table row() {
      row.setLength(0);
      row.append(VERSION);
      return this;
    }

    Table time(long ps) {
      row.append(',');
      if (ps >= 0) {
        Micros.append(row, ps);
      }
      return this;
    }

    Table add(long value) {
      row.append(',').append(value);
      return this;
    }

    Table add(String value) {
      row.append(',').append(value);
      return this;
    }

    void end() throws IOException {
      row.append('\n');
      file.writer().append(row);
    }
  }

  private final Scenario scenario;
  private final Fabric fabric;
  private final EvCounts evs;
  private final List<Table> tables = new ArrayList<>();
  private final Table flows;
  private final Table results;
  private final Table links;
  private final Table queues;
  private final Table evUses;
  private final Table windows;
  private final @Nullable Table faults;
  private final long[] ackedBefore;

  /** Of the links used so far, by place. */
  private long[] packetsBefore = new long[0];

  private long[] bytesBefore = new long[0];
  private long[] queuedBefore = new long[0];
  private long[] peakBefore = new long[0];

  /** Places, as their links are numbered. */
  private Integer[] byLink = new Integer[0];

  private final TreeMap<Long, long[]> windowsBefore = new TreeMap<>();
  private long samplePs;

  CsvFiles(Path folder, Scenario scenario, Fabric fabric, EvCounts evs) throws IOException {
    this.scenario = scenario;
    this.fabric = fabric;
    this.evs = evs;
    Files.createDirectories(folder);
    boolean open = false;
    try {
      flows = table(folder, "flows.csv", "time_us,flow,source,destination,acked_bytes");
      results =
          table(
              folder,
              "flow_results.csv",
              "flow,source,destination,bytes,start_us,finish_us,fct_us,state");
      links = table(folder, "links.csv", "time_us,link,packets,bytes,utilisation");
      queues = table(folder, "queues.csv", "time_us,link,queued_bytes,peak_bytes");
      evUses = table(folder, "evs.csv", "time_us,host,qp,plane,ev,packets,state");
      windows =
          table(folder, "windows.csv", "time_us,source,destination,cwnd_bytes,inflight_bytes");
      faults =
          scenario.faults().isEmpty() ? null : table(folder, "faults.csv", FaultResults.COLUMNS);
      open = true;
    } finally {
      if (!open) {
        close();
      }
    }
    ackedBefore = new long[fabric.flows().count()];
  }

  private Table table(Path folder, String name, String columns) throws IOException {
    Table table = new Table(folder, name, columns);
    tables.add(table);
    return table;
  }

  /** Writes what changed since the sample before. */
  void sample(long nowPs) throws IOException {
    sampleFlows(nowPs);
    sampleLinks(nowPs);
    sampleEvs(nowPs);
    sampleWindows(nowPs);
    samplePs = nowPs;
  }

  private void sampleFlows(long nowPs) throws IOException {
    FlowTable table = fabric.flows();
    Traffic traffic = scenario.traffic();
    for (int f = 0; f < ackedBefore.length; f++) {
      if (table.startPs(f) < 0 || ackedBefore[f] == traffic.bytes(f)) {
        continue;
      }
      long acked = table.ackedBytes(f);
      if (acked != ackedBefore[f]) {
        ackedBefore[f] = acked;
        flows.row().time(nowPs).add(f).add(traffic.source(f));
        flows.add(traffic.destination(f)).add(acked).end();
      }
    }
  }

  /** Only links in use are looked at: most of a large network may be idle. */
  private void sampleLinks(long nowPs) throws IOException {
    LinkTable table = fabric.links();
    if (byLink.length < table.usedCount()) {
      moreLinks(table);
    }
    for (int place : byLink) {
      int l = table.used(place);
      long packets = table.packets(l);
      if (packets != packetsBefore[place]) {
        long bytes = table.bytes(l);
        long sent = bytes - bytesBefore[place];
        links.row().time(nowPs).add(table.name(l)).add(packets - packetsBefore[place]).add(sent);
        links.add(utilisation(table.rateBitsPerSecond(l), sent, nowPs - samplePs)).end();
        packetsBefore[place] = packets;
        bytesBefore[place] = bytes;
      }
      long queued = table.queuedBytes(l);
      long peak = table.peakQueuedBytes(l);
      if (queued != queuedBefore[place] || peak != peakBefore[place]) {
        queues.row().time(nowPs).add(table.name(l)).add(queued).add(peak).end();
        queuedBefore[place] = queued;
        peakBefore[place] = peak;
      }
    }
  }

  private void moreLinks(LinkTable table) {
    int n = table.usedCount();
    packetsBefore = Arrays.copyOf(packetsBefore, n);
    bytesBefore = Arrays.copyOf(bytesBefore, n);
    queuedBefore = Arrays.copyOf(queuedBefore, n);
    peakBefore = Arrays.copyOf(peakBefore, n);
    byLink = new Integer[n];
    Arrays.setAll(byLink, place -> place);
    Arrays.sort(byLink, Comparator.comparingInt(table::used));
  }

  /** A packet counts when it begins: a short interval may hold more than its time. */
  private static String utilisation(long rate, long bytes, long ps) {
    BigDecimal could = BigDecimal.valueOf(rate).multiply(BigDecimal.valueOf(ps));
    return BigDecimal.valueOf(bytes)
        .multiply(BigDecimal.valueOf(8_000_000_000_000L))
        .divide(could, UTILISATION_DECIMALS, RoundingMode.HALF_EVEN)
        .toPlainString();
  }

  private void sampleEvs(long nowPs) throws IOException {
    for (var uses : evs.byHost().values()) {
      for (EvCounts.Use use : uses.values()) {
        if (use.packets != use.packetsBefore || use.changed) {
          evUses.row().time(nowPs).add(use.host).add(use.qp).add(evs.planeOf(use) + 1);
          evUses
              .add(evs.place(use))
              .add(use.packets - use.packetsBefore)
              .add(use.stateName())
              .end();
          use.packetsBefore = use.packets;
          use.changed = false;
        }
      }
    }
  }

  private void sampleWindows(long nowPs) throws IOException {
    // Flows with EVs of their own have a window of their own: the ones of a pair count together.
    TreeMap<Long, long[]> now = new TreeMap<>();
    fabric.windows((source, destination, cwndBytes, inflightBytes) -> {
      long[] sum = now.computeIfAbsent((long) source << 32 | destination, _ -> new long[2]);
      sum[0] += cwndBytes;
      sum[1] += inflightBytes;
    });
    for (var entry : now.entrySet()) {
      long[] before = windowsBefore.get(entry.getKey());
      long[] sum = entry.getValue();
      if (before == null || before[0] != sum[0] || before[1] != sum[1]) {
        windowsBefore.put(entry.getKey(), sum);
        windows.row().time(nowPs).add(entry.getKey() >> 32).add(entry.getKey() & 0x7fff_ffffL);
        windows.add(sum[0]).add(sum[1]).end();
      }
    }
  }

  /** Writes a line a flow, and puts all files in their places. */
  void finish() throws IOException {
    FlowTable table = fabric.flows();
    Traffic traffic = scenario.traffic();
    for (int f = 0; f < table.count(); f++) {
      if (table.omitted(f)) {
        continue;
      }
      long start = table.startPs(f);
      long finish = table.finishPs(f);
      results.row().add(f).add(traffic.source(f)).add(traffic.destination(f));
      results.add(traffic.bytes(f)).time(start).time(finish);
      results.time(finish < 0 ? -1 : finish - start).add(state(table, f)).end();
    }
    if (faults != null) {
      for (SimResult.Fault fault : FaultResults.of(fabric.faults())) {
        faults.row().add(FaultResults.row(fault)).end();
      }
    }
    for (Table each : tables) {
      each.file.finish();
    }
  }

  private static String state(FlowTable table, int flow) {
    if (table.finishPs(flow) >= 0) {
      return "completed";
    }
    return table.failed(flow) ? "failed" : table.startPs(flow) < 0 ? "not_started" : "unfinished";
  }

  @Override
  public void close() throws IOException {
    IOException first = null;
    for (Table table : tables) {
      try {
        table.file.close();
      } catch (IOException e) {
        first = first == null ? e : first;
      }
    }
    if (first != null) {
      throw first;
    }
  }
}
