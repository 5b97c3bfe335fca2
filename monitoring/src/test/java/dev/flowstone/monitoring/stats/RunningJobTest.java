// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.monitoring.ClusterView.Job;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RunningJobTest {
  private static final String PLACE = "http://localhost:8081";
  private static final Job SAMPLING = new Job("0d10", "sampling", "RUNNING", 0);
  private static final Job ANOMALY = new Job("dde8", "anomaly", "RUNNING", 0);

  @Test
  void shouldTakeTheOnlyOne() throws Exception {
    assertThat(RunningJob.choose(List.of(SAMPLING), Optional.empty(), PLACE)).isEqualTo(SAMPLING);
  }

  @Test
  void shouldTakeTheOneThatIsNamed() throws Exception {
    List<Job> both = List.of(SAMPLING, ANOMALY);
    assertThat(RunningJob.choose(both, Optional.of("anomaly"), PLACE)).isEqualTo(ANOMALY);
    assertThat(RunningJob.choose(both, Optional.of("dd"), PLACE)).isEqualTo(ANOMALY);
  }

  @Test
  void shouldSayWhichThereAre() {
    List<Job> both = List.of(SAMPLING, ANOMALY);
    assertThatThrownBy(() -> RunningJob.choose(List.of(), Optional.empty(), PLACE))
        .hasMessage("no job runs at http://localhost:8081");
    assertThatThrownBy(() -> RunningJob.choose(both, Optional.empty(), PLACE))
        .hasMessage(
            "several jobs run at http://localhost:8081: choose with --job one of 0d10 (sampling),"
                + " dde8 (anomaly)");
    assertThatThrownBy(() -> RunningJob.choose(both, Optional.of("flows"), PLACE))
        .hasMessage(
            "no job flows runs at http://localhost:8081, but 0d10 (sampling), dde8 (anomaly)");
  }
}
