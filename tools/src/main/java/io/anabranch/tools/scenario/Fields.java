package io.anabranch.tools.scenario;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the keys of one group: each read says what is allowed and what stands in when the key is
 * absent. What was read, with defaults, is kept as the file could say it.
 */
final class Fields {
  private static final Pattern RATIO = Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,15})?)( ?%)?");
  private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,18}(?:\\.[0-9]{1,15})?");

  private final Node.Keys node;
  private final String path;
  private final Mistakes mistakes;
  private final TreeSet<String> known = new TreeSet<>();
  private final SequencedMap<String, Object> filled = new LinkedHashMap<>();

  private Fields(Node.Keys node, String path, Mistakes mistakes) {
    this.node = node;
    this.path = path;
    this.mistakes = mistakes;
  }

  /** A group of keys; something else is a mistake and counts as a group without keys. */
  static Fields of(Node node, String path, Mistakes mistakes) {
    if (node instanceof Node.Keys keys) {
      return new Fields(keys, path, mistakes);
    }
    if (!(node instanceof Node.Nothing)) {
      mistakes.add(node, path, "a group of keys");
    }
    return new Fields(new Node.Keys(node.place(), new LinkedHashMap<>()), path, mistakes);
  }

  Place place() {
    return node.place();
  }

  Mistakes mistakes() {
    return mistakes;
  }

  String path(String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  /** Where a key's value is, or the group's place if it is absent. */
  Place place(String key) {
    Node value = node.values().get(key);
    return value == null ? node.place() : value.place();
  }

  /** Whether the key is there with a value. */
  boolean has(String key) {
    known.add(key);
    Node value = node.values().get(key);
    if (value instanceof Node.Nothing) {
      mistakes.add(value.place(), path(key), "no value; give one or leave the key out");
      node.values().remove(key);
      return false;
    }
    return value != null;
  }

  /** Says that a key must be there. */
  void need(String key, String allowed) {
    if (!node.values().containsKey(key)) {
      mistakes.add(node.place(), path(key), "missing, allowed " + allowed);
    }
  }

  /** A mistake about a key's value. */
  void refuse(String key, String allowed) {
    Node value = node.values().get(key);
    if (value == null) {
      mistakes.add(node.place(), path(key), "the default does not fit, allowed " + allowed);
    } else {
      mistakes.add(value, path(key), allowed);
    }
  }

  /** What was read so far, as the file could say it; may be changed. */
  SequencedMap<String, Object> filled() {
    return filled;
  }

  private @Nullable String scalar(String key, String allowed) {
    if (!has(key)) {
      return null;
    }
    Node value = node.values().get(key);
    if (value instanceof Node.Scalar single) {
      return single.text();
    }
    refuse(key, allowed);
    return null;
  }

  String text(String key, String fallback) {
    String text = scalar(key, "a text");
    String value = text == null ? fallback : text;
    filled.put(key, value);
    return value;
  }

  /** One or more texts; absent or something else = none. */
  List<String> texts(String key, String allowed) {
    List<String> texts = new ArrayList<>();
    Node value = has(key) ? node.values().get(key) : null;
    if (value instanceof Node.Scalar single) {
      texts.add(single.text());
      filled.put(key, single.text());
    } else if (value instanceof Node.Items list
        && !list.items().isEmpty()
        && list.items().stream().allMatch(Node.Scalar.class::isInstance)) {
      list.items().forEach(item -> texts.add(((Node.Scalar) item).text()));
      filled.put(key, List.copyOf(texts));
    } else if (value != null) {
      refuse(key, allowed);
    }
    return texts;
  }

  long integer(String key, long fallback, long min, long max) {
    String allowed = min + "…" + max;
    String text = scalar(key, allowed);
    long value = fallback;
    if (text != null) {
      if (text.matches("-?[0-9]{1,18}")
          && Long.parseLong(text) >= min
          && Long.parseLong(text) <= max) {
        value = Long.parseLong(text);
      } else {
        refuse(key, allowed);
      }
    }
    filled.put(key, Long.toString(value));
    return value;
  }

  /** A number without unit that need not be whole. */
  double decimal(String key, double fallback, double min, double max) {
    String allowed = plain(min) + "…" + plain(max);
    String text = scalar(key, allowed);
    double value = fallback;
    if (text != null) {
      if (NUMBER.matcher(text).matches()
          && Double.parseDouble(text) >= min
          && Double.parseDouble(text) <= max) {
        value = Double.parseDouble(text);
      } else {
        refuse(key, allowed);
      }
    }
    filled.put(key, plain(value));
    return value;
  }

  static String plain(double value) {
    return new BigDecimal(Double.toString(value)).stripTrailingZeros().toPlainString();
  }

  int count(String key, int fallback, int min, int max) {
    return (int) integer(key, fallback, min, max);
  }

  /** A value with a unit. */
  long quantity(String key, Quantity quantity, long fallback, long min, long max) {
    String range = quantity.format(min) + "…" + quantity.format(max);
    String text = scalar(key, range);
    long value = fallback;
    if (text != null) {
      try {
        value = quantity.parse(text);
        if (value < min || value > max) {
          refuse(key, range);
          value = fallback;
        }
      } catch (IllegalArgumentException e) {
        refuse(key, e.getMessage() + "; " + range);
      }
    }
    filled.put(key, quantity.format(value));
    return value;
  }

  /** A probability: {@code 20%} or {@code 0.2}. */
  double ratio(String key, double fallback) {
    String text = scalar(key, "0%…100%");
    double value = fallback;
    if (text != null) {
      var m = RATIO.matcher(text);
      BigDecimal exact =
          m.matches()
              ? new BigDecimal(m.group(1)).movePointLeft(m.group(2) == null ? 0 : 2)
              : BigDecimal.TWO;
      if (exact.compareTo(BigDecimal.ONE) > 0) {
        refuse(key, "0%…100%, or 0…1");
      } else {
        value = exact.doubleValue();
      }
    }
    filled.put(key, plain(value));
    return value;
  }

  /** One of an enumeration's values, written in small letters with hyphens. */
  <E extends Enum<E>> E choice(String key, E fallback, Class<E> type) {
    String allowed = String.join(", ", names(type));
    String text = scalar(key, allowed);
    E value = fallback;
    if (text != null) {
      int index = names(type).indexOf(text);
      if (index < 0) {
        refuse(key, allowed);
      } else {
        value = type.getEnumConstants()[index];
      }
    }
    filled.put(key, name(value));
    return value;
  }

  private static <E extends Enum<E>> List<String> names(Class<E> type) {
    List<String> names = new ArrayList<>();
    for (E value : type.getEnumConstants()) {
      names.add(name(value));
    }
    return names;
  }

  static String name(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** A number without unit. */
  @Nullable BigDecimal number(String key) {
    String text = scalar(key, "a number");
    if (text == null) {
      return null;
    }
    if (!NUMBER.matcher(text).matches()) {
      refuse(key, "a number");
      return null;
    }
    filled.put(key, text);
    return new BigDecimal(text);
  }

  /** Hosts: {@code all}, {@code 0-63}, {@code 0-7,16}, or a list of these. */
  List<Integer> hosts(String key, List<Integer> fallback, int hosts) {
    List<Integer> value = fallback;
    if (has(key)) {
      Node given = Objects.requireNonNull(node.values().get(key));
      try {
        value = HostList.parse(given, hosts);
      } catch (IllegalArgumentException e) {
        refuse(key, String.valueOf(e.getMessage()));
      }
    }
    filled.put(key, HostList.format(value, hosts));
    return value;
  }

  /** A group of keys inside this one; absent = without keys. What is read there is kept too. */
  Fields group(String key) {
    Node value = has(key) ? node.values().get(key) : null;
    Fields group =
        of(
            value == null ? new Node.Keys(node.place(), new LinkedHashMap<>()) : value,
            path(key),
            mistakes);
    filled.put(key, group.filled);
    return group;
  }

  /** Whether a key holds a group of keys. */
  boolean isGroup(String key) {
    return node.values().get(key) instanceof Node.Keys;
  }

  /** The single value of a key, or null if it is absent or something else. */
  @Nullable String single(String key) {
    return has(key) && node.values().get(key) instanceof Node.Scalar value ? value.text() : null;
  }

  /** The items of a list; absent = none. */
  List<Node> items(String key) {
    if (!has(key)) {
      return List.of();
    }
    if (node.values().get(key) instanceof Node.Items list) {
      return list.items();
    }
    refuse(key, "a list");
    return List.of();
  }

  /** Every key, where any may be there. */
  List<String> keys() {
    return List.copyOf(node.values().sequencedKeySet());
  }

  /** Refuses every key that was not asked for. */
  void end() {
    node.values()
        .forEach((key, value) -> {
          if (!known.contains(key)) {
            mistakes.add(
                value.place(), path(key), "no such key, allowed " + String.join(", ", known));
          }
        });
  }
}
