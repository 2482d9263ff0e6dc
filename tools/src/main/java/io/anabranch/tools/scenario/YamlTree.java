package io.anabranch.tools.scenario;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.dataformat.yaml.YAMLFactory;
import tools.jackson.dataformat.yaml.YAMLParser;

/** Reads YAML into nodes that know their line. */
final class YamlTree {
  private static final int MAX_DEPTH = 20;

  private final YAMLParser parser;
  private final String origin;
  private final boolean withLines;

  private YamlTree(YAMLParser parser, String origin, boolean withLines) {
    this.parser = parser;
    this.origin = origin;
    this.withLines = withLines;
  }

  /** Reads a file's text. */
  static Node read(String text, String origin) throws ScenarioException {
    return read(text, origin, true);
  }

  /** Reads the value that an option gave. */
  static Node value(String text, String origin) throws ScenarioException {
    return read(text, origin, false);
  }

  private static Node read(String text, String origin, boolean withLines) throws ScenarioException {
    try (YAMLParser parser =
        (YAMLParser) new YAMLFactory().createParser(ObjectReadContext.empty(), text)) {
      YamlTree tree = new YamlTree(parser, origin, withLines);
      if (parser.nextToken() == null) {
        throw tree.refused("empty, allowed a scenario");
      }
      Node node = tree.node(0);
      if (parser.nextToken() != null) {
        throw tree.refused("a second document, allowed one");
      }
      return node;
    } catch (JacksonException e) {
      var location = e.getLocation();
      int line = location == null || !withLines ? 0 : location.getLineNr();
      String what = String.valueOf(e.getOriginalMessage()).strip();
      int end = what.indexOf("\n in reader");
      String reason = (end < 0 ? what : what.substring(0, end)).replaceAll("\\s+", " ");
      throw refused(new Place(origin, line), "not YAML: " + reason);
    }
  }

  private Node node(int depth) throws ScenarioException {
    Place place = place();
    if (depth > MAX_DEPTH) {
      throw refused("nested too deep, allowed " + MAX_DEPTH + " levels");
    }
    if (parser.isCurrentAlias()) {
      throw refused("an alias (*), allowed values written out");
    }
    return switch (parser.currentToken()) {
      case START_OBJECT -> {
        LinkedHashMap<String, Node> values = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
          String key = parser.currentName();
          Place at = place();
          parser.nextToken();
          Node value = node(depth + 1);
          // A value on the lines below its key: the key is where a reader looks.
          if (values.put(key, value) != null) {
            throw refused(at, key + ": written twice, allowed once");
          }
        }
        yield new Node.Keys(place, values);
      }
      case START_ARRAY -> {
        List<Node> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          items.add(node(depth + 1));
        }
        yield new Node.Items(place, items);
      }
      case VALUE_NULL -> new Node.Nothing(place);
      default -> new Node.Scalar(place, parser.getString());
    };
  }

  private Place place() {
    return new Place(origin, withLines ? parser.currentTokenLocation().getLineNr() : 0);
  }

  private ScenarioException refused(String message) {
    return refused(place(), message);
  }

  private static ScenarioException refused(Place place, String message) {
    return new ScenarioException(List.of(new Mistake(place.toString(), "", message)));
  }
}
