// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.command;

import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.RulesFileException;
import dev.flowstone.rules.classify.Classifier;
import dev.flowstone.rules.yaml.RulesYaml;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code ./flowstone rules check}: what a file means, or what is wrong with it. */
@Command(
    name = "check",
    mixinStandardHelpOptions = true,
    description = "Shows a file's rules in the order of their precedence, or all that is wrong.",
    footer = {"", "  ./flowstone rules check flink-conf/rules.example.yaml"})
final class CheckCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE", description = "A rules file, YAML or JSON.")
  private Path file;

  @Override
  public Integer call() throws IOException {
    RuleSet rules;
    try {
      rules = RulesYaml.read(file);
    } catch (RulesFileException e) {
      return Refusal.print(e);
    }
    RuleTable.of(rules).print(System.out);
    int shadowed = 0;
    for (int rule = 0; rule < rules.size(); rule++) {
      Optional<String> shadow = rules.shadowOf(rule);
      if (shadow.isPresent()) {
        shadowed++;
        System.out.printf(
            "warning: %s never counts: every packet of it is one of %s%n",
            rules.rules().get(rule).name(), shadow.get());
      }
    }
    System.out.printf(
        "rules: %d and the default; compiled: %,d KB%s%n",
        rules.size() - 1,
        Classifier.of(rules).memoryBytes() / 1000,
        shadowed == 0 ? "" : "; never count: " + shadowed);
    return 0;
  }
}
