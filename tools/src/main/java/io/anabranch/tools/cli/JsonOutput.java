package io.anabranch.tools.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Writes a result as one JSON document with names in snake_case. */
final class JsonOutput {
  private JsonOutput() {}

  /**
   * Writes it.
   *
   * @param file a path, or '-' for {@code out}
   */
  static void write(String file, Object result, PrintWriter out) throws IOException {
    JsonMapper mapper =
        JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .build();
    String text = mapper.writeValueAsString(result);
    if (file.equals("-")) {
      out.println(text);
      out.flush();
    } else {
      Files.writeString(Path.of(file), text + "\n");
    }
  }
}
