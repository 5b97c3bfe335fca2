// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.benchmarks.TopicEnds.Content;
import dev.flowstone.benchmarks.TopicEnds.Edge;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What arrived in a topic while a job ran, window by window.
 *
 * @param rates packets/s by the headers of what a consumer read back
 * @param content all windows together
 * @param cpuNs of the processes that were named, during all windows
 */
record KafkaMeasurement(Windows rates, Content content, long cpuNs) {

  /**
   * Each window is read back before the next begins, while the job goes on: however fast it is, the
   * broker has to keep what one window and its recount take.
   */
  static KafkaMeasurement of(
      TopicEnds topic, FlinkRun run, BenchScale scale, ProcessHandle... processes)
      throws Exception {
    topic.awaitFirst();
    Windows.await(scale.warmUp());
    List<Double> rates = new ArrayList<>();
    Content all = Content.NONE;
    long cpuNs = 0;
    for (int i = 0; i < scale.windows(); i++) {
      Edge first = topic.edge();
      long startCpuNs = CpuTime.ofNs(processes);
      Windows.await(scale.window());
      Edge end = topic.edge();
      cpuNs += CpuTime.betweenNs(startCpuNs, CpuTime.ofNs(processes));
      run.requireRunning();
      Content content = topic.recount(first.ends(), end.ends());
      rates.add(content.packets() / end.secondsSince(first));
      all = all.plus(content);
    }
    if (all.packets() == 0) {
      throw new IllegalStateException(
          "no packet arrived in Kafka during " + scale.windows() + " windows");
    }
    return new KafkaMeasurement(new Windows(rates), all, cpuNs);
  }

  double bytesPerPacket() {
    return (double) content.bytes() / content.packets();
  }

  double bytesPerMessage() {
    return (double) content.bytes() / content.messages();
  }

  double cpuNsPerPacket() {
    return (double) cpuNs / content.packets();
  }

  /** As it stands in a result beside the figure. */
  Map<String, Object> toKeys(KafkaLoad load) {
    Map<String, Object> keys = new LinkedHashMap<>();
    keys.put("figure", rates.median());
    keys.put("range", rates.range());
    keys.put("cpu_ns_per_packet", cpuNsPerPacket());
    keys.put("bytes_per_packet", bytesPerPacket());
    keys.put("parallelism", load.parallelism());
    return keys;
  }
}
