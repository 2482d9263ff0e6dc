package io.anabranch.tools.scenario;

import java.util.LinkedHashMap;
import java.util.List;

/**
 * A value set from outside the file, {@code path=value}: the path's parts are keys, or numbers of
 * list items counted from 0.
 *
 * @param path such as {@code topology.spines} or {@code traffic.0.size}
 * @param value YAML; usually a single value
 */
public record Setting(String path, String value) {
  private static final String EXPECT = "expect.";

  /**
   * Reads {@code path=value}.
   *
   * @throws IllegalArgumentException when there is no path
   */
  public static Setting parse(String text) {
    int equals = text.indexOf('=');
    if (equals < 1) {
      throw new IllegalArgumentException(
          "'" + text + "', allowed path=value, such as topology.spines=8");
    }
    return new Setting(text.substring(0, equals).strip(), text.substring(equals + 1).strip());
  }

  private String origin() {
    return "--set " + path + "=" + value;
  }

  /** Puts the value in its place; what it replaces is gone. */
  void applyTo(Node.Keys root) throws ScenarioException {
    Node node = value.isEmpty() ? new Node.Nothing(place()) : YamlTree.value(value, origin());
    put(root, path, node);
  }

  private Place place() {
    return new Place(origin(), 0);
  }

  private void put(Node.Keys keys, String rest, Node node) throws ScenarioException {
    String key = keyIn(keys, rest);
    if (key.length() == rest.length()) {
      keys.values().put(key, node);
      return;
    }
    String further = rest.substring(key.length() + 1);
    Node there = keys.values().get(key);
    switch (there) {
      case Node.Keys below -> put(below, further, node);
      case Node.Items below -> put(below, key, further, node);
      case Node.Scalar single ->
          throw refused(
              "there is "
                  + single.shown()
                  + ", allowed --set '"
                  + path.substring(0, path.length() - further.length() - 1)
                  + "={"
                  + further
                  + ": …}'");
      case null, default -> {
        Node.Keys made = new Node.Keys(place(), new LinkedHashMap<>());
        keys.values().put(key, made);
        put(made, further, node);
      }
    }
  }

  /** The key that a path begins with. Those of {@code expect} have dots in them. */
  private String keyIn(Node.Keys keys, String rest) {
    boolean inExpect = path.startsWith(EXPECT) && rest.length() == path.length() - EXPECT.length();
    String key = inExpect ? Expectation.fieldAtStartOf(rest) : null;
    for (String there : keys.values().keySet()) {
      boolean begins = rest.equals(there) || rest.startsWith(there + ".");
      if (begins && (key == null || there.length() > key.length())) {
        key = there;
      }
    }
    int dot = rest.indexOf('.');
    return key != null ? key : dot < 0 ? rest : rest.substring(0, dot);
  }

  private void put(Node.Items list, String name, String rest, Node node) throws ScenarioException {
    int dot = rest.indexOf('.');
    String number = dot < 0 ? rest : rest.substring(0, dot);
    int size = list.items().size();
    int index = number.matches("[0-9]{1,9}") ? Integer.parseInt(number) : -1;
    if (index < 0 || index >= size) {
      throw refused("'" + number + "' in " + name + ", allowed 0…" + (size - 1));
    }
    if (dot < 0) {
      list.items().set(index, node);
    } else if (list.items().get(index) instanceof Node.Keys below) {
      put(below, rest.substring(dot + 1), node);
    } else {
      throw refused("'" + name + "." + number + "' is a single value");
    }
  }

  private ScenarioException refused(String message) {
    return new ScenarioException(List.of(new Mistake(origin(), "", message)));
  }

  /** Applies several in their order. */
  static void apply(List<Setting> settings, Node.Keys root) throws ScenarioException {
    for (Setting setting : settings) {
      setting.applyTo(root);
    }
  }
}
