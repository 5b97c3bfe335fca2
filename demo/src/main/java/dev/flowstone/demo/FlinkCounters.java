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
import org.apache.flink.runtime.metrics.scope.ScopeFormat;

/**
 * Reads the counters of jobs that run in this process, through Flink's own metric system. A
 * finished job's counters keep their last values.
 */
public final class FlinkCounters implements MetricReporter {
  private static final Map<String, Named> METRICS = new ConcurrentHashMap<>();

  /** Flink finds it as {@code metrics.reporter.NAME.factory.class}. */
  public static final class Factory implements MetricReporterFactory {
    @Override
    public MetricReporter createMetricReporter(Properties properties) {
      return new FlinkCounters();
    }
  }

  /** Sum of all metrics with that name. */
  static long sum(String name) {
    return METRICS.values().stream()
        .filter(m -> m.name().equals(name))
        .mapToLong(Named::value)
        .sum();
  }

  /**
   * Sum of all metrics with that name below an operator's own group: Flink counts records and bytes
   * for operators and tasks under the same names.
   */
  static long ofOperator(String operator, String name) {
    return METRICS.values().stream()
        .filter(metric -> metric.name().equals(name) && metric.operator().equals(operator))
        .mapToLong(Named::value)
        .sum();
  }

  /**
   * @param operator whose metric it is; empty for those of tasks, jobs and processes
   */
  private record Named(String operator, String name, Metric metric) {
    long value() {
      return switch (metric) {
        case Counter counter -> counter.getCount();
        case Gauge<?> gauge when gauge.getValue() instanceof Number number -> number.longValue();
        default -> 0;
      };
    }
  }

  @Override
  public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
    String operator = group.getAllVariables().getOrDefault(ScopeFormat.SCOPE_OPERATOR_NAME, "");
    METRICS.put(group.getMetricIdentifier(name), new Named(operator, name, metric));
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
