// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.offheap.Reason;
import dev.flowstone.rules.Rule;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.function.Pass;
import dev.flowstone.rules.function.Sample;
import dev.flowstone.rules.function.ServiceFunction;
import dev.flowstone.rules.function.UserFunction;
import dev.flowstone.rules.yaml.RulesYaml;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The rules that the job goes by: the demo's own, or the user's. */
final class DemoRules {
  private static final String OWN = "rules.yaml";

  private DemoRules() {}

  /** Throws if a file is none of rules, or these want what the demo does not have. */
  static void requireSense(Optional<Path> ofUser) {
    ofUser.ifPresent(DemoRules::requireSense);
  }

  private static void requireSense(Path file) {
    if (!Files.isReadable(file)) {
      throw new IllegalArgumentException("--rules: " + file + ": no such file, or not to be read");
    }
    RuleSet rules = read(file);
    for (Rule rule : rules.rules()) {
      rule.topic().ifPresent(topic -> refuse(file, rule, "topic " + topic));
      if (rule.function() instanceof UserFunction function
          && !function.className().equals(DemoGrants.FUNCTION)) {
        refuse(file, rule, "a class of yours");
      }
      key(rule.function())
          .filter(key -> !key.equals(DemoGrants.KEY))
          .ifPresent(key -> refuse(file, rule, "key " + key));
    }
  }

  private static Optional<String> key(ServiceFunction function) {
    return switch (function) {
      case Pass pass -> pass.anonymiseKey();
      case Sample sample -> sample.anonymiseKey();
      default -> Optional.empty();
    };
  }

  private static void refuse(Path file, Rule rule, String what) {
    throw new IllegalArgumentException(
        "--rules: %s: rule %s: the demo knows nothing of %s; ./flowstone job platform does"
            .formatted(file, rule.name(), what));
  }

  static RuleSet read(Path file) {
    try {
      return RulesYaml.read(file);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file + ": " + Reason.of(e), e);
    }
  }

  /** The user's, or else the demo's own, which are written where the user can change them. */
  static Path file(Optional<Path> ofUser, Path folder) throws IOException {
    if (ofUser.isPresent()) {
      return ofUser.get().toAbsolutePath();
    }
    Path own = folder.resolve(OWN);
    try (InputStream text = DemoRules.class.getResourceAsStream(OWN)) {
      Files.copy(text, own);
    }
    return own;
  }
}
