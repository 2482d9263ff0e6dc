package io.anabranch.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** House rules about text, over every source file and document of the project. */
class TidyTest {
  private static final int MAX_LINES = 800;

  /** Kinds of file that people write; captured and generated data is left alone. */
  private static final Pattern WRITTEN =
      Pattern.compile(".*\\.(java|xml|md|sh|py|properties)|mrc|run|NOTICE|\\.gitignore");

  private static final Set<String> NOT_OURS = Set.of("target", ".git", ".idea", "node_modules");

  // Joined here so that this file does not find itself.
  private static final Pattern UNFINISHED =
      Pattern.compile("\\b(" + String.join("|", "TO" + "DO", "FIX" + "ME", "XX" + "X") + ")\\b");
  private static final Pattern MACHINE_PATH =
      Pattern.compile("(^|[^\\w.~])/(" + String.join("|", "work", "root", "home", "Users") + ")/");

  private static final Path ROOT = root();
  private static final SortedMap<Path, List<String>> TEXT = read();

  private static Path root() {
    Path dir = Path.of("").toAbsolutePath();
    while (!Files.exists(dir.resolve("mvnw"))) {
      dir = dir.getParent();
      if (dir == null) {
        throw new IllegalStateException("no mvnw above " + Path.of("").toAbsolutePath());
      }
    }
    return dir;
  }

  private static SortedMap<Path, List<String>> read() {
    var text = new TreeMap<Path, List<String>>();
    try {
      Files.walkFileTree(
          ROOT,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
              return NOT_OURS.contains(dir.getFileName().toString())
                  ? FileVisitResult.SKIP_SUBTREE
                  : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              if (WRITTEN.matcher(file.getFileName().toString()).matches()) {
                String all = Files.readString(file, StandardCharsets.UTF_8);
                text.put(ROOT.relativize(file), List.of(all.split("\n", -1)));
              }
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new IllegalStateException("cannot read the sources", e);
    }
    return text;
  }

  /** Every line that matches, as file:line. */
  private static List<String> lines(BiPredicate<Path, String> wrong) {
    var found = new ArrayList<String>();
    TEXT.forEach((file, lines) -> {
      for (int i = 0; i < lines.size(); i++) {
        if (wrong.test(file, lines.get(i))) {
          found.add(file + ":" + (i + 1) + ": " + lines.get(i).strip());
        }
      }
    });
    return found;
  }

  @Test
  void thereIsTextToLookAt() {
    assertThat(TEXT).containsKeys(Path.of("pom.xml"), Path.of("mrc"));
    assertThat(TEXT.keySet())
        .filteredOn(file -> file.toString().endsWith(".java"))
        .hasSizeGreaterThan(20);
  }

  @Test
  void noSourceFileIsTooLong() {
    TEXT.forEach((file, lines) -> {
      if (file.toString().contains("/src/")) {
        assertThat(lines.size() - 1)
            .as(file + ": lines; split it by noun")
            .isLessThanOrEqualTo(MAX_LINES);
      }
    });
  }

  @Test
  void noTabs() {
    assertThat(lines((file, line) -> line.indexOf('\t') >= 0)).isEmpty();
  }

  @Test
  void noTrailingSpaces() {
    assertThat(lines((file, line) -> line.endsWith(" ") || line.endsWith("\r"))).isEmpty();
  }

  @Test
  void everyFileEndsWithOneLineEnd() {
    TEXT.forEach((file, lines) -> {
      assertThat(lines.getLast()).as(file + ": last line has no line end").isEmpty();
      if (lines.size() > 1) {
        assertThat(lines.get(lines.size() - 2)).as(file + ": blank line at the end").isNotBlank();
      }
    });
  }

  @Test
  void nothingIsLeftUnfinished() {
    assertThat(lines((file, line) -> UNFINISHED.matcher(line).find())).isEmpty();
  }

  @Test
  void noPathOfSomeonesMachine() {
    assertThat(lines((file, line) -> MACHINE_PATH.matcher(line).find())).isEmpty();
  }

  @Test
  void everyPackageSaysWhatItIsForAndIsNullMarked() {
    var packages = new TreeSet<Path>();
    for (Path file : TEXT.keySet()) {
      if (file.toString().contains("/src/main/java/")) {
        packages.add(file.resolveSibling("package-info.java"));
      }
    }
    for (Path info : packages) {
      assertThat(TEXT).as("package-info.java of each package").containsKey(info);
      String text = String.join("\n", TEXT.getOrDefault(info, List.of()));
      assertThat(text).as(info.toString()).contains("NullMarked").contains("/**");
    }
  }
}
