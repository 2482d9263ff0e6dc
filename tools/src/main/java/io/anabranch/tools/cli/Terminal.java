package io.anabranch.tools.cli;

import java.io.Console;

/** Whether a person is watching. */
final class Terminal {
  private Terminal() {}

  /** Whether input and output are a terminal: progress is shown there and nowhere else. */
  static boolean interactive() {
    Console console = System.console();
    return console != null && console.isTerminal();
  }
}
