// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.monitoring.ClusterView.Job;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ChosenJobTest {
  private static final Job ENDED = new Job("a1", "platform", "FINISHED", 10);
  private static final Job ENDED_LATER = new Job("a2", "sampling", "CANCELED", 20);
  private static final Job AT_WORK = new Job("b1", "platform", "RUNNING", 30);
  private static final Job QUERY = new Job("c1", "SELECT", "RUNNING", 40);

  private static Optional<Job> chosen(String asked, Job... jobs) {
    return new ChosenJob(Optional.ofNullable(asked)).of(List.of(jobs));
  }

  @Test
  void shouldTakeTheFirstAtWorkElseTheLatest() {
    assertThat(chosen(null, ENDED, QUERY, AT_WORK)).contains(AT_WORK);
    assertThat(chosen(null, ENDED, ENDED_LATER)).contains(ENDED_LATER);
    assertThat(chosen(null)).isEmpty();
  }

  @Test
  void shouldTakeNoneButTheOneThatIsAskedFor() {
    assertThat(chosen("platform", QUERY, ENDED)).contains(ENDED);
    assertThat(chosen("platform", ENDED, AT_WORK)).contains(AT_WORK);
    assertThat(chosen("c", ENDED, QUERY)).contains(QUERY);
    assertThat(chosen("flows", ENDED, QUERY)).isEmpty();
  }
}
