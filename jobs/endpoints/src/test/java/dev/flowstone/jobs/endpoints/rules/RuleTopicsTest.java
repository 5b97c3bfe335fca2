// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.rules;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.jobs.endpoints.KafkaOptions;
import dev.flowstone.rules.function.Pass;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuleTopicsTest {
  @TempDir private Path folder;
  private final RulesOptions options = new RulesOptions();

  @BeforeEach
  void writeRules() throws Exception {
    options.file =
        Files.writeString(
            folder.resolve("rules.yaml"),
            "rules: [{name: staff, match: {destination_port: 80}, function: pass, topic: payroll}]");
  }

  private void check() {
    options.live(Pass.unchanged(), new KafkaOptions(), _ -> {});
  }

  @Test
  void allowsAnyTopicInAFileAndNoneInMessages() {
    assertThatCode(this::check).doesNotThrowAnyException();
    options.topic = "rules";
    assertThatThrownBy(this::check)
        .hasMessageContaining("rule staff: topic payroll is not allowed")
        .hasMessageContaining("--rule-topics");
  }

  @Test
  void matchesTheWholeName() {
    options.topic = "rules";
    options.ruleTopics = Pattern.compile("pay.*|dns");
    assertThatCode(this::check).doesNotThrowAnyException();
    options.ruleTopics = Pattern.compile("pay");
    assertThatThrownBy(this::check)
        .hasMessageContaining("topic payroll is not allowed: --rule-topics allows pay");
    options.topic = null;
    assertThatThrownBy(this::check).hasMessageContaining("--rule-topics allows pay");
  }

  @Test
  void rejectsTheRulesTopic() {
    options.topic = "payroll";
    options.ruleTopics = Pattern.compile(".*");
    assertThatThrownBy(this::check)
        .hasMessageContaining("rule staff: topic payroll is the rules topic");
  }

  @Test
  void rejectsARulesTopicThatTheJobWritesTo() {
    options.requireOwnTopic(Stream.of("packets", "results"));
    options.topic = "results";
    assertThatThrownBy(() -> options.requireOwnTopic(Stream.of("packets", "results")))
        .hasMessage("--rules-topic: the job writes to topic results; use another topic for rules");
    options.topic = "__transaction_state";
    assertThatThrownBy(() -> options.requireOwnTopic(Stream.of("packets")))
        .hasMessageStartingWith("--rules-topic: topic names that begin with __");
  }
}
