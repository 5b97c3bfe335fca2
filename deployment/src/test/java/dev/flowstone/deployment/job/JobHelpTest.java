// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.deployment.KnownJobs;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** What {@code ./flowstone job NAME --help} says of all jobs, held against one another. */
class JobHelpTest {
  /** With the lines that end in a backslash. */
  private static final Pattern EXAMPLE =
      Pattern.compile("^ +\\./flowstone job ((?:.*\\\\\\R)*.*)$", Pattern.MULTILINE);

  /** What a job is called, and what it sends, is its own. */
  private static final Set<String> OWN_DEFAULT = Set.of("--name", "--topic");

  private static final Set<String> OWN_DESCRIPTION = Set.of("--topic");

  private final CommandLine command =
      new CommandLine(KnownJobs.commandForEach("job", EmbeddedJobCommand::new))
          .setCaseInsensitiveEnumValuesAllowed(true);
  private final Map<String, CommandLine> jobs = command.getSubcommands();

  @Test
  void shouldHaveAnExampleThatCanBeTypedAndNamesABroker() {
    assertThat(jobs).containsOnlyKeys("platform", "sampling", "histogram", "anomaly");
    jobs.forEach(
        (name, job) -> {
          List<String> examples = examples(job.getUsageMessage());
          assertThat(examples).as(name).isNotEmpty();
          for (String example : examples) {
            assertThat(example).startsWith(name + " ").contains("--bootstrap-servers");
            command.parseArgs(example.split("[\\s\\\\]+", -1));
          }
        });
  }

  private static List<String> examples(String help) {
    return EXAMPLE.matcher(help).results().map(MatchResult::group).map(JobHelpTest::typed).toList();
  }

  private static String typed(String example) {
    return example.strip().replaceFirst("^\\./flowstone job ", "");
  }

  @Test
  void shouldMeanTheSameByAnOptionInEachJob() {
    Map<String, OptionSpec> known = new TreeMap<>();
    jobs.values().stream()
        .map(job -> job.getCommandSpec().options())
        .flatMap(Collection::stream)
        .forEach(
            option -> {
              OptionSpec other = known.putIfAbsent(option.longestName(), option);
              if (other != null) {
                requireSame(option, other);
              }
            });
    assertThat(known).containsKeys("--questdb", "--stages-topic", "--anonymise-key");
  }

  private static void requireSame(OptionSpec option, OptionSpec other) {
    String name = option.longestName();
    assertThat(option.paramLabel()).as(name).isEqualTo(other.paramLabel());
    if (!OWN_DEFAULT.contains(name)) {
      assertThat(option.defaultValueString()).as(name).isEqualTo(other.defaultValueString());
    }
    if (!OWN_DESCRIPTION.contains(name)) {
      assertThat(description(option)).as(name).isEqualTo(description(other));
    }
  }

  private static String description(OptionSpec option) {
    return String.join("\n", option.description()).replace(option.defaultValueString(), "DEFAULT");
  }
}
