// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import static dev.flowstone.plan.Cost.AGGREGATE_CHECKPOINT;
import static dev.flowstone.plan.Cost.AGGREGATE_FLOW;
import static dev.flowstone.plan.Cost.ANOMALY_SUBTASK;
import static dev.flowstone.plan.Cost.CHECKPOINT_TIME;
import static dev.flowstone.plan.Cost.HISTOGRAM_CHECKPOINT;
import static dev.flowstone.plan.Cost.HISTOGRAM_FLOW;
import static dev.flowstone.plan.Cost.INDEX_FLOW;

import java.util.ArrayList;
import java.util.List;

/** What one server's job keeps of flows, in memory and in checkpoints. */
record FlowState(Site site, CostTable costs, Work work) {
  /** Two that are kept, as flink-conf says, and the one that is being written. */
  private static final int CHECKPOINTS = 3;

  /** Key groups are not alike, and a table that is full evicts. */
  private static final double UNEVEN = 1.25;

  double tableBytes() {
    return tableBytes(Function.AGGREGATE, AGGREGATE_FLOW)
        + tableBytes(Function.HISTOGRAM, HISTOGRAM_FLOW);
  }

  private double tableBytes(Function function, Cost ofFlow) {
    return site.traffic().flowsOf(function) * (costs.of(ofFlow) + costs.of(INDEX_FLOW));
  }

  double alertBytes() {
    return site.traffic().has(Function.ANOMALY)
        ? work.subtasks() * costs.of(ANOMALY_SUBTASK) * (1 << 20)
        : 0;
  }

  /** All flows, as if each had changed, and all that alerts may watch, which is written whole. */
  double checkpointBytes() {
    return alertBytes()
        + site.traffic().flowsOf(Function.AGGREGATE) * costs.of(AGGREGATE_CHECKPOINT)
        + site.traffic().flowsOf(Function.HISTOGRAM) * costs.of(HISTOGRAM_CHECKPOINT);
  }

  /** How long a checkpoint takes. */
  double checkpointSeconds() {
    return costs.of(CHECKPOINT_TIME) + checkpointBytes() / site.machine().diskBytesPerSecond();
  }

  /** The job's --most-flows: of one function in one subtask. */
  long mostFlows() {
    double flows =
        Math.max(
            site.traffic().flowsOf(Function.AGGREGATE), site.traffic().flowsOf(Function.HISTOGRAM));
    return (long) Math.ceil(UNEVEN * flows / work.subtasks());
  }

  Group group() {
    List<Amount> amounts = new ArrayList<>();
    if (tableBytes() > 0) {
      amounts.add(
          Amount.ofServers(
              "flow tables",
              tableBytes(),
              site.servers(),
              Unit.MEMORY,
              flows(AGGREGATE_FLOW, HISTOGRAM_FLOW, " + %s of index".formatted(indexBytes()))));
    }
    if (alertBytes() > 0) {
      amounts.add(
          Amount.ofServers(
              "watched for alerts",
              alertBytes(),
              site.servers(),
              Unit.MEMORY,
              "%d x %s MiB, heap of each subtask, at most"
                  .formatted(work.subtasks(), Unit.digits(costs.of(ANOMALY_SUBTASK)))));
    }
    if (checkpointBytes() > 0) {
      amounts.add(
          Amount.ofServers(
              "a checkpoint", checkpointBytes(), site.servers(), Unit.BYTES, inCheckpoint()));
      amounts.add(
          Amount.ofServers(
              "checkpoints written",
              checkpointBytes() / site.operation().intervalSeconds(),
              site.servers(),
              Unit.BYTES_PER_SECOND,
              "one each " + Unit.SECONDS.of(site.operation().intervalSeconds())));
      amounts.add(
          Amount.ofServers(
              "checkpoints kept",
              CHECKPOINTS * checkpointBytes(),
              site.servers(),
              Unit.BYTES,
              "two, and the one that is being written; where all hosts see them"));
    }
    amounts.add(
        Amount.ofEach(
            "a checkpoint takes",
            checkpointSeconds(),
            Unit.SECONDS,
            checkpointBytes() == 0
                ? "without flows that are kept, or watched"
                : "%s, and its bytes at %s"
                    .formatted(
                        Unit.SECONDS.of(costs.of(CHECKPOINT_TIME)),
                        Unit.BYTES_PER_SECOND.of(site.machine().diskBytesPerSecond()))));
    return new Group("state", amounts);
  }

  private String indexBytes() {
    return Unit.digits(costs.of(INDEX_FLOW));
  }

  private String inCheckpoint() {
    List<String> parts = new ArrayList<>();
    if (tableBytes() > 0) {
      parts.add(flows(AGGREGATE_CHECKPOINT, HISTOGRAM_CHECKPOINT, "") + ", all changed");
    }
    if (alertBytes() > 0) {
      parts.add("%s watched for alerts, at most".formatted(Unit.MEMORY.of(alertBytes())));
    }
    return String.join("; ", parts);
  }

  private String flows(Cost ofAggregate, Cost ofHistogram, String beside) {
    List<String> parts = new ArrayList<>();
    addFlows(parts, Function.AGGREGATE, costs.of(ofAggregate), beside, "flow records");
    addFlows(parts, Function.HISTOGRAM, costs.of(ofHistogram), beside, "histograms");
    return String.join(", ", parts);
  }

  private void addFlows(
      List<String> parts, Function function, double bytes, String beside, String name) {
    if (site.traffic().has(function)) {
      String each = Unit.digits(bytes) + beside;
      parts.add(
          "%s %s x %s B"
              .formatted(
                  Unit.PACKETS.of(site.traffic().flowsOf(function)),
                  name,
                  beside.isEmpty() ? each : "(" + each + ")"));
    }
  }
}
