// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.stats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.monitoring.stats.Health.Checkpoints;
import dev.flowstone.monitoring.stats.Health.Rings;
import dev.flowstone.monitoring.stats.Health.Sink;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HealthTest {
  private static final Rings TWO_RINGS = new Rings(2, 0, 1_500, 10_000);
  private static final Sink CONFIRMED = new Sink("QuestDB: alerts", 3, 10_000);

  private static Checkpoints checkpoints(int sinceLatestSeconds) {
    return new Checkpoints(Duration.ofMillis(2_500), Duration.ofSeconds(sinceLatestSeconds));
  }

  private static List<String> problems(String state, Rings rings, Sink sink, int sinceLatest) {
    return new Health(
            state,
            Duration.ofSeconds(11),
            Optional.of(rings),
            List.of(sink),
            Optional.of(checkpoints(sinceLatest)))
        .problems();
  }

  @Test
  void isHealthyUpToItsLimits() {
    assertThat(problems("RUNNING", TWO_RINGS, CONFIRMED, 12)).isEmpty();
  }

  @Test
  void isHealthyWithoutSourceAndCheckpoints() {
    assertThat(
            new Health("RUNNING", Duration.ZERO, Optional.empty(), List.of(), Optional.empty())
                .problems())
        .isEmpty();
  }

  @Test
  void namesAJobThatDoesNotRun() {
    assertThat(problems("RESTARTING", TWO_RINGS, CONFIRMED, 1))
        .containsExactly("the job is RESTARTING");
  }

  /** Its tasks have stopped, and what they had last is no problem. */
  @Test
  void isHealthyWhenItEnds() {
    assertThat(problems("FINISHED", new Rings(0, 0, 0, 0), CONFIRMED, 13)).isEmpty();
  }

  @Test
  void isHealthyWithoutRingsAtItsStart() {
    Health starting =
        new Health(
            "RUNNING",
            Duration.ofSeconds(9),
            Optional.of(new Rings(0, 0, 0, 0)),
            List.of(),
            Optional.empty());
    assertThat(starting.problems()).isEmpty();
  }

  @Test
  void namesARingThatIsNotRead() {
    assertThat(problems("RUNNING", new Rings(2, 0, 1_500, 10_001), CONFIRMED, 1))
        .containsExactly("nothing read of a ring for 10 s; 1,500 packets wait in rings");
  }

  @Test
  void namesASourceWithoutRings() {
    assertThat(problems("RUNNING", new Rings(0, 0, 0, 0), CONFIRMED, 1))
        .containsExactly("the source reads no ring: no tap has made one in the folder of --rings");
    assertThat(problems("RUNNING", new Rings(4, 3, 0, 0), CONFIRMED, 1))
        .containsExactly("3 of 4 rings have no file: no tap runs");
  }

  @Test
  void namesAReceiverThatConfirmsNothing() {
    assertThat(problems("RUNNING", TWO_RINGS, new Sink("Kafka: Writer", 1_234, 10_001), 1))
        .containsExactly(
            "Kafka: Writer: nothing confirmed for 10 s, 1,234 unconfirmed; 1,500 packets wait in rings");
  }

  @Test
  void namesACheckpointThatIsOverdue() {
    assertThat(problems("RUNNING", TWO_RINGS, CONFIRMED, 13))
        .containsExactly(
            "no checkpoint completed for 13 s, the interval is 2.5 s; 1,500 packets wait in rings");
  }
}
