package io.anabranch.tools.scenario;

import java.util.List;
import java.util.SequencedMap;

/** A value of a scenario file, with its place. */
sealed interface Node {
  /** Where it begins. */
  Place place();

  /** How it looks in a message. */
  String shown();

  /** A single value, as written. */
  record Scalar(Place place, String text) implements Node {
    @Override
    public String shown() {
      return "'" + text + "'";
    }
  }

  /** A key without a value. */
  record Nothing(Place place) implements Node {
    @Override
    public String shown() {
      return "no value";
    }
  }

  /** A list; may be changed. */
  record Items(Place place, List<Node> items) implements Node {
    @Override
    public String shown() {
      return "a list";
    }
  }

  /** Keys and values in their order; may be changed. */
  record Keys(Place place, SequencedMap<String, Node> values) implements Node {
    @Override
    public String shown() {
      return "a group of keys";
    }
  }
}
