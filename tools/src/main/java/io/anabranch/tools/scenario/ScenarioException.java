package io.anabranch.tools.scenario;

import java.util.List;
import java.util.stream.Collectors;

/** A scenario that is refused: all mistakes that were found, a line each. */
public final class ScenarioException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient List<Mistake> mistakes;

  ScenarioException(List<Mistake> mistakes) {
    super(mistakes.stream().map(Mistake::toString).collect(Collectors.joining("\n")));
    this.mistakes = List.copyOf(mistakes);
  }

  /** What is wrong, in the order of the file. */
  public List<Mistake> mistakes() {
    return mistakes;
  }
}
