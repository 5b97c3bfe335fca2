// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/**
 * Reads the metrics of the job that runs in this process, through Flink's own metric system. What
 * is gone keeps its last value, for the last line comes after the job; but not beyond a restart.
 */
public final class JobMetrics implements MetricReporter {
  private static final Map<String, Named> METRICS = new ConcurrentHashMap<>();

  /** Flink finds it as {@code metrics.reporter.NAME.factory.class}. */
  public static final class Factory implements MetricReporterFactory {
    @Override
    public MetricReporter createMetricReporter(Properties properties) {
      return new JobMetrics();
    }
  }

  private record Named(String name, Metric metric, boolean isGone) {
    long value() {
      return switch (metric) {
        case Counter counter -> counter.getCount();
        case Gauge<?> gauge when gauge.getValue() instanceof Number number -> number.longValue();
        default -> 0;
      };
    }
  }

  private static LongStream values(String name) {
    return METRICS.values().stream().filter(m -> m.name().equals(name)).mapToLong(Named::value);
  }

  static long sum(String name) {
    return values(name).sum();
  }

  /** How many metrics there are with that name. */
  static long count(String name) {
    return values(name).count();
  }

  /** What an attempt had that has ended, perhaps under names that the next one has not. */
  static void forgetGone() {
    METRICS.values().removeIf(Named::isGone);
  }

  @Override
  public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
    METRICS.put(group.getMetricIdentifier(name), new Named(name, metric, false));
  }

  @Override
  public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
    METRICS.computeIfPresent(
        group.getMetricIdentifier(name),
        (_, known) -> known.metric().equals(metric) ? new Named(name, metric, true) : known);
  }

  @Override
  public void open(MetricConfig config) {}

  @Override
  public void close() {}
}
