package io.anabranch.tools.scenario;

import io.anabranch.fabric.workload.FlowSizes;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads a size that may be a distribution. */
final class SizesReader {
  private static final String ALLOWED =
      "a size, {uniform: {min: SIZE, max: SIZE}}, {exponential: {mean: SIZE}},"
          + " {lognormal: {mean: SIZE, sigma: NUMBER}}, {cdf: [{size: SIZE, share: 15%}, …]},"
          + " or {cdf: FILE}";
  private static final List<String> KINDS = List.of("uniform", "exponential", "lognormal", "cdf");

  /** A point of a distribution file: bytes, and how many per cent of flows are not longer. */
  private static final Pattern LINE =
      Pattern.compile("([0-9]{1,12})[ \\t,]+([0-9]{1,3}(?:\\.[0-9]{1,9})?)");

  private static final long MAX_FILE_BYTES = 1 << 20;
  private static final double MAX_SIGMA = 5;

  private final @Nullable Path folder;

  /**
   * @param folder where files are looked for; null = the current one
   */
  SizesReader(@Nullable Path folder) {
    this.folder = folder;
  }

  /** Reads {@code size}; where it is refused, something that is allowed. */
  FlowSizes read(Fields fields) {
    fields.need("size", ALLOWED);
    if (!fields.isGroup("size")) {
      return new FlowSizes.Fixed(size(fields, "size", 1));
    }
    Fields group = fields.group("size");
    List<String> given = KINDS.stream().filter(group::has).toList();
    FlowSizes sizes = new FlowSizes.Fixed(1);
    if (given.size() != 1) {
      fields.refuse("size", ALLOWED);
    } else {
      String kind = given.getFirst();
      sizes = kind.equals("cdf") ? cdf(group) : parameters(kind, group.group(kind));
    }
    group.end();
    return sizes;
  }

  private static FlowSizes parameters(String kind, Fields fields) {
    FlowSizes sizes;
    if (kind.equals("uniform")) {
      long min = size(fields, "min", 1);
      long max = size(fields, "max", FlowSizes.MOST_BYTES);
      if (max < min) {
        fields.refuse("max", "at least min, " + Quantity.SIZE.format(min));
        max = min;
      }
      sizes = new FlowSizes.Uniform(min, max);
    } else if (kind.equals("exponential")) {
      sizes = new FlowSizes.Exponential(size(fields, "mean", 1));
    } else {
      long mean = size(fields, "mean", 1);
      fields.need("sigma", "0…" + Fields.plain(MAX_SIGMA));
      sizes = new FlowSizes.LogNormal(mean, fields.decimal("sigma", 1, 0, MAX_SIGMA));
    }
    fields.end();
    return sizes;
  }

  private static long size(Fields fields, String key, long fallback) {
    fields.need(key, "1B…" + Quantity.SIZE.format(FlowSizes.MOST_BYTES));
    return fields.quantity(key, Quantity.SIZE, fallback, 1, FlowSizes.MOST_BYTES);
  }

  private FlowSizes cdf(Fields fields) {
    try {
      String name = fields.single("cdf");
      if (name != null) {
        return file(fields, fields.text("cdf", name));
      }
      List<FlowSizes.Point> points = new ArrayList<>();
      List<Object> texts = new ArrayList<>();
      for (Node item : fields.items("cdf")) {
        Fields point = Fields.of(item, fields.path("cdf") + "." + points.size(), fields.mistakes());
        point.need("size", "0B…" + Quantity.SIZE.format(FlowSizes.MOST_BYTES));
        point.need("share", "0%…100%");
        long bytes = point.quantity("size", Quantity.SIZE, 1, 0, FlowSizes.MOST_BYTES);
        points.add(new FlowSizes.Point(bytes, point.ratio("share", 1)));
        point.end();
        texts.add(point.filled());
      }
      fields.filled().put("cdf", texts);
      return fields.mistakes().any() ? new FlowSizes.Fixed(1) : new FlowSizes.Empirical(points);
    } catch (IllegalArgumentException e) {
      fields
          .mistakes()
          .add(fields.place("cdf"), fields.path("cdf"), String.valueOf(e.getMessage()));
      return new FlowSizes.Fixed(1);
    }
  }

  private FlowSizes file(Fields fields, String name) {
    try {
      Path file = folder == null ? Path.of(name) : folder.resolve(name);
      if (Files.size(file) > MAX_FILE_BYTES) {
        fields.refuse("cdf", "files up to " + Quantity.SIZE.format(MAX_FILE_BYTES));
        return new FlowSizes.Fixed(1);
      }
      return new FlowSizes.Empirical(points(Files.readString(file), name));
    } catch (CharacterCodingException e) {
      fields.refuse("cdf", "text in UTF-8");
    } catch (IOException | InvalidPathException e) {
      fields.refuse("cdf", "a file that can be read; looked in " + TrafficReader.shown(folder));
    }
    return new FlowSizes.Fixed(1);
  }

  private static List<FlowSizes.Point> points(String text, String name) {
    List<FlowSizes.Point> points = new ArrayList<>();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      String content = line.replaceFirst("#.*", "").strip();
      if (content.isEmpty()) {
        continue;
      }
      Matcher m = LINE.matcher(content);
      if (!m.matches()) {
        throw new IllegalArgumentException(
            name
                + ":"
                + number
                + ": '"
                + content
                + "', allowed bytes and how many per cent of flows are not longer, as 10000 15");
      }
      double share = new BigDecimal(m.group(2)).movePointLeft(2).doubleValue();
      points.add(new FlowSizes.Point(Long.parseLong(m.group(1)), share));
    }
    try {
      new FlowSizes.Empirical(points);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
    }
    return points;
  }
}
