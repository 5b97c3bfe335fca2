// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.benchmarks.TopicEnds.Content;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * What arrived in a topic while a job ran, window by window.
 *
 * @param recounted packets/s by the headers of what a consumer read back afterwards
 * @param acknowledged packets/s by end offsets at the time, times the average packets of a message
 * @param content all windows together
 * @param cpuNs of the processes that were named, during all windows
 */
record KafkaMeasurement(Windows recounted, Windows acknowledged, Content content, long cpuNs) {

  /** One window's edges: when, and how far the topic was. */
  private record Edge(long timeNs, Map<TopicPartition, Long> ends) {
    static Edge now(TopicEnds topic) {
      return new Edge(System.nanoTime(), topic.now());
    }

    double secondsSince(Edge first) {
      return (timeNs - first.timeNs) / 1e9;
    }
  }

  static KafkaMeasurement of(
      TopicEnds topic, FlinkRun run, BenchScale scale, ProcessHandle... processes)
      throws Exception {
    Map<TopicPartition, Long> empty = topic.now();
    Windows.awaitGrowth(() -> TopicEnds.messagesBetween(empty, topic.now()));
    Windows.await(scale.warmUp());
    List<Edge> edges = new ArrayList<>(List.of(Edge.now(topic)));
    long startCpuNs = CpuTime.ofNs(processes);
    for (int i = 0; i < scale.windows(); i++) {
      Windows.await(scale.window());
      edges.add(Edge.now(topic));
    }
    long cpuNs = CpuTime.ofNs(processes) - startCpuNs;
    run.requireRunning();
    run.close();
    return recount(topic, edges, cpuNs);
  }

  private static KafkaMeasurement recount(TopicEnds topic, List<Edge> edges, long cpuNs) {
    Progress.say("recounting");
    List<Content> contents = new ArrayList<>();
    for (int i = 1; i < edges.size(); i++) {
      contents.add(topic.recount(edges.get(i - 1).ends, edges.get(i).ends));
    }
    Content all = contents.stream().reduce(Content.NONE, Content::plus);
    if (all.packets() == 0) {
      throw new IllegalStateException(
          "no packet arrived in Kafka during " + edges.size() + " windows");
    }
    List<Double> recounted = new ArrayList<>();
    List<Double> acknowledged = new ArrayList<>();
    for (int i = 1; i < edges.size(); i++) {
      double seconds = edges.get(i).secondsSince(edges.get(i - 1));
      long messages = TopicEnds.messagesBetween(edges.get(i - 1).ends, edges.get(i).ends);
      recounted.add(contents.get(i - 1).packets() / seconds);
      acknowledged.add(messages * ((double) all.packets() / all.messages()) / seconds);
    }
    return new KafkaMeasurement(new Windows(recounted), new Windows(acknowledged), all, cpuNs);
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
}
