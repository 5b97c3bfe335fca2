// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.user;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.metrics.CharacterFilter;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.HistogramStatistics;
import org.apache.flink.metrics.Meter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;

/**
 * A group in which the latest metric of a name is shown, as when a function comes in the place of
 * another: Flink shows the first for as long as the task runs. One thread registers, any reads.
 */
final class LatestMetrics implements MetricGroup {
  private final MetricGroup flink;
  private final Map<String, Counter> counters = new ConcurrentHashMap<>();
  private final Map<String, Gauge<?>> gauges = new ConcurrentHashMap<>();
  private final Map<String, Histogram> histograms = new ConcurrentHashMap<>();
  private final Map<String, Meter> meters = new ConcurrentHashMap<>();
  private final Map<String, LatestMetrics> groups = new HashMap<>();

  LatestMetrics(MetricGroup flink) {
    this.flink = flink;
  }

  @Override
  public Counter counter(String name) {
    return counter(name, new SimpleCounter());
  }

  @Override
  public <C extends Counter> C counter(String name, C counter) {
    if (counters.put(name, counter) == null) {
      flink.counter(name, new LatestCounter(name));
    }
    return counter;
  }

  @Override
  public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
    if (gauges.put(name, gauge) == null) {
      flink.gauge(name, (Gauge<Object>) () -> gauges.get(name).getValue());
    }
    return gauge;
  }

  @Override
  public <H extends Histogram> H histogram(String name, H histogram) {
    if (histograms.put(name, histogram) == null) {
      flink.histogram(name, new LatestHistogram(name));
    }
    return histogram;
  }

  @Override
  public <M extends Meter> M meter(String name, M meter) {
    if (meters.put(name, meter) == null) {
      flink.meter(name, new LatestMeter(name));
    }
    return meter;
  }

  @Override
  public MetricGroup addGroup(String name) {
    return groups.computeIfAbsent(name, _ -> new LatestMetrics(flink.addGroup(name)));
  }

  @Override
  public MetricGroup addGroup(String key, String value) {
    return groups.computeIfAbsent(
        key + '\n' + value, _ -> new LatestMetrics(flink.addGroup(key, value)));
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

  private final class LatestCounter implements Counter {
    private final String name;

    LatestCounter(String name) {
      this.name = name;
    }

    @Override
    public void inc() {
      counters.get(name).inc();
    }

    @Override
    public void inc(long more) {
      counters.get(name).inc(more);
    }

    @Override
    public void dec() {
      counters.get(name).dec();
    }

    @Override
    public void dec(long less) {
      counters.get(name).dec(less);
    }

    @Override
    public long getCount() {
      return counters.get(name).getCount();
    }
  }

  private final class LatestHistogram implements Histogram {
    private final String name;

    LatestHistogram(String name) {
      this.name = name;
    }

    @Override
    public void update(long value) {
      histograms.get(name).update(value);
    }

    @Override
    public long getCount() {
      return histograms.get(name).getCount();
    }

    @Override
    public HistogramStatistics getStatistics() {
      return histograms.get(name).getStatistics();
    }
  }

  private final class LatestMeter implements Meter {
    private final String name;

    LatestMeter(String name) {
      this.name = name;
    }

    @Override
    public void markEvent() {
      meters.get(name).markEvent();
    }

    @Override
    public void markEvent(long events) {
      meters.get(name).markEvent(events);
    }

    @Override
    public double getRate() {
      return meters.get(name).getRate();
    }

    @Override
    public long getCount() {
      return meters.get(name).getCount();
    }
  }
}
