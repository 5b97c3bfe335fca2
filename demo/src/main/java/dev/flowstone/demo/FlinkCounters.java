// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/**
 * Reads the counters of jobs that run in this process, through Flink's own metric system. A
 * finished job's counters keep their last values.
 */
public final class FlinkCounters implements MetricReporter {
  private static final Map<String, Metric> METRICS = new ConcurrentHashMap<>();

  /** Flink finds it as {@code metrics.reporter.NAME.factory.class}. */
  public static final class Factory implements MetricReporterFactory {
    @Override
    public MetricReporter createMetricReporter(Properties properties) {
      return new FlinkCounters();
    }
  }

  /** Sum of all metrics with that name whose scope ends with the given one. */
  static long sum(String name) {
    long sum = 0;
    for (Map.Entry<String, Metric> metric : METRICS.entrySet()) {
      if (metric.getKey().endsWith("." + name)) {
        sum += valueOf(metric.getValue());
      }
    }
    return sum;
  }

  private static long valueOf(Metric metric) {
    return switch (metric) {
      case Counter counter -> counter.getCount();
      case Gauge<?> gauge when gauge.getValue() instanceof Number number -> number.longValue();
      default -> 0;
    };
  }

  @Override
  public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
    METRICS.put(group.getMetricIdentifier(name), metric);
  }

  @Override
  public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
    // The last table and the report come after the job.
  }

  @Override
  public void open(MetricConfig config) {}

  @Override
  public void close() {}
}
