package io.anabranch.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Holds the code to docs/architecture.md, and each rule to its fixture: {@code
 * io.anabranch.fixture.<rule>} mimics the modules; its classes named Bad… must each be reported,
 * those named Good… must not.
 */
class ArchitectureTest {
  private static final String FIXTURES = "io.anabranch.fixture";

  private static final JavaClasses CODE =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.anabranch");

  static List<HouseRule> rules() {
    return HouseRules.under("io.anabranch");
  }

  @ParameterizedTest
  @MethodSource("rules")
  void theCodeKeeps(HouseRule rule) {
    assertThat(rule.violations(CODE)).as(rule.name()).isEmpty();
  }

  static List<String> ruleNames() {
    return rules().stream().map(HouseRule::name).toList();
  }

  @ParameterizedTest
  @MethodSource("ruleNames")
  void theFixtureBreaks(String name) {
    String root = FIXTURES + "." + name;
    JavaClasses fixture = new ClassFileImporter().importPackages(root);
    HouseRule rule =
        HouseRules.under(root).stream()
            .filter(r -> r.name().equals(name))
            .findFirst()
            .orElseThrow();
    List<String> violations = rule.violations(fixture);
    Set<String> origins = origins(violations);

    assertThat(fixture).anyMatch(type -> type.getSimpleName().startsWith("Bad"));
    for (JavaClass type : fixture) {
      boolean reported = origins.contains(type.getName());
      if (type.getSimpleName().startsWith("Bad")) {
        assertThat(reported).as(type.getName() + " is reported in " + violations).isTrue();
      } else if (type.getSimpleName().startsWith("Good")) {
        assertThat(reported).as(type.getName() + " is reported in " + violations).isFalse();
      }
    }
  }

  private static final Pattern ORIGIN = Pattern.compile("^[^<]*<([^<>(]+)");

  /** The classes at fault: each line of a report names the offending class or member first. */
  private static Set<String> origins(List<String> violations) {
    Set<String> origins = new TreeSet<>();
    for (String line : (Iterable<String>) violations.stream().flatMap(String::lines)::iterator) {
      Matcher matcher = ORIGIN.matcher(line);
      if (matcher.find()) {
        String name = matcher.group(1);
        origins.add(name);
        if (name.contains(".")) {
          origins.add(name.substring(0, name.lastIndexOf('.')));
        }
      }
    }
    return origins;
  }

  @Test
  void everyModuleIsLookedAt() {
    for (String module : List.of("wire", "engine", "fabric", "verbs", "net", "tools")) {
      assertThat(CODE.containPackage("io.anabranch." + module)).as(module).isTrue();
    }
  }
}
