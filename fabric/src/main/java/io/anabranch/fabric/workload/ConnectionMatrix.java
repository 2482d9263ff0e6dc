package io.anabranch.fabric.workload;

import io.anabranch.fabric.workload.Traffic.TriggerKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/**
 * Reads and writes traffic in uet-htsim's format: {@code Nodes N}, {@code Connections C}, if need
 * be {@code Triggers T}; a line a flow, {@code SRC->DST id I start PS size BYTES}, where {@code
 * trigger T} may stand instead of {@code start} and {@code send_done_trigger T} may follow; then
 * {@code trigger id T oneshot|multishot|barrier N}. A {@code #} begins a comment.
 */
public final class ConnectionMatrix {
  /** Hosts at most. */
  public static final int MAX_NODES = 1 << 20;

  /** Flows at most, and triggers at most. */
  public static final int MAX_FLOWS = 1 << 24;

  /** Bytes of a flow at most. */
  public static final long MAX_BYTES = 1L << 50;

  private static final long MAX_START_PS = 1_000_000_000_000_000L;

  private final TreeMap<Long, Integer> triggers = new TreeMap<>();
  private final Traffic traffic;
  private int nodes = -1;
  private long connections = -1;
  private long announcedTriggers = -1;
  private int flows;

  private ConnectionMatrix(Traffic traffic) {
    this.traffic = traffic;
  }

  /**
   * Adds a matrix's flows and triggers, in the order of the text; if it is refused, an unspecified
   * part of them.
   *
   * @return hosts that the matrix speaks of
   */
  public static int read(String text, Traffic into) throws MatrixSyntaxException {
    return new ConnectionMatrix(into).read(text);
  }

  private int read(String text) throws MatrixSyntaxException {
    List<Line> flowLines = new ArrayList<>();
    int number = 0;
    for (int at = 0; at < text.length(); ) {
      int end = text.indexOf('\n', at);
      end = end < 0 ? text.length() : end;
      number++;
      Line line = Line.of(number, text.substring(at, end));
      at = end + 1;
      if (line.words.length == 0) {
        continue;
      }
      switch (line.words[0]) {
        case "Nodes" -> nodes = (int) header(line, nodes, 2, MAX_NODES);
        case "Connections" -> connections = header(line, connections, 1, MAX_FLOWS);
        case "Triggers" -> announcedTriggers = header(line, announcedTriggers, 0, MAX_FLOWS);
        case "trigger" -> trigger(line);
        default -> {
          if (line.words[0].indexOf("->") < 0) {
            throw line.wrong(
                line.words[0],
                "allowed Nodes, Connections, Triggers, trigger, or a flow as 0->1 id 1 start 0"
                    + " size 4096");
          }
          if (flowLines.size() == MAX_FLOWS) {
            throw line.wrong(line.words[0], "allowed at most " + MAX_FLOWS + " flows");
          }
          flowLines.add(line);
        }
      }
    }
    // Triggers are declared after the flows that use them.
    for (Line line : flowLines) {
      flow(line);
    }
    checkCount("Connections", connections, flows, number);
    checkCount("Triggers", announcedTriggers, triggers.size(), number);
    return nodes;
  }

  private static void checkCount(String what, long announced, int found, int line)
      throws MatrixSyntaxException {
    if (announced >= 0 && announced != found) {
      throw new MatrixSyntaxException(
          Math.max(1, line), what + " " + announced + ", but the file has " + found);
    }
  }

  private static long header(Line line, long before, long min, long max)
      throws MatrixSyntaxException {
    if (before >= 0) {
      throw line.wrong(line.words[0], "allowed once");
    }
    line.length(2);
    return line.number(1, line.words[0], min, max);
  }

  private void trigger(Line line) throws MatrixSyntaxException {
    if (line.words.length < 4 || !line.words[1].equals("id")) {
      throw line.wrong(
          String.join(" ", line.words), "allowed trigger id T oneshot|multishot|barrier N");
    }
    long id = line.number(2, "id", 0, Long.MAX_VALUE);
    TriggerKind kind =
        switch (line.words[3]) {
          case "oneshot" -> TriggerKind.ONESHOT;
          case "multishot" -> TriggerKind.MULTISHOT;
          case "barrier" -> TriggerKind.BARRIER;
          default -> throw line.wrong(line.words[3], "allowed oneshot, multishot, barrier N");
        };
    line.length(kind == TriggerKind.BARRIER ? 5 : 4);
    int needed = kind == TriggerKind.BARRIER ? (int) line.number(4, "barrier", 1, MAX_FLOWS) : 1;
    if (triggers.size() == MAX_FLOWS) {
      throw line.wrong("trigger", "allowed at most " + MAX_FLOWS);
    }
    if (triggers.put(id, traffic.addTrigger(kind, needed)) != null) {
      throw line.wrong("trigger id " + id, "allowed once");
    }
  }

  private void flow(Line line) throws MatrixSyntaxException {
    if (nodes < 0) {
      throw line.wrong(line.words[0], "a line 'Nodes N' must come before");
    }
    int arrow = line.words[0].indexOf("->");
    int from = (int) line.value(line.words[0].substring(0, arrow), "source", 0, nodes - 1);
    int to = (int) line.value(line.words[0].substring(arrow + 2), "destination", 0, nodes - 1);
    if (from == to) {
      throw line.wrong(line.words[0], "allowed two different hosts");
    }
    long start = -1;
    long size = -1;
    int waitsFor = Traffic.NONE;
    int fires = Traffic.NONE;
    if (line.words.length % 2 == 0) {
      throw line.wrong(line.words[line.words.length - 1], "each word here needs a value");
    }
    for (int w = 1; w < line.words.length; w += 2) {
      String key = line.words[w];
      switch (key) {
        case "id" -> line.number(w + 1, key, 0, Long.MAX_VALUE);
        case "start" -> start = line.number(w + 1, key, 0, MAX_START_PS);
        case "size" -> size = line.number(w + 1, key, 1, MAX_BYTES);
        case "trigger" -> waitsFor = declared(line, w + 1);
        case "send_done_trigger" -> fires = declared(line, w + 1);
        default -> throw line.wrong(key, "allowed id, start, size, trigger, send_done_trigger");
      }
    }
    if (size < 0) {
      throw line.wrong(line.words[0], "size is missing");
    }
    if (start < 0 == waitsFor < 0) {
      throw line.wrong(line.words[0], "allowed either start or trigger");
    }
    int flow =
        waitsFor < 0
            ? traffic.add(from, to, size, start)
            : traffic.addWaiting(from, to, size, waitsFor);
    if (fires >= 0) {
      traffic.fires(flow, fires);
    }
    flows++;
  }

  private int declared(Line line, int word) throws MatrixSyntaxException {
    long id = line.number(word, line.words[word - 1], 0, Long.MAX_VALUE);
    Integer trigger = triggers.get(id);
    if (trigger == null) {
      throw line.wrong(line.words[word - 1] + " " + id, "no line 'trigger id " + id + "'");
    }
    return trigger;
  }

  /**
   * The text of some traffic: flows are numbered from 1, and a trigger has the number of the first
   * flow that fires it.
   */
  public static String write(Traffic traffic, int nodes) {
    int[] id = new int[traffic.triggers()];
    Arrays.fill(id, -1);
    List<Integer> order = new ArrayList<>();
    int flows = traffic.flows();
    for (int f = 0; f < flows; f++) {
      int fires = traffic.fired(f, 0);
      if (fires >= 0 && id[fires] < 0) {
        id[fires] = f + 1;
        order.add(fires);
      }
    }
    for (int t = 0; t < id.length; t++) {
      if (id[t] < 0) { // nothing fires it
        id[t] = flows + 1 + t;
        order.add(t);
      }
    }
    StringBuilder out = new StringBuilder(64 * (flows + order.size()));
    out.append("Nodes ").append(nodes).append("\nConnections ").append(flows).append('\n');
    if (!order.isEmpty()) {
      out.append("Triggers ").append(order.size()).append('\n');
    }
    for (int f = 0; f < flows; f++) {
      out.append(traffic.source(f)).append("->").append(traffic.destination(f));
      out.append(" id ").append(f + 1);
      if (traffic.waitsFor(f) < 0) {
        out.append(" start ").append(traffic.startPs(f));
      } else {
        out.append(" trigger ").append(id[traffic.waitsFor(f)]);
      }
      out.append(" size ").append(traffic.bytes(f));
      if (traffic.fired(f, 0) >= 0) {
        out.append(" send_done_trigger ").append(id[traffic.fired(f, 0)]);
      }
      out.append('\n');
    }
    for (int t : order) {
      out.append("trigger id ").append(id[t]);
      switch (traffic.kind(t)) {
        case ONESHOT -> out.append(" oneshot\n");
        case MULTISHOT -> out.append(" multishot\n");
        case BARRIER -> out.append(" barrier ").append(traffic.needed(t)).append('\n');
      }
    }
    return out.toString();
  }

  /** A line's words, without comment. */
  private static final class Line {
    private static final String[] EMPTY = {};

    private final int number;
    private final String[] words;

    private Line(int number, String[] words) {
      this.number = number;
      this.words = words;
    }

    static Line of(int number, String text) {
      int comment = text.indexOf('#');
      String content = (comment < 0 ? text : text.substring(0, comment)).strip();
      return new Line(number, content.isEmpty() ? EMPTY : content.split("\\s+", -1));
    }

    void length(int wanted) throws MatrixSyntaxException {
      if (words.length != wanted) {
        throw wrong(
            String.join(" ", words), "allowed " + wanted + " words, here are " + words.length);
      }
    }

    long number(int word, String field, long min, long max) throws MatrixSyntaxException {
      return value(words[word], field, min, max);
    }

    long value(String word, String field, long min, long max) throws MatrixSyntaxException {
      long value;
      try {
        value = Long.parseLong(word);
      } catch (NumberFormatException e) {
        throw wrong(field + ": '" + word + "'", "allowed " + min + "…" + max);
      }
      if (value < min || value > max) {
        throw wrong(field + ": " + word, "allowed " + min + "…" + max);
      }
      return value;
    }

    MatrixSyntaxException wrong(String what, String allowed) {
      String shown = what.length() > 80 ? what.substring(0, 80) + "…" : what;
      return new MatrixSyntaxException(number, shown + ", " + allowed);
    }
  }
}
