// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Properties;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.junit.jupiter.api.Test;

class JobMetricsTest {
  private static final String NAME = "packetsOfThisTest";

  private final MetricReporter reporter =
      new JobMetrics.Factory().createMetricReporter(new Properties());

  private Counter add(String subtask, long count) {
    Counter counter = new SimpleCounter();
    counter.inc(count);
    reporter.notifyOfAddedMetric(counter, NAME, group(subtask));
    return counter;
  }

  private static MetricGroup group(String subtask) {
    return new UnregisteredMetricsGroup() {
      @Override
      public String getMetricIdentifier(String name) {
        return subtask + "." + name;
      }
    };
  }

  @Test
  void shouldKnowTheLastValuesOfAJobButNotOfAnAttemptBeforeItsRestart() {
    Counter first = add("1", 10);
    Counter second = add("2", 20);
    reporter.notifyOfRemovedMetric(first, NAME, group("1"));
    reporter.notifyOfRemovedMetric(second, NAME, group("2"));
    assertThat(JobMetrics.sum(NAME)).as("in the end").isEqualTo(30);

    Counter again = add("1", 5);
    reporter.notifyOfRemovedMetric(first, NAME, group("1"));
    JobMetrics.forgetGone();
    assertThat(JobMetrics.sum(NAME)).as("after a restart").isEqualTo(5);
    reporter.notifyOfRemovedMetric(again, NAME, group("1"));
    JobMetrics.forgetGone();
    assertThat(JobMetrics.count(NAME)).isZero();
  }
}
