// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.operators.ruled.FunctionKind;
import dev.flowstone.rules.Rule;
import dev.flowstone.rules.function.Pass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DemoRulesTest {
  @TempDir private Path folder;

  @Test
  void shouldHaveEveryFunction() throws IOException {
    Path own = DemoRules.file(Optional.empty(), folder);
    assertThat(own).startsWith(folder);
    DemoRules.requireSense(Optional.of(own));
    assertThat(DemoRules.read(own).rules())
        .extracting(rule -> FunctionKind.of(rule.function()))
        .contains(FunctionKind.values());
    assertThat(DemoRules.read(own).rules())
        .extracting(rule -> rule.function().name())
        .contains("pass", "sample");
    assertThat(DemoRules.read(own).rules())
        .extracting(Rule::function)
        .contains(new Pass(Optional.of(DemoGrants.KEY)));
  }

  @Test
  void shouldLeaveAUsersFileWhereItIs() throws IOException {
    Path ofUser = Files.writeString(folder.resolve("mine.yaml"), "rules: []\n");
    DemoRules.requireSense(Optional.of(ofUser));
    assertThat(DemoRules.file(Optional.of(ofUser), folder)).isEqualTo(ofUser);
  }

  /** Nobody would read that topic, or the job would end before it began. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          function: pass, topic: other             | rule a: the demo knows nothing of topic other
          function: {user: {class: org.example.A}} | rule a: the demo knows nothing of a class of yours
          function: {pass: {anonymise: site}}      | rule a: the demo knows nothing of key site
          function: {sample: {one_in: 2, anonymise: site}} | rule a: the demo knows nothing of key site
          function: pas                            | function must be pass
          """)
  void shouldRefuseBeforeAnythingIsStartedWhatTheDemoDoesNotHave(String rule, String refusal)
      throws IOException {
    Path file =
        Files.writeString(folder.resolve("rules.yaml"), "rules:\n  - {name: a, " + rule + "}\n");
    assertThatThrownBy(() -> DemoRules.requireSense(Optional.of(file)))
        .hasMessageContaining(refusal);
  }

  @Test
  void shouldNameAFileThatIsNotThere() {
    assertThatThrownBy(() -> DemoRules.requireSense(Optional.of(folder.resolve("none.yaml"))))
        .hasMessageContaining("none.yaml: no such file");
  }
}
