package io.anabranch.tools.scenario;

import java.util.ArrayList;
import java.util.List;

/** Reads {@code phases}. */
final class PhaseReader {
  private static final long MAX_PS = 1_000_000_000_000_000L;

  private final Mistakes mistakes;
  private final List<Phase> phases = new ArrayList<>();
  private final List<Object> filled = new ArrayList<>();

  PhaseReader(Mistakes mistakes) {
    this.mistakes = mistakes;
  }

  void read(Fields root) {
    List<Node> items = root.items("phases");
    for (int i = 0; i < items.size(); i++) {
      Fields fields = Fields.of(items.get(i), "phases." + i, mistakes);
      fields.need("to", "a time");
      String name = fields.text("name", "phase " + i);
      long from = fields.quantity("from", Quantity.TIME, 0, 0, MAX_PS);
      long to = fields.quantity("to", Quantity.TIME, MAX_PS, 1, MAX_PS);
      if (from >= to) {
        fields.refuse("to", "later than from, " + Quantity.TIME.format(from));
      }
      fields.end();
      phases.add(new Phase(name, from, to));
      filled.add(fields.filled());
    }
  }

  List<Phase> phases() {
    return phases;
  }

  List<Object> filled() {
    return filled;
  }
}
