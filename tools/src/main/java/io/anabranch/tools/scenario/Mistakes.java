package io.anabranch.tools.scenario;

import java.util.ArrayList;
import java.util.List;

/** Collects mistakes, so that a file with several is refused once. */
final class Mistakes {
  /** More would hide the first ones. */
  private static final int MAX = 20;

  private final List<Mistake> found = new ArrayList<>();

  void add(Place place, String field, String message) {
    Mistake mistake = new Mistake(place.toString(), field, message);
    // A value that holds for several things is refused for each of them.
    if (found.size() < MAX && !found.contains(mistake)) {
      found.add(mistake);
    }
  }

  /** A value that is not allowed. */
  void add(Node node, String field, String allowed) {
    add(node.place(), field, node.shown() + ", allowed " + allowed);
  }

  boolean any() {
    return !found.isEmpty();
  }

  void throwIfAny() throws ScenarioException {
    if (any()) {
      throw new ScenarioException(found);
    }
  }
}
