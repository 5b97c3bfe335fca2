// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import dev.flowstone.model.fixture.ModelThatUsesTheTap;
import dev.flowstone.tap.fixture.TapHelper;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Shows the rules classes that break them: a rule that cannot fail protects nothing. */
class RulesTest {
  private static final String TAP = "dev.flowstone.tap..";

  private static final JavaClasses FIXTURES =
      new ClassFileImporter().importClasses(ModelThatUsesTheTap.class, TapHelper.class);

  @Test
  void shouldSeeForbiddenModule() {
    ModuleUse model =
        ModuleUse.TABLE.stream()
            .filter(use -> use.owner().equals("model"))
            .findFirst()
            .orElseThrow();
    assertThat(violations(model.rule())).anyMatch(text -> text.contains("ModelThatUsesTheTap"));
  }

  @Test
  void shouldSeeLibraryInModel() {
    assertThat(violations(HouseRules.MODEL_USES_THE_JDK_ALONE))
        .anyMatch(text -> text.contains("com.tngtech"));
  }

  @Test
  void shouldSeeEachNativeAccess() {
    assertThat(violations(HouseRules.NATIVE_ACCESS_ONLY_IN_OFFHEAP))
        .anyMatch(text -> text.contains("Linker.nativeLinker"))
        .anyMatch(text -> text.contains("SymbolLookup.loaderLookup"))
        .anyMatch(text -> text.contains("MemorySegment.reinterpret"))
        .anyMatch(text -> text.contains("System.load"));
  }

  @Test
  void shouldSeeUnsafe() {
    // javac lets no class of this project near Unsafe, so one of the JDK's own shows the rule.
    JavaClasses jdk = new ClassFileImporter().importClasses(AtomicInteger.class);
    assertThat(HouseRules.NO_UNSAFE.evaluate(jdk).hasViolation()).isTrue();
  }

  @Test
  void shouldSeeEachWayToStartAProcess() {
    assertThat(violations(HouseRules.PROCESSES_ARE_STARTED_WHERE_THEIR_END_IS_EXPLAINED))
        .anyMatch(text -> text.contains("ProcessBuilder.<init>"))
        .anyMatch(text -> text.contains("Runtime.exec"));
  }

  /** The only one that may breaks them, were another the only one that may. */
  @Test
  void shouldSeeClusterAndConsumer() {
    JavaClasses harness = ProjectModules.find().importClasses(List.of("harness"));
    assertThat(violations(HouseRules.onlyIn(TAP, HouseRules.FLINK_IN_THIS_PROCESS), harness))
        .anyMatch(text -> text.contains("MiniCluster.start"));
    assertThat(violations(HouseRules.onlyIn(TAP, HouseRules.KAFKA_CONSUMER), harness))
        .anyMatch(text -> text.contains("KafkaConsumer.<init>"));
  }

  @Test
  void shouldSeeNameThatSaysNothing() {
    assertThat(violations(HouseRules.NAMES_SAY_WHAT_A_CLASS_IS))
        .anyMatch(text -> text.contains("TapHelper"));
  }

  @Test
  void shouldSeeClassOutsideOfTable() {
    JavaClasses own = new ClassFileImporter().importClasses(RulesTest.class);
    assertThat(ModuleUse.everyClassIsInTheTable().evaluate(own).hasViolation()).isTrue();
  }

  private static List<String> violations(ArchRule rule) {
    return violations(rule, FIXTURES);
  }

  private static List<String> violations(ArchRule rule, JavaClasses classes) {
    return rule.evaluate(classes).getFailureReport().getDetails();
  }
}
