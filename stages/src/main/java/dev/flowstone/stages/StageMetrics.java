// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.stages;

import java.util.Map;
import java.util.function.Supplier;
import org.apache.flink.metrics.CharacterFilter;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.Meter;
import org.apache.flink.metrics.MetricGroup;

/**
 * An operator's group of metrics: what is registered here, Flink has as well as the {@link
 * StageBoard}. Only counters and gauges are told there.
 */
public final class StageMetrics implements MetricGroup {
  private final MetricGroup flink;
  private final Stage stage;
  private final StageScope scope;

  private StageMetrics(MetricGroup flink, Stage stage, StageScope scope) {
    this.flink = flink;
    this.stage = stage;
    this.scope = scope;
  }

  /** The group itself where there is no job, as in a test. */
  public static MetricGroup of(MetricGroup group) {
    return of(group, StageBoard.ofThisProcess());
  }

  static MetricGroup of(MetricGroup group, StageBoard board) {
    return Stage.Identity.of(group)
        .<MetricGroup>map(
            identity -> new StageMetrics(group, board.stage(identity, group), StageScope.WHOLE))
        .orElse(group);
  }

  private void tell(String name, Supplier<?> value) {
    stage.add(scope, name, value);
  }

  @Override
  public Counter counter(String name) {
    Counter counter = flink.counter(name);
    tell(name, counter::getCount);
    return counter;
  }

  @Override
  public <C extends Counter> C counter(String name, C counter) {
    C registered = flink.counter(name, counter);
    tell(name, registered::getCount);
    return registered;
  }

  @Override
  public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
    G registered = flink.gauge(name, gauge);
    tell(name, registered::getValue);
    return registered;
  }

  @Override
  public <H extends Histogram> H histogram(String name, H histogram) {
    return flink.histogram(name, histogram);
  }

  @Override
  public <M extends Meter> M meter(String name, M meter) {
    return flink.meter(name, meter);
  }

  @Override
  public MetricGroup addGroup(String name) {
    return new StageMetrics(flink.addGroup(name), stage, scope.with(name));
  }

  @Override
  public MetricGroup addGroup(String key, String value) {
    return new StageMetrics(flink.addGroup(key, value), stage, scope.with(key, value));
  }

  @Override
  public String[] getScopeComponents() {
    return flink.getScopeComponents();
  }

  @Override
  public Map<String, String> getAllVariables() {
    return flink.getAllVariables();
  }

  @Override
  public String getMetricIdentifier(String name) {
    return flink.getMetricIdentifier(name);
  }

  @Override
  public String getMetricIdentifier(String name, CharacterFilter filter) {
    return flink.getMetricIdentifier(name, filter);
  }
}
