// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Holds every module's classes against ARCHITECTURE.md. */
class ArchitectureTest {
  static final List<ModuleUse> MODULE_USES = ModuleUse.TABLE;
  static final List<ArchRule> HOUSE_RULES = HouseRules.ALL;

  private static final ProjectModules PROJECT = ProjectModules.find();
  private static JavaClasses classes;

  @BeforeAll
  static void importClasses() {
    classes = PROJECT.importClasses();
  }

  @ParameterizedTest
  @FieldSource("MODULE_USES")
  void shouldUseOnlyWhatTheTableAllows(ModuleUse use) {
    use.rule().check(classes);
  }

  @ParameterizedTest
  @FieldSource("HOUSE_RULES")
  void shouldObeyHouseRule(ArchRule rule) {
    rule.check(classes);
  }

  @Test
  void shouldKnowEveryPackage() {
    ModuleUse.everyClassIsInTheTable().check(classes);
  }

  /**
   * Maven builds what this module depends on first; a module left out would be judged by old
   * classes.
   */
  @Test
  void shouldComeAfterEveryModule() {
    List<String> dependencies =
        values(
            "<artifactId>([^<]+)</artifactId>", PROJECT.read("verification/architecture/pom.xml"));
    assertThat(PROJECT.withJavaSources())
        .allSatisfy(
            module ->
                assertThat(dependencies)
                    .as("dependencies of verification/architecture/pom.xml; add module %s", module)
                    .contains(artifactOf(module)))
        .allSatisfy(module -> assertThat(PROJECT.classesOf(module)).isNotEmptyDirectory());
  }

  @Test
  void shouldStartProgramsWithTheOptionsOfTheTests() {
    String tests = values("<flowstone.jvm.args>([^<]+)<", PROJECT.read("pom.xml")).getFirst();
    assertThat(PROJECT.read("build-support/jvm.options").lines().toList())
        .isEqualTo(Arrays.asList(tests.strip().split("\\s+", -1)));
  }

  /** The first artifactId after the parent's is the module's own. */
  private static String artifactOf(String module) {
    return values("<artifactId>([^<]+)</artifactId>", PROJECT.read(module + "/pom.xml")).get(1);
  }

  private static List<String> values(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results().map(ArchitectureTest::value).toList();
  }

  private static String value(MatchResult match) {
    return match.group(1);
  }
}
