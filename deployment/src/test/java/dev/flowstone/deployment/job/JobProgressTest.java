// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.junit.jupiter.api.Test;

class JobProgressTest {
  private final MetricReporter metrics =
      new JobMetrics.Factory().createMetricReporter(new Properties());
  private final JobProgress progress = new JobProgress();

  private AtomicLong metric(String name) {
    AtomicLong value = new AtomicLong();
    metrics.notifyOfAddedMetric(
        (Gauge<Long>) value::get,
        name,
        new UnregisteredMetricsGroup() {
          @Override
          public String getMetricIdentifier(String of) {
            return "test." + of;
          }
        });
    return value;
  }

  /** Its packets stay away then as if there were none. */
  @Test
  void shouldTellThatARingIsFull() {
    metric("packetsConsumed").set(1_200);
    AtomicLong untold = metric("packetsUntold");
    assertThat(progress.line(System.nanoTime()))
        .startsWith("read 1,200 packets  lost 0 in rings")
        .endsWith("/s");
    untold.set(34_000);
    assertThat(progress.line(System.nanoTime()))
        .endsWith(
            "  a ring is full: 34,000 dropped since (./flowstone stats RINGS says who holds it)");
  }
}
