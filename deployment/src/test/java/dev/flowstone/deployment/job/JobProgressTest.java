// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JobProgressTest {
  private static final long SECOND_NS = 1_000_000_000;

  private final MetricReporter metrics =
      new JobMetrics.Factory().createMetricReporter(new Properties());
  private final JobProgress progress = new JobProgress(Optional.of(Duration.ofSeconds(2)));

  private final List<Runnable> atEnd = new ArrayList<>();

  private AtomicLong metric(String name) {
    return metric(name, "");
  }

  private AtomicLong metric(String name, String operator) {
    AtomicLong value = new AtomicLong();
    Gauge<Long> gauge = value::get;
    MetricGroup group = new GroupOf(operator);
    metrics.notifyOfAddedMetric(gauge, name, group);
    atEnd.add(() -> metrics.notifyOfRemovedMetric(gauge, name, group));
    return value;
  }

  @AfterEach
  void removeMetrics() {
    atEnd.forEach(Runnable::run);
    JobMetrics.forgetGone();
  }

  private static final class GroupOf extends UnregisteredMetricsGroup {
    private final String operator;

    GroupOf(String operator) {
      this.operator = operator;
    }

    @Override
    public String getMetricIdentifier(String name) {
      return operator + "." + name;
    }

    @Override
    public Map<String, String> getAllVariables() {
      return Map.of("<operator_name>", operator);
    }
  }

  /** Its packets stay away then as if there were none. */
  @Test
  void shouldTellThatARingIsFull() {
    metric("packetsConsumed").set(1_200);
    metric("ringsAssigned").set(1);
    AtomicLong untold = metric("packetsUntold");
    assertThat(progress.line(System.nanoTime()))
        .startsWith("read 1,200 packets  lost 0 in rings")
        .endsWith("/s");
    untold.set(34_000);
    assertThat(progress.line(System.nanoTime()))
        .endsWith(
            "  a ring is full: 34,000 dropped since (./flowstone stats RINGS says who holds it)");
  }

  @Test
  void shouldNameWhatIsNotHealthy() {
    metric("packetsConsumed").set(1_200);
    metric("ringsAssigned").set(2);
    metric("backlogSlots").set(44_700);
    AtomicLong checkpoints = metric("numberOfCompletedCheckpoints");
    checkpoints.set(5);
    AtomicLong missing = metric("waitingForRing");
    AtomicLong unconfirmed = metric("unconfirmed", "Kafka: packets: Writer");
    AtomicLong silenceMs = metric("unconfirmedMs", "Kafka: packets: Writer");
    long nowNs = System.nanoTime();
    assertThat(progress.line(nowNs)).endsWith("/s");

    unconfirmed.set(310);
    silenceMs.set(14_200);
    assertThat(progress.line(nowNs + SECOND_NS))
        .endsWith(
            "/s  NOT HEALTHY: Kafka: packets: Writer: nothing confirmed for 14 s, 310 unconfirmed;"
                + " 44,700 packets wait in rings");
    silenceMs.set(0);
    assertThat(progress.line(nowNs + 11 * SECOND_NS)).endsWith("/s");
    assertThat(progress.line(nowNs + 13 * SECOND_NS))
        .endsWith(
            "/s  NOT HEALTHY: no checkpoint completed for 13 s, the interval is 2.0 s; 44,700 packets"
                + " wait in rings");
    checkpoints.set(6);
    missing.set(1);
    assertThat(progress.line(nowNs + 14 * SECOND_NS))
        .endsWith("/s  NOT HEALTHY: 1 of 2 rings have no file: no tap runs");
  }
}
