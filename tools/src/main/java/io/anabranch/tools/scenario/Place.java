package io.anabranch.tools.scenario;

/**
 * Where a value was written.
 *
 * @param origin a file's name, or the option that set the value
 * @param line counted from 1; 0 where there are no lines
 */
record Place(String origin, int line) {
  @Override
  public String toString() {
    return line == 0 ? origin : origin + ":" + line;
  }
}
