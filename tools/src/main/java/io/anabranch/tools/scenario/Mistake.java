package io.anabranch.tools.scenario;

/**
 * Something in a scenario that is refused.
 *
 * @param place file and line, or the option
 * @param field path of the field, such as {@code topology.spines}; empty = the file as a whole
 * @param message its value and what is allowed
 */
public record Mistake(String place, String field, String message) {
  @Override
  public String toString() {
    return place + ": " + (field.isEmpty() ? "" : field + ": ") + message;
  }
}
