package io.anabranch.tools.scenario;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** A commented scenario to begin with. */
public final class Template {
  private Template() {}

  /** The text; it runs as it is. */
  public static String text() throws IOException {
    try (InputStream in = Template.class.getResourceAsStream("template.yaml")) {
      if (in == null) {
        throw new IllegalStateException("the template is not in the program");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
