// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class MetricsITCase {
  private static final Project PROJECT = Project.find();

  /** With a name, or with a constant or a sum for one. */
  private static final Pattern REGISTERING =
      Pattern.compile(
          "\\.(?:counter|gauge|meter|histogram)\\(\\s*(?:\"(\\w+)\"|[A-Z_]+\\b|delivered)");

  private static final Set<String> OF_A_TAP =
      Set.of(
          "TapMetrics",
          "CardMetrics",
          "RingExposition",
          "ForwardMetrics",
          "ReceiveMetrics",
          "Exposition");

  private static Page page;
  private static List<Registration> seen;

  @BeforeAll
  static void run() throws Exception {
    page = Reference.metrics(PROJECT);
    seen = SeenMetrics.all();
  }

  @Test
  void shouldTellOfEachMetricThatJobsRegister() {
    assertThat(MetricDescriptions.names(seen))
        .as("metrics.yaml has to tell what each means, and of no other")
        .isEqualTo(new MetricDescriptions().names());
  }

  @Test
  void shouldSayWhatTapAndJobsSay() {
    assertThat(Difference.of(page, PROJECT).orElse("")).isEmpty();
  }

  /** So that no metric escapes because no job here has it. */
  @Test
  void shouldSeeEveryClassThatRegisters() {
    for (Path source : PROJECT.javaSources()) {
      String by = source.getFileName().toString().replace(".java", "");
      if (!OF_A_TAP.contains(by)) {
        requireSeen(by, Project.read(source));
      }
    }
  }

  private static void requireSeen(String by, String text) {
    Set<String> ofClass = new TreeSet<>();
    seen.stream().filter(each -> each.by().equals(by)).forEach(each -> ofClass.add(each.name()));
    List<String> calls =
        REGISTERING.matcher(text).results().map(call -> "" + call.group(1)).toList();
    assertThat(ofClass).as("metrics of %s seen", by).hasSizeGreaterThanOrEqualTo(calls.size());
    assertThat(ofClass)
        .as("metrics of %s seen", by)
        .containsAll(calls.stream().filter(name -> !name.equals("null")).toList());
  }
}
