// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.monitoring.page.RulesCourse.Standing;
import dev.flowstone.monitoring.stats.JobCounters.RulesNews;
import dev.flowstone.rules.RuleWords;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RulesCourseTest {
  private static final List<RuleWords> FILE =
      List.of(new RuleWords("", "default", "every other packet", "pass", "pass", ""));

  private static final List<RuleWords> OTHER =
      List.of(new RuleWords("", "default", "every other packet", "drop", "drop", ""));

  @TempDir private Path folder;
  private final RulesCourse course = new RulesCourse();

  private void take(long version, long waiting, long refused) {
    var _ = course.take(new RulesNews(version, waiting, refused));
  }

  private Standing standing(long version, long waiting, long refused) {
    take(version, waiting, refused);
    return course.of(FILE);
  }

  @Test
  void shouldKnowOfNothingWithoutRules() {
    assertThat(course.of(FILE)).isEqualTo(Standing.UNTOLD);
    assertThat(standing(0, 0, 0)).isEqualTo(Standing.UNTOLD);
  }

  @Test
  void shouldTakeAFileForRefusedUntilAnotherVersionCounts() {
    assertThat(standing(1, 0, 0)).isEqualTo(Standing.IN_FORCE);
    assertThat(standing(1, 0, 1)).isEqualTo(Standing.REFUSED);
    assertThat(standing(1, 0, 2)).isEqualTo(Standing.REFUSED);
    assertThat(course.view().refusedSince()).isEqualTo(2);
    assertThat(standing(2, 0, 2)).isEqualTo(Standing.IN_FORCE);
    assertThat(course.view().refusedSince()).isZero();
    assertThat(standing(2, 0, 3)).isEqualTo(Standing.REFUSED);
  }

  @Test
  void shouldTakeAFileForWaitingUntilNothingWaits() {
    assertThat(standing(1, 1, 0)).isEqualTo(Standing.WAITS);
    assertThat(standing(2, 0, 0)).isEqualTo(Standing.IN_FORCE);
    assertThat(standing(2, 1, 0)).isEqualTo(Standing.WAITS);
    // It was taken back.
    assertThat(standing(2, 0, 0)).isEqualTo(Standing.IN_FORCE);
  }

  /** They may have been refused before the version came, or be what the file says now. */
  @Test
  void shouldNotGuessWhatBecameOfRulesBeforeTheFirstLook() {
    assertThat(standing(4, 0, 2)).isEqualTo(Standing.UNTOLD);
    assertThat(course.view().refusedSince()).isNull();
    assertThat(standing(4, 0, 3)).isEqualTo(Standing.REFUSED);
    assertThat(standing(5, 0, 3)).isEqualTo(Standing.IN_FORCE);
  }

  @Test
  void shouldNotGuessWhichOfTwoCameFirstBetweenTwoLooks() {
    assertThat(standing(1, 0, 0)).isEqualTo(Standing.IN_FORCE);
    assertThat(standing(2, 0, 1)).isEqualTo(Standing.UNTOLD);
    assertThat(standing(3, 0, 1)).isEqualTo(Standing.IN_FORCE);
  }

  @Test
  void shouldBeginAnewWithAnotherJobManager() {
    assertThat(standing(2, 0, 0)).isEqualTo(Standing.IN_FORCE);
    assertThat(standing(2, 0, 7)).isEqualTo(Standing.REFUSED);
    assertThat(standing(3, 0, 7)).isEqualTo(Standing.IN_FORCE);
    assertThat(standing(3, 0, 0)).isEqualTo(Standing.IN_FORCE);
    assertThat(standing(3, 0, 1)).isEqualTo(Standing.REFUSED);
  }

  /** It takes a while until a job has looked at the file, and Flink at its counters. */
  @Test
  void shouldNotTakeAFileForInForceThatHasJustChanged() {
    assertThat(standing(1, 0, 0)).isEqualTo(Standing.IN_FORCE);
    assertThat(course.of(OTHER)).isEqualTo(Standing.UNTOLD);
    take(2, 0, 0);
    assertThat(course.of(OTHER)).isEqualTo(Standing.IN_FORCE);
    assertThat(course.of(FILE)).isEqualTo(Standing.UNTOLD);
  }

  @Test
  void shouldTellNoWordsOfRulesThatAreNotInForce() throws Exception {
    Path file = folder.resolve("rules.yaml");
    Files.writeString(file, "rules: []\n");
    RulesWatch watch = new RulesWatch(file, () -> course);
    take(4, 0, 2);
    assertThat(watch.look()).isEqualTo(new RulesWatch.View(Standing.UNTOLD, FILE));
    take(5, 0, 2);
    assertThat(watch.look()).isEqualTo(new RulesWatch.View(Standing.IN_FORCE, FILE));
    take(5, 1, 2);
    assertThat(watch.look()).isEqualTo(new RulesWatch.View(Standing.WAITS, List.of()));
    take(5, 0, 3);
    assertThat(watch.look()).isEqualTo(new RulesWatch.View(Standing.REFUSED, List.of()));
  }
}
