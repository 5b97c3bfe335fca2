// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongBinaryOperator;
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
  private static final String OPERATOR = "<operator_name>";
  private static final Map<String, Named> METRICS = new ConcurrentHashMap<>();

  /** Flink finds it as {@code metrics.reporter.NAME.factory.class}. */
  public static final class Factory implements MetricReporterFactory {
    @Override
    public MetricReporter createMetricReporter(Properties properties) {
      return new JobMetrics();
    }
  }

  private record Named(String name, String operator, Metric metric, boolean isGone) {
    static Named of(String name, Metric metric, MetricGroup group, boolean isGone) {
      return new Named(name, group.getAllVariables().getOrDefault(OPERATOR, ""), metric, isGone);
    }

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

  /** Of those that are not gone. */
  static long sumOfLive(String name) {
    return byOperator(name, Long::sum).values().stream().mapToLong(Long::longValue).sum();
  }

  /** Of each operator that runs and has metrics of that name, all of them put together. */
  static Map<String, Long> byOperator(String name, LongBinaryOperator together) {
    Map<String, Long> values = new TreeMap<>();
    METRICS.values().stream()
        .filter(each -> each.name().equals(name) && !each.isGone())
        .forEach(each -> values.merge(each.operator(), each.value(), together::applyAsLong));
    return values;
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
    METRICS.put(group.getMetricIdentifier(name), Named.of(name, metric, group, false));
  }

  @Override
  public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
    METRICS.computeIfPresent(
        group.getMetricIdentifier(name),
        (_, known) -> known.metric().equals(metric) ? Named.of(name, metric, group, true) : known);
  }

  @Override
  public void open(MetricConfig config) {}

  @Override
  public void close() {}
}
