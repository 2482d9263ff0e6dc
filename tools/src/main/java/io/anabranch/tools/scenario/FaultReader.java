package io.anabranch.tools.scenario;

import io.anabranch.fabric.fault.Effect;
import io.anabranch.fabric.fault.Fault;
import io.anabranch.fabric.fault.Span;
import io.anabranch.fabric.fault.Targets;
import io.anabranch.fabric.fault.Timing;
import io.anabranch.fabric.topology.Topology;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/** Reads {@code faults}. */
final class FaultReader {
  private static final long DETECT_PS = 10_000_000;
  private static final long MAX_RATE = 10_000_000_000_000L;
  private static final long MIN_RATE = 1_000_000;
  private static final long MAX_DELAY_PS = 1_000_000_000_000L;
  private static final long MAX_OCCURRENCES = 100_000;

  /** Names of what can be wrong. */
  enum Kind {
    DOWN,
    SILENT,
    SLOW,
    DELAY,
    LOSSY,
    BURST,
    CORRUPTING,
    MISWIRED,
    LOSSY_EV
  }

  private final Mistakes mistakes;
  private final Topology wiring;
  private final Targets targets;
  private final int evsPerPlane;
  private final List<Fault> faults = new ArrayList<>();
  private final List<Fields> places = new ArrayList<>();
  private final List<Integer> counts = new ArrayList<>();
  private final List<Object> filled = new ArrayList<>();

  FaultReader(Mistakes mistakes, Topology wiring, int evsPerPlane) {
    this.mistakes = mistakes;
    this.wiring = wiring;
    this.evsPerPlane = evsPerPlane;
    targets = new Targets(wiring);
  }

  void read(Fields root) {
    List<Node> items = root.items("faults");
    for (int i = 0; i < items.size(); i++) {
      add(Fields.of(items.get(i), "faults." + i, mistakes));
    }
  }

  private void add(Fields fields) {
    fields.need("kind", "down, silent, slow, delay, lossy, burst, corrupting, …");
    Kind kind = fields.choice("kind", Kind.DOWN, Kind.class);
    List<String> names = kind == Kind.LOSSY_EV ? List.of() : names(fields, kind);
    int elements = 0;
    for (String name : names) {
      int found = elements(fields, kind, name);
      elements += found;
    }
    int pick = kind == Kind.LOSSY_EV || kind == Kind.MISWIRED ? 0 : pick(fields, elements);
    Effect effect = effect(fields, kind);
    Timing timing = timing(fields);
    fields.end();
    faults.add(new Fault(effect, names, pick, timing));
    places.add(fields);
    counts.add(timing instanceof Timing.Chance ? Math.max(1, pick == 0 ? elements : pick) : 1);
    filled.add(fields.filled());
  }

  private List<String> names(Fields fields, Kind kind) {
    String allowed =
        switch (kind) {
          case SILENT -> "a switch such as " + wiring.switchName(0);
          case MISWIRED -> "two cables such as " + cable();
          default ->
              "a link such as "
                  + wiring.name(wiring.links() / 2)
                  + " or "
                  + cable()
                  + ", a switch such as "
                  + wiring.switchName(0)
                  + ", a NIC port such as p1.h0, or a plane such as p1; or a list of these";
        };
    fields.need("target", allowed);
    List<String> names = fields.texts("target", allowed);
    if (kind == Kind.MISWIRED && names.size() != 2 && fields.has("target")) {
      fields.refuse("target", "two cables such as " + cable());
    }
    return names;
  }

  private String cable() {
    return wiring.name(wiring.hostLink(0, 0)).replace('>', '-');
  }

  private int elements(Fields fields, Kind kind, String name) {
    List<Targets.Element> found = targets.named(name);
    if (found.isEmpty()) {
      fields.refuse(
          "target",
          name
              + ": nothing has that name; such as "
              + cable()
              + ", "
              + wiring.switchName(0)
              + ", p1.h0 or p1");
    } else if (kind == Kind.SILENT && found.getFirst().switches().isEmpty()) {
      fields.refuse("target", name + ": no switch; one such as " + wiring.switchName(0));
    } else if (kind == Kind.MISWIRED
        && (found.size() != 1 || found.getFirst().links().size() != 2)) {
      fields.refuse("target", name + ": not one cable; one such as " + cable());
    }
    return found.size();
  }

  /** How many of the elements: a number, or a share of them; 0 = all. */
  private int pick(Fields fields, int elements) {
    String text = fields.single("pick");
    if (text == null || text.equals("all")) {
      fields.filled().put("pick", "all");
      return 0;
    }
    if (text.endsWith("%")) {
      double share = fields.ratio("pick", 1);
      fields.filled().put("pick", text);
      return (int) Math.max(1, Math.round(share * elements));
    }
    return fields.count("pick", 1, 1, Math.max(1, elements));
  }

  private Effect effect(Fields fields, Kind kind) {
    return switch (kind) {
      case DOWN ->
          new Effect.Down(
              orWord(fields, "detect", "never", DETECT_PS, 0),
              orWord(fields, "converge", "never", Effect.NEVER, 0));
      case SILENT -> new Effect.Silent();
      case SLOW -> {
        fields.need("rate", Quantity.RATE.format(MIN_RATE) + "…" + Quantity.RATE.format(MAX_RATE));
        yield new Effect.Slow(fields.quantity("rate", Quantity.RATE, MIN_RATE, MIN_RATE, MAX_RATE));
      }
      case DELAY -> {
        fields.need("by", "1ps…" + Quantity.TIME.format(MAX_DELAY_PS));
        yield new Effect.Delay(fields.quantity("by", Quantity.TIME, 1, 1, MAX_DELAY_PS));
      }
      case LOSSY -> {
        fields.need("probability", "0%…100%");
        yield new Effect.Lossy(
            fields.ratio("probability", 0),
            (int) fields.quantity("min_size", Quantity.SIZE, 0, 0, 65535));
      }
      case BURST -> {
        fields.need("enter", "0%…100%");
        fields.need("leave", "0%…100%");
        yield new Effect.Burst(
            fields.ratio("enter", 0),
            fields.ratio("leave", 0),
            fields.ratio("bad_loss", 1),
            fields.ratio("good_loss", 0));
      }
      case CORRUPTING -> {
        fields.need("bit_error_rate", "0…1");
        yield new Effect.Corrupting(fields.decimal("bit_error_rate", 0, 0, 1));
      }
      case MISWIRED -> new Effect.Miswired();
      case LOSSY_EV -> {
        if (evsPerPlane == 0) {
          fields.refuse("kind", "another one: the transport has no EVs");
        }
        fields.need("ev", "0…" + Math.max(0, evsPerPlane - 1));
        fields.need("probability", "0%…100%");
        int host = -1;
        if (!fields.has("host") || "all".equals(fields.single("host"))) {
          fields.filled().put("host", "all");
        } else {
          host = fields.count("host", 0, 0, wiring.hosts() - 1);
        }
        yield new Effect.LossyEv(
            host,
            fields.count("plane", 1, 1, wiring.planes()) - 1,
            fields.count("ev", 0, 0, Math.max(0, evsPerPlane - 1)),
            fields.ratio("probability", 0));
      }
    };
  }

  /** A time, or a word that stands for one that never comes. */
  private static long orWord(Fields fields, String key, String word, long fallback, long min) {
    if (word.equals(fields.single(key)) || !fields.has(key) && fallback == Effect.NEVER) {
      fields.filled().put(key, word);
      return Effect.NEVER;
    }
    return fields.quantity(key, Quantity.TIME, fallback, min, Fault.MAX_PS);
  }

  private static Timing timing(Fields fields) {
    long from = fields.quantity("at", Quantity.TIME, 0, 0, Fault.MAX_PS);
    boolean fails = fields.has("mtbf");
    boolean byChance = fields.has("mttr") || fails;
    boolean again = fields.has("every");
    if (byChance) {
      fields.need("mtbf", "a time, or {fixed: TIME}");
      fields.need("mttr", "a time, or {fixed: TIME}");
      if (fields.has("for") || again) {
        fields.refuse(again ? "every" : "for", "without mtbf and mttr only");
      }
      return new Timing.Chance(from, span(fields, "mtbf"), span(fields, "mttr"));
    }
    long length = orWord(fields, "for", "forever", Timing.FOREVER, 1);
    if (!again || "once".equals(fields.single("every"))) {
      fields.filled().put("every", "once");
      return new Timing.Once(from, length);
    }
    long every = fields.quantity("every", Quantity.TIME, Fault.MAX_PS, 2, Fault.MAX_PS);
    if (length >= every) {
      fields.need("for", "less than every, " + Quantity.TIME.format(every));
      if (fields.has("for")) {
        fields.refuse("for", "less than every, " + Quantity.TIME.format(every));
      }
      return new Timing.Once(from, length);
    }
    return new Timing.Every(from, every, length);
  }

  private static Span span(Fields fields, String key) {
    if (fields.isGroup(key)) {
      Fields group = fields.group(key);
      boolean fixed = group.has("fixed");
      if (fixed == group.has("exponential")) {
        fields.refuse(key, "a time, {exponential: TIME} or {fixed: TIME}");
        return new Span.Fixed(1);
      }
      String name = fixed ? "fixed" : "exponential";
      long mean = group.quantity(name, Quantity.TIME, 1, 1, Fault.MAX_PS);
      group.end();
      return fixed ? new Span.Fixed(mean) : new Span.Exponential(mean);
    }
    return new Span.Exponential(fields.quantity(key, Quantity.TIME, 1, 1, Fault.MAX_PS));
  }

  /** Refuses what occurs more often than anybody wants to read. */
  void checkCounts(long endPs) {
    for (int i = 0; i < faults.size(); i++) {
      long cycle =
          switch (faults.get(i).timing()) {
            case Timing.Once _ -> Long.MAX_VALUE;
            case Timing.Every every -> every.everyPs();
            case Timing.Chance chance ->
                chance.betweenFailures().meanPs() + chance.untilMended().meanPs();
          };
      BigDecimal times =
          BigDecimal.valueOf(Math.max(0, endPs - faults.get(i).timing().fromPs()) / cycle)
              .multiply(BigDecimal.valueOf(counts.get(i)));
      if (times.compareTo(BigDecimal.valueOf(MAX_OCCURRENCES)) > 0) {
        places
            .get(i)
            .refuse(
                faults.get(i).timing() instanceof Timing.Every ? "every" : "mtbf",
                "what comes to at most "
                    + MAX_OCCURRENCES
                    + " occurrences until the end, and this to "
                    + times.toPlainString());
      }
    }
  }

  List<Fault> faults() {
    return faults;
  }

  List<Object> filled() {
    return filled;
  }
}
