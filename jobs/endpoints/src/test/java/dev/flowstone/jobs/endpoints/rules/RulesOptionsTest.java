// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.jobs.endpoints.KafkaOptions;
import dev.flowstone.rules.Rule;
import dev.flowstone.rules.function.Pass;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RulesOptionsTest {
  @TempDir private Path folder;

  private static List<String> names(RulesOptions options) {
    return options.live(Pass.unchanged(), new KafkaOptions(), _ -> {}).begin().rules().stream()
        .map(Rule::name)
        .toList();
  }

  /** A job looks at its rules several times while it is built, and users rename files. */
  @Test
  void shouldReadTheFileOnce() throws Exception {
    RulesOptions options = new RulesOptions();
    options.file = folder.resolve("rules.yaml");
    Files.writeString(
        options.file,
        "rules: [{name: web, match: {destination_port: 443}, function: drop}]\ndefault: {function: pass}");
    List<String> first = names(options);
    Files.writeString(options.file, "rules: []\ndefault: {function: pass}");
    assertThat(first).contains("web");
    assertThat(names(options)).isEqualTo(first);
  }
}
