// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.user;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.Meter;
import org.apache.flink.metrics.MeterView;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.metrics.DescriptiveStatisticsHistogram;
import org.junit.jupiter.api.Test;

class LatestMetricsTest {
  /** The first of each name, as Flink has it. */
  private static final class FirstMetrics extends UnregisteredMetricsGroup {
    private final Map<String, Metric> first;
    private final String scope;

    FirstMetrics(Map<String, Metric> first, String scope) {
      this.first = first;
      this.scope = scope;
    }

    @Override
    public <C extends Counter> C counter(String name, C counter) {
      first.putIfAbsent(scope + name, counter);
      return counter;
    }

    @Override
    public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
      first.putIfAbsent(scope + name, gauge);
      return gauge;
    }

    @Override
    public <H extends Histogram> H histogram(String name, H histogram) {
      first.putIfAbsent(scope + name, histogram);
      return histogram;
    }

    @Override
    public <M extends Meter> M meter(String name, M meter) {
      first.putIfAbsent(scope + name, meter);
      return meter;
    }

    @Override
    public MetricGroup addGroup(String name) {
      return new FirstMetrics(first, scope + name + ".");
    }

    @Override
    public MetricGroup addGroup(String key, String value) {
      return new FirstMetrics(first, scope + key + "." + value + ".");
    }
  }

  private final Map<String, Metric> shown = new HashMap<>();
  private final LatestMetrics metrics = new LatestMetrics(new FirstMetrics(shown, ""));

  private long count(String name) {
    return ((Counter) shown.get(name)).getCount();
  }

  @Test
  void shouldShowTheLatestOfEachName() {
    for (int time = 1; time <= 2; time++) {
      int value = 10 * time;
      metrics.counter("seen").inc(value);
      metrics.addGroup("of").counter("seen").inc(value + 1);
      metrics.addGroup("of", "port").counter("seen").inc(value + 2);
      metrics.gauge("now", () -> value);
      metrics.histogram("sizes", new DescriptiveStatisticsHistogram(100)).update(value);
      metrics.meter("rate", new MeterView(1)).markEvent(value);

      assertThat(count("seen")).isEqualTo(value);
      assertThat(count("of.seen")).isEqualTo(value + 1);
      assertThat(count("of.port.seen")).isEqualTo(value + 2);
      assertThat(((Gauge<?>) shown.get("now")).getValue()).isEqualTo(value);
      assertThat(((Histogram) shown.get("sizes")).getStatistics().getMax()).isEqualTo(value);
      assertThat(((Meter) shown.get("rate")).getCount()).isEqualTo(value);
    }
    assertThat(shown).hasSize(6);
  }
}
