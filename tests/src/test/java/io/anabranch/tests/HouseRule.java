package io.anabranch.tests;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;

/**
 * One thing that must never be: the checks that find it, and the fixture package that breaks it. A
 * rule without checkable fixtures would not be known to work.
 */
record HouseRule(String name, List<ArchRule> checks) {
  HouseRule(String name, ArchRule... checks) {
    this(name, List.of(checks));
  }

  /** Every violation in the classes, one line each. */
  List<String> violations(JavaClasses classes) {
    return checks.stream()
        .flatMap(check ->
            check.allowEmptyShould(true).evaluate(classes).getFailureReport().getDetails().stream())
        .toList();
  }

  @Override
  public String toString() {
    return name;
  }
}
