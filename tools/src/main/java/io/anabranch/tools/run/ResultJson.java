package io.anabranch.tools.run;

import io.anabranch.tools.scenario.Expectation;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** A result as JSON: names in snake_case, in the records' order, decimals written out. */
public final class ResultJson {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
          .build();

  private ResultJson() {}

  /** One document, ended by a line end. */
  public static String text(Object result) {
    return MAPPER.writeValueAsString(result) + "\n";
  }

  /** Judges expectations by the fields of the document; a field it has not is a miss. */
  static List<SimResult.Expected> judge(Object result, List<Expectation> expectations) {
    JsonNode document = MAPPER.readTree(text(result));
    List<SimResult.Expected> judged = new ArrayList<>();
    for (Expectation expectation : expectations) {
      JsonNode node = document;
      for (String part : expectation.field().split("\\.", -1)) {
        node = node.isArray() ? node.path(Integer.parseInt(part)) : node.path(part);
      }
      BigDecimal got = node.isNumber() ? new BigDecimal(node.asString()) : null;
      boolean ok = got != null && expectation.isMetBy(got);
      judged.add(new SimResult.Expected(expectation.field(), expectation.wanted(), got, ok));
    }
    return judged;
  }
}
