// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.operators.stages.StageReport;
import dev.flowstone.operators.stages.StageReports;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.functions.FilterFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** How many packets each rule of the job has had, as its stages tell. One subtask. */
final class RuleCounts implements FilterFunction<StageReport> {
  private static final long serialVersionUID = 1L;

  static final String PACKETS_OF_RULE = "packetsOfRule";
  static final String RULE = "rule";
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofMillis(10);

  private static final Map<String, Long> PACKETS = new ConcurrentHashMap<>();

  /** Listens to the stages of the job that these blocks are in. */
  static void of(DataStream<PacketBlock> blocks) {
    StageReports.of(blocks, INTERVAL).filter(new RuleCounts()).sinkTo(new DiscardingSink<>());
  }

  /** By rule, as was told last; the next job begins anew. */
  static Map<String, Long> take() {
    Map<String, Long> taken = new TreeMap<>(PACKETS);
    PACKETS.clear();
    return taken;
  }

  /** Returns when the job has told of so many rules. */
  static void await(int rules) {
    long endNs = System.nanoTime() + LIMIT.toNanos();
    while (PACKETS.size() < rules) {
      if (System.nanoTime() - endNs > 0) {
        throw new IllegalStateException("the stages told nothing of rules within " + LIMIT);
      }
      Windows.await(POLL);
    }
  }

  /** In percent of all packets, by what the rules are for. */
  static Map<String, Double> percentByFunction(Map<String, Long> packets, RulesInForce rules) {
    double all = packets.values().stream().mapToLong(Long::longValue).sum();
    Map<String, Double> percents = new LinkedHashMap<>();
    for (int rule = 0; rule < rules.size(); rule++) {
      double percent = 100 * packets.getOrDefault(rules.tag(rule).name(), 0L) / all;
      percents.merge(rules.function(rule).name(), percent, Double::sum);
    }
    return percents;
  }

  @Override
  public boolean filter(StageReport report) {
    Number packets = report.counts().values().get(PACKETS_OF_RULE);
    if (packets != null) {
      PACKETS.put(report.counts().scope().labels().get(RULE), packets.longValue());
    }
    return false;
  }
}
