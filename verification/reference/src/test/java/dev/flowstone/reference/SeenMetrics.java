// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.metrics.CharacterFilter;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;
import org.apache.flink.runtime.metrics.groups.FrontMetricGroup;
import org.apache.flink.runtime.metrics.scope.ScopeFormat;

/**
 * A reporter of Flink's that remembers what Flowstone's classes register, of all jobs in this
 * process. Flink tells reporters while the class that registers waits, so that it is on the stack.
 */
public final class SeenMetrics implements MetricReporter {
  private static final Set<Registration> SEEN = ConcurrentHashMap.newKeySet();
  private static final String OURS = "dev.flowstone.";
  private static final String STAGES = "dev.flowstone.stages.";
  private static final String CHANGEABLE = "dev.flowstone.operators.user.LatestMetrics";
  private static final char SEPARATOR = '_';

  /** Flink finds it by its name, and makes it with nothing. */
  public static final class Factory implements MetricReporterFactory {
    @Override
    public MetricReporter createMetricReporter(Properties properties) {
      return new SeenMetrics();
    }
  }

  static List<Registration> all() {
    return SEEN.stream()
        .sorted(
            Comparator.comparing(Registration::by)
                .thenComparing(Registration::name)
                .thenComparing(Registration::operator))
        .toList();
  }

  @Override
  public void open(MetricConfig config) {}

  @Override
  public void close() {}

  @Override
  public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
    String scope =
        ((FrontMetricGroup<?>) group).getLogicalScope(CharacterFilter.NO_OP_FILTER, SEPARATOR);
    String operator = group.getAllVariables().get(ScopeFormat.SCOPE_OPERATOR_NAME);
    note(metric, name, scope, operator == null ? "" : operator);
  }

  /** Whoever asks was asked by the class that registers. */
  static void note(Metric metric, String name, String scope, String operator) {
    List<Class<?>> callers =
        StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
            .walk(
                frames -> frames.<Class<?>>map(StackWalker.StackFrame::getDeclaringClass).toList());
    registering(callers)
        .ifPresent(
            by ->
                SEEN.add(
                    new Registration(
                        by.getSimpleName(),
                        name,
                        metric.getMetricType(),
                        scope,
                        operator,
                        callers.stream().anyMatch(each -> each.getName().startsWith(STAGES)))));
  }

  /** The first that is neither a group nor a reporter; Flink's own metrics have one of Flink's. */
  private static Optional<Class<?>> registering(List<Class<?>> callers) {
    return callers.stream()
        .filter(each -> !isOfMetrics(each))
        .findFirst()
        .filter(each -> each.getName().startsWith(OURS))
        .map(SeenMetrics::outermost);
  }

  private static boolean isOfMetrics(Class<?> type) {
    return MetricGroup.class.isAssignableFrom(type)
        || type.getPackage() == SeenMetrics.class.getPackage()
        || type.getName().startsWith(STAGES)
        || type.getName().startsWith(CHANGEABLE)
        || type.getName().startsWith("org.apache.flink.runtime.metrics.")
        || type.getName().startsWith("org.apache.flink.metrics.")
        || type.getName().startsWith("java.");
  }

  private static Class<?> outermost(Class<?> type) {
    Class<?> outer = type;
    while (outer.getEnclosingClass() != null) {
      outer = outer.getEnclosingClass();
    }
    return outer;
  }

  @Override
  public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {}
}
