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
    int idle = 0;
    for (int rule = 0; rule < rules.size(); rule++) {
      Optional<String> why = whyItNeverCounts(rules, rule);
      if (why.isPresent()) {
        idle++;
        System.out.printf(
            "warning: %s never counts: %s%n", rules.rules().get(rule).name(), why.get());
      }
    }
    System.out.printf(
        "rules: %d and the default; compiled: %s%s%n",
        rules.size() - 1,
        size(Classifier.of(rules).memoryBytes()),
        idle == 0 ? "" : "; never count: " + idle);
    return 0;
  }

  private static String size(long bytes) {
    return bytes < 10_000 ? "%,d bytes".formatted(bytes) : "%,d KB".formatted(bytes / 1000);
  }

  private static Optional<String> whyItNeverCounts(RuleSet rules, int rule) {
    return rules.rules().get(rule).match().isImpossible()
        ? Optional.of("no packet has all that it asks")
        : rules.shadowOf(rule).map(shadow -> "every packet of it is one of " + shadow);
  }
}
