// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;
import org.apache.flink.runtime.metrics.scope.ScopeFormat;

/**
 * Reads the counters of the demo's job, which runs in this process, through Flink's own metric
 * system. When it has finished they keep their last values. Queries that somebody asks meanwhile
 * have counters of the same names, which are none of the demo's.
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
   * The same for each value of a group below the operator's own, such as each name of a rule.
   *
   * @param group the key of a group that was added with key and value
   */
  static Map<String, Long> byGroup(String operator, String name, String group) {
    String variable = ScopeFormat.asVariable(group);
    return METRICS.values().stream()
        .filter(metric -> metric.name().equals(name) && metric.operator().equals(operator))
        .filter(metric -> metric.variables().containsKey(variable))
        .collect(
            Collectors.groupingBy(
                metric -> metric.variables().get(variable),
                TreeMap::new,
                Collectors.summingLong(Named::value)));
  }

  /** Greatest of all metrics with that name; 0 when there is none. */
  static long greatest(String name) {
    return METRICS.values().stream()
        .filter(metric -> metric.name().equals(name))
        .mapToLong(Named::value)
        .max()
        .orElse(0);
  }

  /**
   * @param operator whose metric it is; empty for those of tasks and the job
   */
  private record Named(String operator, Map<String, String> variables, String name, Metric metric) {
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
    Map<String, String> variables = group.getAllVariables();
    if (!DemoFlink.JOB_NAME.equals(variables.get(ScopeFormat.SCOPE_JOB_NAME))) {
      return;
    }
    String operator = variables.getOrDefault(ScopeFormat.SCOPE_OPERATOR_NAME, "");
    METRICS.put(group.getMetricIdentifier(name), new Named(operator, variables, name, metric));
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
