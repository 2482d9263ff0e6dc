package io.anabranch.tools.run;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Compares two results of simulations field by field; what they cost to compute is left out.
 *
 * @param version of this layout
 * @param a the first file
 * @param b the second file
 * @param threshold relative difference that is allowed
 * @param compared fields
 * @param fields those that differ
 * @param beyond of these, by more than is allowed
 * @param result SAME if none is beyond, else DIFFERENT
 */
public record ResultDiff(
    int version,
    String a,
    String b,
    BigDecimal threshold,
    int compared,
    List<Field> fields,
    int beyond,
    String result) {
  private static final int VERSION = 1;
  private static final String COST = "host";
  private static final MathContext DIGITS = new MathContext(6);
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  /**
   * A field that differs.
   *
   * @param field its path
   * @param a value in the first file as JSON has it; null = it is not there
   * @param b value in the second file; null = it is not there
   * @param relative (b − a) / |a|; null where that is no number
   * @param beyond whether that is more than is allowed
   */
  public record Field(
      String field,
      @Nullable String a,
      @Nullable String b,
      @Nullable BigDecimal relative,
      boolean beyond) {}

  /** Whether no field differs by more than is allowed. */
  public boolean same() {
    return beyond == 0;
  }

  /**
   * Compares two files.
   *
   * @param threshold relative difference that is allowed, 0 or more
   * @throws IllegalArgumentException when one is no result of this layout
   * @throws IOException when one cannot be read
   */
  public static ResultDiff of(Path a, Path b, BigDecimal threshold) throws IOException {
    JsonNode first = result(a);
    JsonNode second = result(b);
    List<Field> fields = new ArrayList<>();
    int compared = compare("", first, second, threshold, fields);
    int beyond = (int) fields.stream().filter(Field::beyond).count();
    return new ResultDiff(
        VERSION,
        a.toString(),
        b.toString(),
        threshold,
        compared,
        fields,
        beyond,
        beyond == 0 ? "SAME" : "DIFFERENT");
  }

  private static JsonNode result(Path file) throws IOException {
    JsonNode node;
    try {
      node = MAPPER.readTree(Files.readString(file));
    } catch (JacksonException e) {
      throw new IllegalArgumentException(file + ": not JSON: " + e.getOriginalMessage(), e);
    }
    for (String needed : List.of("version", "scenario", "flows", "packets")) {
      if (!node.has(needed)) {
        throw new IllegalArgumentException(
            file + ": no '" + needed + "', allowed results of mrc sim --json");
      }
    }
    if (!node.get("version").isNumber() || node.get("version").asInt() != SimResult.VERSION) {
      throw new IllegalArgumentException(
          file + ": version: " + node.get("version") + ", allowed " + SimResult.VERSION);
    }
    return node;
  }

  /** Compares what is at a path; returns how many fields. */
  private static int compare(
      String path,
      @Nullable JsonNode a,
      @Nullable JsonNode b,
      BigDecimal threshold,
      List<Field> into) {
    if (isOf(a, b, true)) {
      int compared = 0;
      List<String> names = new ArrayList<>(a == null ? List.of() : a.propertyNames());
      for (String name : b == null ? List.<String>of() : b.propertyNames()) {
        if (a == null || !a.has(name)) {
          names.add(name);
        }
      }
      for (String name : names) {
        if (!path.isEmpty() || !name.equals(COST)) {
          String below = path.isEmpty() ? name : path + "." + name;
          compared += compare(below, at(a, name), at(b, name), threshold, into);
        }
      }
      return compared;
    }
    if (isOf(a, b, false)) {
      int compared = 0;
      int most = Math.max(a == null ? 0 : a.size(), b == null ? 0 : b.size());
      for (int i = 0; i < most; i++) {
        compared +=
            compare(
                path + "." + i,
                a == null ? null : a.get(i),
                b == null ? null : b.get(i),
                threshold,
                into);
      }
      return compared;
    }
    Field field = field(path, a, b, threshold);
    if (field != null) {
      into.add(field);
    }
    return 1;
  }

  /** Whether both are groups (or lists), or one is and the other is not there. */
  private static boolean isOf(@Nullable JsonNode a, @Nullable JsonNode b, boolean group) {
    boolean first = a != null && (group ? a.isObject() : a.isArray());
    boolean second = b != null && (group ? b.isObject() : b.isArray());
    return first && second || first && b == null || second && a == null;
  }

  private static @Nullable JsonNode at(@Nullable JsonNode node, String name) {
    return node == null ? null : node.get(name);
  }

  private static @Nullable Field field(
      String path, @Nullable JsonNode a, @Nullable JsonNode b, BigDecimal threshold) {
    if (a != null && b != null && a.isNumber() && b.isNumber()) {
      BigDecimal from = a.decimalValue();
      BigDecimal to = b.decimalValue();
      if (from.compareTo(to) == 0) {
        return null;
      }
      BigDecimal relative =
          from.signum() == 0 ? null : to.subtract(from).divide(from.abs(), DIGITS);
      boolean beyond = relative == null || relative.abs().compareTo(threshold) > 0;
      return new Field(path, text(a), text(b), relative, beyond);
    }
    String first = text(a);
    String second = text(b);
    return Objects.equals(first, second) ? null : new Field(path, first, second, null, true);
  }

  private static @Nullable String text(@Nullable JsonNode node) {
    if (node == null) {
      return null;
    }
    return node.isNumber() ? node.decimalValue().toPlainString() : node.toString();
  }
}
