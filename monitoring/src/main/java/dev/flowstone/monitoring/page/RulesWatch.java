// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import dev.flowstone.rules.RuleWords;
import dev.flowstone.rules.yaml.RulesYaml;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The rules of a file, in words. */
record RulesWatch(Path file) {
  List<RuleWords> look() throws IOException {
    return RuleWords.of(RulesYaml.read(file));
  }
}
