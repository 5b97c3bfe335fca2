// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.stats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.monitoring.stats.Health.Rings;
import dev.flowstone.monitoring.stats.Health.Sink;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JobReadingTest {
  /** As of a source and two sinks with two subtasks each. */
  private static final JobReading READING =
      reading(
          new JobReading.Task(
              Map.of(
                  "Source__rings.ringsAssigned", 4L,
                  "Source__rings.waitingForRing", 1L,
                  "Source__rings.backlogSlots", 70L,
                  "Source__rings.unreadMs", 30L,
                  "Source__rings.taprings.eth0.ring.0.packetsConsumed", 9L),
              Map.of(
                  "Source__rings.ringsAssigned", 2L,
                  "Source__rings.unreadMs", 20L,
                  "Source__rings.taprings.eth0.ring.0.packetsConsumed", 5L)),
          new JobReading.Task(
              Map.of(
                  "Kafka__flows.unconfirmed", 7L,
                  "Kafka__flows.unconfirmedMs", 900L,
                  "Kafka__packets.unconfirmed", 3L,
                  "Kafka__packets.unconfirmedMs", 40L),
              Map.of(
                  "Kafka__flows.unconfirmed", 4L,
                  "Kafka__flows.unconfirmedMs", 600L,
                  "Kafka__packets.unconfirmed", 2L,
                  "Kafka__packets.unconfirmedMs", 40L)));

  private static JobReading reading(JobReading.Task... tasks) {
    return new JobReading(List.of(tasks));
  }

  @Test
  void shouldAddUpRingsAndTakeTheLongestSilence() {
    assertThat(READING.rings()).contains(new Rings(4, 1, 70, 20));
    assertThat(READING.sinks())
        .containsExactlyInAnyOrder(
            new Sink("Kafka: flows", 7, 600), new Sink("Kafka: packets", 3, 40));
  }

  @Test
  void shouldHaveNoRingsWithoutASource() {
    assertThat(reading().rings()).isEmpty();
  }

  @Test
  void shouldHaveOnlyCountersOfStages() {
    assertThat(READING.stages())
        .containsExactly(
            new OperatorCounters(
                "Source__rings", Map.of("taprings.eth0.ring.0.packetsConsumed", 9L)));
  }
}
