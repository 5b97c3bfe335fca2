// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import dev.flowstone.rules.RuleWords;
import dev.flowstone.rules.yaml.RulesYaml;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/**
 * The rules of a file, in words, unless the job goes by others.
 *
 * @param course of the job that is shown
 */
record RulesWatch(Path file, Supplier<RulesCourse> course) {
  /**
   * What a job's rules mean, where that is known.
   *
   * @param standing of what stands in the file
   * @param words none: of the rules in force nothing but names and counts is known
   */
  record View(RulesCourse.Standing standing, List<RuleWords> words) {}

  View look() throws IOException {
    List<RuleWords> words = RuleWords.of(RulesYaml.read(file));
    RulesCourse.Standing standing = course.get().of(words);
    return switch (standing) {
      case IN_FORCE, UNTOLD -> new View(standing, words);
      case WAITS, REFUSED -> new View(standing, List.of());
    };
  }
}
