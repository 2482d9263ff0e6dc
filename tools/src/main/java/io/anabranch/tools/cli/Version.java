package io.anabranch.tools.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.IVersionProvider;

/** The build's version, with what a bug report needs beside it. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() throws IOException {
    return new String[] {
      "mrc " + build(),
      "Java " + System.getProperty("java.vm.version") + ", " + System.getProperty("java.vendor"),
      System.getProperty("os.name")
          + " "
          + System.getProperty("os.version")
          + " "
          + System.getProperty("os.arch"),
    };
  }

  /** The Maven version that the build wrote into the jar. */
  static String build() throws IOException {
    try (InputStream in = Version.class.getResourceAsStream("version.txt")) {
      if (in == null) {
        throw new IllegalStateException("the build left version.txt out");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    }
  }
}
