package io.anabranch.tools.scenario;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The scenario files of the project. Tests run in their module's folder. */
final class Shipped {
  static final Path ROOT = Path.of("..");

  private Shipped() {}

  static List<Path> scenarios() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT.resolve("scenarios"))) {
      return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList();
    }
  }
}
