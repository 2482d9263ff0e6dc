package io.anabranch.tools.scenario;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;

/**
 * Reads which transport a scenario is to be run with: one of {@code transports}, or MRC as {@code
 * transport} says.
 */
final class TransportsReader {
  /** Transports by name. */
  enum Kind {
    MRC,
    ROCEV2
  }

  private static final int MAX_TRANSPORTS = 32;
  private static final String ALLOWED = "mrc, rocev2, or {name: …} with label and settings";

  private final Fields root;
  private final Kind kind;
  private final String label;
  private final Fields fields;

  TransportsReader(Fields root) {
    this.root = root;
    if (!root.has("transports")) {
      kind = Kind.MRC;
      label = "mrc";
      fields = root.group("transport");
      return;
    }
    if (root.has("transport")) {
      root.mistakes()
          .add(root.place("transport"), "transport", "beside transports, allowed only one of them");
    }
    List<Node> items = root.items("transports");
    if (items.isEmpty() || items.size() > MAX_TRANSPORTS) {
      root.mistakes()
          .add(
              root.place("transports"),
              "transports",
              items.size() + " of them, allowed 1…" + MAX_TRANSPORTS);
    } else if (items.size() > 1) {
      root.mistakes()
          .add(
              root.place("transports"),
              "transports",
              items.size() + " of them, allowed 1 in a run: leave one in");
    }
    fields = group(root, items);
    kind = fields.choice("name", Kind.MRC, Kind.class);
    label = fields.text("label", kind.name().toLowerCase(Locale.ROOT));
  }

  /** The first one; a name alone is a group with that name. */
  private static Fields group(Fields root, List<Node> items) {
    Node item = items.isEmpty() ? new Node.Nothing(root.place("transports")) : items.getFirst();
    if (item instanceof Node.Scalar) {
      LinkedHashMap<String, Node> named = new LinkedHashMap<>();
      named.put("name", item);
      item = new Node.Keys(item.place(), named);
    }
    Fields group = Fields.of(item, "transports.0", root.mistakes());
    group.need("name", ALLOWED);
    return group;
  }

  Kind kind() {
    return kind;
  }

  String label() {
    return label;
  }

  /** Its settings. */
  Fields fields() {
    return fields;
  }

  /** All settings were read. */
  void end() {
    fields.end();
    if (root.has("transports")) {
      List<Object> filled = new ArrayList<>();
      filled.add(fields.filled());
      root.filled().put("transports", filled);
    }
  }
}
